// Default answers of a predicate; see predicate.h.
#include "predicates/predicate.h"

#include <algorithm>
#include <bit>

namespace bayplan {

void count_reason(ReasonCounts& counts, std::string_view reason, std::uint64_t lanes, std::string_view more) {
    if (lanes == 0) {
        return;
    }
    const auto nodes = static_cast<std::uint64_t>(std::popcount(lanes));
    const auto found = std::find_if(counts.begin(), counts.end(), [&](const ReasonCount& one) {
        return one.reason.size() == reason.size() + more.size() && one.reason.starts_with(reason) &&
               one.reason.ends_with(more);
    });
    if (found != counts.end()) {
        found->nodes += nodes;
    } else {
        counts.push_back({std::string(reason).append(more), nodes});
    }
}

LaneRefusals Predicate::explain_lanes(const Subject& subject, const NodeBlock& block, std::uint32_t number,
                                      std::uint64_t lanes, ReasonCounts& counts) const {
    std::uint64_t pass = concerns(subject.ask_class) ? filter(subject.ask_class, block, lanes) : lanes;
    if (depends_on_pods(subject)) {
        pass = filter_cluster(subject, number, pass);
    }
    return explain_each(subject, block, number, lanes & ~pass, counts);
}

LaneRefusals Predicate::explain_each(const Subject& subject, const NodeBlock& block, std::uint32_t number,
                                     std::uint64_t lanes, ReasonCounts& counts) const {
    LaneRefusals refusals;
    for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
        const Slot slot = slot_at(number, static_cast<std::uint32_t>(std::countr_zero(left)));
        const std::uint64_t lane = left & -left;
        const Refusal refusal = explain(subject, {block, slot, *subject.cluster.topology.facts()[raw(slot)]});
        refusals.unschedulable |= refusal.verdict == Verdict::unschedulable ? lane : 0;
        refusals.unresolvable |= refusal.verdict == Verdict::unresolvable ? lane : 0;
        for (const std::string& reason : refusal.reasons) {
            count_reason(counts, reason, lane);
        }
    }
    return refusals;
}

}  // namespace bayplan
