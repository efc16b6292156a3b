// The part of Inputs about shims that state themselves anew, and whom they keep waiting: rules/sessions.md.

#include <variant>

#include "base/check.h"
#include "engine/inputs.h"

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
    const bool has_any = shim.nodes.size() > 0 || shim.asks.size() > 0;
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

// As many things of the shim, in the order of R-SESSION-49.
void Inputs::drop(ShimId id, std::uint32_t most) {
    Shim& shim = world_.shims[id];
    for (; most > 0 && !shim.applications.empty(); --most) {
        const ApplicationId application = shim.applications.begin()->second;
        if (world_.applications[application].asks.empty()) {
            remove_with_asks(id, application);
        } else {
            lifecycle_.remove(world_.applications[application].asks.front(), Termination::stopped_by_rm);
        }
    }
    for (; most > 0 && !shim.loose.empty(); --most) {
        lifecycle_.remove(shim.loose.front(), Termination::stopped_by_rm);
    }
    most -= drop_objects_of(id, most);
    drop_left_specs(id, most);
}

void Inputs::begin_resync(ShimId id, std::uint32_t most) {
    open_resync(id, true);
    world_.shims[id].nodes.mention_none();
    drop(id, most);
    world_.shims[id].dictionary.drop_left(std::size_t{most} *
                                          Dictionary::kLeftPerThing);  // no thing: nobody hears of it
}

void Inputs::apply(ShimId id, const ResyncBeginMessage&) {
    begin_resync(id, UINT32_MAX);
    if (!world_.shims[id].hold.holds()) {
        lifecycle_.wake_everybody();  // pods that went may make room, and the end of the resync may never come
    }
}

// False: it is answered.
bool Inputs::end_resync(ShimId id, std::uint32_t most) {
    Shim& shim = world_.shims[id];
    if (!shim.resync_open) {
        lifecycle_.decide(id, DecisionKind::message_rejected, "resync", "no resync is open");
        return false;
    }
    for (Slot slot; most > 0 && (slot = shim.nodes.first_unmentioned()) != kNone<Slot>; --most) {
        decommission(slot);
    }
    return true;
}

void Inputs::apply(ShimId id, const ResyncEndMessage&) {
    Shim& shim = world_.shims[id];
    if (!end_resync(id, UINT32_MAX)) {
        return;
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

void Inputs::apply_piece(ShimId id, const StateMessage& message) {
    if (std::holds_alternative<ResyncBeginMessage>(message.body)) {
        begin_resync(id, message.piece);
    } else if (std::holds_alternative<ResyncEndMessage>(message.body)) {
        end_resync(id, message.piece);
    } else {
        std::visit([&](const auto& body) { apply(id, body); }, message.body);
    }
}

}  // namespace bayplan
