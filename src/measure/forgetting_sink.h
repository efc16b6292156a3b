// Where an engine's answers go if nobody wants to keep them: as to a shim that reads and acknowledges. Nothing of
// them stays but counts, so that what is allocated is the engine's own.
//
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/decision_sink.h"

namespace bayplan::measure {

class ForgettingSink final : public DecisionSink {
public:
    bool blocks() const override { return false; }
    void hello_reply(ConnectionId, const HelloReply&) override {}
    bool decisions(ConnectionId, std::shared_ptr<const DecisionBatch> batch, std::size_t, std::uint64_t) override {
        last = batch->first_sequence + batch->decisions.size() - 1;
        for (const Decision& decision : batch->decisions) {
            text += decision.name.size() + decision.node.size() + decision.text.size();
            faults += is_refusal(decision.kind) ? 1 : 0;
        }
        return true;
    }
    bool state_applied(ConnectionId, std::uint64_t) override { return true; }
    void cut(ConnectionId, std::string_view) override { ++faults; }
    void log_line(std::string_view) override {}

    std::uint64_t last = 0;    // number of the newest decision
    std::uint64_t faults = 0;  // items that the engine did not take, and cuts
    std::uint64_t text = 0;    // bytes

private:
    static bool is_refusal(DecisionKind kind) {
        return kind == DecisionKind::ask_rejected || kind == DecisionKind::node_rejected ||
               kind == DecisionKind::application_rejected || kind == DecisionKind::message_rejected;
    }
};

}  // namespace bayplan::measure
