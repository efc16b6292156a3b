// A DaemonSet pod that is short of resources on its node: what the steps of the simple preemptor come to.
//
// Thread: plain data, owns its texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bayplan {

// As far as the steps went. Pods by key.
struct DaemonsetExplanation {
    std::string node;
    std::string message;
    std::int64_t age_ms = 0;
    std::int64_t delay_ms = 0;
    std::string state;  // "delay", "pending", "behind", "coming", "never", "nothing-found", "chosen"
    std::vector<std::pair<std::string, std::int64_t>> need;  // by resource
    bool looked_for_victims = false;
    std::vector<std::string> candidates;
    std::vector<std::pair<std::string, std::string>> filtered;              // pod and reason
    std::vector<std::pair<std::string, std::vector<std::string>>> classes;  // in sort order
    // If victims were chosen:
    std::string strategy;
    std::string last_class;
    std::optional<double> deviation_percent;  // of a single victim
    std::vector<std::string> chosen;
    std::vector<std::string> spared;
    std::string release;
};

}  // namespace bayplan
