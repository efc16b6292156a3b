// Putting holds on nodes and the sums that predicates read; see holds.h.
#include "cluster/holds.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

namespace bayplan {

HoldList Holds::list(std::vector<HoldOwner> owners) const {
    std::sort(owners.begin(), owners.end(), [&](const HoldOwner& a, const HoldOwner& b) {
        const Hold& one = holds_.at(a);
        const Hold& other = holds_.at(b);
        return std::tuple(-one.kept_from_below, a.kind, one.order) <
               std::tuple(-other.kept_from_below, b.kind, other.order);
    });
    HoldList list;
    for (const HoldOwner& owner : owners) {
        const Hold& hold = holds_.at(owner);
        for (const ResourceAmount& amount : hold.amounts) {
            list.push_back({hold.kept_from_below, amount.resource, amount.value});
        }
    }
    return list;
}

void Holds::show(Slot slot) {
    auto shown = std::make_shared<HoldList>(list_of(slot, [](const HoldOwner&) { return true; }));
    if (!shown->empty() && !devices_.at(slot).empty()) {
        find_reaches(devices_.at(slot), devices_.choice(), *shown);
    }
    state_.set_holds(slot, shown->empty() ? nullptr : std::move(shown));
}

void Holds::place(HoldOwner owner, Hold hold) {
    for (const ResourceAmount& amount : hold.amounts) {
        resources_.add_reference(amount.resource);
    }
    put_back(owner, std::move(hold));
}

void Holds::put_back(HoldOwner owner, Hold hold) {
    const Slot slot = hold.slot;
    BP_CHECK(holds_.emplace(owner, std::move(hold)).second);
    owners_[slot].push_back(owner);
    show(slot);
}

std::optional<Hold> Holds::take(HoldOwner owner) {
    const auto found = holds_.find(owner);
    if (found == holds_.end()) {
        return std::nullopt;
    }
    Hold hold = std::move(found->second);
    holds_.erase(found);
    auto& owners = owners_[hold.slot];
    std::erase(owners, owner);
    if (owners.empty()) {
        owners_.erase(hold.slot);
    }
    show(hold.slot);
    return hold;
}

void Holds::release(const Hold& hold) {
    for (const ResourceAmount& amount : hold.amounts) {
        resources_.release(amount.resource);
    }
}

bool Holds::drop(HoldOwner owner) {
    const std::optional<Hold> hold = take(owner);
    if (hold) {
        release(*hold);
    }
    return hold.has_value();
}

void Holds::devices_changed(Slot slot) {
    if (owners_.contains(slot)) {
        show(slot);
    }
}

void Holds::drop_all_of(Slot slot) {
    while (owners_.contains(slot)) {
        drop(owners_[slot].front());
    }
}

}  // namespace bayplan
