// Asking all predicates of a block or a node; see predicate_set.h.
#include "predicates/predicate_set.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace bayplan {

PredicateSet::PredicateSet(std::vector<PredicateInForce> predicates) {
    for (PredicateInForce& one : predicates) {
        predicates_.push_back(std::move(one.predicate));
        rows_.push_back(one.row);
        if (predicates_.back()->filters_by_columns()) {
            by_columns_.push_back(predicates_.back().get());
        }
        if (predicates_.back()->refuses_pods()) {
            refusing_.push_back(static_cast<std::uint32_t>(predicates_.size() - 1));
        }
        if (predicates_.back()->looks_at_pods()) {
            looking_at_pods_.push_back(predicates_.back().get());
        }
    }
}

std::uint64_t PredicateSet::filter(const AskClass& ask_class, const NodeBlock& block,
                                   std::uint64_t lanes) const noexcept {
    for (const Predicate* predicate : by_columns_) {
        if (lanes == 0) {
            break;
        }
        if (predicate->concerns(ask_class)) {
            lanes = predicate->filter(ask_class, block, lanes);
        }
    }
    return lanes;
}

PredicateSet::Failure PredicateSet::refuse_all(const Subject& subject) const {
    for (const std::uint32_t index : refusing_) {
        Refusal refusal = predicates_[index]->refuse_all(subject);
        if (refusal.verdict != Verdict::feasible) {
            return {index, std::move(refusal)};
        }
    }
    return {};
}

PredicateSet::Failure PredicateSet::explain(const Subject& subject, const NodeView& node, std::uint32_t skipped) const {
    for (std::uint32_t index = 0; index < predicates_.size(); ++index) {
        Refusal refusal = predicates_[index]->exclude_nodes(subject, node);
        if (refusal.verdict != Verdict::feasible) {
            return {index, std::move(refusal)};
        }
    }
    for (std::uint32_t index = 0; index < predicates_.size(); ++index) {
        if ((skipped >> index & 1) != 0) {
            continue;
        }
        Refusal refusal = predicates_[index]->explain(subject, node);
        if (refusal.verdict != Verdict::feasible) {
            return {index, std::move(refusal)};
        }
    }
    return {};
}

bool PredicateSet::may_err(const Subject& subject) const {
    return std::any_of(predicates_.begin(), predicates_.end(),
                       [&](const auto& predicate) { return predicate->may_err(subject); });
}

std::optional<PredicateSet::Failure> PredicateSet::error_of_scores(const Subject& subject) const {
    for (std::uint32_t index = 0; index < predicates_.size(); ++index) {
        Refusal refusal = predicates_[index]->error_of_scores(subject);
        if (refusal.verdict != Verdict::feasible) {
            return Failure{index, std::move(refusal)};
        }
    }
    return std::nullopt;
}

LaneRefusals PredicateSet::explain_node(const Subject& subject, const NodeView& node, std::uint32_t& failed,
                                        ReasonCounts& counts) const {
    const Failure failure = explain(subject, node);
    const std::uint64_t lane = std::uint64_t{1} << node.lane();
    for (const std::string& reason : failure.refusal.reasons) {
        count_reason(counts, reason, lane);
    }
    switch (failure.refusal.verdict) {
        case Verdict::feasible: return {};
        case Verdict::unschedulable: failed |= 1u << failure.predicate; return {.unschedulable = lane};
        case Verdict::unresolvable: break;
    }
    failed |= 1u << failure.predicate;
    return {.unresolvable = lane};
}

PredicateSet::Asked PredicateSet::asked(const Subject& subject) const {
    Asked asked;
    for (std::uint32_t index = 0; index < predicates_.size(); ++index) {
        asked.predicates |= std::uint32_t{predicates_[index]->may_refuse(subject)} << index;
        asked.excludes_nodes = asked.excludes_nodes || predicates_[index]->excludes_nodes(subject);
    }
    return asked;
}

LaneRefusals PredicateSet::explain_block(const Subject& subject, Asked asked, const NodeBlock& block,
                                         std::uint32_t number, std::uint32_t& failed, ReasonCounts& counts) const {
    LaneRefusals sum;
    const auto add = [&](const LaneRefusals& more) {
        sum.unschedulable |= more.unschedulable;
        sum.unresolvable |= more.unresolvable;
    };
    // Nodes that are shut out are so before any predicate is asked: rare, and found one by one.
    if (asked.excludes_nodes) {
        for (std::uint64_t left = block.present; left != 0; left &= left - 1) {
            const Slot slot = slot_at(number, static_cast<std::uint32_t>(std::countr_zero(left)));
            add(explain_node(subject, {block, slot, *subject.cluster.topology.facts()[raw(slot)]}, failed, counts));
        }
        return sum;
    }
    std::uint64_t lanes = block.present;
    for (std::uint32_t left = asked.predicates; left != 0 && lanes != 0; left &= left - 1) {
        const auto index = static_cast<std::uint32_t>(std::countr_zero(left));
        const LaneRefusals refusals = predicates_[index]->explain_lanes(subject, block, number, lanes, counts);
        failed |= refusals.all() != 0 ? 1u << index : 0;
        lanes &= ~refusals.all();
        add(refusals);
    }
    return sum;
}

std::vector<PredicateSet::Failure> PredicateSet::explain_all(const Subject& subject, const NodeView& node) const {
    std::vector<Failure> failures;
    for (std::uint32_t index = 0; index < predicates_.size(); ++index) {
        Refusal out = predicates_[index]->exclude_nodes(subject, node);
        Refusal refusal =
            out.verdict != Verdict::feasible ? std::move(out) : predicates_[index]->explain(subject, node);
        if (refusal.verdict != Verdict::feasible) {
            failures.push_back({index, std::move(refusal)});
        }
    }
    return failures;
}

bool PredicateSet::depends_on_pods(const Subject& subject) const {
    // From the last on: mostly one of them says yes.
    return std::any_of(looking_at_pods_.rbegin(), looking_at_pods_.rend(),
                       [&](const Predicate* predicate) { return predicate->depends_on_pods(subject); });
}

void PredicateSet::coupled(const Subject& subject, std::vector<const Predicate*>& found) const {
    std::copy_if(looking_at_pods_.begin(), looking_at_pods_.end(), std::back_inserter(found),
                 [&](const Predicate* predicate) { return predicate->depends_on_pods(subject); });
}

void PredicateSet::begin(const Subject& subject) const {
    for (const auto& predicate : predicates_) {
        predicate->begin(subject);
    }
}

std::uint32_t PredicateSet::skipped(const Subject& subject) const {
    std::uint32_t skipped = 0;
    for (std::uint32_t index = 0; index < predicates_.size(); ++index) {
        skipped |= std::uint32_t{predicates_[index]->skips_attempt(subject)} << index;
    }
    return skipped;
}

std::uint32_t PredicateSet::woken_by(std::uint32_t failed) const {
    if ((failed & kFailedByGuarantee) != 0) {
        return UINT32_MAX;
    }
    std::uint32_t events = kNodeChanges;  // with no nodes at all, nothing but a node helps
    events |= (failed & kFailedByPlugins) != 0 ? std::uint32_t{kPodGone} : 0u;
    for (std::uint32_t index = 0; index < predicates_.size(); ++index) {
        if (failed >> index & 1) {
            events |= rows_[index].wakes;
        }
    }
    return events;
}

std::uint32_t PredicateSet::parts() const {
    std::uint32_t parts = kNoParts;
    for (const PredicateRow& row : rows_) {
        parts |= row.parts;
    }
    return parts;
}

bool PredicateSet::has(PredicateId id) const {
    return std::any_of(rows_.begin(), rows_.end(), [&](const PredicateRow& row) { return row.id == id; });
}

}  // namespace bayplan
