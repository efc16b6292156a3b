// An engine's answers, put into the outbox of the connection they are for.
//
// Thread: the engine's. Owner: the engine thread; outboxes are shared with the gateway.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "daemon/outbox.h"
#include "engine/decision_sink.h"

namespace bayplan::daemon {

class EngineSink final : public DecisionSink {
public:
    // Before the engine hears of the connection.
    void opened(ConnectionId, std::shared_ptr<Outbox>, std::size_t lcore);
    void closed(ConnectionId);             // after

    void hello_reply(ConnectionId, const HelloReply&) override;
    bool decisions(ConnectionId, std::shared_ptr<const DecisionBatch>, std::size_t skip,
                   std::uint64_t state_applied) override;
    bool state_applied(ConnectionId, std::uint64_t up_to) override;
    void cut(ConnectionId, std::string_view why) override;
    // Lines are numbered and hashed by the engine; the daemon keeps none. A replay prints them.
    void log_line(std::string_view) override {}

    // Since the last call: the lcores, as bits, in whose outboxes anything was put; whether a full
    // outbox refused anything.
    std::uint64_t take_sent() { return std::exchange(sent_, 0); }
    bool take_refused() { return std::exchange(refused_, false); }

private:
    bool offer(ConnectionId, OutboxItem&&);

    struct Way {
        std::shared_ptr<Outbox> outbox;
        std::uint64_t lcore_bit = 1;
    };
    std::unordered_map<ConnectionId, Way> outboxes_;
    std::uint64_t sent_ = 0;
    bool refused_ = false;
};

}  // namespace bayplan::daemon
