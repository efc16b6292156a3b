// Changes that `bayplan tune` makes while the host runs: values of files in /proc and /sys.
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
    std::string before;  // the file's value now
    std::string after;
    std::string what;  // for people: "hugepages of 2Mi on NUMA domain 0"
};

struct Plan {
    std::vector<Change> changes;       // in the order of doing
    std::vector<std::string> by_hand;  // needs that cannot be met on a running host, each with its remedy
};

// Plans a change for each value of the host that differs from the profile's need.
Plan plan_changes(const HostFiles&, const HostFacts&, const config::ProfileConfig&);

// Whether two texts mean the same value: lists and masks of CPUs have several spellings.
bool same_value(const std::string&, const std::string&);

}  // namespace bayplan::host
