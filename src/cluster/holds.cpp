// Putting holds on nodes and the sums that predicates read; see holds.h.
#include "cluster/holds.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace bayplan {

void Holds::append(const Hold& hold, HoldList& list) {
    for (const ResourceAmount& amount : hold.amounts) {
        list.push_back({hold.kept_from_below, amount.resource, amount.value});
    }
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
    const auto [at, fresh] = holds_.emplace(owner, std::move(hold));
    BP_CHECK(fresh);
    const Placed last{{-at->second.kept_from_below, owner.kind, at->second.order}, owner, &at->second};
    std::vector<Placed>& placed = placed_[slot];
    placed.insert(std::ranges::upper_bound(placed, last.rank, {}, &Placed::rank), last);
    show(slot);
}

std::optional<Hold> Holds::take(HoldOwner owner) {
    const auto found = holds_.find(owner);
    if (found == holds_.end()) {
        return std::nullopt;
    }
    Hold hold = std::move(found->second);
    holds_.erase(found);
    std::vector<Placed>& placed = placed_[hold.slot];
    std::erase_if(placed, [&](const Placed& each) { return each.owner == owner; });
    if (placed.empty()) {
        placed_.erase(hold.slot);
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
    if (placed_.contains(slot)) {
        show(slot);
    }
}

void Holds::drop_all_of(Slot slot) {
    while (placed_.contains(slot)) {
        drop(placed_[slot].front().owner);
    }
}

}  // namespace bayplan
