// Members that hold nodes until their gang has its minimum, naively: rules/gangs.md.
//
// Thread and errors: see oracle.h.
#include <algorithm>

#include "oracle_gang_preemption.h"
#include "oracle_guarantees.h"
#include "oracle_look.h"

namespace bayplan::oracle {

// The eldest first.
std::vector<Ask*> Oracle::holders(const std::string& gang) {
    std::vector<Ask*> out = members(gang);
    std::erase_if(out, [](const Ask* member) { return member->state != AskState::on_permit; });
    return out;
}

// --- how it begins and ends

namespace {

std::int64_t deadline_from(std::int64_t now_ns, std::int64_t counted, const CoschedulingOptions& options) {
    const std::int64_t most = 900'000'000'000;
    const std::int64_t per_member = options.permit_timeout_per_member_ns;
    return now_ns + (per_member > most / std::max<std::int64_t>(counted, 1)
                         ? most
                         : std::min(most, options.permit_timeout_ns + per_member * std::max<std::int64_t>(counted, 1)));
}

}  // namespace

std::optional<GroupExplanation> Oracle::group_of(const Ask& ask) {
    if (ask.gang.empty()) {
        return std::nullopt;
    }
    const Gang& gang = gangs_.at(ask.gang);
    GroupExplanation told;
    told.name = gang.name;
    told.minimum = gang.minimum;
    told.priority = gang.priority;
    told.assigned = static_cast<std::uint32_t>(assigned(ask.gang));
    told.counted = told.assigned + static_cast<std::uint32_t>(waiting_members(ask.gang).size());
    if (options_.coscheduling.mode == Coscheduling::permit) {
        saw(holders(ask.gang).empty() ? "explained with the deadline it would have" : "explained with its deadline");
        told.deadline_ns =
            holders(ask.gang).empty() ? deadline_from(now_, told.counted, options_.coscheduling) : gang.deadline;
    } else if (told.counted >= gang.minimum) {
        tell_nominations(ask.gang, told);
    }
    return told;
}

// Nobody is tried in truth, and no wait begins.
void Oracle::tell_nominations(const std::string& key, GroupExplanation& told) {
    const std::vector<Ask*> waiting = waiting_members(key);
    if (waiting.empty()) {
        return;
    }
    trying_ = key;
    if (!GangDomains(*this).make_pass(key, waiting).found_all) {
        const bool guaranteed = GuaranteeRules::group_has_waited(*this, waiting);
        for (const GangNomination& one : GangSearch(*this, waiting).run(guaranteed).nominations) {
            GroupNomination& nomination = told.nominations.emplace_back();
            nomination.pod = asks_.at(one.ask).key;
            nomination.node = one.node;
            nomination.guarantor = one.guarantor;
            for (const std::uint64_t victim : one.victims) {
                nomination.victims.push_back(asks_.at(victim).key);
            }
            saw(one.guarantor.empty() ? "explained whom a pod group preempts"
                                      : "explained whom a pod group preempts for its guarantee");
        }
    }
    trying_.clear();
}

void Oracle::hold(Ask& ask, const std::string& node, const std::vector<KubeBinding>& bindings) {
    saw("holds a node for its gang");
    Gang& gang = gangs_.at(ask.gang);
    const bool first = holders(ask.gang).empty();
    place(ask, node, AskState::on_permit);
    ask.backoff_until = 0;
    ask.bindings = bindings;
    if (first) {
        const auto counted = static_cast<std::int64_t>(assigned(ask.gang) + waiting_members(ask.gang).size());
        gang.deadline = deadline_from(now_, counted, options_.coscheduling);
    }
    log_line("permit", ask, node, std::to_string(assigned(ask.gang)) + " of " + std::to_string(gang.minimum));
}

void Oracle::approve(const std::string& key) {
    gangs_.at(key).failures = 0;
    for (Ask* member : holders(key)) {
        saw("a held node is approved");
        ++placed_;
        member->state = AskState::unacknowledged;
        tell_place(*member);
    }
}

void Oracle::reject(const std::string& key, const std::string& why) {
    saw("rejected: " + why.substr(0, why.find(' ')));
    Gang& gang = gangs_.at(key);
    count_failure(gang);
    gang.nacked = true;
    gang.woken = true;
    gang.hold_lost.clear();
    for (Ask* member : holders(key)) {
        const std::string node = member->node;
        leave_node(*member);
        member->failures += 1;
        member->backoff_until = gang.backoff_until;
        member->state = AskState::gated;
        log_line("reject", *member, node, why);
        if (member->failures == 1) {
            decide(member->shim, DecisionKind::ask_waiting, member->key, why);
        }
    }
    wake(Event::allocation_ended);
}

// Of one member. The others follow when the gang is settled, unless this one runs.
void Oracle::lose_hold(Ask& ask, const std::string& why) {
    saw(why.empty() ? "runs instead of holding a node" : "a held node is lost");
    leave_node(ask);
    ask.state = AskState::gated;
    if (gangs_.at(ask.gang).hold_lost.empty()) {
        gangs_.at(ask.gang).hold_lost = why;
    }
    touch(ask);
}

void Oracle::reject_if_broken(const std::string& key) {
    Gang& gang = gangs_.at(key);
    std::string why = gang.hold_lost;
    for (const Ask* member : holders(key)) {
        if (why.empty() && !counts(gang, *member)) {
            why = member->key + " does not count any more";
        }
    }
    if (why.empty() && !has_quorum(key)) {
        why = "its pod group has lost its quorum";
    }
    if (!why.empty() && !holders(key).empty()) {
        reject(key, why);
    }
    gang.hold_lost.clear();
}

void Oracle::end_permits() {
    std::map<std::pair<std::uint64_t, std::string>, std::string> holding;
    for (const auto& [key, gang] : gangs_) {
        if (!holders(key).empty()) {
            holding[{gang.number, key}] = key;
        }
    }
    std::vector<std::string> overdue;
    for (const auto& [number, key] : holding) {
        if (assigned(key) >= gangs_.at(key).minimum) {
            saw("approved without an attempt");
            approve(key);
        } else if (gangs_.at(key).deadline <= now_) {
            overdue.push_back(key);
        }
    }
    for (const std::string& key : overdue) {
        reject(key,
               "timed out with " + std::to_string(assigned(key)) + " of " + std::to_string(gangs_.at(key).minimum));
    }
}

bool Oracle::keeps_its_hold(const Ask& ask, const Ask& wanted) const {
    const bool says = !ask.foreign && wanted.group_minimum != 0 && wanted.group_fault == GroupFault::none;
    return says && gang_key(wanted) == ask.gang && wanted.node.empty() && wanted.requests == ask.requests &&
           wanted.required_node == ask.required_node && wanted.tolerates_unschedulable == ask.tolerates_unschedulable &&
           wanted.pod.never_preempts == ask.pod.never_preempts && wanted.pod.spec->gates.empty();
}

// --- who may have the node first

// Of equal priority and time by name, the greater first.
bool Oracle::comes_behind(const std::string& key, const std::string& other) const {
    const Gang& a = gangs_.at(other);
    const Gang& b = gangs_.at(key);
    if (a.priority != b.priority) {
        return a.priority > b.priority;
    }
    if (a.time != b.time) {
        return a.time < b.time;
    }
    return a.name != b.name ? a.name > b.name : a.number < b.number;
}

bool Oracle::comes_behind(const std::string& key, const Ask& ask) const {
    if (!ask.node.empty() || ask.group_fault != GroupFault::none) {
        return false;
    }
    if (!ask.gang.empty()) {
        return comes_behind(key, ask.gang);
    }
    const Gang& gang = gangs_.at(key);
    return ask.priority != gang.priority ? ask.priority > gang.priority : ask.time <= gang.time;
}

std::set<std::uint64_t> Oracle::held_behind(const Ask& ask) const {
    std::set<std::uint64_t> out;
    for (const auto& [sequence, other] : asks_) {
        if (other.state == AskState::on_permit && comes_behind(other.gang, ask)) {
            out.insert(sequence);
        }
    }
    return out;
}

// Of gangs that hold something on the node; else of all.
std::string Oracle::last_behind(const Ask& ask, const std::string& node) const {
    std::string last;
    for (const bool there : {true, false}) {
        for (const std::uint64_t sequence : held_behind(ask)) {
            const Ask& other = asks_.at(sequence);
            const bool meant = last.empty() || comes_behind(other.gang, last);
            if ((!there || other.node == node) && meant) {
                last = other.gang;
            }
        }
        if (!last.empty()) {
            break;
        }
    }
    return last;
}

void Oracle::make_room(Ask& ask, const std::string& node) {
    for (;;) {
        const KubeObjects objects = assumed_objects();
        for (const NodeExplanation& one : judge(state_for(ask, objects), ask.pod).explanation.nodes) {
            if (one.node == node && one.verdict == Verdict::feasible) {
                return;
            }
        }
        reject(last_behind(ask, node), "yields to " + ask.key);
    }
}

void Oracle::attempt_past_gangs(Ask& ask, const Look& first) {
    unseen_ = held_behind(ask);
    if (unseen_.empty()) {
        fail(ask, first);
        return;
    }
    const Look look(*this, ask);
    unseen_.clear();
    const std::string node = look.answer.explanation.node;
    if (node.empty()) {
        saw("fails past gangs behind it");
        fail(ask, look);
        return;
    }
    make_room(ask, node);
    check_fit(ask, nodes_.at(node));
    Look now(*this, ask);
    now.answer.bindings = bindings_on(ask, node);
    if (needs_plugins(ask) && query_about(ask, node, now, true)) {
        return;
    }
    count_in_row(ask, true);
    place_by_attempt(ask, node, now.answer.bindings);
}

// --- an attempt

std::size_t Oracle::attempt_permit(const std::string& key) {
    Gang& gang = gangs_.at(key);
    const std::vector<Ask*> waiting = waiting_members(key);
    attempts_ += waiting.size();
    std::vector<Ask*> left;
    std::set<std::string> failed_by;
    bool any_node = false;
    bool any_gave_way = false;
    for (Ask* member : waiting) {
        Try one;
        one.ask = member->sequence;
        GangDomains(*this).look_for_node_to_hold(*member, waiting, one, any_gave_way);
        const std::string node = one.node;
        if (node.empty()) {
            ++failed_;
            member->failures += 1;
            log_line("fail", *member, "-", one.message);
            tell_failure(*member, one.message, false);
            failed_by.insert(one.failed_by.begin(), one.failed_by.end());
            left.push_back(member);
            continue;
        }
        any_node = true;
        check_fit(*member, nodes_.at(node));
        const std::vector<KubeBinding> bindings = bindings_on(*member, node);
        if (assigned(key) + 1 < gang.minimum) {
            hold(*member, node, bindings);
        } else {
            place_by_attempt(*member, node, bindings);
            approve(key);
        }
    }
    if (!left.empty()) {
        saw("members left beside holders");
        count_failure(gang);
    }
    for (Ask* member : left) {
        member->backoff_until = gang.backoff_until;
        member->nacked = false;
        member->failed_by = failed_by;
        member->state = AskState::unschedulable;
    }
    if (any_node) {
        wake(Event::pod_changed);
    }
    if (any_gave_way) {
        wake(Event::allocation_ended);
    }
    return waiting.size();
}

}  // namespace bayplan::oracle
