// See device_kinds.h.
#include "claims/device_kinds.h"

#include "claims/device_attributes.h"

namespace bayplan {

namespace {

void add_number(std::string& said, std::uint64_t number) {
    said.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

}  // namespace

std::uint32_t DeviceKinds::own_kind(const KeptSlice& slice, std::size_t device) {
    const auto [at, fresh] = own_.try_emplace({&slice, device}, last_ + 1);
    last_ += fresh ? 1 : 0;
    return at->second;
}

std::uint32_t DeviceKinds::of(const KeptSlice& slice, std::size_t device) {
    if (each_its_own_) {
        return own_kind(slice, device);
    }
    if (const auto found = by_contents_.find(slice.kinds[device]); found != by_contents_.end()) {
        return found->second;
    }
    std::string said = said_of(slice, device);
    if (said.empty()) {
        return own_kind(slice, device);
    }
    const auto [at, fresh] = by_what_is_said_.try_emplace(std::move(said), last_ + 1);
    last_ += fresh ? 1 : 0;
    by_contents_.emplace(slice.kinds[device], at->second);
    return at->second;
}

std::string DeviceKinds::said_of(const KeptSlice& slice, std::size_t device) const {
    const SliceDevice& stated = slice.slice.devices[device];
    std::string said(1, stated.withheld ? 'w' : 'g');
    for (const PlannedClaim& claim : plan_.to_allocate) {
        for (const PlannedRequest& request : claim.requests) {
            for (const PlannedDemand& demand : request.demands) {
                for (const auto* const selectors : {&demand.of_class, &demand.own}) {
                    for (const auto& selector : *selectors) {
                        const DeviceVerdict verdict = slice.verdicts.of(selector, slice.slice, device, texts_);
                        if (verdict.error != nullptr) {
                            return {};
                        }
                        said += verdict.matches ? 'y' : 'n';
                    }
                }
            }
        }
        for (const DeviceConstraint& constraint : claim.claim->constraints) {
            const DeviceAttribute* const value =
                find_attribute(slice.slice.driver, stated, texts_.text(constraint.attribute), texts_);
            said += value != nullptr ? 'v' : '-';
            if (value != nullptr) {
                add_number(said, static_cast<std::uint64_t>(value->type));
                add_number(said, value->text);
                add_number(said, static_cast<std::uint64_t>(value->number));
            }
        }
    }
    return said;
}

}  // namespace bayplan
