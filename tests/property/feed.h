// Events to inputs. `resolve` turns what an event says relative to the state into numbers, once;
// `feed` hands the input to an engine or an oracle.
//
// Thread: one. Ownership: the input lives during the call only. Errors: none.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>

#include "history.h"
#include "oracle.h"

namespace bayplan::property {

struct Numbers {
    ConnectionId connection = 0;
    std::uint64_t number = 0;  // sequence, acknowledged up to, or decisions received
};

// The connections that each shim has had, the newest last.
using Connections = std::map<std::string, std::vector<ConnectionId>>;

Numbers resolve(const Event&, const oracle::Oracle&, Connections&);

inline Connect connect_input(const ConnectEvent& event, const Numbers& numbers, const EngineOptions& options) {
    const std::uint64_t daemon = event.knows_daemon ? options.daemon_instance : options.daemon_instance + 1;
    return {numbers.connection, event.shim,    event.instance,          daemon,
            numbers.number,     event.plugins, event.gives_claims_back, event.judges_victims};
}

// True when the event was an input; runs and sink events are the caller's.
template <typename Target>
bool feed(Target& target, const Event& event, const Numbers& numbers, const EngineOptions& options) {
    return std::visit(
        [&](const auto& one) {
            using Kind = std::decay_t<decltype(one)>;
            if constexpr (std::is_same_v<Kind, TickEvent>) {
                target.apply(Tick{one.now_ns});
            } else if constexpr (std::is_same_v<Kind, ConnectEvent>) {
                target.apply(connect_input(one, numbers, options));
            } else if constexpr (std::is_same_v<Kind, DisconnectEvent>) {
                target.apply(Disconnect{numbers.connection});
            } else if constexpr (std::is_same_v<Kind, StateEvent>) {
                const oracle::Borrowed borrowed(one.body);
                // Where nobody cuts it, a piece of a message without items.
                const bool plain = std::holds_alternative<oracle::OwnedResyncBegin>(one.body) ||
                                   std::holds_alternative<oracle::OwnedResyncEnd>(one.body);
                if (one.piece_steps != 0 && plain) {
                    target.apply(StateMessage{numbers.connection, numbers.number, borrowed.body(), one.piece_steps});
                }
                target.apply(StateMessage{numbers.connection, numbers.number, borrowed.body()});
            } else if constexpr (std::is_same_v<Kind, AcknowledgeEvent>) {
                target.apply(Acknowledge{numbers.connection, numbers.number});
            } else if constexpr (std::is_same_v<Kind, HoldEvent>) {
                const std::vector<std::pair<std::string_view, std::int64_t>> amounts(one.amounts.begin(),
                                                                                     one.amounts.end());
                target.apply(HoldPlace{one.owner, one.node, one.kept_from_below, amounts});
            } else if constexpr (std::is_same_v<Kind, DropEvent>) {
                target.apply(HoldDrop{one.owner});
            } else if constexpr (std::is_same_v<Kind, QueuesEvent>) {
                target.apply(QueuesText{"default", one.text});
            } else {
                return false;
            }
            return true;
        },
        event);
}

}  // namespace bayplan::property
