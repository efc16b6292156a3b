// The part of GangQueue, and of Lifecycle, about nodes that members hold until their gang has its minimum: how that begins,
// and how it ends for all of them at once. See gang_queue.h, rules/gangs.md.
#include <algorithm>

#include "engine/gang_queue.h"
#include "engine/lifecycle.h"

namespace bayplan {

std::vector<AskId> GangQueue::on_permit(const Gang& gang) const {
    std::vector<AskId> holders;
    for (const MemberAge& member : gang.members) {
        if (world_.gangs.member(member.ask).on_permit) {
            holders.push_back(member.ask);
        }
    }
    return holders;
}

std::string GangQueue::count_text(const Gang& gang) const {
    return std::to_string(gang.assigned) + " of " + std::to_string(gang.minimum);
}

void GangQueue::permitted(AskId id) {
    count(id);
    const GangId of = world_.gangs.member(id).gang;
    const Gang& gang = world_.gangs[of];
    if (gang.on_permit == 1) {
        world_.gangs.set_deadline(of, deadline_from_now_ns(gang));
    }
}

std::int64_t GangQueue::deadline_from_now_ns(const Gang& gang) const {
    const CoschedulingOptions& options = world_.options.coscheduling;
    const std::int64_t most = CoschedulingOptions::kPermitTimeoutMax_ns;
    const std::uint32_t members = std::max(gang.counted, 1u);
    const std::int64_t for_members =
        options.permit_timeout_per_member_ns > most / members ? most : options.permit_timeout_per_member_ns * members;
    return world_.now_ns + std::min(most, options.permit_timeout_ns + for_members);
}

std::int64_t GangQueue::deadline_ns(const Gang& gang) const {
    if (world_.options.coscheduling.mode != Coscheduling::permit) {
        return INT64_MAX;
    }
    return gang.on_permit > 0 ? gang.deadline_ns : deadline_from_now_ns(gang);
}

void GangQueue::approve(GangId id) {
    Gang& gang = world_.gangs[id];
    gang.failures = 0;
    for (const AskId member : on_permit(gang)) {
        commit_.confirm(member, AskEvent::approve);
        commit_.happened({.kind = Happening::Kind::approved, .ask = member, .slot = world_.asks[member].slot});
        count(member);
    }
}

// They wait for the gang's backoff, after which it is tried without any event.
void GangQueue::reject(GangId id, std::string why) {
    Gang& gang = world_.gangs[id];
    gang.hold_lost.clear();
    gang.failures = std::min(gang.failures + 1, kFailuresMax);
    gang.backoff_until_ns = backoff_until_ns(gang);
    gang.nacked = true;
    gang.woken = true;
    change(id);
    const std::string_view text = commit_.text(std::move(why));
    for (const AskId member : on_permit(gang)) {
        const Slot slot = world_.asks[member].slot;
        end_allocation_(member);
        world_.asks.waiting(member).key = key_of(member);
        commit_.count_failure(member, 0, gang.backoff_until_ns, true);
        commit_.join(member, AskEvent::reject);
        evaluate(member);
        commit_.happened(
            {.kind = Happening::Kind::rejected, .ask = member, .slot = slot, .wakes = kPodGone, .why = text});
    }
}

void GangQueue::lost_hold(AskId id, std::string why) {
    Gang& gang = gang_of(id);
    if (gang.hold_lost.empty()) {
        gang.hold_lost = std::move(why);
    }
}

// Why its members may not go on holding nodes; empty: they may.
std::string GangQueue::why_broken(const Gang& gang) const {
    if (!gang.hold_lost.empty()) {
        return gang.hold_lost;
    }
    for (const AskId member : on_permit(gang)) {
        if (!world_.gangs.member(member).counted) {
            return std::string(world_.asks.key(member)) + " does not count any more";
        }
    }
    return gang.counted < gang.minimum ? "its pod group has lost its quorum" : "";
}

void GangQueue::reject_if_broken(GangId id) {
    Gang& gang = world_.gangs[id];
    if (gang.on_permit == 0) {
        gang.hold_lost.clear();
    } else if (std::string why = why_broken(gang); !why.empty()) {
        reject(id, std::move(why));
    }
}

void GangQueue::end_permits() {
    std::vector<GangId> reached;
    std::vector<GangId> overdue;
    for (const auto& [deadline_ns, id] : world_.gangs.on_permit()) {
        const Gang& gang = world_.gangs[id];
        if (gang.assigned >= gang.minimum) {
            reached.push_back(id);
        } else if (deadline_ns <= world_.now_ns) {
            overdue.push_back(id);
        }
    }
    sort_by_first_member(reached);
    for (const GangId id : reached) {
        approve(id);
    }
    sort_by_first_member(overdue);
    for (const GangId id : overdue) {
        reject(id, "timed out with " + count_text(world_.gangs[id]));
    }
    commit_.finish();
}

bool GangQueue::comes_before(GangId a, GangId b) const {
    return key_of(world_.gangs[a]).comes_before(key_of(world_.gangs[b]));
}

bool GangQueue::is_behind(GangId id, AskId ask) const {
    const Ask& one = world_.asks[ask];
    if (is_on_node(one.state) || one.group == kFaultyGroup) {
        return false;
    }
    if (is_coscheduled(one.group)) {
        return comes_before(world_.gangs.member(ask).gang, id);
    }
    return world_.asks.waiting(ask).key.comes_before(key_of(world_.gangs[id]));
}

// --- one member

void Lifecycle::try_on(AskId id, Slot slot) {
    bind_claims(id, slot);
    use_claims(id, slot);
    commit_.give_devices(id, slot, {});
    commit_.occupy(id, slot);
}

// It is there as if it ran, and its shim is not told.
void Lifecycle::hold_for_gang(AskId id, Slot slot) {
    const std::uint32_t wakes = take_place(id, slot, AskEvent::permit, {});
    gangs_.permitted(id);
    commit_.happened({.kind = Happening::Kind::permitted,
                      .ask = id,
                      .slot = slot,
                      .wakes = wakes,
                      .why = commit_.text(gangs_.count_text(gangs_.gang_of(id)))});
}

void Lifecycle::lose_hold(AskId id, const std::string& why, std::uint32_t wakes) {
    const Slot slot = world_.asks[id].slot;
    end_allocation(id);
    world_.asks.waiting(id).key = gangs_.key_of(id);
    commit_.join(id, AskEvent::reject);
    if (!why.empty()) {
        gangs_.lost_hold(id, why);
    }
    gangs_.note(id);
    commit_.happened({.kind = Happening::Kind::allocation_ended, .ask = id, .slot = slot, .wakes = wakes});
    commit_.finish();
}

}  // namespace bayplan
