// Sends what lies in an outbox, as frames, as far as the connection has room for them.
//
// A batch of decisions may be larger than a frame may be, so it is cut into frames of moderate
// size; what the connection does not take stays here, encoded, and is offered again on the next
// turn.
//
// Thread: the lcore. Owner: the gateway, one per connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "daemon/information_sender.h"
#include "daemon/outbox.h"
#include "dataplane/data_plane.h"
#include "instruments/latency_histogram.h"
#include "wire/codec.h"

namespace bayplan::daemon {

class OutboxSender {
public:
    // `agreed` goes into the answer to the hello: the engine knows nothing of it.
    OutboxSender(std::shared_ptr<Outbox> outbox, std::size_t frame_bytes_max,
                 const wire::Agreed& agreed = {wire::kProtocolMax, 0});

    // Sends at most `frames_max` frames; returns how many. Few at a time, so that connections take
    // turns.
    std::size_t drain(dataplane::DataPlane&, dataplane::ConnectionId, wire::Encoder&, std::size_t frames_max);

    // Messages that inform the shim are sent too, behind the decisions; before the first drain().
    void inform_by(std::unique_ptr<InformationSender> information) { information_ = std::move(information); }

    // How long batches lay in the outbox is added there from now on.
    void time_in(instruments::LatencyHistogram& times) { times_ = &times; }

    bool idle() { return held_.empty() && !batch_.batch && outbox_->drained(); }
    // More may be there that informs.
    bool has_news() const { return news_; }
    Outbox& outbox() { return *outbox_; }
    // The highest decision sequence number handed to the connection.
    std::uint64_t last_sent() const { return last_sent_; }

private:
    // The next frame, valid until the encoder's next use; empty when there is nothing to send.
    std::span<const std::byte> next_frame(wire::Encoder&);
    std::span<const std::byte> next_decisions(wire::Encoder&);
    std::span<const std::byte> next_news(wire::Encoder&);

    const std::shared_ptr<Outbox> outbox_;
    const wire::Agreed agreed_;
    const std::size_t frame_bytes_;  // estimated size at which a frame of decisions is closed
    DecisionsItem batch_;            // being sent; `skip` moves along
    std::vector<Decision> chunk_;
    dataplane::Stream stream_ = dataplane::Stream::decisions;
    std::uint64_t frame_end_ = 0;  // last sequence number in the frame at hand, 0 = none
    std::vector<std::byte> held_;  // a frame that the connection had no room for
    std::uint64_t last_sent_ = 0;
    std::unique_ptr<InformationSender> information_;  // null: the shim wants nothing of it
    bool news_ = false;                               // the last drain() did not come to the end of it
    instruments::LatencyHistogram* times_ = nullptr;
};

}  // namespace bayplan::daemon
