// The part of Inputs about sessions: ticks, connections, dictionaries, acknowledgements, holds.

#include <algorithm>
#include <vector>

#include "engine/byte_counts.h"
#include "engine/inputs.h"
#include "predicates/predicate.h"
#include "shims/rights.h"

namespace bayplan {

void Inputs::apply(const Input& input) {
    std::visit([this](const auto& one) { take(one); }, input);
    if (world_.tree != nullptr) {
        look_after_queues();
        lifecycle_.lives().look_at_time();
    }
}

// --- connections

bool Inputs::resume(Shim& shim, const Connect& connect) {
    return !shim.must_resync && !shim.resync_open && shim.instance == connect.shim_instance &&
           connect.daemon_instance == world_.options.daemon_instance &&
           connect.decisions_received >= shim.ledger.acknowledged() && connect.decisions_received <= shim.ledger.last();
}

void Inputs::take(const Connect& connect) {
    ShimId id = world_.shims.find(connect.shim);
    const bool known = id != kNone<ShimId>;
    if (!known && world_.shims.size() >= kShimsMax) {
        announcer_.hello_reply(connect.connection, {.outcome = HelloOutcome::refused,
                                                    .daemon_instance = world_.options.daemon_instance,
                                                    .state_applied = 0,
                                                    .credit_window = 0,
                                                    .reason = "more than " + std::to_string(kShimsMax) + " shims"});
        return;
    }
    if (!known) {
        id = world_.shims.add(connect.shim, rights_of(world_.options, connect.shim));
        announcer_.add_shim(connect.shim);
        if (Publication* const publication = lifecycle_.publication()) {
            publication->shim_comes(id);
        }
    }
    Shim& shim = world_.shims[id];
    const bool resumes = known && resume(shim, connect);
    lifecycle_.cut(id, "the shim has connected anew");
    world_.shims.connect(id, connect.connection);
    shim.instance = connect.shim_instance;
    take_plugins(shim, connect.plugins);
    shim.gives_claims_back = connect.gives_claims_back;
    shim.judges_victims = connect.judges_victims;
    if (resumes) {
        lifecycle_.acknowledge(id, connect.decisions_received);
        announcer_.send_again_after(id, connect.decisions_received);
    } else {
        world_.bytes.give_back(shim.bytes, kEntryBytes * shim.dictionary.size() + shim.dictionary.text_bytes());
        shim.dictionary.leave_all();
        leave_specs(shim);
        shim.applied = 0;
        lifecycle_.forget_decisions(id);
        open_resync(id, false);
    }
    shim.announced_applied = shim.applied;
    announcer_.connect(id, connect.connection, shim.applied);
    announcer_.hello_reply(connect.connection, {.outcome = resumes ? HelloOutcome::resume : HelloOutcome::resync,
                                                .daemon_instance = world_.options.daemon_instance,
                                                .state_applied = shim.applied,
                                                .credit_window = world_.options.credit_window,
                                                .reason = {}});
}

void Inputs::take(const Disconnect& disconnect) {
    const ShimId id = world_.shims.of_connection(disconnect.connection);
    if (id == kNone<ShimId>) {
        ++ignored_;
        return;
    }
    world_.shims.disconnect(id);
    announcer_.disconnect(id);
}

void Inputs::take(const Acknowledge& acknowledge) {
    const ShimId id = world_.shims.of_connection(acknowledge.connection);
    if (id == kNone<ShimId>) {
        ++ignored_;
    } else if (acknowledge.up_to > world_.shims[id].ledger.last()) {
        lifecycle_.cut(id, "acknowledged a decision that was never made");
    } else {
        lifecycle_.acknowledge(id, acknowledge.up_to);
    }
}

// --- the numbered state stream

void Inputs::take(const StateMessage& message) {
    const ShimId id = world_.shims.of_connection(message.connection);
    if (id == kNone<ShimId>) {
        ++ignored_;
        return;
    }
    Shim& shim = world_.shims[id];
    if (message.sequence <= shim.applied) {
        ++ignored_;  // sent again after a reconnect
        return;
    }
    if (message.sequence != shim.applied + 1) {
        lifecycle_.cut(id, "a state message is missing before number " + std::to_string(message.sequence));
        return;
    }
    if (message.piece == 0) {
        shim.applied = message.sequence;
    }
    const bool allowed_early =
        std::holds_alternative<DefineMessage>(message.body) || std::holds_alternative<ResyncBeginMessage>(message.body);
    if (shim.resync_open && !shim.resync_begun && !allowed_early) {
        lifecycle_.decide(id, DecisionKind::message_rejected, "state", "a resync must begin first");
        return;
    }
    if (message.piece == 0) {
        std::visit([&](const auto& body) { apply(id, body); }, message.body);
    } else {
        apply_piece(id, message);
    }
    hold_up(id);
}

void Inputs::apply(ShimId id, const DefineMessage& message) {
    Shim& shim = world_.shims[id];
    for (const DictEntry& entry : message.entries) {
        const Dictionary::Entry* before = shim.dictionary.find(entry.id);
        std::string fault;
        if (entry.id == 0) {
            fault = "dictionary id 0 is reserved";
        } else if (entry.text.empty()) {
            fault = "empty text";
        } else if (entry.text.size() > kNameBytesMax) {
            fault = "text is longer than " + std::to_string(kNameBytesMax) + " bytes";
        } else if (before != nullptr && before->text != entry.text) {
            fault = "dictionary id " + std::to_string(entry.id) + " is defined already";
        } else if (before == nullptr && shim.dictionary.size() >= world_.options.dictionary_max) {
            fault = "dictionary is full";
        } else if (before == nullptr) {
            fault = bytes_fault(shim, kEntryBytes + entry.text.size());
        }
        if (fault.empty() && before == nullptr) {
            shim.dictionary.define(entry.id, entry.text);
            world_.bytes.add(shim.bytes, kEntryBytes + entry.text.size());
        }
        if (!fault.empty()) {
            lifecycle_.decide(id, DecisionKind::message_rejected, "#" + std::to_string(entry.id), fault);
        }
    }
}

void Inputs::apply(ShimId id, const ForgetMessage& message) {
    Shim& shim = world_.shims[id];
    for (const DictId entry : message.ids) {
        if (const Dictionary::Entry* const there = shim.dictionary.find(entry)) {
            world_.bytes.give_back(shim.bytes, kEntryBytes + there->text.size());
            shim.dictionary.forget(entry);
        } else {
            lifecycle_.decide(id, DecisionKind::message_rejected, "#" + std::to_string(entry), "unknown dictionary id");
        }
    }
}

void Inputs::apply(ShimId id, const ConfigurationMessage&) {
    lifecycle_.decide(id, DecisionKind::message_rejected, "configuration",
                      "queue configuration is set by the operator of this daemon");
}

// --- holds

namespace {

std::int64_t held_on(const NodeState& state, Slot slot, ResourceId resource) {
    const ResourceColumns* const columns = state.block(block_of(slot)).columns(resource);
    return columns == nullptr ? 0 : columns->held[lane_of(slot)];
}

}  // namespace

// False: with what is held there already that is too much.
bool Inputs::add_to_hold(Hold& hold, const ResourceAmount& amount) const {
    auto same = std::find_if(hold.amounts.begin(), hold.amounts.end(),
                             [&](const ResourceAmount& other) { return other.resource == amount.resource; });
    if (same == hold.amounts.end()) {
        same = hold.amounts.insert(same, {amount.resource, 0});
    }
    same->value += amount.value;
    return held_on(world_.node_state, hold.slot, amount.resource) + same->value <= AmountTotals::kMax;
}

void Inputs::take(const HoldPlace& place) {
    Hold hold;
    hold.slot = world_.nodes.find(place.node);
    hold.kept_from_below = place.kept_from_below;
    hold.order = {place.owner, 0};
    bool usable = hold.slot != kNone<Slot>;
    for (const auto& [kind, amount] : place.amounts) {
        const ResourceId id = world_.resources.find(kind);
        usable =
            usable && id != kNone<ResourceId> && amount >= 0 && amount <= kAmountMax && add_to_hold(hold, {id, amount});
    }
    if (!usable) {
        ++ignored_;
        return;
    }
    const HoldOwner owner{HoldOwner::Kind::operators, place.owner};
    const bool replaced = lifecycle_.commit().drop_hold(owner);
    lifecycle_.commit().place_hold(owner, std::move(hold));
    lifecycle_.commit().finish();
    if (replaced) {
        lifecycle_.wake(kNodeUpdated);
    }
}

void Inputs::take(const HoldDrop& drop) {
    if (lifecycle_.commit().drop_hold({HoldOwner::Kind::operators, drop.owner})) {
        lifecycle_.commit().finish();
        lifecycle_.wake(kNodeUpdated);
    } else {
        ++ignored_;
    }
}

}  // namespace bayplan
