// Relative numbers of events made absolute.
//
// Thread and errors: see feed.h.
#include "feed.h"

namespace bayplan::property {

namespace {

constexpr ConnectionId kNoConnection = 1'000'000;

const oracle::Shim& shim_of(const oracle::Oracle& oracle, const std::string& name) {
    static const oracle::Shim unknown;
    const auto found = oracle.shims().find(name);
    return found == oracle.shims().end() ? unknown : found->second;
}

ConnectionId connection_of(const Connections& connections, const std::string& shim, bool former) {
    const auto found = connections.find(shim);
    const std::size_t back = former ? 2 : 1;
    if (found == connections.end() || found->second.size() < back) {
        return kNoConnection;
    }
    return found->second[found->second.size() - back];
}

std::uint64_t part(const oracle::Shim& shim, std::uint32_t permille) {
    return shim.acknowledged + (shim.last_number - shim.acknowledged) * permille / 1000;
}

std::uint64_t received(const ConnectEvent& event, const oracle::Shim& shim) {
    switch (event.received) {
        case Received::last: return shim.last_number;
        case Received::between: return part(shim, event.permille);
        case Received::before_acknowledged: return shim.acknowledged == 0 ? 0 : shim.acknowledged - 1;
        case Received::beyond: return shim.last_number + 1;
    }
    return 0;
}

}  // namespace

Numbers resolve(const Event& event, const oracle::Oracle& oracle, Connections& connections) {
    if (const auto* connect = std::get_if<ConnectEvent>(&event)) {
        ConnectionId made = 1;
        for (const auto& [shim, ids] : connections) {
            made += ids.size();
        }
        connections[connect->shim].push_back(made);
        return {made, received(*connect, shim_of(oracle, connect->shim))};
    }
    if (const auto* gone = std::get_if<DisconnectEvent>(&event)) {
        return {connection_of(connections, gone->shim, gone->former), 0};
    }
    if (const auto* state = std::get_if<StateEvent>(&event)) {
        const auto next = static_cast<std::int64_t>(shim_of(oracle, state->shim).applied) + 1;
        return {connection_of(connections, state->shim, state->former),
                static_cast<std::uint64_t>(std::max<std::int64_t>(0, next + state->offset))};
    }
    if (const auto* acknowledge = std::get_if<AcknowledgeEvent>(&event)) {
        const oracle::Shim& shim = shim_of(oracle, acknowledge->shim);
        const std::uint64_t up_to =
            acknowledge->beyond > 0 ? shim.last_number + acknowledge->beyond : part(shim, acknowledge->permille);
        return {connection_of(connections, acknowledge->shim, acknowledge->former), up_to};
    }
    return {};
}

}  // namespace bayplan::property
