// Request by request, as if it were the only one. See claim_causes.h.
#include "claims/claim_causes.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "claims/claim_search.h"
#include "claims/device_attributes.h"

namespace bayplan {

namespace {

constexpr std::size_t kDevicesNamed = 8;  // in a cause; others are counted

class Causes {
public:
    Causes(const ClaimPlan& plan, const NodeFacts& node, const ClaimObjects& objects, const KnownTexts& known)
        : plan_(plan),
          node_(node),
          objects_(objects),
          texts_(objects.texts()),
          pools_(pools_of(node, objects, known)) {}

    std::vector<std::string> find() {
        for (const NodePool& pool : pools_) {
            if (!pool.usable()) {
                causes_.push_back(fmt::format("pool {}/{} {}", text(pool.name.driver), text(pool.name.pool),
                                              pool.complete ? "has a device name twice" : "is being updated"));
            }
        }
        const std::size_t of_pools = causes_.size();
        for (const PlannedClaim& claim : plan_.to_allocate) {
            for (const PlannedRequest& request : claim.requests) {
                if (!is_idle(request, node_)) {
                    look_at(claim, request);
                }
            }
        }
        if (causes_.size() == of_pools) {
            causes_.push_back("devices would do for each request by itself, not for all together");
        }
        return std::move(causes_);
    }

private:
    struct Found {
        std::size_t fitting = 0;
        std::vector<std::string> others;  // "DEVICE why"
    };

    std::string_view text(Text id) const { return texts_.text(id); }

    // A prioritised list lacks devices if all of its alternatives do.
    void look_at(const PlannedClaim& claim, const PlannedRequest& request) {
        std::vector<std::string> lacking;
        for (const PlannedDemand& demand : request.demands) {
            const Found found = look_at(claim, request, demand);
            if (demand.all ? found.fitting > 0 : static_cast<std::int64_t>(found.fitting) >= demand.count) {
                return;
            }
            const std::string wanted = demand.all ? "all" : std::to_string(demand.count);
            lacking.push_back(fmt::format("claim {}, request {}: {} wanted, {} of {} would do{}", claim.shown_name,
                                          demand.full_name, wanted, found.fitting, found.fitting + found.others.size(),
                                          told(found.others)));
        }
        causes_.insert(causes_.end(), lacking.begin(), lacking.end());
    }

    static std::string told(const std::vector<std::string>& others) {
        if (others.empty()) {
            return "";
        }
        const std::size_t shown = std::min(others.size(), kDevicesNamed);
        const std::size_t more = others.size() - shown;
        return fmt::format("; {}{}",
                           fmt::join(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                           more == 0 ? "" : fmt::format(" and {} more", more));
    }

    Found look_at(const PlannedClaim& claim, const PlannedRequest& request, const PlannedDemand& demand) {
        Found found;
        for (const NodePool& pool : pools_) {
            for (const KeptSlice* const slice : pool.usable() ? pool.slices : std::vector<const KeptSlice*>()) {
                for (std::size_t device = 0; device < slice->slice.devices.size(); ++device) {
                    const std::string why = why_not(claim, request, demand, *slice, device);
                    if (why.empty()) {
                        ++found.fitting;
                    } else {
                        found.others.push_back(fmt::format("{}/{} {}", text(slice->slice.pool),
                                                           text(slice->slice.devices[device].name), why));
                    }
                }
            }
        }
        return found;
    }

    // Empty: the device would do.
    std::string why_not(const PlannedClaim& claim, const PlannedRequest& request, const PlannedDemand& demand,
                        const KeptSlice& slice, std::size_t device) const {
        const SliceDevice& stated = slice.slice.devices[device];
        if (stated.withheld) {
            return "needs a feature that is off";
        }
        if (!demand.admin_access && objects_.in_use({slice.pool(), stated.name})) {
            return "is in use";
        }
        std::string why = selector_against(demand.of_class, "class " + demand.class_name, slice, device);
        if (why.empty()) {
            why = selector_against(demand.own, "request", slice, device);
        }
        for (const DeviceConstraint& constraint : claim.claim->constraints) {
            if (why.empty() && is_about(constraint, request.name, demand.full_name, texts_) &&
                find_attribute(slice.slice.driver, stated, text(constraint.attribute), texts_) == nullptr) {
                why = fmt::format("lacks {}", text(constraint.attribute));
            }
        }
        return why;
    }

    std::string selector_against(const std::vector<std::shared_ptr<const DeviceSelector>>& selectors,
                                 std::string_view whose, const KeptSlice& slice, std::size_t device) const {
        for (std::size_t index = 0; index < selectors.size(); ++index) {
            const DeviceVerdict verdict = slice.verdicts.of(selectors[index], slice.slice, device, texts_);
            if (verdict.error != nullptr || !verdict.matches) {
                return fmt::format("fails selector #{} of its {}{}", index, whose,
                                   verdict.error == nullptr ? "" : ": " + *verdict.error);
            }
        }
        return "";
    }

    const ClaimPlan& plan_;
    const NodeFacts& node_;
    const ClaimObjects& objects_;
    const TextTable& texts_;
    const std::vector<NodePool> pools_;
    std::vector<std::string> causes_;
};

}  // namespace

std::vector<std::string> claim_causes(const ClaimPlan& plan, const NodeFacts& node, const ClaimObjects& objects,
                                      const KnownTexts& known) {
    std::vector<std::string> causes;
    if (search_claims(plan, node, objects, known, {}).reason != kClaimNotAvailable) {
        return Causes(plan, node, objects, known).find();
    }
    for (const auto& claim : plan.allocated) {
        if (!can_use(*claim, node, known, objects.texts())) {
            causes.push_back(fmt::format("claim {}/{} has devices of other nodes",
                                         objects.texts().text(claim->name_space), objects.texts().text(claim->name)));
        }
    }
    return causes;
}

}  // namespace bayplan
