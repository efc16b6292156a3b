// Pod groups that are placed whole, naively: rules/gangs.md, everything counted anew each time.
//
// Thread and errors: see oracle.h.
#include <algorithm>

#include "oracle_gang_preemption.h"

namespace bayplan::oracle {

// --- members

std::string Oracle::gang_key(const Ask& ask) {
    return ask.group_fault != GroupFault::none ? "" : ask.shim + " " + ask.application + "/" + ask.group;
}

std::int64_t Oracle::time_of(const Ask& ask) const {
    if (options_.coscheduling.mode == Coscheduling::off) {
        return 0;
    }
    if (!shims_.at(ask.shim).resync_open) {
        return now_;
    }
    const std::int64_t created = std::min(std::max<std::int64_t>(ask.created_s, 0), std::int64_t{4'294'967'294});
    return created * 1'000'000'000 - 4'611'686'018'427'387'904;
}

// Its time and the number of its group, when it is new.
void Oracle::rank(Ask& ask) const {
    ask.came = ask.time = time_of(ask);
    ask.group_number = ask.sequence;
    for (const auto& [sequence, other] : asks_) {
        if (!ask.coscheduled() && ask.group_minimum == 0 && !ask.group.empty() && !other.coscheduled() &&
            other.shim == ask.shim && other.application == ask.application && other.group == ask.group) {
            ask.group_number = other.group_number;
            ask.time = other.time;
            ask.created_s = other.created_s;
            return;
        }
    }
}

// A group stated with a minimum may be another one each time; one without is that of the first statement.
void Oracle::regroup(Ask& ask, const Ask& wanted, std::int64_t joined) {
    const std::string before = ask.gang;
    const std::uint32_t minimum_before = ask.group_minimum;
    const GroupFault fault_before = ask.group_fault;
    const Topology topology_before = ask.topology;
    const bool says = !ask.foreign && (wanted.group_fault != GroupFault::none || wanted.group_minimum != 0);
    if (says) {
        ask.group = wanted.group;
    }
    ask.group_fault = says ? wanted.group_fault : GroupFault::none;
    ask.group_minimum = says ? wanted.group_minimum : 0;
    ask.topology = says ? wanted.topology : Topology();
    if (!before.empty() || fault_before != GroupFault::none) {
        joined = ask.joined;
    } else {
        ask.told_why.clear();
    }
    const std::string after = says ? gang_key(ask) : "";
    if (before == after && minimum_before == ask.group_minimum && fault_before == ask.group_fault &&
        topology_before == ask.topology) {
        if (says) {
            ask.group.clear();
        }
        return;
    }
    if (!before.empty()) {
        leave_gang(ask);
    }
    if (says) {
        join_group(ask, joined);
    } else {
        ask.time = joined;
        ask.group_number = ask.sequence;
        ask.pod.group_number = ask.sequence;
    }
}

void Oracle::join_group(Ask& ask, std::int64_t joined) {
    ask.gang = gang_key(ask);
    ask.joined = joined;
    if (!ask.gang.empty() && !gangs_.contains(ask.gang)) {
        Gang& gang = gangs_[ask.gang];
        gang.name = ask.application + "/" + ask.group;
        gang.time = joined;
        gang.number = ask.sequence;
    } else if (!ask.gang.empty() && shims_.at(ask.shim).resync_open) {
        if (joined < gangs_[ask.gang].time) {
            saw("a resync states an elder member later");
        }
        gangs_[ask.gang].time = std::min(gangs_[ask.gang].time, joined);
    }
    ask.gang_group = ask.group;
    ask.group.clear();
    touch(ask);
}

void Oracle::leave_gang(Ask& ask) {
    if (ask.gang.empty()) {
        return;
    }
    touch(ask);
    const std::string left = ask.gang;
    ask.gang.clear();
    if (members(left).empty()) {
        gangs_.at(left).empty_since = now_;
    }
}

void Oracle::touch(const Ask& ask) {
    if (!ask.gang.empty()) {
        gangs_.at(ask.gang).woken = true;
    }
}

// The eldest first.
std::vector<Ask*> Oracle::members(const std::string& gang) {
    std::vector<Ask*> out;
    for (auto& [sequence, ask] : asks_) {
        if (ask.gang == gang) {
            out.push_back(&ask);
        }
    }
    std::stable_sort(out.begin(), out.end(), [](const Ask* a, const Ask* b) { return a->came < b->came; });
    return out;
}

bool Oracle::is_going(const Ask& ask) { return ask.node.empty() ? ask.stated_terminating : ask.pod.terminating; }

bool Oracle::counts(const Gang& gang, const Ask& ask) const {
    return ask.group_minimum == gang.minimum && ask.priority == gang.priority && ask.topology == gang.topology &&
           !ask.stands_at_its_gates() && !is_going(ask);
}

std::size_t Oracle::assigned(const std::string& gang) {
    std::size_t count = 0;
    for (const Ask* member : members(gang)) {
        count += counts(gangs_.at(gang), *member) && member->has_node() ? 1 : 0;
    }
    return count;
}

std::vector<Ask*> Oracle::waiting_members(const std::string& gang) {
    std::vector<Ask*> out;
    for (Ask* member : members(gang)) {
        if (counts(gangs_.at(gang), *member) && !member->has_node()) {
            out.push_back(member);
        }
    }
    return out;
}

// By sequence number of each member that waits: the number of its gang, and which of them it is, the eldest first.
std::map<std::uint64_t, std::pair<int, int>> Oracle::elements_of_gangs() const {
    std::map<std::uint64_t, std::pair<int, int>> out;
    int number = 0;
    for (const auto& [key, gang] : gangs_) {
        std::multimap<std::int64_t, std::uint64_t> by_age;
        for (const auto& [sequence, ask] : asks_) {
            if (ask.gang == key && counts(gang, ask) && !ask.has_node()) {
                by_age.emplace(ask.came, sequence);
            }
        }
        ++number;
        int position = 0;
        for (const auto& [came, sequence] : by_age) {
            out[sequence] = {number, position++};
        }
    }
    return out;
}

// --- the queue

void Oracle::settle_gangs() {
    std::map<std::pair<std::uint64_t, std::string>, std::string> by_number;
    for (const auto& [key, gang] : gangs_) {
        by_number[{gang.number, key}] = key;
    }
    for (const auto& [number, key] : by_number) {
        take_values(key);
    }
    for (const auto& [number, key] : by_number) {
        if (nominations_must_end(key)) {
            end_nominations(key, key == reserved_ ? "reservation ended: the nominations of its pod group ended"
                                                  : "the nominations of its pod group ended");
        }
        reject_if_broken(key);
    }
    for (auto& [key, gang] : gangs_) {
        settle(key, gang);
    }
}

// The eldest member's that does not terminate.
void Oracle::take_values(const std::string& key) {
    Gang& gang = gangs_.at(key);
    for (const Ask* member : members(key)) {
        if (!is_going(*member)) {
            gang.woken = gang.woken || gang.minimum != member->group_minimum || gang.priority != member->priority ||
                         gang.topology != member->topology;
            gang.topology = member->topology;
            gang.minimum = member->group_minimum;
            gang.priority = member->priority;
            break;
        }
    }
}

bool Oracle::has_quorum(const std::string& key) {
    return !members(key).empty() && assigned(key) + waiting_members(key).size() >= gangs_.at(key).minimum;
}

void Oracle::settle(const std::string& key, Gang& gang) {
    const std::vector<Ask*> waiting = waiting_members(key);
    const bool quorum = has_quorum(key);
    if (quorum && !gang.quorum) {
        saw("quorum reached");
        gang.woken = true;
        gang.backoff_until = gang.quorum_lost == now_ ? gang.backoff_until : 0;
        if (gang.quorum_lost != now_) {
            gang.first_failed.reset();
        }
        gang.nacked = gang.quorum_lost == now_ && gang.nacked;
    }
    if (!quorum && gang.quorum) {
        saw("quorum lost");
        gang.quorum_lost = now_;
    }
    if (gang.woken || !quorum) {
        for (Ask* member : members(key)) {
            if (!member->has_node()) {
                member->state = AskState::gated;
                member->nacked = false;
                member->failed_by.clear();
            }
        }
    }
    if (gang.woken && quorum) {
        for (Ask* member : waiting) {
            const bool later = gang.backoff_until > now_;
            member->state = later ? AskState::backoff : AskState::pending;
            member->backoff_until = later ? gang.backoff_until : member->backoff_until;
            member->nacked = later && gang.nacked;
        }
        gang.nacked = gang.nacked && (waiting.empty() || gang.backoff_until > now_);
    }
    gang.quorum = quorum;
    gang.woken = false;
}

bool Oracle::goes_before(const Ask& a, const Ask& b) const {
    const Gang* const one = a.gang.empty() ? nullptr : &gangs_.at(a.gang);
    const Gang* const other = b.gang.empty() ? nullptr : &gangs_.at(b.gang);
    const std::int64_t priority_a = one == nullptr ? a.priority : one->priority;
    const std::int64_t priority_b = other == nullptr ? b.priority : other->priority;
    if (priority_a != priority_b) {
        return priority_a > priority_b;
    }
    const std::int64_t time_a = one == nullptr ? a.time : one->time;
    const std::int64_t time_b = other == nullptr ? b.time : other->time;
    if (time_a != time_b) {
        return time_a < time_b;
    }
    if ((one == nullptr) != (other == nullptr)) {
        return one == nullptr;
    }
    if (one != nullptr && one->name != other->name) {
        return one->name > other->name;
    }
    if (one == nullptr && a.group_number != b.group_number) {
        return a.group_number < b.group_number;
    }
    return a.sequence < b.sequence;
}

// --- an attempt

std::size_t Oracle::attempt_gang(const std::string& key) {
    Gang& gang = gangs_.at(key);
    const std::vector<Ask*> waiting = waiting_members(key);
    attempts_ += waiting.size();
    trying_ = key;
    const Pass pass = GangDomains(*this).make_pass(key, waiting);
    if (pass.found_all) {
        keep(gang, pass.tries);
    } else {
        give_up(key, waiting, pass);
    }
    trying_.clear();
    return waiting.size();
}

void Oracle::keep(Gang& gang, const std::vector<Try>& tries) {
    const bool any = std::any_of(tries.begin(), tries.end(), [](const Try& one) { return !one.node.empty(); });
    const bool all = std::none_of(tries.begin(), tries.end(), [](const Try& one) { return one.node.empty(); });
    saw(all ? "gang placed whole" : any ? "gang placed, some left" : "none of the late members placed");
    gang.failures = any ? 0 : gang.failures;
    if (!all) {
        count_failure(gang);
    }
    std::set<std::string> failed_by;
    for (const Try& one : tries) {
        if (one.node.empty()) {
            failed_by.insert(one.failed_by.begin(), one.failed_by.end());
        }
    }
    bool freed = false;
    bool cleared = false;
    for (const Try& one : tries) {
        Ask& ask = asks_.at(one.ask);
        if (one.node.empty()) {
            if (!ask.nominated_node.empty()) {
                saw("left over nomination");
                ++cleared_;
                const std::string text = std::string(ask.gang == reserved_ ? "reservation ended: " : "") +
                                         "its pod group is placed without it";
                log_line("clear", ask, ask.nominated_node, text);
                decide(ask.shim, DecisionKind::nominated, ask.key, std::string(kNominatedNodeKey) + ": " + text);
                end_nomination(ask, false);
                cleared = true;
            }
            count_failure(ask, gang);
            ask.failed_by = failed_by;
            ask.state = AskState::unschedulable;
            log_line("fail", ask, "-", one.message);
            tell_failure(ask, one.message, false);
            continue;
        }
        ++placed_;
        const std::vector<KubeBinding> bindings = bindings_on(ask, one.node);
        check_fit(ask, nodes_.at(one.node));
        check_devices_fit(ask, nodes_.at(one.node));
        check_claimed(ask, nodes_.at(one.node), bindings);
        ask.failed_by.clear();
        if (!ask.nominated_node.empty()) {
            saw(ask.nominated_node == one.node ? "member placed on its nominated node" : "member placed elsewhere");
            freed = freed || ask.nominated_node != one.node;
        }
        place(ask, one.node, AskState::unacknowledged);
        ask.bindings = bindings;
        tell_place(ask);
    }
    gang.nominated = 0;
    GangReservations(*this).forget(trying_);
    gang.woken = gang.woken || cleared;
    if (any) {
        wake(Event::pod_changed);  // members that were left may be helped by the members placed before
    }
    if (freed || cleared) {
        wake(Event::allocation_ended);
    }
}

}  // namespace bayplan::oracle
