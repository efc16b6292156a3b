// The search of one node. See claim_search.h.
#include "claims/claim_search.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "claims/claim_result.h"
#include "claims/device_attributes.h"
#include "claims/device_kinds.h"
#include "labels/node_terms.h"

namespace bayplan {

namespace {

constexpr std::uint64_t kStepsMost = 10'000;  // devices taken on trial; then there is no solution
constexpr std::string_view kPrefix = "running \"DynamicResources\" filter plugin: ";

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
          node_(node),
          objects_(objects),
          texts_(objects.texts()),
          known_(known),
          options_(options),
          pools_(pools_of(node, objects, known)),
          kinds_(plan, texts_, tells_devices_apart(plan, options)) {}

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
            outcome.reason = invalid ? kInvalidPools : kCannotAllocate;
        } else {
            tell_result(plan_, taken_, known_, texts_, outcome);
        }
        return outcome;
    }

private:
    struct DemandData {
        std::int64_t devices = 0;
        std::vector<DevicePlace> all;  // of mode All: fixed beforehand
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
            if (is_idle(planned.requests[request], node_)) {
                continue;
            }
            std::int64_t least = INT64_MAX;
            for (std::size_t demand = 0; demand < planned.requests[request].demands.size(); ++demand) {
                data_[claim][request].emplace_back();
                if (!count_devices(Step{claim, request, demand, 0})) {
                    return;
                }
                least = std::min(least, data_[claim][request][demand].devices);
            }
            if (!planned.requests[request].demands.empty() && __builtin_add_overflow(sum, least, &sum)) {
                sum = INT64_MAX;
            }
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
                    const DevicePlace place{slice, device};
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

    bool all_hold(const std::vector<std::shared_ptr<const DeviceSelector>>& selectors, const DevicePlace& place,
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

    bool matches(const Step& at, const DevicePlace& place) {
        const PlannedDemand& demand = demand_at(at);
        return all_hold(demand.of_class, place, "class " + demand.class_name) &&
               all_hold(demand.own, place, "claim " + claim_at(at).shown_name);
    }

    // --- taking a device, and giving it back

    bool is_taken(const Step& at, const DevicePlace& place, bool admin) const {
        const DeviceName name = place.name();
        if (!admin && objects_.in_use(name)) {
            return true;
        }
        return std::ranges::any_of(taken_, [&](const TakenDevice& one) {
            return (!admin || one.claim == at.claim) && one.place.name() == name;
        });
    }

    bool concerns(const DeviceConstraint& constraint, const Step& at) const {
        return is_about(constraint, request_at(at).name, demand_at(at).full_name, texts_);
    }

    bool constraints_hold(const Step& at, const DevicePlace& place) const {
        return std::ranges::all_of(claim_at(at).claim->constraints, [&](const DeviceConstraint& constraint) {
            if (!concerns(constraint, at)) {
                return true;
            }
            const std::string_view wanted = texts_.text(constraint.attribute);
            const DeviceAttribute* const value = find_attribute(place.slice->slice.driver, place.get(), wanted, texts_);
            if (value == nullptr) {
                return false;
            }
            for (const TakenDevice& one : taken_) {
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
    bool take(const Step& at, const DevicePlace& place, bool must) {
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

    // Not only answers of selectors and constraints count: for administrators a device may be in use, the fault of mode All
    // goes by positions in lists, and so does the first device of mode All that a constraint forbids.
    static bool tells_devices_apart(const ClaimPlan& plan, const ClaimSearchOptions& options) {
        for (const PlannedClaim& claim : plan.to_allocate) {
            for (const PlannedRequest& request : claim.requests) {
                for (std::size_t demand = 0; demand < request.demands.size(); ++demand) {
                    const PlannedDemand& one = request.demands[demand];
                    const bool by_order =
                        !claim.claim->constraints.empty() || (options.all_goes_on_in_the_first && demand > 0);
                    if (one.admin_access || (one.all && by_order)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    // The rest of the search depends on this alone. Of earlier claims only their devices count, not the order.
    std::string state_of(const Step& at, bool within_demand) {
        std::vector<std::array<std::uint64_t, 4>> rows;
        for (const TakenDevice& one : taken_) {
            const std::uint64_t kind = kinds_.of(*one.place.slice, one.place.device);
            if (one.claim == at.claim) {
                rows.push_back({1, one.request, one.demand, kind});
            } else {
                rows.push_back({0, 0, 0, kind});
            }
        }
        std::ranges::sort(rows);
        rows.push_back(
            {at.claim, at.request, at.demand * 2 + (within_demand ? 1 : 0), static_cast<std::uint64_t>(at.device)});
        return {reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(rows.front())};
    }

    // A state that has failed fails again, however it was reached: else equal devices would be tried in every order.
    bool go(const Step& at, bool within_demand) {
        if (at.claim >= plan_.to_allocate.size()) {
            return true;
        }
        if (!failed_states_.empty()) {
            if (const auto found = failed_states_.find(state_of(at, within_demand)); found != failed_states_.end()) {
                too_many_ = found->second;
                return false;
            }
        }
        if (try_from(at, within_demand)) {
            return true;
        }
        if (!error_ && steps_ <= kStepsMost) {
            failed_states_.emplace(state_of(at, within_demand), too_many_);
        }
        return false;
    }

    bool try_from(const Step& at, bool within_demand) {
        if (at.request >= claim_at(at).requests.size()) {
            const bool found = go(Step{at.claim + 1, 0, 0, 0}, false);
            too_many_ = false;  // devices of another claim
            return found;
        }
        if (is_idle(request_at(at), node_)) {
            return go(Step{at.claim, at.request + 1, 0, 0}, false);
        }
        if (!within_demand && request_at(at).prioritised) {
            return go_with_alternatives(at);
        }
        const DemandData& data = data_at(at);
        if (demand_at(at).all && data.all.empty()) {
            return false;
        }
        if (at.device >= data.devices) {
            return go(Step{at.claim, at.request + 1, 0, 0}, false);
        }
        if (data.devices - at.device > kClaimDevicesMost - of_claim(at.claim)) {
            too_many_ = true;
            return false;
        }
        return demand_at(at).all ? go_with_all(at) : go_with_any(at);
    }

    std::int64_t of_claim(std::size_t claim) const {
        return std::ranges::count_if(taken_, [&](const TakenDevice& one) { return one.claim == claim; });
    }

    // An alternative after which the claim has too many devices is passed over.
    bool go_with_alternatives(Step at) {
        bool all_too_many = true;
        for (at.demand = 0; at.demand < request_at(at).demands.size(); ++at.demand) {
            if (go(at, true)) {
                return true;
            }
            if (error_) {
                return false;
            }
            all_too_many = std::exchange(too_many_, false) && all_too_many;
        }
        too_many_ = all_too_many && !request_at(at).demands.empty();
        return false;
    }

    bool go_with_all(const Step& at) {
        if (!take(at, data_at(at).all[static_cast<std::size_t>(at.device)], true)) {
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
                    const DevicePlace place{slice, device};
                    if (is_taken(at, place, admin) || has_failed(failed, place)) {
                        continue;
                    }
                    if (matches(at, place) && take(at, place, false)) {
                        Step next = at;
                        ++next.device;
                        if (go(next, true)) {
                            return true;
                        }
                        taken_.pop_back();
                        failed.push_back(kinds_.of(*slice, device));
                    }
                    // Too many devices: with another device they are as many.
                    if (error_ || too_many_ || steps_ > kStepsMost) {
                        return false;
                    }
                }
            }
        }
        return false;
    }

    bool has_failed(const std::vector<std::uint32_t>& failed, const DevicePlace& place) {
        return !failed.empty() && std::ranges::find(failed, kinds_.of(*place.slice, place.device)) != failed.end();
    }

    const ClaimPlan& plan_;
    const NodeFacts& node_;
    const ClaimObjects& objects_;
    const TextTable& texts_;
    const KnownTexts& known_;
    const ClaimSearchOptions options_;
    const std::vector<NodePool> pools_;
    DeviceKinds kinds_;
    std::vector<std::vector<std::vector<DemandData>>> data_;  // by claim, request, demand
    std::vector<TakenDevice> taken_;
    std::optional<std::string> error_;
    bool too_many_ = false;  // why go() failed: the claim would have more devices than it may
    boost::unordered_flat_map<std::string, bool> failed_states_;  // with too_many_
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
