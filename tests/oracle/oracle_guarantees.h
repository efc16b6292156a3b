// Preemption between queues in the oracle, literally: rules/guarantees.md.
//
// Thread and errors: see oracle.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kube_preemption.h"
#include "oracle.h"

namespace bayplan::oracle {

// An ask that failed by it is woken by each event.
inline constexpr const char* kByGuarantee = "a guarantee";

// As Go spells durations; none: it is none.
std::optional<std::int64_t> duration_in(const std::string&);

class GuaranteeRules {
public:
    explicit GuaranteeRules(const Oracle& oracle) : oracle_(oracle) {}
    // As if the nominations of these, a group's members that wait, held nothing.
    GuaranteeRules(const Oracle& oracle, const std::vector<Ask*>& waiting) : oracle_(oracle) {
        for (const Ask* member : waiting) {
            let_go_.insert(member->sequence);
        }
    }

    // The first two lines of the table of R-GUARANTEE-9.
    bool concerns(const Ask&) const;
    // The same of a member of a group.
    bool concerns_member(const Ask&) const;
    std::int64_t delay_of(const Ask&) const;
    std::string guarantor_of(const Ask&) const;  // empty: none
    std::optional<KubeVictims> search(const Ask&, const Oracle::Look&) const;
    bool any_guarantee() const;
    // An unschedulable ask that could preempt for its queue's guarantee now; or "".
    std::string sleeper() const;

    // --- in the oracle's attempts and ticks
    static bool waits_long_enough(Oracle&, Ask&);
    static bool group_waits_long_enough(Oracle&, const std::vector<Ask*>& waiting);
    static bool group_has_waited(Oracle&, const std::vector<Ask*>& waiting);  // the same without a trace
    static void end_delays(Oracle&);
    static bool preempt(Oracle&, Ask&, const Oracle::Look&, KubePreemption&);
    // A queue that would hold less than it is guaranteed without the victims; or "".
    std::string left_short(const Ask&, const KubeVictims&) const;

private:
    friend class QuotaRules;
    friend class RoomRules;
    using Pods = std::vector<const KubePod*>;

    const queue_config::QueueConfig& config(const std::string& path) const;
    std::string property(const std::string& path, const std::string& name) const;
    std::string leaf_of(const Ask&) const;
    static std::vector<std::string> path_of(std::string leaf);  // from the leaf to root
    std::vector<std::string> below_fork(const std::string& leaf, const std::string& other) const;
    std::int64_t rank(const Ask&, const std::string& at_fork_with) const;
    std::string scope_of(const std::string& leaf) const;
    std::int64_t held(const std::string& path, const std::string& kind, const Ask* except) const;
    bool is_candidate(const Ask& pod, const Ask& ask) const;
    bool is_spared_by_queues(const Ask& pod, const Ask& ask, const Pods& let_in) const;
    bool more_important(const KubePod*, const KubePod*) const;
    Pods pool_on(const Ask&, const KubeState&, const std::string& node, Pods& going) const;
    std::optional<KubeVictims> look_at(const Ask&, const KubeState&, const KubeNode&) const;

    static bool wait(Oracle&, Ask&, std::int64_t delay);

    const Oracle& oracle_;
    std::set<std::uint64_t> let_go_;
    std::string within_;  // only pods below this queue may go; empty: it is the scope that decides
};

}  // namespace bayplan::oracle
