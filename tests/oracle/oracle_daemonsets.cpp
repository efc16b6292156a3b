// DaemonSet pods: their attempts, their reservations and the ends of these: rules/daemonsets.md. The findings come from
// oracle_daemonset_steps.cpp.
//
// Thread and errors: see oracle.h.
#include <algorithm>
#include <limits>
#include <tuple>

#include "oracle.h"

namespace bayplan::oracle {

namespace {

constexpr std::int64_t kAfterExpiry = 10'000'000'000;

// `30s`, `0.25s`.
std::string text_of_seconds(std::int64_t ns) {
    const std::int64_t ms = ns / 1'000'000;
    std::string text = std::to_string(ms / 1000);
    if (ms % 1000 != 0) {
        std::string digits = std::to_string(ms % 1000);
        digits.insert(0, 3 - digits.size(), '0');
        while (digits.back() == '0') {
            digits.pop_back();
        }
        text += "." + digits;
    }
    return text + "s";
}

}  // namespace

// --- an attempt

// False: the ordinary rules decide.
bool Oracle::attempt_on_its_node(Ask& ask) {
    const std::string node = daemon_node(ask);
    failed_on_its_node_.clear();
    if (node.empty()) {
        return false;
    }
    const DaemonLook look = look_at_its_node(ask, node);
    if (look.fits) {
        place_daemon_pod(ask, node, look);
    } else if (look.is_short) {
        reserve(ask, node, look);
    } else {
        saw("daemon pod by the ordinary rules");
        if (look.too_many) {
            saw("too many have the node reserved");
        }
        failed_on_its_node_ = look.failed_by;
    }
    return look.fits || look.is_short;
}

void Oracle::place_daemon_pod(Ask& ask, const std::string& node, const DaemonLook& look) {
    saw(ask.reserved_node.empty() ? "daemon pod placed at once" : "daemon pod placed on its reserved node");
    check_daemon_fit(ask, node);
    count_in_row(ask, true);
    place_by_attempt(ask, node, look.bindings);
    recheck_nominations(node, full_name(ask) + " was placed");
}

void Oracle::reserve(Ask& ask, const std::string& node, const DaemonLook& look) {
    if (!ask.nominated_node.empty()) {
        saw("nominated daemon pod reserves");
        clear_nomination(ask, "node " + node + " is reserved for it");
    }
    ask.state = AskState::reserved;
    ask.failed_by.clear();
    ask.nacked = false;
    ask.reserved_by = daemonset_settings(ask);
    if (!(ask.reserved_by == options_.preemption.daemonset)) {
        saw("a reservation goes by its queue's properties");
    }
    ask.reserved_node = node;
    ask.reserved_since = now_;
    ask.reservation_victims.clear();
    add(ask.requests, 1, nodes_.at(node).held);
    tell_steps(ask, look, true);
    recheck_nominations(node, full_name(ask) + " has the node reserved");
}

// Pods that are nominated to the node give way to the pod that has it now.
void Oracle::recheck_nominations(const std::string& node, const std::string& why) {
    for (const Ask* other : nominated_to(node)) {
        const bool all = options_.preemption.lower_nominations == LowerNominations::clear;
        if (all || !passes_when_all_are_gone(*other, node)) {
            saw("nomination gives way to a daemon pod");
            clear_nomination(asks_.at(other->sequence), why);
        } else {
            saw("nomination stays beside a daemon pod");
        }
    }
}

// R-DAEMONSET-47.
void Oracle::end_delays_of_reservations(std::int64_t before_ns) {
    for (const auto& [sequence, ask] : asks_) {
        const std::int64_t delay_ns = ask.reserved_by.delay_ns;
        const bool ended = !ask.reserved_node.empty() && now_ - ask.reserved_since >= delay_ns;
        if (ended && before_ns - ask.reserved_since < delay_ns) {
            saw("the delay of a reservation ends");
            wake(Event::allocation_ended);
        }
    }
}

// The line, the message of a new reservation, and the victims.
void Oracle::tell_steps(Ask& ask, const DaemonLook& look, bool is_new) {
    ++failed_;
    const Steps& steps = look.steps;
    saw("reservation: " + steps.state + (is_new ? " at once" : ""));
    std::vector<const KubePod*> chosen;
    for (const std::uint64_t victim : steps.choice.victims) {
        chosen.push_back(&asks_.at(victim).pod);
    }
    std::vector<std::uint64_t> victims = steps.choice.victims;
    for (const std::uint64_t other : others_of_broken(chosen)) {
        saw("a gang goes whole for a daemon pod");
        victims.push_back(other);
    }
    const std::string message =
        "node " + ask.reserved_node + " is reserved: " + look.reasons + "; " + text_of(ask, steps) + ".";
    log_line("reserve", ask, ask.reserved_node, message, victim_names(victims));
    if (is_new) {
        decide(ask.shim, DecisionKind::ask_waiting, ask.key, message);
    }
    if (steps.choice.victims.empty()) {
        return;
    }
    check_daemon_victims(ask, steps);
    std::string kinds;
    for (const auto& [kind, amount] : steps.need) {
        kinds += (kinds.empty() ? " " : ", ") + kind;
    }
    const std::string why = "preempted by " + full_name(ask) + ": the DaemonSet pod has node " + ask.reserved_node +
                            " reserved and needs" + kinds;
    ask.reservation_victims.clear();
    bool any_gives_way = false;
    bool any_other = false;
    for (const std::uint64_t victim : victims) {
        if (asks_.at(victim).state == AskState::queried) {
            give_way(asks_.at(victim), why);
            any_gives_way = true;
            continue;
        }
        choose_victim(asks_.at(victim), ask, why);
        any_other = true;
        if (asks_.at(victim).node == ask.reserved_node) {
            ask.reservation_victims.insert(victim);
        }
    }
    if (any_other) {
        wake(Event::pod_changed);
    }
    if (any_gives_way) {
        wake(Event::allocation_ended);
    }
}

std::string Oracle::text_of(const Ask& ask, const Steps& steps) const {
    if (steps.state == "delay") {
        return "preemption may begin at the age of " + text_of_seconds(daemonset_settings(ask).delay_ns);
    }
    if (steps.state == "pending") {
        return "its victims terminate";
    }
    if (steps.state == "behind") {
        return steps.behind->key + " comes before it";
    }
    if (steps.state == "coming") {
        return "what terminates there makes room for it";
    }
    if (steps.state == "never") {
        return "not eligible due to preemptionPolicy=Never";
    }
    if (steps.state == "nothing-found") {
        return "no victims found that would make room";
    }
    std::string keys;
    for (const std::uint64_t victim : steps.choice.victims) {
        keys += (keys.empty() ? " " : ", ") + asks_.at(victim).key;
    }
    return "it preempts" + keys;
}

// --- reservations

void Oracle::take_victim_facts(Ask& ask, const Ask& wanted) {
    ask.daemonset = wanted.daemonset;
    ask.opted_out = wanted.opted_out;
    ask.originator = wanted.originator;
}

std::optional<Oracle::DueReservation> Oracle::due_reservation() const {
    std::vector<const Ask*> reserved;
    for (const auto& [sequence, ask] : asks_) {
        if (ask.state == AskState::reserved && has_credit(shims_.at(ask.shim)) && !anybody_holds_up() &&
            (!options_.queues || has_room_in_queues(ask))) {
            reserved.push_back(&ask);
        }
    }
    const auto rank = [](const Ask& ask) {
        return std::tuple(-std::int64_t{ask.priority}, ask.reserved_since, ask.sequence);
    };
    std::sort(reserved.begin(), reserved.end(), [&](const Ask* a, const Ask* b) { return rank(*a) < rank(*b); });
    for (const Ask* ask : reserved) {
        const std::int64_t expiry = ask->reserved_by.expiry_ns;
        DueReservation due{ask->sequence, "", {}};
        if (daemon_node(*ask) == ask->reserved_node) {
            due.look = look_at_its_node(*ask, ask->reserved_node);
        }
        if (due.look.fits) {
            due.what = "place";
        } else if (!due.look.is_short) {
            due.what = "clear";
        } else if (expiry > 0 && due.look.steps.state != "pending" && now_ - ask->reserved_since >= expiry) {
            due.what = "expire";
        } else if (due.look.steps.state == "chosen") {
            due.what = "preempt";
        }
        if (!due.what.empty()) {
            return due;
        }
    }
    return std::nullopt;
}

bool Oracle::act_on_a_reservation() {
    const auto due = due_reservation();
    if (!due) {
        return false;
    }
    ++attempts_;
    Ask& ask = asks_.at(due->sequence);
    const std::string node = ask.reserved_node;
    if (due->what == "place") {
        place_daemon_pod(ask, node, due->look);
        return true;
    }
    if (due->what == "preempt") {
        tell_steps(ask, due->look, false);
        return true;
    }
    ++failed_;
    saw("reservation: " + due->what);
    if (due->what == "clear") {
        clear_reservation(ask, "node " + node + " is not reserved any more: not only resources are in the way");
        return true;
    }
    clear_reservation(ask, "the reservation of node " + node + " has expired");
    ask.failures += 1;
    ask.backoff_until = now_ + kAfterExpiry;
    ask.state = AskState::backoff;
    ask.nacked = true;
    return true;
}

void Oracle::clear_reservation(Ask& ask, const std::string& why) {
    log_line("unreserve", ask, ask.reserved_node, why);
    decide(ask.shim, DecisionKind::ask_waiting, ask.key, why);
    end_reservation(ask, true);
    ask.state = AskState::pending;
}

void Oracle::end_reservation(Ask& ask, bool wakes) {
    if (ask.reserved_node.empty()) {
        return;
    }
    add(ask.requests, -1, nodes_.at(ask.reserved_node).held);
    ask.reserved_node.clear();
    ask.reservation_victims.clear();
    if (wakes) {
        wake(Event::allocation_ended);
    }
}

void Oracle::restate_reserved(Ask& ask) {
    if (daemon_node(ask) == ask.reserved_node) {
        saw("reserved, and stated again");
        return;
    }
    saw("reserved, and stated again for another node");
    clear_reservation(ask, "node " + ask.reserved_node + " is not what the pod asks for any more");
}

std::int64_t Oracle::next_age(const Ask& ask) const {
    const std::int64_t never = std::numeric_limits<std::int64_t>::max();
    std::int64_t next = never;
    for (const std::int64_t age : {ask.reserved_by.delay_ns, ask.reserved_by.expiry_ns}) {
        if (ask.state == AskState::reserved && age > 0 && ask.reserved_since <= never - age &&
            ask.reserved_since + age > now_) {
            next = std::min(next, ask.reserved_since + age);
        }
    }
    return next;
}

// --- laws, at the moment of the commit

// R-LAW-3. A DaemonSet pod leaves alone what is in use and what operators hold.
void Oracle::check_daemon_fit(const Ask& ask, const std::string& node) {
    if (!options_.predicates.empty() && std::ranges::count(options_.predicates, "NodeResourcesFit") == 0) {
        return;  // amounts decide nothing
    }
    const Respected respected = respected_by(ask, node);
    Amounts taken = nodes_.at(node).used;
    add(nodes_.at(node).foreign, 1, taken);
    add(ask.requests, 1, taken);
    for (const auto& [owner, hold] : holds_) {
        if (hold.node == node && ask.priority < hold.kept_from_below) {
            add(hold.amounts, 1, taken);
        }
    }
    for (const Ask* other : respected.asks) {
        add(other->requests, 1, taken);
    }
    for (const auto& [kind, amount] : ask.requests) {
        if (taken[kind] > counted_capacity(objects_, nodes_.at(node).capacity, kind)) {
            broken_at_commit_.push_back("R-LAW-3: daemon pod " + ask.key + " exceeds " + kind + " of " + node);
        }
    }
}

// No DaemonSet pod is a victim, none of them is superfluous, and together they are enough.
void Oracle::check_daemon_victims(const Ask& ask, const Steps& steps) {
    const auto enough_without = [&](std::uint64_t spared) {
        return std::all_of(steps.need.begin(), steps.need.end(), [&](const auto& need) {
            std::int64_t freed = 0;
            for (const std::uint64_t victim : steps.choice.victims) {
                const Amounts& has = asks_.at(victim).requests;
                freed += victim != spared && has.contains(need.first) ? has.at(need.first) : 0;
            }
            return freed >= need.second;
        });
    };
    for (const std::uint64_t victim : steps.choice.victims) {
        const Ask& pod = asks_.at(victim);
        if (pod.daemonset || pod.is_static || pod.pod.terminating || pod.priority > ask.priority ||
            pod.node != ask.reserved_node) {
            broken_at_commit_.push_back("R-LAW-12: " + pod.key + " is no victim for daemon pod " + ask.key);
        }
        if (enough_without(victim)) {
            broken_at_commit_.push_back("R-LAW-13: " + pod.key + " could have stayed for daemon pod " + ask.key);
        }
    }
    if (!enough_without(0)) {
        broken_at_commit_.push_back("R-LAW-13: the victims of daemon pod " + ask.key + " are not enough");
    }
}

}  // namespace bayplan::oracle
