// The sink of the property tests.
//
// Thread and ownership: see recording_sink.h.
#include "recording_sink.h"

namespace bayplan::property {

void RecordingSink::hello_reply(ConnectionId connection, const HelloReply& reply) {
    Delivered& to = delivered_[connection];
    to.hellos.push_back(reply);
    to.hellos.back().reason = {};
    told(to, reply.state_applied);
}

bool RecordingSink::decisions(ConnectionId connection, std::shared_ptr<const DecisionBatch> batch, std::size_t skip,
                              std::uint64_t state_applied) {
    if (!has_room()) {
        return false;
    }
    Delivered& to = delivered_[connection];
    for (std::size_t i = skip; i < batch->decisions.size(); ++i) {
        const Decision& decision = batch->decisions[i];
        to.decisions.push_back({batch->first_sequence + i, decision.kind, decision.termination,
                                std::string(decision.name), std::string(decision.node), std::string(decision.text),
                                decision.scale_up, std::string(decision.devices), decision.query, decision.needed,
                                decision.violations});
    }
    told(to, state_applied);
    return true;
}

bool RecordingSink::state_applied(ConnectionId connection, std::uint64_t up_to) {
    if (!has_room()) {
        return false;
    }
    told(delivered_[connection], up_to);
    return true;
}

void RecordingSink::cut(ConnectionId connection, std::string_view) { delivered_[connection].cut = true; }

void RecordingSink::log_line(std::string_view line) { log_.emplace_back(line); }

void RecordingSink::told(Delivered& to, std::uint64_t state_applied) {
    to.state_went_back = to.state_went_back || state_applied < to.state_applied;
    to.state_applied = state_applied;
}

}  // namespace bayplan::property
