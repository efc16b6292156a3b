// Counting, holding, queueing and telling; see gang_queue.h.
#include "engine/gang_queue.h"

#include <algorithm>
#include <utility>

namespace bayplan {

namespace {

// Asks of a resync are older than asks that come outside of a resync.
constexpr std::int64_t kResyncBase_ns = -(std::int64_t{1} << 62);
constexpr std::int64_t kCreatedMax_s = UINT32_MAX - 1;
constexpr std::int64_t kSecond_ns = 1'000'000'000;

std::string_view text_of(GroupFault fault) {
    switch (fault) {
        case GroupFault::no_name: return "refused: empty pod group name";
        case GroupFault::no_topology_mode:
            return "refused: topology mode of its pod group is neither required nor preferred";
        default: return "refused: min-available of its pod group is no number from 1 to 2147483647";
    }
}

}  // namespace

std::int64_t GangQueue::came(AskId id, bool in_resync, std::int64_t created_s) {
    if (!on()) {
        return 0;
    }
    if (raw(id) >= created_.size()) {
        created_.resize(std::max<std::size_t>(raw(id) + std::size_t{1}, 2 * created_.size()), kLater);
    }
    const std::int64_t created = std::clamp<std::int64_t>(created_s, 0, kCreatedMax_s);
    created_[raw(id)] = in_resync ? static_cast<std::uint32_t>(created) : kLater;
    return in_resync ? kResyncBase_ns + created * kSecond_ns : world_.now_ns;
}

// --- members

void GangQueue::state(AskId id, const Names& names, const AskItem& record, std::int64_t time_ns) {
    const bool faulty = record.group_fault != GroupFault::none;
    GangMember member;
    member.fault = record.group_fault;
    member.minimum = record.group_min_available;
    member.age = {created_[raw(id)], world_.asks[id].sequence, id};
    member.time_ns = time_ns;
    std::int64_t deadline_ns = INT64_MAX;  // of its gang, if it stays there
    Ask& ask = world_.asks[id];
    if (!faulty) {
        member.gang = world_.gangs.find_or_add(world_.shims[ask.shim].name, names.application, names.group);
        member.topology = world_.gangs.topology(names.topology_key, record.group_topology_preferred);
    }
    if (is_coscheduled(ask.group)) {
        const GangMember& before = world_.gangs.member(id);
        if (before.gang == member.gang && before.minimum == member.minimum && before.fault == member.fault &&
            before.topology == member.topology) {
            world_.gangs.release(member.topology);
            if (faulty && before.told != ToldWhy::refused) {
                faulty_.push_back(world_.asks.handle(id));
            }
            note(id);
            return;
        }
        member.time_ns = before.time_ns;
        member.told = before.told;
        deadline_ns = before.gang == member.gang && !faulty ? world_.gangs[member.gang].deadline_ns : deadline_ns;
        leave(id);
    }
    world_.gangs.add(id, member, world_.shims[ask.shim].resync_open);
    ask.group = faulty ? kFaultyGroup : kFirstGang + static_cast<std::uint32_t>(member.gang);
    if (faulty) {
        faulty_.push_back(world_.asks.handle(id));
    }
    note(id);
    if (deadline_ns != INT64_MAX && world_.gangs[member.gang].deadline_ns == INT64_MAX &&
        world_.gangs[member.gang].on_permit > 0) {
        world_.gangs.set_deadline(member.gang, deadline_ns);
    }
}

void GangQueue::leave(AskId id) {
    const GangId gang = world_.gangs.member(id).gang;
    world_.gangs.remove(id, world_.now_ns);
    world_.asks[id].group = kNoGroup;
    if (gang != kNone<GangId>) {
        change(gang);
        world_.gangs[gang].woken = true;
    }
}

void GangQueue::note(AskId id) {
    const GangId gang = world_.gangs.member(id).gang;
    if (gang != kNone<GangId>) {
        evaluate(id);
        change(gang);
        world_.gangs[gang].woken = true;
    }
}

void GangQueue::count(AskId id) {
    evaluate(id);
    change(world_.gangs.member(id).gang);
}

void GangQueue::change(GangId id) {
    Gang& gang = world_.gangs[id];
    if (!std::exchange(gang.changed, true)) {
        changed_.push_back(id);
    }
    if (!std::exchange(gang.untold, true)) {
        untold_.push_back(id);
    }
}

void GangQueue::evaluate(AskId id) {
    const Ask& ask = world_.asks[id];
    const GangMember& member = world_.gangs.member(id);
    const Gang& gang = world_.gangs[member.gang];
    const bool placed = is_on_node(ask.state) || ask.state == AskState::awaiting_node;
    const bool gated = !placed && !world_.specs[world_.classes.spec_of(ask)].gates.empty();
    const bool agrees =
        member.minimum == gang.minimum && ask.priority == gang.priority && member.topology == gang.topology;
    const bool counted = agrees && !gated && !ask.terminating;
    world_.gangs.count(id, counted, counted && placed, ask.state == AskState::on_permit);
}

// --- the queue

void GangQueue::wake(AskId id) {
    const GangId gang = world_.gangs.member(id).gang;
    hold(world_.gangs[gang]);
    world_.gangs[gang].woken = true;
    change(gang);
}

void GangQueue::wake_withdrawn(AskId id) {
    const GangId gang = world_.gangs.member(id).gang;
    commit_.join(id, AskEvent::gate);
    world_.gangs[gang].woken = true;
    change(gang);
}

void GangQueue::refuse(AskId id) {
    world_.asks.waiting(id).key = key_of(id);
    if (world_.asks[id].group == kFaultyGroup) {
        commit_.withdraw(id);
        commit_.join(id, AskEvent::gate);
        faulty_.push_back(world_.asks.handle(id));
        return;
    }
    note(id);
    commit_.withdraw(id);
    commit_.join(id, AskEvent::gate);
    wake(id);
    Gang& gang = gang_of(id);
    gang.failures = std::min(gang.failures + 1, kFailuresMax);
    gang.backoff_until_ns = backoff_until_ns(gang);
    gang.nacked = true;
}

void GangQueue::waiting_with(AskId id, std::vector<AskId>& members) const {
    for (const MemberAge& member : world_.gangs[world_.gangs.member(id).gang].members) {
        if (waits(member)) {
            members.push_back(member.ask);
        }
    }
}

void GangQueue::hold(Gang& gang) {
    if (std::exchange(gang.held, true)) {
        return;
    }
    for (const MemberAge& member : gang.members) {
        const AskState state = world_.asks[member.ask].state;
        if (state == AskState::pending || state == AskState::selected || state == AskState::backoff ||
            state == AskState::unschedulable) {
            commit_.withdraw(member.ask);
            commit_.join(member.ask, AskEvent::gate);
        }
    }
}

void GangQueue::settle_all() {
    // A nomination that ends may wake other gangs.
    while (!changed_.empty()) {
        std::vector<GangId> gangs = std::exchange(changed_, {});
        sort_by_first_member(gangs);
        for (const GangId id : gangs) {
            world_.gangs[id].changed = false;
            take_values(world_.gangs[id]);
        }
        for (const GangId id : gangs) {
            if (nominations_must_end(world_.gangs[id])) {
                const bool reserved = id == world_.gangs.reserved();
                end_nominations(world_.gangs[id], std::string(reserved ? "reservation ended: " : "") +
                                                      "the nominations of its pod group ended");
            }
        }
        for (const GangId id : gangs) {
            reject_if_broken(id);
        }
        for (const GangId id : gangs) {
            settle(world_.gangs[id]);
            world_.gangs.note_progress(world_.gangs[id], world_.now_ns);
        }
        commit_.finish();
    }
}

void GangQueue::sort_by_first_member(std::vector<GangId>& gangs) const {
    std::sort(gangs.begin(), gangs.end(), [&](GangId a, GangId b) {
        const Gang& one = world_.gangs[a];
        const Gang& other = world_.gangs[b];
        return one.number != other.number ? one.number < other.number : one.name < other.name;
    });
}

// They live and die together, and with the quorum.
bool GangQueue::nominations_must_end(const Gang& gang) const {
    if (gang.nominated == 0) {
        return false;
    }
    const auto left = std::count_if(gang.members.begin(), gang.members.end(), [&](const MemberAge& member) {
        return waits(member) && world_.nominations.of(member.ask) != nullptr;
    });
    return gang.counted < gang.minimum || static_cast<std::size_t>(left) != gang.nominated;
}

void GangQueue::end_nominations(Gang& gang, const std::string& why) {
    if (is_reserved(gang)) {
        world_.gangs.end_reservation();
        gang.first_failed_ns = INT64_MAX;
    }
    gang.nominated = 0;
    gang.woken = true;
    const std::string_view text = commit_.text(why);
    for (const MemberAge& member : gang.members) {
        if (const Nomination* const nomination = world_.nominations.of(member.ask)) {
            const Slot slot = nomination->slot;
            commit_.drop_nomination(member.ask);
            commit_.happened({.kind = Happening::Kind::nomination_cleared,
                              .ask = member.ask,
                              .slot = slot,
                              .wakes = kPodGone,
                              .why = text});
        }
    }
    commit_.finish();
}

void GangQueue::end_reservation(const std::string& why) {
    const GangId id = world_.gangs.reserved();
    change(id);
    end_nominations(world_.gangs[id], "reservation ended: " + why);
}

void GangQueue::end_overdue_reservation() {
    if (world_.gangs.reserved_until_ns() <= world_.now_ns) {
        end_reservation("its time is over");
    }
}

void GangQueue::nomination_ended(AskId id) {
    if (is_coscheduled(world_.asks[id].group)) {
        const GangId gang = world_.gangs.member(id).gang;
        if (gang != kNone<GangId>) {
            change(gang);
        }
    }
}

void GangQueue::settle(Gang& gang) {
    if (gang.members.empty() || gang.counted < gang.minimum) {
        if (std::exchange(gang.quorum, false)) {
            gang.quorum_lost_ns = world_.now_ns;
            hold(gang);
        }
    } else {
        if (!std::exchange(gang.quorum, true)) {
            gang.woken = true;
            const bool only_changed = gang.quorum_lost_ns == world_.now_ns;  // several inputs of one moment
            gang.backoff_until_ns = only_changed ? gang.backoff_until_ns : 0;
            gang.first_failed_ns = only_changed ? gang.first_failed_ns : INT64_MAX;
            gang.nacked = only_changed && gang.nacked;
        }
        if (gang.woken) {
            hold(gang);
            queue(gang);
        }
    }
    gang.woken = false;
}

// Minimum, priority and topology are the eldest member's that does not terminate.
void GangQueue::take_values(Gang& gang) {
    const auto eldest = std::find_if(gang.members.begin(), gang.members.end(),
                                     [&](const MemberAge& member) { return !world_.asks[member.ask].terminating; });
    if (eldest == gang.members.end()) {
        return;
    }
    const std::uint32_t minimum = world_.gangs.member(eldest->ask).minimum;
    const std::int32_t priority = world_.asks[eldest->ask].priority;
    const GangTopology topology = world_.gangs.member(eldest->ask).topology;
    if (minimum != gang.minimum || priority != gang.priority || topology != gang.topology) {
        world_.gangs.set_values(gang, minimum, priority, topology);
        gang.woken = true;
        for (const MemberAge& member : gang.members) {
            evaluate(member.ask);
        }
    }
}

void GangQueue::queue(Gang& gang) {
    element_.clear();
    for (const MemberAge& member : gang.members) {
        if (waits(member)) {
            element_.push_back(member.ask);
        }
    }
    const bool later = gang.backoff_until_ns > world_.now_ns;
    gang.held = element_.empty();
    for (const AskId id : element_) {
        Waiting& waiting = world_.asks.waiting(id);
        waiting.key = key_of(id);
        if (later) {
            waiting.backoff_until_ns = gang.backoff_until_ns;
            waiting.nacked = gang.nacked;
            commit_.join(id, AskEvent::back_off);
        }
    }
    if (!later && !element_.empty()) {
        gang.nacked = false;
        commit_.queue(element_);
    }
}

PendingKey GangQueue::key_of(AskId id) const {
    const GangMember& member = world_.gangs.member(id);
    PendingKey key;
    key.sequence = world_.asks[id].sequence;
    key.priority = world_.asks[id].priority;
    key.group_number = key.sequence;
    if (member.gang != kNone<GangId>) {
        const std::uint64_t sequence = key.sequence;
        key = key_of(world_.gangs[member.gang]);
        key.sequence = sequence;
    }
    return key;
}

PendingKey GangQueue::key_of(const Gang& gang) const {
    PendingKey key;
    key.priority = gang.priority;
    key.time_ns = gang.time_ns;
    key.gang = true;
    key.gang_name = &gang.name;
    key.sequence = gang.number;
    return key;
}

std::int64_t GangQueue::backoff_until_ns(const Gang& gang) const {
    const CoschedulingOptions& options = world_.options.coscheduling;
    const std::uint32_t doublings = std::min(gang.failures - 1, 62u);
    std::int64_t wait = options.backoff_max_ns;
    if (options.backoff_initial_ns <= (options.backoff_max_ns >> doublings)) {
        wait = std::min(wait, options.backoff_initial_ns << doublings);
    }
    return world_.now_ns + wait;
}

// --- telling

void GangQueue::tell() {
    std::sort(faulty_.begin(), faulty_.end(), [&](AskHandle a, AskHandle b) {
        return a.id != b.id && world_.asks[a.id].sequence < world_.asks[b.id].sequence;
    });
    for (const AskHandle handle : std::exchange(faulty_, {})) {
        const Ask* const ask = world_.asks.find(handle);
        if (ask != nullptr && ask->group == kFaultyGroup && ask->state == AskState::gated &&
            world_.specs[world_.classes.spec_of(*ask)].gates.empty()) {
            GangMember& member = world_.gangs.member(handle.id);
            if (std::exchange(member.told, ToldWhy::refused) == ToldWhy::refused) {
                continue;
            }
            tell(handle.id, std::string(text_of(member.fault)));
        }
    }
    std::vector<GangId> untold = std::exchange(untold_, {});
    sort_by_first_member(untold);
    for (const GangId id : untold) {
        world_.gangs[id].untold = false;
        tell(world_.gangs[id]);
    }
    commit_.finish();
    world_.gangs.forget(world_.now_ns, world_.options.coscheduling.memory_ns);
}

void GangQueue::tell(Gang& gang) {
    for (const MemberAge& age : gang.members) {
        GangMember& member = world_.gangs.member(age.ask);
        const Ask& ask = world_.asks[age.ask];
        const bool at_gate =
            ask.state == AskState::gated && !ask.terminating && world_.specs[world_.classes.spec_of(ask)].gates.empty();
        const ToldWhy before = std::exchange(member.told, ToldWhy::nothing);
        if (!at_gate || (member.counted && gang.quorum)) {
            continue;
        }
        member.told = member.counted ? ToldWhy::no_quorum : ToldWhy::refused;
        if (member.told != before) {
            tell(age.ask, member.counted ? "quorum not reached: " + std::to_string(gang.counted) + " of " +
                                               std::to_string(gang.minimum)
                                         : refusal(gang, age.ask));
        }
    }
}

std::string GangQueue::refusal(const Gang& gang, AskId id) const {
    const std::uint32_t minimum = world_.gangs.member(id).minimum;
    std::string text;
    if (minimum != gang.minimum) {
        text = "min-available differs: " + std::to_string(minimum) + ", pod group " + gang.name + " has " +
               std::to_string(gang.minimum);
    }
    if (world_.asks[id].priority != gang.priority) {
        text += (text.empty() ? "" : "; ") + std::string("priority differs: ") +
                std::to_string(world_.asks[id].priority) + ", pod group " + gang.name + " has " +
                std::to_string(gang.priority);
    }
    if (const GangTopology& topology = world_.gangs.member(id).topology; topology != gang.topology) {
        text += (text.empty() ? "" : "; ") + std::string("topology differs: ") + topology_text(topology) +
                ", pod group " + gang.name + " has " + topology_text(gang.topology);
    }
    return "refused: " + text;
}

std::string GangQueue::topology_text(const GangTopology& topology) const {
    return topology.key == kNone<NameId>
               ? "none"
               : std::string(world_.gangs.key_of(topology)) + (topology.preferred ? " (preferred)" : " (required)");
}

void GangQueue::tell(AskId id, std::string why) {
    commit_.happened({.kind = Happening::Kind::held, .ask = id, .why = commit_.text(std::move(why))});
}

}  // namespace bayplan
