// Decisions of a pod group's preemption in the oracle, and its search, which tries everything on the oracle's own state.
//
// Thread: one. Errors: see oracle.h.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "oracle.h"

namespace bayplan::oracle {

struct Oracle::GangNomination {
    std::uint64_t ask = 0;
    std::string node;
    std::vector<std::uint64_t> victims;  // others of gangs that go whole last
    std::string costs;                   // as the log says them
};

struct Oracle::GangPreemption {
    bool eligible = false;
    std::vector<GangNomination> nominations;  // the eldest first
    std::set<std::string> failed_by;

    const GangNomination* of(std::uint64_t ask) const {
        for (const GangNomination& one : nominations) {
            if (one.ask == ask) {
                return &one;
            }
        }
        return nullptr;
    }
};

// The outcome of the pass for a member.
struct Oracle::Try {
    std::uint64_t ask = 0;
    std::string node;  // empty: none
    std::string message;
    std::set<std::string> failed_by;
};

class Oracle::GangSearch {
public:
    GangSearch(Oracle&, const std::vector<Ask*>& waiting);
    GangPreemption run();

private:
    void try_member(Ask&);
    void take_off(std::uint64_t victim);
    std::vector<std::uint64_t> gone_by_importance() const;
    void put_back();
    bool all_fit_without(const std::set<std::uint64_t>& unit);
    void restore();

    Oracle& oracle_;
    const std::vector<Ask*>& waiting_;
    const std::map<std::uint64_t, Ask> asks_;  // all as it was
    const std::map<std::string, Node> nodes_;
    const KubeObjects objects_;
    GangPreemption found_;
    std::map<std::uint64_t, std::string> gone_;  // victims, and the gangs that they run in
    std::set<std::string> whole_;                // gangs that go whole
    std::set<std::uint64_t> stay_;               // victims put back
};

}  // namespace bayplan::oracle
