// Taking the holds of gangs off for a look, and ending them for good; see yielding.h.
#include "engine/yielding.h"

#include "base/check.h"
#include "engine/diagnosis.h"

namespace bayplan {

Yielding::Without::Without(const Yielding& of, AskId ask) {
    for (const auto& [deadline_ns, id] : of.world_.gangs.on_permit()) {
        if (!of.lifecycle_.gangs().is_behind(id, ask)) {
            continue;
        }
        Commit& commit = of.lifecycle_.commit();
        if (!tentative_) {
            tentative_.emplace(commit);
        }
        for (const MemberAge& member : of.world_.gangs[id].members) {
            if (of.world_.gangs.member(member.ask).on_permit) {
                const Slot slot = of.world_.asks[member.ask].slot;
                commit.vacate(member.ask);
                commit.take_devices(member.ask, slot);
                commit.unbind_claims(member.ask);
                commit.end_use_of_claims(member.ask);
            }
        }
    }
}

bool Yielding::passes(AskId ask, Slot slot) const {
    Diagnoser diagnoser(world_, predicates_, ask);
    diagnoser.begin();
    return diagnoser.whole().refusal.verdict == Verdict::feasible &&
           diagnoser.judge(diagnoser.view_of(slot)).refusal.verdict == Verdict::feasible;
}

GangId Yielding::last_behind(AskId ask, Slot slot) const {
    const GangQueue& gangs = lifecycle_.gangs();
    GangId last = kNone<GangId>;
    const auto see = [&](GangId id) {
        if (gangs.is_behind(id, ask) && (last == kNone<GangId> || gangs.comes_before(last, id))) {
            last = id;
        }
    };
    for (const AskId pod : world_.nodes[slot].allocations) {
        if (world_.asks[pod].state == AskState::on_permit) {
            see(world_.gangs.member(pod).gang);
        }
    }
    if (last == kNone<GangId>) {
        for (const auto& [deadline_ns, id] : world_.gangs.on_permit()) {
            see(id);
        }
    }
    return last;
}

void Yielding::make_room(AskId ask, Slot slot) {
    while (!passes(ask, slot)) {
        const GangId last = last_behind(ask, slot);
        BP_CHECK(last != kNone<GangId>);
        lifecycle_.gangs().reject(last, "yields to " + std::string(world_.asks.key(ask)));
    }
}

}  // namespace bayplan
