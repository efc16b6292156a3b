// A decision sink that keeps what it is given, per connection, and can find no room for a while.
//
// Thread: the engine's. Owns copies of everything; the batches are released at once. Errors: none.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/decision_sink.h"
#include "oracle_state.h"
#include "random.h"

namespace bayplan::property {

struct Delivered {
    std::vector<HelloReply> hellos;  // `reason` is not kept
    std::vector<oracle::NumberedDecision> decisions;
    std::uint64_t state_applied = 0;  // the highest told
    bool state_went_back = false;
    bool cut = false;
};

class RecordingSink final : public DecisionSink {
public:
    explicit RecordingSink(std::uint64_t seed) : random_(seed) {}

    bool blocks() const override { return false; }
    void hello_reply(ConnectionId, const HelloReply&) override;
    bool decisions(ConnectionId, std::shared_ptr<const DecisionBatch>, std::size_t skip,
                   std::uint64_t state_applied) override;
    bool state_applied(ConnectionId, std::uint64_t up_to) override;
    void cut(ConnectionId, std::string_view why) override;
    void log_line(std::string_view line) override;

    // While it refuses it still takes one offer in four: the way out clears bit by bit.
    void refuse(bool refuses) { refuses_ = refuses; }
    bool refuses() const { return refuses_; }
    const std::vector<std::string>& log() const { return log_; }
    const std::map<ConnectionId, Delivered>& delivered() const { return delivered_; }

private:
    bool has_room() { return !refuses_ || random_.chance(25); }
    void told(Delivered&, std::uint64_t state_applied);

    Random random_;
    bool refuses_ = false;
    std::vector<std::string> log_;
    std::map<ConnectionId, Delivered> delivered_;
};

}  // namespace bayplan::property
