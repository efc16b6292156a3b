// The oracle's inputs except state messages: ticks, connections, acknowledgements, holds; and what
// it shows.
//
// Thread and errors: see oracle.h.
#include "oracle.h"
#include "oracle_gang_preemption.h"
#include "oracle_guarantees.h"
#include "oracle_placeholders.h"
#include "oracle_quotas.h"
#include "oracle_room.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace bayplan::oracle {

const char* name_of(AskState state) {
    switch (state) {
        case AskState::gated: return "gated";
        case AskState::waiting_for_node: return "waiting_for_node";
        case AskState::pending: return "pending";
        case AskState::backoff: return "backoff";
        case AskState::unschedulable: return "unschedulable";
        case AskState::reserved: return "reserved";
        case AskState::unacknowledged: return "unacknowledged";
        case AskState::allocated: return "allocated";
        case AskState::queried: return "queried";
        case AskState::on_permit: return "on_permit";
        case AskState::asking: return "asking";
    }
    throw std::logic_error("no such state");
}

void add(const Amounts& amounts, std::int64_t times, Amounts& into) {
    for (const auto& [kind, amount] : amounts) {
        into[kind] += times * amount;
    }
}

std::string number_sign(DictId id) {
    std::string text("#");
    text += std::to_string(id);
    return text;
}

Oracle::Oracle(const EngineOptions& options) : options_(options) {}

void Oracle::apply(const Input& input) {
    const auto* const tick = std::get_if<Tick>(&input);
    queues_.stirred = queues_.stirred || tick == nullptr || next_timer_ns() <= tick->now_ns;
    std::visit([this](const auto& one) { apply_one(one); }, input);
    if (options_.queues && now_ - queues_cleaned_ >= 10'000'000'000) {
        queues_cleaned_ = now_;
        queues_.clean();
    }
    settle_gangs();
    PlaceholderRules(*this).settle();
    QuotaRules(*this).settle();
    RoomRules(*this).settle();
    settle_applications();
    if (queues_.complete(now_, options_.application_idle_ns)) {
        saw("an application is complete");
    }
}

void Oracle::apply_one(const Tick& tick) {
    const std::int64_t before = now_;
    now_ = std::max(now_, tick.now_ns);
    end_delays_of_reservations(before);
    do_what_is_due();
    for (auto& [sequence, ask] : asks_) {
        if (ask.state == AskState::backoff && ask.backoff_until <= now_) {
            ask.nacked = false;
            if (ask.gang.empty()) {
                ask.state = AskState::pending;
            } else {
                touch(ask);
            }
        }
    }
    GuaranteeRules::end_delays(*this);
    if (queues_.end_rests(now_)) {
        saw("an application has rested");
    }
    end_overdue_queries();
    end_permits();
    GangReservations(*this).end_overdue();
    end_what_is_overdue();
    settle_gangs();
    tell_gangs();
    forget_gangs();
    PlaceholderRules(*this).tick();
}

bool Oracle::anybody_holds_up() const {
    return std::any_of(shims_.begin(), shims_.end(), [](const auto& one) { return one.second.holds_up; });
}

// R-SESSION-36 to R-SESSION-39.
void Oracle::perhaps_hold_up(const std::string& name) {
    Shim& shim = shims_.at(name);
    const bool has_node =
        std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& one) { return one.second.shim == name; });
    if (!shim.resync_open || shim.holds_up || (!has_node && shim.asks.empty())) {
        return;
    }
    if (!shim.period_began || now_ - *shim.period_began >= 10 * options_.resync_deadline_ns) {
        shim.period_began = now_;
        shim.time_left = options_.resync_deadline_ns;
    }
    if (shim.time_left > 0) {
        shim.holds_up = true;
        shim.holds_up_until = now_ + shim.time_left;
    }
    decided_by_["rule: a resync has no time left"] += shim.time_left == 0;
}

// R-SESSION-41.
void Oracle::end_what_is_overdue() {
    for (auto& [name, shim] : shims_) {
        if (shim.holds_up && shim.holds_up_until <= now_) {
            shim.holds_up = false;
            shim.time_left = 0;
            overdue_ += 1;
            wake_all();
        }
    }
}

bool Oracle::can_resume(const Connect& hello) const {
    const auto found = shims_.find(std::string(hello.shim));
    if (found == shims_.end()) {
        return false;
    }
    const Shim& shim = found->second;
    return !shim.must_resync && !shim.resync_open && shim.instance == hello.shim_instance &&
           hello.daemon_instance == options_.daemon_instance && hello.decisions_received >= shim.acknowledged &&
           hello.decisions_received <= shim.last_number;
}

void Oracle::apply_one(const Connect& hello) {
    const std::string name(hello.shim);
    const bool resume = can_resume(hello);
    Shim& shim = shims_[name];
    take_plugins(shim, hello.plugins);
    shim.gives_claims_back = hello.gives_claims_back;
    shim.judges_victims = hello.judges_victims;
    no_longer_counts(shim);
    shim.connection = hello.connection;
    ConnectionStory& story = stories_[hello.connection];
    story.shim = name;
    if (resume) {
        acknowledge_up_to(shim, name, hello.decisions_received);
        story.outcome = HelloOutcome::resume;
        story.decisions.assign(shim.kept.begin(), shim.kept.end());
    } else {
        restart_numbering(shim, hello);
        perhaps_hold_up(name);
        story.outcome = HelloOutcome::resync;
    }
    story.state_applied_at_hello = shim.applied;
}

void Oracle::restart_numbering(Shim& shim, const Connect& hello) {
    shim.instance = hello.shim_instance;
    shim.dictionary.clear();
    shim.left_over_specs.merge(std::exchange(shim.specs, {}));
    shim.applied = 0;
    drop_kept(shim, std::string(hello.shim));
    shim.last_number = 0;
    shim.acknowledged = 0;
    shim.must_resync = false;
    shim.resync_open = true;
    shim.resync_begun = false;
}

void Oracle::apply_one(const Disconnect& gone) {
    const std::string name = shim_of(gone.connection);
    if (name.empty()) {
        ++ignored_;
        return;
    }
    no_longer_counts(shims_.at(name));
}

void Oracle::apply_one(const StateMessage& state) {
    const std::string name = shim_of(state.connection);
    if (name.empty() || state.sequence <= shims_.at(name).applied) {
        ++ignored_;
        return;
    }
    Shim& shim = shims_.at(name);
    if (state.sequence > shim.applied + 1) {
        ++ignored_;
        cut(shim);
        return;
    }
    if (state.piece == 0) {
        shim.applied += 1;
    }
    const bool opens =
        std::holds_alternative<DefineMessage>(state.body) || std::holds_alternative<ResyncBeginMessage>(state.body);
    if (shim.resync_open && !shim.resync_begun && !opens) {
        decide(name, DecisionKind::message_rejected, "state", "a resync must begin first");
        return;
    }
    if (state.piece != 0 && std::holds_alternative<ResyncBeginMessage>(state.body)) {
        saw("a piece of a resync's begin");
        begin_resync(name, state.piece);
    } else if (state.piece != 0 && std::holds_alternative<ResyncEndMessage>(state.body)) {
        saw("a piece of a resync's end");
        end_resync(name, state.piece);
    } else {
        std::visit([&](const auto& body) { message(name, body); }, state.body);
    }
    perhaps_hold_up(name);
}

void Oracle::apply_one(const Acknowledge& acknowledge) {
    const std::string name = shim_of(acknowledge.connection);
    if (name.empty()) {
        ++ignored_;
        return;
    }
    Shim& shim = shims_.at(name);
    if (acknowledge.up_to > shim.last_number) {
        cut(shim);
        return;
    }
    acknowledge_up_to(shim, name, acknowledge.up_to);
    ConnectionStory& story = stories_.at(acknowledge.connection);
    story.acknowledged = std::max(story.acknowledged, acknowledge.up_to);
}

void Oracle::apply_one(const HoldPlace& place) {
    Hold hold;
    hold.node = std::string(place.node);
    hold.kept_from_below = place.kept_from_below;
    bool understood = nodes_.contains(hold.node);
    for (const auto& [kind, amount] : place.amounts) {
        understood = understood && kinds_.contains(std::string(kind)) && amount >= 0 && amount <= kAmountMax;
        if (understood) {
            hold.amounts[std::string(kind)] += amount;
            understood = hold.amounts[std::string(kind)] + nodes_.at(hold.node).held[std::string(kind)] <= kTotalMax;
        }
    }
    if (!understood) {
        ++ignored_;
        return;
    }
    const bool replaces = holds_.contains(place.owner);
    if (replaces) {
        const Hold& former = holds_.at(place.owner);
        add(former.amounts, -1, nodes_.at(former.node).held);
    }
    holds_[place.owner] = hold;
    add(hold.amounts, 1, nodes_.at(hold.node).held);
    if (replaces) {
        wake(Event::node_changed);
    }
}

void Oracle::apply_one(const HoldDrop& drop) {
    const auto found = holds_.find(drop.owner);
    if (found == holds_.end()) {
        ++ignored_;
        return;
    }
    add(found->second.amounts, -1, nodes_.at(found->second.node).held);
    holds_.erase(found);
    wake(Event::node_changed);
}

std::int64_t Oracle::next_timer_ns() const {
    std::int64_t next = INT64_MAX;
    for (const auto& [sequence, ask] : asks_) {
        if (ask.state == AskState::backoff) {
            next = std::min(next, ask.backoff_until);
        }
        next = std::min({next, next_age(ask), ask.guaranteed_from});
        if (ask.state == AskState::queried || ask.state == AskState::asking) {
            next = std::min(next, ask.query_deadline);
        }
        if (ask.state == AskState::on_permit) {
            next = std::min(next, gangs_.at(ask.gang).deadline);
        }
    }
    for (const auto& [name, shim] : shims_) {
        if (shim.holds_up) {
            next = std::min(next, shim.holds_up_until);
        }
    }
    for (const auto& [name, application] : queues_.applications) {
        next = std::min({next, application.deadline, application.rests_until});
    }
    next = std::min({next, QuotaRules::next_time(*this), RoomRules::next_time(*this)});
    next = reserved_.empty() ? next : std::min(next, gangs_.at(reserved_).reserved_until);
    const auto due = next_due();
    return due ? std::min(next, due->at) : next;
}

OracleCounters Oracle::counters() const {
    OracleCounters out;
    out.attempts = attempts_;
    out.placed = placed_;
    out.failed = failed_;
    out.nominated = nominated_;
    out.cleared = cleared_;
    out.nodes = nodes_.size();
    out.woken = woken_;
    out.ignored = ignored_;
    out.resyncs_overdue = overdue_;
    for (const auto& [name, shim] : shims_) {
        out.bytes += bytes_of(name);
        out.resyncs_open += shim.resync_open;
        out.resyncs_holding += shim.holds_up;
    }
    out.room_looks = queues_.room_looks;
    out.room_preemptions = queues_.room_preemptions;
    out.room_victims = queues_.room_victims;
    out.room_claims = queues_.room_clocks.size();
    out.rests_begun = queues_.rests_begun;
    for (const auto& [name, application] : queues_.applications) {
        out.resting += application.rests_until != INT64_MAX;
    }
    for (const auto& [sequence, ask] : asks_) {
        out.gated += ask.state == AskState::gated;
        out.waiting_for_node += ask.state == AskState::waiting_for_node;
        out.pending += ask.state == AskState::pending;
        out.backoff += ask.state == AskState::backoff;
        out.unschedulable += ask.state == AskState::unschedulable;
        out.allocations += !ask.node.empty() && !ask.foreign;
    }
    return out;
}

const std::vector<NumberedDecision>& Oracle::decisions(const std::string& shim) const {
    static const std::vector<NumberedDecision> none;
    const auto found = decisions_.find(shim);
    return found == decisions_.end() ? none : found->second;
}

const Ask* Oracle::find_ask(const std::string& shim, const std::string& key) const {
    const auto owner = shims_.find(shim);
    if (owner == shims_.end()) {
        return nullptr;
    }
    const auto found = owner->second.asks.find(key);
    return found == owner->second.asks.end() ? nullptr : &asks_.at(found->second);
}

std::string Oracle::ask_state(const std::string& shim, const std::string& key) const {
    const Ask* ask = find_ask(shim, key);
    return ask == nullptr ? "" : name_of(ask->state);
}

}  // namespace bayplan::oracle
