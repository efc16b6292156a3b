// The checks ahead of the nodes, in the order of the pod's entries. See claim_plan.h.
#include "claims/claim_plan.h"

#include <algorithm>

#include <fmt/format.h>

namespace bayplan {

bool is_about(const DeviceConstraint& constraint, Text request, std::string_view full_name, const TextTable& texts) {
    return constraint.requests.empty() || std::ranges::any_of(constraint.requests, [&](Text name) {
               return name == request || texts.text(name) == full_name;
           });
}

namespace {

class Planner {
public:
    Planner(const PodSpec& spec, ClaimObjects& objects)
        : spec_(spec), claims_(spec.resource_claims), objects_(objects), texts_(objects.texts()) {
        plan_.version = objects.version();
        plan_.pod_uid = claims_.uid;
    }

    ClaimPlan make() {
        for (const PodResourceClaim& entry : claims_.claims) {
            if (!find(entry)) {
                plan_.not_queued = true;
                return refuse();
            }
        }
        for (PlannedClaim& claim : plan_.to_allocate) {
            if (!plan(claim)) {
                return refuse();
            }
        }
        if (!plan_.to_allocate.empty() && !plan_.may_err) {
            plan_.shape = objects_.shapes().of(shape_key(), all_selectors());
        }
        return std::move(plan_);
    }

private:
    std::string_view text(Text id) const { return texts_.text(id); }

    ClaimPlan refuse() {
        plan_.whole = Verdict::unresolvable;
        plan_.scored = false;
        plan_.allocated.clear();
        plan_.to_allocate.clear();
        return std::move(plan_);
    }

    bool because(std::string reason) {
        plan_.reason = std::move(reason);
        return false;
    }

    bool find(const PodResourceClaim& entry) {
        const std::string_view space = text(spec_.name_space);
        switch (entry.source) {
            case ClaimSource::unset:
                return because(
                    fmt::format("pod \"{}/{}\", spec.resourceClaim \"{}\": none of the supported fields are set", space,
                                text(claims_.pod), text(entry.entry)));
            case ClaimSource::not_made:
                return because(fmt::format("pod \"{}/{}\": ResourceClaim not created yet", space, text(claims_.pod)));
            case ClaimSource::named:
            case ClaimSource::made: break;
        }
        const ResourceClaimName name{spec_.name_space, entry.claim};
        const std::shared_ptr<const ResourceClaim> claim = objects_.claim(name);
        const std::string shown = fmt::format("{}/{}", space, text(entry.claim));
        if (claim == nullptr) {
            return because(fmt::format("could not find ResourceClaim \"{}\"", shown));
        }
        if (claim->deleting) {
            return because(fmt::format("resourceclaim \"{}\" is being deleted", text(entry.claim)));
        }
        if (entry.source == ClaimSource::made && claim->owner_uid != claims_.uid) {
            return because(fmt::format("ResourceClaim {} was not created for pod {}/{} (pod is not owner)", shown,
                                       space, text(claims_.pod)));
        }
        if (claim->allocation) {
            plan_.allocated.push_back(claim);
        } else {
            plan_.to_allocate.push_back({name, shown, claim, {}});
        }
        return true;
    }

    bool plan(PlannedClaim& claim) {
        for (const DeviceRequest& request : claim.claim->requests) {
            PlannedRequest& planned = claim.requests.emplace_back();
            planned.name = request.name;
            planned.kind = request.kind;
            planned.prioritised = request.prioritised || request.demands.empty();  // no demand: nothing satisfies it
            plan_.scored = plan_.scored || request.prioritised;
            for (const DeviceDemand& demand : request.demands) {
                if (!plan(request, demand, planned)) {
                    return false;
                }
            }
        }
        plan_.may_err = plan_.may_err || is_large(claim);
        return true;
    }

    bool plan(const DeviceRequest& request, const DeviceDemand& demand, PlannedRequest& into) {
        PlannedDemand& planned = into.demands.emplace_back();
        planned.name = demand.name;
        planned.full_name = request.prioritised ? fmt::format("{}/{}", text(request.name), text(demand.name))
                                                : std::string(text(request.name));
        const std::shared_ptr<const DeviceClass> device_class = objects_.device_class(demand.device_class);
        if (device_class == nullptr) {
            return because(fmt::format("request {}: device class {} does not exist", planned.full_name,
                                       text(demand.device_class)));
        }
        planned.class_name = text(demand.device_class);
        planned.of_class = objects_.selectors().compiled(device_class->selectors);
        planned.own = objects_.selectors().compiled(demand.selectors);
        planned.all = demand.all;
        planned.count = std::max<std::int64_t>(demand.count, 0);
        planned.admin_access = demand.admin_access;
        plan_.may_err = plan_.may_err || demand.all || any_errs(planned.of_class) || any_errs(planned.own);
        return true;
    }

    bool any_errs(const std::vector<std::shared_ptr<const DeviceSelector>>& selectors) const {
        return std::ranges::any_of(selectors, [&](const auto& selector) { return objects_.errs_somewhere(selector); });
    }

    // --- the shape

    // All that a search on a node goes by. Of names only this counts: which demands a constraint is about.
    std::string shape_key() const {
        std::string key;
        const auto add = [&](std::uint64_t number) {
            key.append(reinterpret_cast<const char*>(&number), sizeof(number));
        };
        for (const PlannedClaim& claim : plan_.to_allocate) {
            add(claim.requests.size());
            for (const PlannedRequest& request : claim.requests) {
                add(request.demands.size() * 2 + (request.prioritised ? 1 : 0));
                add(request.kind == 0 ? 0 : text(request.kind).size());
                key += request.kind == 0 ? std::string_view() : text(request.kind);
                for (const PlannedDemand& demand : request.demands) {
                    add(static_cast<std::uint64_t>(demand.count));
                    add((demand.all ? 1 : 0) + (demand.admin_access ? 2 : 0));
                    add(demand.of_class.size() + demand.own.size());
                    for_each_selector(demand,
                                      [&](const auto& one) { add(reinterpret_cast<std::uintptr_t>(one.get())); });
                }
            }
            add(claim.claim->constraints.size());
            for (const DeviceConstraint& constraint : claim.claim->constraints) {
                add(text(constraint.attribute).size());
                key += text(constraint.attribute);
                for (const PlannedRequest& request : claim.requests) {
                    for (const PlannedDemand& demand : request.demands) {
                        add(is_about(constraint, request.name, demand.full_name, texts_) ? 1 : 0);
                    }
                }
            }
        }
        return key;
    }

    std::vector<std::shared_ptr<const DeviceSelector>> all_selectors() const {
        std::vector<std::shared_ptr<const DeviceSelector>> all;
        for (const PlannedClaim& claim : plan_.to_allocate) {
            for (const PlannedRequest& request : claim.requests) {
                for (const PlannedDemand& demand : request.demands) {
                    for_each_selector(demand, [&](const auto& one) { all.push_back(one); });
                }
            }
        }
        return all;
    }

    template <typename Each>
    static void for_each_selector(const PlannedDemand& demand, Each&& each) {
        std::ranges::for_each(demand.of_class, each);
        std::ranges::for_each(demand.own, each);
    }

    // More devices than a claim may have: an error that needs no node.
    static bool is_large(const PlannedClaim& claim) {
        std::int64_t sum = 0;
        for (const PlannedRequest& request : claim.requests) {
            std::int64_t least = request.demands.empty() ? 0 : INT64_MAX;
            for (const PlannedDemand& demand : request.demands) {
                least = std::clamp<std::int64_t>(demand.count, 0, least);
            }
            sum += std::min<std::int64_t>(least, 1 << 20);
        }
        return sum > kClaimDevicesMost;
    }

    const PodSpec& spec_;
    const PodResourceClaims& claims_;
    ClaimObjects& objects_;
    const TextTable& texts_;
    ClaimPlan plan_;
};

}  // namespace

ClaimPlan prepare_claims(const PodSpec& spec, ClaimObjects& objects) { return Planner(spec, objects).make(); }

}  // namespace bayplan
