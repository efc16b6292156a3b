// The part of Lifecycle that speaks to shims: decisions, credit, acknowledgements, cuts.

#include "base/check.h"
#include "engine/lifecycle.h"

namespace bayplan {

void Lifecycle::decide(ShimId id, DecisionKind kind, std::string_view name, std::string_view text,
                       Termination termination, std::string_view node, AskHandle ask, bool scale_up,
                       std::string_view devices) {
    Shim& shim = world_.shims[id];
    if (shim.must_resync) {
        return;  // its resync will tell it nothing of this: the shim's own statement is the truth then
    }
    shim.outbox.append(kind, termination, name, node, text, ask, scale_up, devices);
    if (shim.outbox.unacknowledged() > world_.options.unacknowledged_max) {
        shim.outbox.clear();
        shim.must_resync = true;
        cut(id, "too many decisions were not acknowledged");
    }
    credit_changed(id);
}

void Lifecycle::forget_decisions(ShimId id) {
    world_.shims[id].outbox.clear();
    world_.shims[id].must_resync = false;
    credit_changed(id);
}

void Lifecycle::cut(ShimId id, std::string_view why) {
    Shim& shim = world_.shims[id];
    if (shim.connection != 0) {
        sink_.cut(shim.connection, why);
        world_.shims.disconnect(id);
    }
}

// Tells the order whether the shim has credit.
void Lifecycle::credit_changed(ShimId id) {
    const Shim& shim = world_.shims[id];
    // Failed attempts spend no credit but are told too: half of the room is kept for answers to the shim.
    const std::uint64_t told_max = (std::uint64_t{world_.options.unacknowledged_max} + 1) / 2;
    world_.order->set_credit(id, !shim.must_resync && shim.outbox.debt() < world_.options.credit_window &&
                                     shim.outbox.unacknowledged() < told_max);
}
void Lifecycle::acknowledge(ShimId id, std::uint64_t up_to) {
    world_.shims[id].outbox.acknowledge(up_to, [&](std::uint64_t number, AskHandle handle) {
        Ask* ask = world_.asks.find(handle);
        if (ask != nullptr && ask->state == AskState::unacknowledged &&
            ask->waiting_or_decision == static_cast<std::uint32_t>(number)) {
            ask->state = AskState::allocated;
        }
    });
    credit_changed(id);
}

}  // namespace bayplan
