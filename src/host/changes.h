// What `bayplan tune` may change while the host runs: values of files in /proc and /sys.
//
// Thread: main.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "host/host_facts.h"

namespace bayplan::host {

struct Change {
    std::string path;    // on the host
    std::string before;  // what stands there now
    std::string after;
    std::string what;  // for people: "hugepages of 2Mi on NUMA domain 0"
};

struct Plan {
    std::vector<Change> changes;       // in the order of doing
    std::vector<std::string> by_hand;  // what a running host does not let us change, with what to do
};

// What of the host differs from what the profile asks for.
Plan plan_changes(const HostFiles&, const HostFacts&, const config::ProfileConfig&);

// Whether two texts mean the same value: lists and masks of CPUs have several spellings.
bool same_value(const std::string&, const std::string&);

}  // namespace bayplan::host
