// When gangs are tried (rules/gangs.md): what each member counts for, whether there is a quorum, and then all members
// that wait are one element of the pending order, or wait together for a time or an event. A gang without a quorum, and a
// member that is refused, stand at the gate as a pod with scheduling gates does.
//
//   an input, or an attempt: note(member), hold(gang)      note the change; members that waited together stand at the gate
//   its end:                 settle()                      gangs with a quorum are queued again
//   a tick:                  tell()                        who cannot be tried is told why, once
//
// With `permit` members hold nodes until their gang has its minimum (gang_permits.cpp):
//
//   an attempt:              permitted(member), approve(gang)   it holds its node; the gang has its minimum
//                            reject(gang)                       it gives way to one before it in the order
//   an input:                lost_hold(member)                  it has lost its node: the others give theirs up in settle()
//   a tick:                  end_permits()                      gangs that have their minimum, or have held for too long
//
// Thread: the engine's. Owner: Lifecycle, whose transaction it uses; settle() and tell() end it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commit/commit.h"
#include "engine/world.h"

namespace bayplan {

class GangQueue {
public:
    // `end_allocation`: takes an ask off its node, within the transaction.
    GangQueue(World& world, Commit& commit, std::function<void(AskId)> end_allocation)
        : world_(world), commit_(commit), end_allocation_(std::move(end_allocation)) {}

    bool on() const { return world_.options.coscheduling.mode != Coscheduling::off; }
    // Takes down the age of an ask that comes, and returns its time; `created_s` as its statement says it.
    std::int64_t came(AskId, bool in_resync, std::int64_t created_s);

    // As the item's numbers say.
    struct Names {
        std::string_view application;
        std::string_view group;
        std::string_view topology_key;
    };
    // The group that the item names is the ask's from now on; it is at the gate, has a node, or is about to.
    void state(AskId, const Names&, const AskItem&, std::int64_t time_ns);
    void leave(AskId);  // it goes
    // Whether it waits, terminates, ... may have changed. Its gang is tried again.
    void note(AskId);
    // Likewise, while its gang is being tried.
    void count(AskId);

    // Unless it was placed: the others of its gang end with it.
    void nomination_ended(AskId);

    // An event may help the gang: it is queued again when it may be. All that wait stand at the gate meanwhile.
    void wake(AskId member);
    // The same of a member that is out of its list already.
    void wake_withdrawn(AskId member);

    // Its node has refused it; it is in backoff, and the whole gang is to be.
    void refuse(AskId);
    // The members that wait with this one, by age.
    void waiting_with(AskId, std::vector<AskId>& members) const;

    // --- nodes that members hold
    void permitted(AskId);  // from now on it holds the node that it is on
    void lost_hold(AskId, std::string why);
    void approve(GangId);                  // all that hold nodes have them
    void reject(GangId, std::string why);  // all of them give them up
    void end_permits();
    // --- nodes that are reserved for a gang
    bool is_reserved(const Gang& gang) const {
        const GangId reserved = world_.gangs.reserved();
        return reserved != kNone<GangId> && &world_.gangs[reserved] == &gang;
    }
    // Of the gang that has them: its nominations end.
    void end_reservation(const std::string& why);
    void end_overdue_reservation();

    std::string count_text(const Gang&) const;  // how far it is from its minimum
    // Until when members hold nodes, or would if the first of them did so now; INT64_MAX: they never do.
    std::int64_t deadline_ns(const Gang&) const;
    std::string refusal(const Gang&, AskId) const;  // in what a refused member differs
    std::string topology_text(const GangTopology&) const;
    // The gang is later in the order than the ask, or than that one's gang.
    bool is_behind(GangId, AskId) const;
    bool comes_before(GangId, GangId) const;

    void settle() {
        if (!changed_.empty()) {
            settle_all();
        }
    }
    void tell();

    Gang& gang_of(AskId member) { return world_.gangs[world_.gangs.member(member).gang]; }
    std::int64_t backoff_until_ns(const Gang&) const;  // after the last of its failures
    // The key of a member that has no place.
    PendingKey key_of(AskId member) const;

private:
    void settle_all();
    void settle(Gang&);
    PendingKey key_of(const Gang&) const;
    std::vector<AskId> on_permit(const Gang&) const;
    std::int64_t deadline_from_now_ns(const Gang&) const;
    void reject_if_broken(GangId);
    std::string why_broken(const Gang&) const;
    bool nominations_must_end(const Gang&) const;
    void end_nominations(Gang&, const std::string& why);
    void take_values(Gang&);
    void evaluate(AskId);
    void hold(Gang&);
    void queue(Gang&);
    bool waits(const MemberAge& member) const {
        const GangMember& one = world_.gangs.member(member.ask);
        return one.counted && !one.assigned;
    }
    void change(GangId);
    void tell(Gang&);
    void tell(AskId, std::string why);

    World& world_;
    // By ask: when it was created, in seconds, if it was stated in a resync; else it came later than all of these.
    std::vector<std::uint32_t> created_;
    static constexpr std::uint32_t kLater = UINT32_MAX;
    Commit& commit_;
    std::function<void(AskId)> end_allocation_;
    void sort_by_first_member(std::vector<GangId>&) const;
    std::vector<GangId> changed_;
    std::vector<GangId> untold_;
    std::vector<AskHandle> faulty_;  // not told yet
    std::vector<AskId> element_;
};

}  // namespace bayplan
