// The search of one node. See claim_search.h.
#include "claims/claim_search.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "claims/device_attributes.h"
#include "labels/node_terms.h"

namespace bayplan {

namespace {

constexpr std::int64_t kBestAlternative = 8;  // score of the first alternative
constexpr std::uint64_t kStepsMost = 10'000;  // devices taken on trial; then there is no solution
constexpr std::string_view kPrefix = "running \"DynamicResources\" filter plugin: ";

struct Place {
    const KeptSlice* slice = nullptr;
    std::size_t device = 0;

    const SliceDevice& get() const { return slice->slice.devices[device]; }
    DeviceName name() const { return {slice->pool(), get().name}; }
};

struct Taken {
    Place place;
    std::size_t claim = 0;
    std::size_t request = 0;
    std::size_t demand = 0;
    bool admin = false;
};

// Where the search is.
struct Step {
    std::size_t claim = 0;
    std::size_t request = 0;
    std::size_t demand = 0;
    std::int64_t device = 0;
};

class Search {
public:
    Search(const ClaimPlan& plan, const NodeFacts& node, const ClaimObjects& objects, const KnownTexts& known,
           const ClaimSearchOptions& options)
        : plan_(plan),
          objects_(objects),
          texts_(objects.texts()),
          known_(known),
          options_(options),
          pools_(pools_of(node, objects, known)) {}

    ClaimOutcome run() {
        for (std::size_t claim = 0; claim < plan_.to_allocate.size() && !error_; ++claim) {
            count_devices(claim);
        }
        const bool found = !error_ && go(Step{}, false);
        ClaimOutcome outcome;
        if (error_) {
            outcome.verdict = Verdict::unresolvable;
            outcome.is_error = true;
            outcome.reason = std::string(kPrefix) + *error_;
        } else if (!found) {
            outcome.verdict = Verdict::unresolvable;
            const bool invalid = std::ranges::any_of(pools_, [](const NodePool& pool) { return !pool.valid; });
            outcome.reason = invalid ? "invalid resource pools were encountered" : "cannot allocate all claims";
        } else {
            collect(outcome);
        }
        return outcome;
    }

private:
    struct DemandData {
        std::int64_t devices = 0;
        std::vector<Place> all;  // of mode All: fixed beforehand
    };

    bool fail(std::string error) {
        error_ = std::move(error);
        return false;
    }

    const PlannedClaim& claim_at(const Step& at) const { return plan_.to_allocate[at.claim]; }
    const PlannedRequest& request_at(const Step& at) const { return claim_at(at).requests[at.request]; }
    const PlannedDemand& demand_at(const Step& at) const { return request_at(at).demands[at.demand]; }
    DemandData& data_at(const Step& at) { return data_[at.claim][at.request][at.demand]; }

    // --- how many devices each request takes

    void count_devices(std::size_t claim) {
        data_.emplace_back();
        std::int64_t sum = 0;
        const PlannedClaim& planned = plan_.to_allocate[claim];
        for (std::size_t request = 0; request < planned.requests.size(); ++request) {
            data_[claim].emplace_back();
            std::int64_t least = INT64_MAX;
            for (std::size_t demand = 0; demand < planned.requests[request].demands.size(); ++demand) {
                data_[claim][request].emplace_back();
                if (!count_devices(Step{claim, request, demand, 0})) {
                    return;
                }
                least = std::min(least, data_[claim][request][demand].devices);
            }
            sum = least > kClaimDevicesMost * 2 ? std::max(sum, least) : sum + (least == INT64_MAX ? 0 : least);
        }
        if (sum > kClaimDevicesMost) {
            fail(fmt::format("claim {}: number of requested devices {} exceeds the claim limit of {}",
                             planned.shown_name, sum, kClaimDevicesMost));
        }
    }

    bool count_devices(const Step& at) {
        const PlannedDemand& demand = demand_at(at);
        DemandData& data = data_at(at);
        if (!demand.all) {
            data.devices = demand.count;
            return true;
        }
        for (const NodePool& pool : pools_) {
            if (!pool.usable()) {
                return fail(fmt::format("claim {}, request {}: asks for all devices, but resource pool {}/{} is {}",
                                        claim_at(at).shown_name, texts_.text(demand.name),
                                        texts_.text(pool.name.driver), texts_.text(pool.name.pool),
                                        pool.complete ? "currently invalid" : "currently being updated"));
            }
            for (const KeptSlice* const slice : pool.slices) {
                for (std::size_t device = 0; device < slice->slice.devices.size(); ++device) {
                    const Place place{slice, device};
                    if (matches(at, place)) {
                        data.all.push_back(place);
                    } else if (error_) {
                        return false;
                    }
                }
            }
        }
        data.devices = static_cast<std::int64_t>(data.all.size());
        return true;
    }

    // --- selectors

    bool all_hold(const std::vector<std::shared_ptr<const DeviceSelector>>& selectors, const Place& place,
                  std::string_view whose) {
        for (std::size_t index = 0; index < selectors.size(); ++index) {
            const DeviceVerdict verdict =
                place.slice->verdicts.of(selectors[index], place.slice->slice, place.device, texts_);
            if (verdict.error != nullptr) {
                return fail(fmt::format("{}: selector #{}: {}", whose, index, *verdict.error));
            }
            if (!verdict.matches) {
                return false;
            }
        }
        return true;
    }

    bool matches(const Step& at, const Place& place) {
        const PlannedDemand& demand = demand_at(at);
        return all_hold(demand.of_class, place, "class " + demand.class_name) &&
               all_hold(demand.own, place, "claim " + claim_at(at).shown_name);
    }

    // --- taking a device, and giving it back

    bool is_taken(const Step& at, const Place& place, bool admin) const {
        const DeviceName name = place.name();
        if (!admin && objects_.in_use(name)) {
            return true;
        }
        return std::ranges::any_of(
            taken_, [&](const Taken& one) { return (!admin || one.claim == at.claim) && one.place.name() == name; });
    }

    bool concerns(const DeviceConstraint& constraint, const Step& at) const {
        if (constraint.requests.empty()) {
            return true;
        }
        return std::ranges::any_of(constraint.requests, [&](Text name) {
            return name == request_at(at).name || texts_.text(name) == demand_at(at).full_name;
        });
    }

    bool constraints_hold(const Step& at, const Place& place) const {
        return std::ranges::all_of(claim_at(at).claim->constraints, [&](const DeviceConstraint& constraint) {
            if (!concerns(constraint, at)) {
                return true;
            }
            const std::string_view wanted = texts_.text(constraint.attribute);
            const DeviceAttribute* const value = find_attribute(place.slice->slice.driver, place.get(), wanted, texts_);
            if (value == nullptr) {
                return false;
            }
            for (const Taken& one : taken_) {
                const Step there{one.claim, one.request, one.demand, 0};
                if (one.claim == at.claim && concerns(constraint, there)) {
                    // All that are taken agree: the first speaks for them.
                    return same_value(*find_attribute(one.place.slice->slice.driver, one.place.get(), wanted, texts_),
                                      *value);
                }
            }
            return true;
        });
    }

    // `must`: a constraint that does not hold is an error.
    bool take(const Step& at, const Place& place, bool must) {
        const PlannedDemand& demand = demand_at(at);
        if (++steps_ > kStepsMost || place.get().withheld || is_taken(at, place, demand.admin_access)) {
            return false;
        }
        if (!constraints_hold(at, place)) {
            return must &&
                   fail(fmt::format("claim {}, request {}: cannot add device {}/{}/{} because a claim constraint "
                                    "would not be satisfied",
                                    claim_at(at).shown_name, texts_.text(demand.name),
                                    texts_.text(place.slice->slice.driver), texts_.text(place.slice->slice.pool),
                                    texts_.text(place.get().name)));
        }
        taken_.push_back({place, at.claim, at.request, at.demand, demand.admin_access});
        return true;
    }

    // --- the search

    bool go(Step at, bool within_demand) {
        if (at.claim >= plan_.to_allocate.size()) {
            return true;
        }
        if (at.request >= claim_at(at).requests.size()) {
            return go(Step{at.claim + 1, 0, 0, 0}, false);
        }
        if (!within_demand && request_at(at).prioritised) {
            for (at.demand = 0; at.demand < request_at(at).demands.size(); ++at.demand) {
                if (go(at, true)) {
                    return true;
                }
                if (error_) {
                    return false;
                }
            }
            return false;
        }
        const DemandData& data = data_at(at);
        if (at.device >= data.devices && !(demand_at(at).all && data.all.empty())) {
            return go(Step{at.claim, at.request + 1, 0, 0}, false);
        }
        if (request_at(at).prioritised && of_claim(at.claim) + data.devices - at.device > kClaimDevicesMost) {
            return false;
        }
        return demand_at(at).all ? go_with_all(at) : go_with_any(at);
    }

    std::int64_t of_claim(std::size_t claim) const {
        return std::ranges::count_if(taken_, [&](const Taken& one) { return one.claim == claim; });
    }

    bool go_with_all(const Step& at) {
        const std::vector<Place>& all = data_at(at).all;
        if (all.empty() || !take(at, all[static_cast<std::size_t>(at.device)], true)) {
            return false;
        }
        Step next = at;
        ++next.device;
        if (options_.all_goes_on_in_the_first) {
            next.demand = 0;
        }
        if (go(next, true)) {
            return true;
        }
        taken_.pop_back();
        return false;
    }

    bool go_with_any(const Step& at) {
        const bool admin = demand_at(at).admin_access;
        std::vector<std::uint32_t> failed;  // kinds of devices: another of the kind fares no better
        for (const NodePool& pool : pools_) {
            if (!pool.usable()) {
                continue;
            }
            for (const KeptSlice* const slice : pool.slices) {
                for (std::size_t device = 0; device < slice->slice.devices.size(); ++device) {
                    const Place place{slice, device};
                    if (is_taken(at, place, admin) || std::ranges::find(failed, slice->kinds[device]) != failed.end()) {
                        continue;
                    }
                    if (matches(at, place) && take(at, place, false)) {
                        Step next = at;
                        ++next.device;
                        if (go(next, true)) {
                            return true;
                        }
                        taken_.pop_back();
                        if (!admin) {
                            failed.push_back(slice->kinds[device]);
                        }
                    }
                    if (error_ || steps_ > kStepsMost) {
                        return false;
                    }
                }
            }
        }
        return false;
    }

    // --- the result

    void collect(ClaimOutcome& outcome) const {
        outcome.allocations.resize(plan_.to_allocate.size());
        for (const Taken& one : taken_) {
            const Step at{one.claim, one.request, one.demand, 0};
            const PlannedDemand& demand = demand_at(at);
            const ResourceSlice& slice = one.place.slice->slice;
            outcome.allocations[one.claim].devices.push_back(
                {request_at(at).name, slice.driver, slice.pool, one.place.get().name, one.admin});
            outcome.devices +=
                fmt::format("{}@{} {} {} {} {}{}", outcome.devices.empty() ? "" : ",",
                            texts_.text(claim_at(at).name.name), demand.full_name, texts_.text(slice.driver),
                            texts_.text(slice.pool), texts_.text(one.place.get().name), one.admin ? " admin" : "");
        }
        for (std::size_t claim = 0; claim < outcome.allocations.size(); ++claim) {
            outcome.allocations[claim].nodes = nodes_of(claim);
            add_score(claim, outcome.score);
        }
    }

    void add_score(std::size_t claim, std::int64_t& score) const {
        std::optional<std::size_t> counted;
        for (const Taken& one : taken_) {
            if (one.claim == claim && plan_.to_allocate[claim].requests[one.request].prioritised &&
                counted != one.request) {
                score += kBestAlternative - static_cast<std::int64_t>(one.demand);
                counted = one.request;
            }
        }
    }

    // One term: the node of the first slice that is of one node, else the demands of all the slices.
    std::optional<std::vector<NodeTerm>> nodes_of(std::size_t claim) const {
        NodeTerm term;
        for (const Taken& one : taken_) {
            if (one.claim != claim) {
                continue;
            }
            const ResourceSlice& slice = one.place.slice->slice;
            if (slice.reach == SliceReach::node) {
                NodeTerm node;
                node.fields.push_back({known_.metadata_name, LabelOperator::in, {slice.node}});
                return std::vector<NodeTerm>{node};
            }
            if (slice.reach == SliceReach::selected_nodes) {
                add(slice.nodes.labels, term.labels);
                add(slice.nodes.fields, term.fields);
            }
        }
        return term == NodeTerm() ? std::nullopt : std::optional(std::vector<NodeTerm>{term});
    }

    static void add(const std::vector<LabelRequirement>& from, std::vector<LabelRequirement>& into) {
        for (const LabelRequirement& one : from) {
            if (std::ranges::find(into, one) == into.end()) {
                into.push_back(one);
            }
        }
    }

    const ClaimPlan& plan_;
    const ClaimObjects& objects_;
    const TextTable& texts_;
    const KnownTexts& known_;
    const ClaimSearchOptions options_;
    const std::vector<NodePool> pools_;
    std::vector<std::vector<std::vector<DemandData>>> data_;  // by claim, request, demand
    std::vector<Taken> taken_;
    std::optional<std::string> error_;
    std::uint64_t steps_ = 0;
};

}  // namespace

bool can_use(const ResourceClaim& claim, const NodeFacts& node, const KnownTexts& known, const TextTable& texts) {
    return !claim.allocation->nodes || any_term_matches(*claim.allocation->nodes, node.labels, node.name, known, texts);
}

ClaimOutcome search_claims(const ClaimPlan& plan, const NodeFacts& node, const ClaimObjects& objects,
                           const KnownTexts& known, const ClaimSearchOptions& options) {
    ClaimOutcome outcome;
    if (!plan.to_allocate.empty()) {
        outcome = Search(plan, node, objects, known, options).run();
    }
    const bool usable = std::ranges::all_of(
        plan.allocated, [&](const auto& claim) { return can_use(*claim, node, known, objects.texts()); });
    if (outcome.verdict == Verdict::feasible && !usable) {
        outcome.verdict = Verdict::unresolvable;
        outcome.unavailable = true;
        outcome.reason = kClaimNotAvailable;
    }
    return outcome;
}

}  // namespace bayplan
