// An engine's answers, put into the outbox of the connection they are for.
//
// Thread: the engine's. Owner: the engine thread; outboxes are shared with the gateway.
#pragma once

#include <memory>
#include <unordered_map>

#include "daemon/outbox.h"
#include "engine/decision_sink.h"

namespace bayplan::daemon {

class EngineSink final : public DecisionSink {
public:
    void opened(ConnectionId,
                std::shared_ptr<Outbox>);  // before the engine hears of the connection
    void closed(ConnectionId);             // after

    void hello_reply(ConnectionId, const HelloReply&) override;
    bool decisions(ConnectionId, std::shared_ptr<const DecisionBatch>, std::size_t skip,
                   std::uint64_t state_applied) override;
    bool state_applied(ConnectionId, std::uint64_t up_to) override;
    void cut(ConnectionId, std::string_view why) override;
    // Lines are numbered and hashed by the engine; the daemon keeps none. A replay prints them.
    void log_line(std::string_view) override {}

    // Whether anything was put into an outbox, or refused by a full one, since the last call.
    bool take_sent() { return std::exchange(sent_, false); }
    bool take_refused() { return std::exchange(refused_, false); }

private:
    bool offer(ConnectionId, OutboxItem&&);

    std::unordered_map<ConnectionId, std::shared_ptr<Outbox>> outboxes_;
    bool sent_ = false;
    bool refused_ = false;
};

}  // namespace bayplan::daemon
