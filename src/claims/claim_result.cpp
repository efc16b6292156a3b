// See claim_result.h.
#include "claims/claim_result.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace bayplan {

namespace {

constexpr std::int64_t kBestAlternative = 8;  // score of the first alternative

const PlannedDemand& demand_of(const ClaimPlan& plan, const TakenDevice& one) {
    return plan.to_allocate[one.claim].requests[one.request].demands[one.demand];
}

void add_new(const std::vector<LabelRequirement>& from, std::vector<LabelRequirement>& into) {
    for (const LabelRequirement& one : from) {
        if (std::ranges::find(into, one) == into.end()) {
            into.push_back(one);
        }
    }
}

// One term: the node of the first slice that is of one node, else the demands of all the slices.
std::optional<std::vector<NodeTerm>> nodes_of(std::span<const TakenDevice> of_claim, const KnownTexts& known) {
    NodeTerm term;
    for (const TakenDevice& one : of_claim) {
        const ResourceSlice& slice = one.place.slice->slice;
        if (slice.reach == SliceReach::node) {
            NodeTerm node;
            node.fields.push_back({known.metadata_name, LabelOperator::in, {slice.node}});
            return std::vector<NodeTerm>{node};
        }
        if (slice.reach == SliceReach::selected_nodes) {
            add_new(slice.nodes.labels, term.labels);
            add_new(slice.nodes.fields, term.fields);
        }
    }
    return term == NodeTerm() ? std::nullopt : std::optional(std::vector<NodeTerm>{term});
}

std::int64_t score_of(const PlannedClaim& claim, std::span<const TakenDevice> of_claim) {
    std::int64_t score = 0;
    std::optional<std::size_t> counted;
    for (const TakenDevice& one : of_claim) {
        if (claim.requests[one.request].prioritised && counted != one.request) {
            score += kBestAlternative - static_cast<std::int64_t>(one.demand);
            counted = one.request;
        }
    }
    return score;
}

}  // namespace

void tell_result(const ClaimPlan& plan, std::span<const TakenDevice> taken, const KnownTexts& known,
                 const TextTable& texts, ClaimOutcome& outcome) {
    outcome.allocations.resize(plan.to_allocate.size());
    for (const TakenDevice& one : taken) {
        const PlannedClaim& claim = plan.to_allocate[one.claim];
        const PlannedDemand& demand = demand_of(plan, one);
        const ResourceSlice& slice = one.place.slice->slice;
        outcome.allocations[one.claim].devices.push_back(
            {claim.requests[one.request].name, slice.driver, slice.pool, one.place.get().name, one.admin});
        outcome.devices +=
            fmt::format("{}@{} {} {} {} {}{}", outcome.devices.empty() ? "" : ",", texts.text(claim.name.name),
                        demand.full_name, texts.text(slice.driver), texts.text(slice.pool),
                        texts.text(one.place.get().name), one.admin ? " admin" : "");
    }
    auto rest = taken;
    for (std::size_t claim = 0; claim < outcome.allocations.size(); ++claim) {
        const auto of_claim = rest.first(outcome.allocations[claim].devices.size());
        rest = rest.subspan(of_claim.size());
        outcome.allocations[claim].nodes = nodes_of(of_claim, known);
        outcome.score += score_of(plan.to_allocate[claim], of_claim);
    }
}

}  // namespace bayplan
