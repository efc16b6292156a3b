// The part of Lifecycle that speaks to shims: decisions, credit, acknowledgements, cuts.

#include "apps/ask_state.h"
#include "engine/byte_counts.h"
#include "engine/lifecycle.h"

namespace bayplan {

void Lifecycle::decide(ShimId id, DecisionKind kind, std::string_view name, std::string_view text,
                       Termination termination, std::string_view node, bool scale_up) {
    decide(id, {.kind = kind,
                .termination = termination,
                .scale_up = scale_up,
                .name = name,
                .node = node,
                .text = text,
                .devices = {}});
}

void Lifecycle::decide(ShimId id, const Decision& decision) {
    if (world_.shims[id].must_resync) {
        return;  // its resync will tell it nothing of this: the shim's own statement is the truth then
    }
    announcer_.decide(id, decision);
    count_decision(id, decision.kind == DecisionKind::released, {},
                   decision.name.size() + decision.text.size() + decision.node.size());
}

// The decision was announced: it is the shim's next. `ask`: what an allocation is of.
void Lifecycle::count_decision(ShimId id, bool spends, AskHandle ask, std::size_t bytes) {
    Shim& shim = world_.shims[id];
    const std::uint64_t before = shim.ledger.bytes();
    shim.ledger.add(spends, ask, kEntryBytes + bytes);
    world_.bytes.add(shim.bytes, shim.ledger.bytes() - before);
    const std::uint64_t bytes_max = world_.options.unacknowledged_bytes_max;
    if (shim.ledger.unacknowledged() > world_.options.unacknowledged_max ||
        (bytes_max != 0 && shim.ledger.bytes() > bytes_max)) {
        world_.bytes.give_back(shim.bytes, shim.ledger.bytes());
        shim.ledger.clear();
        announcer_.forget_decisions(id);
        shim.must_resync = true;
        cut(id, "too many decisions were not acknowledged");
    }
    credit_changed(id);
}

void Lifecycle::forget_decisions(ShimId id) {
    Shim& shim = world_.shims[id];
    world_.bytes.give_back(shim.bytes, shim.ledger.bytes());
    shim.ledger.clear();
    announcer_.forget_decisions(id);
    shim.must_resync = false;
    credit_changed(id);
}

void Lifecycle::cut(ShimId id, std::string_view why) {
    if (world_.shims[id].connection != 0) {
        announcer_.cut(id, why);
        world_.shims.disconnect(id);
    }
}

void Lifecycle::credit_changed(ShimId id) {
    const Shim& shim = world_.shims[id];
    // Failed attempts spend no credit but are told too: half of the room is kept for answers to the shim.
    const std::uint64_t told_max = (std::uint64_t{world_.options.unacknowledged_max} + 1) / 2;
    const std::uint64_t bytes_max = world_.options.unacknowledged_bytes_max;
    world_.order->set_credit(
        id, !shim.must_resync && !shim.resync_open && shim.ledger.debt() < world_.options.credit_window &&
                shim.queries < world_.options.plugins.queries_max && shim.ledger.unacknowledged() < told_max &&
                (bytes_max == 0 || 2 * shim.ledger.bytes() < bytes_max));
}

void Lifecycle::acknowledge(ShimId id, std::uint64_t up_to) {
    Shim& shim = world_.shims[id];
    const std::uint64_t before = shim.ledger.bytes();
    shim.ledger.acknowledge(up_to, [&](std::uint64_t number, AskHandle handle) {
        Ask* ask = world_.asks.find(handle);
        if (ask != nullptr && ask->state == AskState::unacknowledged &&
            ask->waiting_or_decision == static_cast<std::uint32_t>(number)) {
            change_state(*ask, AskEvent::acknowledge);
        }
    });
    world_.bytes.give_back(shim.bytes, before - shim.ledger.bytes());
    announcer_.acknowledge(id, up_to);
    credit_changed(id);
}

}  // namespace bayplan
