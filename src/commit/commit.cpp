// The transaction: undoing in reverse, and its good end. See commit.h.

#include "commit/commit.h"

#include "base/check.h"

namespace bayplan {

void Commit::undo_to(Mark mark) {
    log_.undo_to(mark.deltas, [this](const Delta& delta) { undo(delta); });
    happenings_.resize(mark.happenings);
}

void Commit::undo(const Delta& delta) {
    switch (delta.kind) {
        case Kind::occupied:
        case Kind::vacated:
        case Kind::devices_given:
        case Kind::devices_taken:
        case Kind::claims_bound:
        case Kind::claims_unbound:
        case Kind::claims_used:
        case Kind::use_ended:
        case Kind::claim_given_back:
        case Kind::hold_placed:
        case Kind::hold_dropped: undo_usage(delta); break;
        case Kind::ended_waiting:
        case Kind::confirmed:
        case Kind::began_waiting:
        case Kind::withdrew:
        case Kind::joined:
        case Kind::awaited:
        case Kind::failure_counted:
        case Kind::charged:
        case Kind::refunded: undo_waiting(delta); break;
        default: undo_preemption(delta); break;
    }
}

// What was kept for undoing.
void Commit::let_go() {
    for (const std::uint32_t waiting : taken_waitings_) {
        tables_.asks.free_waiting(waiting);
    }
    taken_waitings_.clear();
    log_.clear();
    if (kept_) {
        let_go_of_kept();
    }
}

void Commit::let_go_of_kept() {
    for (const ForgottenClaims& claims : forgotten_claims_) {
        release_texts(claims.bindings);
    }
    for (const EndedUse& ended : ended_uses_) {
        release_texts(ended.claims);
    }
    for (const Hold& hold : dropped_holds_) {
        tables_.holds.release(hold);
    }
    forgotten_claims_.clear();
    ended_uses_.clear();
    given_back_.clear();
    dropped_holds_.clear();
    hold_owners_.clear();
    taken_shares_.clear();
    awaited_.clear();
    dropped_nominations_.clear();
    dropped_reservations_.clear();
    victims_before_.clear();
    departures_before_.clear();
    charged_budgets_.clear();
    kept_ = false;
}

void Commit::end_well() {
    if (listener_ != nullptr) [[unlikely]] {
        tell_listener();
    }
    let_go();
    if (!happenings_.empty()) {
        tell();
    }
}

void Commit::tell_listener() {
    constexpr auto bit = [](Kind kind) { return std::uint64_t{1} << static_cast<unsigned>(kind); };
    constexpr std::uint64_t kOfAsks = bit(Kind::ended_waiting) | bit(Kind::confirmed) | bit(Kind::began_waiting) |
                                      bit(Kind::joined) | bit(Kind::awaited) | bit(Kind::nominated) |
                                      bit(Kind::nomination_dropped) | bit(Kind::reserved) |
                                      bit(Kind::reservation_dropped) | bit(Kind::victims_set) | bit(Kind::flags_set);
    AskId last = kNone<AskId>;
    log_.for_each([&](const Delta& delta) {
        if ((kOfAsks >> static_cast<unsigned>(delta.kind) & 1) != 0 && delta.ask != last) {
            last = delta.ask;
            listener_->ask_changed(last);
        }
    });
}

void Commit::tell() {
    // An observer may begin a transaction of its own, and end it.
    BP_CHECK(telling_.empty());
    telling_.swap(happenings_);
    for (const Happening& happening : telling_) {
        const HappeningKinds kind = bit_of(happening.kind);
        for (const Observing& one : observers_) {
            if ((one.kinds & kind) != 0) {
                one.observer->observe(happening);
            }
        }
    }
    telling_.clear();
    if (!texts_.empty()) {
        texts_.clear();
    }
}

}  // namespace bayplan
