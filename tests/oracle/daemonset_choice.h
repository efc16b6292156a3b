// The victims of a DaemonSet pod on its node, literally: rules/daemonsets.md from the candidates on. The second
// implementation; it shares nothing with src/.
//
// Thread: a pure function. Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace bayplan::oracle {

struct DaemonsetCandidate {
    std::uint64_t sequence = 0;
    std::string key;
    std::int32_t priority = 0;
    std::int64_t started_ms = 0;  // 0: not known
    std::string pod_class;        // regular, owner, optout
    std::map<std::string, std::int64_t> has;
};

struct DaemonsetNeed {
    std::string kind;
    std::int64_t need = 0;
    std::int64_t asked = 0;
};

struct DaemonsetLimits {
    std::vector<std::string> strategies;  // in their order
    std::int64_t deviation_max = 0;       // of 100,000,000
    std::size_t victims_max = 0;
};

struct DaemonsetChoice {
    std::vector<std::uint64_t> victims;  // sequence numbers, most important first; empty: no choice
    std::vector<std::uint64_t> spared;
    std::string strategy;
    std::string last_class;
    std::size_t strategies_tried = 0;
};

// Of pods that nothing filters.
DaemonsetChoice choose_for_daemonset(const std::vector<DaemonsetCandidate>&, const std::vector<DaemonsetNeed>&,
                                     const DaemonsetLimits&);

}  // namespace bayplan::oracle
