// An engine's answers, put into the outbox of the connection they are for.
//
// Thread: opened, closed: the engine's; all else: the teller's, or the engine's in its place. A mutex is between them,
// because connections come and go rarely, and batches of decisions are some thousand a second. Owner: the engine thread;
// outboxes are shared with the gateway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/decision_sink.h"
#include "daemon/outbox.h"
#include "instruments/flight_recorder.h"

namespace bayplan::daemon {

class EngineSink final : public DecisionSink {
public:
    // `wake`: told which lcores, as bits, have something new in their outboxes.
    using Wake = std::function<void(std::uint64_t lcores)>;
    // `report`: told of each preemption for a DaemonSet pod; may be empty, and must not block.
    using Report = std::function<void(std::string_view report)>;
    explicit EngineSink(Wake wake = {}, Report report = {}) : wake_(std::move(wake)), report_(std::move(report)) {}

    // Decisions and cuts are noted there from now on. Before the engine runs.
    void note_in(instruments::FlightRing& ring) { flight_ = &ring; }

    // Before the engine hears of the connection.
    void opened(ConnectionId, std::shared_ptr<Outbox>, std::size_t lcore);
    void closed(ConnectionId);  // after

    bool blocks() const override { return false; }
    void hello_reply(ConnectionId, const HelloReply&) override;
    bool decisions(ConnectionId, std::shared_ptr<const DecisionBatch>, std::size_t skip,
                   std::uint64_t state_applied) override;
    bool state_applied(ConnectionId, std::uint64_t up_to) override;
    void cut(ConnectionId, std::string_view why) override;
    // Lines are numbered and hashed by the teller; the daemon keeps none. A replay prints them.
    void log_line(std::string_view) override {}
    void preemption(std::string_view report) override {
        if (report_) report_(report);
    }
    void flushed() override;

private:
    bool offer(ConnectionId, OutboxItem&&);

    struct Way {
        std::shared_ptr<Outbox> outbox;
        std::uint64_t lcore_bit = 1;
    };
    const Wake wake_;
    const Report report_;
    instruments::FlightRing* flight_ = nullptr;
    std::mutex mutex_;
    std::unordered_map<ConnectionId, Way> outboxes_;  // under mutex_
    std::uint64_t sent_ = 0;  // the teller's: lcores whose outboxes got something since the last flush
};

}  // namespace bayplan::daemon
