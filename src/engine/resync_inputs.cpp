// The part of Inputs about shims that state themselves anew, and whom they keep waiting: rules/sessions.md.

#include "engine/inputs.h"

#include "base/check.h"

namespace bayplan {

// --- whom they keep waiting

void Inputs::open_resync(ShimId id, bool begun) {
    Shim& shim = world_.shims[id];
    world_.resyncs.open += shim.resync_open ? 0 : 1;
    ++world_.resyncs.changes;
    shim.resync_open = true;
    shim.resync_begun = begun;
    lifecycle_.credit_changed(id);
    hold_up(id);
}

// R-SESSION-36: the shim has something that others could be decided against before it is stated whole.
void Inputs::hold_up(ShimId id) {
    Shim& shim = world_.shims[id];
    const bool has_any = shim.node_count > 0 || shim.asks.size() > 0;
    if (shim.resync_open && has_any && shim.hold.begin(world_.now_ns, world_.options.resync_deadline_ns)) {
        ++world_.resyncs.holding;
        ++world_.resyncs.changes;
    }
}

void Inputs::let_go(Shim& shim) {
    if (shim.hold.end(world_.now_ns)) {
        BP_CHECK_OP(world_.resyncs.holding, >, 0u);
        --world_.resyncs.holding;
        ++world_.resyncs.changes;
    }
}

void Inputs::let_go_overdue() {
    if (world_.resyncs.holding == 0) {
        return;
    }
    bool any = false;
    for (std::uint32_t number = 0; number < world_.shims.size(); ++number) {
        Shim& shim = world_.shims[static_cast<ShimId>(number)];
        if (shim.hold.holds() && shim.hold.until_ns() <= world_.now_ns) {
            let_go(shim);
            ++world_.resyncs.overdue;
            any = true;
        }
    }
    if (any) {
        lifecycle_.wake_everybody();
    }
}

// --- its begin and its end

void Inputs::apply(ShimId id, const ResyncBeginMessage&) {
    open_resync(id, true);
    Shim& shim = world_.shims[id];
    for (const AskId ask : shim.asks.all()) {
        lifecycle_.remove(ask, Termination::stopped_by_rm);
    }
    while (!shim.applications.empty()) {
        remove_with_asks(id, shim.applications.begin()->second);
    }
    drop_objects_of(id);
    for (std::uint32_t slot = 0; slot < world_.nodes.slot_count(); ++slot) {
        NodeInfo& node = world_.nodes[static_cast<Slot>(slot)];
        node.mentioned = node.mentioned && node.owner != id;
    }
    if (!shim.hold.holds()) {
        lifecycle_.wake_everybody();  // pods that went may make room, and the end of the resync may never come
    }
}

void Inputs::apply(ShimId id, const ResyncEndMessage&) {
    Shim& shim = world_.shims[id];
    if (!shim.resync_open) {
        lifecycle_.decide(id, DecisionKind::message_rejected, "resync", "no resync is open");
        return;
    }
    for (std::uint32_t number = 0; number < world_.nodes.slot_count(); ++number) {
        const auto slot = static_cast<Slot>(number);
        if (world_.nodes[slot].name != kNone<NameId> && !world_.nodes[slot].mentioned &&
            world_.nodes[slot].owner == id) {
            decommission(slot);
        }
    }
    shim.resync_open = false;
    shim.resync_begun = false;
    BP_CHECK_OP(world_.resyncs.open, >, 0u);
    --world_.resyncs.open;
    ++world_.resyncs.changes;
    let_go(shim);
    lifecycle_.credit_changed(id);
    lifecycle_.wake_everybody();
}

}  // namespace bayplan
