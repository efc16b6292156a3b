// Reservations by ask and by node, their holds and their ages; see reservations.h.
#include "preemption/reservations.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace bayplan {

namespace {

// Above every priority.
constexpr std::int64_t kKeptFromAll = std::int64_t{std::numeric_limits<std::int32_t>::max()} + 1;

}  // namespace

ReservationRank Reservations::rank(AskId id, const Reservation* reservation) const {
    const Ask& ask = asks_[id];
    if (reservation == nullptr) {
        return {-std::int64_t{ask.priority}, std::numeric_limits<std::int64_t>::max(), ask.sequence};
    }
    return {-std::int64_t{reservation->priority}, reservation->since_ns, ask.sequence};
}

template <typename Each>
void Reservations::for_each_age(AskId id, const Reservation& reservation, Each&& each) const {
    for (const std::int64_t age : {reservation.options.delay_ns, reservation.options.expiry_ns}) {
        const bool ever = age > 0 && reservation.since_ns <= std::numeric_limits<std::int64_t>::max() - age;
        if (ever) {
            each(Age{reservation.since_ns + age, asks_[id].sequence, id});
        }
    }
}

void Reservations::set(AskId id, Reservation reservation) {
    const Slot slot = reservation.slot;
    const auto [at, added] = by_ask_.emplace(id, std::move(reservation));
    BP_CHECK(added);
    const Reservation& set = at->second;
    const ReservationRank own = rank(id, &set);
    holds_.place(owner_of(id), {.slot = slot,
                                .kept_from_below = kKeptFromAll,
                                .amounts = classes_[asks_[id].ask_class].spec->requests,
                                .order = {asks_[id].sequence, 0}});
    std::vector<AskId>& there = by_node_[slot];
    const auto after = std::ranges::find_if(there, [&](AskId other) { return own < rank(other, &by_ask_.at(other)); });
    there.insert(after, id);
    if (set.beyond_node) {
        at->second.beyond_at = static_cast<std::uint32_t>(beyond_node_.size());
        beyond_node_.push_back(id);
    }
    for_each_age(id, set, [&](const Age& age) {
        if (std::get<0>(age) > now_ns_) {
            ages_.insert(age);
        }
    });
    note_changed(slot);
}

std::optional<Reservation> Reservations::drop(AskId id) {
    const auto found = by_ask_.find(id);
    if (found == by_ask_.end()) {
        return std::nullopt;
    }
    looked_at(id);
    for_each_age(id, found->second, [&](const Age& age) { ages_.erase(age); });
    std::optional<Reservation> dropped = std::move(found->second);
    by_ask_.erase(found);
    if (dropped->beyond_node) {
        const AskId last = beyond_node_.back();
        beyond_node_[dropped->beyond_at] = last;
        beyond_node_.pop_back();
        if (last != id) {
            by_ask_.at(last).beyond_at = dropped->beyond_at;
        }
    }
    holds_.drop(owner_of(id));
    const auto node = by_node_.find(dropped->slot);
    std::erase(node->second, id);
    if (node->second.empty()) {
        by_node_.erase(node);
    }
    changed(dropped->slot);
    return dropped;
}

std::vector<AskHandle> Reservations::set_victims(AskId id, std::vector<AskHandle> victims) {
    Reservation& reservation = by_ask_.at(id);
    note_changed(reservation.slot);
    return std::exchange(reservation.victims, std::move(victims));
}

const Reservation* Reservations::of(AskId id) const {
    const auto found = by_ask_.find(id);
    return found == by_ask_.end() ? nullptr : &found->second;
}

const std::vector<AskId>& Reservations::on(Slot slot) const {
    static const std::vector<AskId> kNobody;
    const auto found = by_node_.find(slot);
    return found == by_node_.end() ? kNobody : found->second;
}

void Reservations::note_changed(Slot slot) { note_all(on(slot)); }

void Reservations::note_all(const std::vector<AskId>& asks) {
    ++changes_;
    for (const AskId id : asks) {
        Reservation& reservation = by_ask_.at(id);
        reservation.changed = changes_;
        to_look_at_.emplace(rank(id, &reservation), id);
    }
}

void Reservations::changed_everywhere() {
    std::vector<AskId> all;
    for (const auto& [id, reservation] : by_ask_) {
        all.push_back(id);
    }
    note_all(all);
}

void Reservations::looked_at(AskId id) { to_look_at_.erase({rank(id, &by_ask_.at(id)), id}); }

bool Reservations::come_of_age(std::int64_t now_ns) {
    now_ns_ = now_ns;
    bool any_delay_ended = false;
    while (next_time_ns() <= now_ns) {
        const auto [at_ns, sequence, id] = *ages_.begin();
        ages_.erase(ages_.begin());
        const Reservation& reservation = by_ask_.at(id);
        any_delay_ended = any_delay_ended || at_ns - reservation.since_ns == reservation.options.delay_ns;
        note_changed(reservation.slot);
    }
    return any_delay_ended;
}

}  // namespace bayplan
