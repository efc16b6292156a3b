// The group that a record says its pod is in; see inputs.h, rules/gangs.md.
#include "engine/inputs.h"
#include "engine/statement_limits.h"

namespace bayplan {

// Whether the record puts the pod in a gang, or would with a label that can be read.
bool Inputs::says_gang(const AskItem& record, bool foreign) {
    const bool says = record.group_fault != GroupFault::none || (record.group != 0 && record.group_min_available != 0);
    return says && lifecycle_.gangs().on() && !foreign && !record.foreign && record.application != 0;
}

// R-LIMIT-28.
std::string Inputs::gang_fault(Shim& shim, const AskItem& record, AskId existing) {
    if (record.group_fault != GroupFault::none ||
        !says_gang(record, existing != kNone<AskId> && world_.asks[existing].foreign)) {
        return {};
    }
    const GangId gang =
        world_.gangs.find(shim.name, world_.applications[application_].name, text_of(shim, record.group));
    if (gang == kNone<GangId> || world_.gangs[gang].members.size() < kGangMembersMax) {
        return {};
    }
    const bool there = existing != kNone<AskId> && is_coscheduled(world_.asks[existing].group) &&
                       world_.gangs.member(existing).gang == gang;
    return there ? "" : "pod group " + world_.gangs[gang].name + " has " + std::to_string(kGangMembersMax) + " pods";
}

// Takes over the group that the pod names, if it is placed together (rules/gangs.md).
// `time_ns`: its own, if it says so for the first time.
void Inputs::take_group(AskId id, const AskItem& record, std::int64_t time_ns) {
    GangQueue& gangs = lifecycle_.gangs();
    Ask& ask = world_.asks[id];
    Shim& shim = world_.shims[ask.shim];
    if (says_gang(record, ask.foreign)) {
        if (is_plain_group(ask.group)) {
            world_.applications.leave_group(ask.application, ask.group);
            ask.group = kNoGroup;
            if (is_allocated(ask.state)) {
                world_.order->ask_leaves_group(id);  // should its node refuse it
            }
        }
        gangs.state(id,
                    {.application = world_.applications[ask.application].name,
                     .group = text_of(shim, record.group),
                     .topology_key = text_of(shim, record.group_topology_key)},
                    record, time_ns);
    } else if (is_coscheduled(ask.group)) {
        const std::int64_t own_time_ns = world_.gangs.member(id).time_ns;
        gangs.leave(id);
        if (!is_allocated(ask.state)) {
            PendingKey& key = world_.asks.waiting(id).key;
            key.gang = false;
            key.time_ns = own_time_ns;
            key.group_number = ask.sequence;
            key.priority = ask.priority;
        }
    }
}

}  // namespace bayplan
