// The messages that inform one shim, made when its connection has no decisions to send. Of events a slow shim misses the oldest,
// as it misses all that happen while it is not connected.
//
// Thread: the lcore. Owner: the connection's OutboxSender.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bayplan/information.h"
#include "daemon/outbox.h"
#include "daemon/shim_services.h"
#include "wire/codec.h"

namespace bayplan::daemon {

class InformationSender {
public:
    // `features`: that the connection may use. `connection`: as ShimStates knows it.
    InformationSender(ShimServices&, std::uint64_t features, std::size_t partition, std::uint64_t connection,
                      std::string shim, std::shared_ptr<OutputSignal>, std::size_t frame_bytes_max);
    ~InformationSender();
    InformationSender(const InformationSender&) = delete;
    InformationSender& operator=(const InformationSender&) = delete;

    // Decisions that are about to be sent: states of their pods follow from them.
    void note(std::span<const Decision>);
    // Messages of states are due, which go with the decisions that they are of.
    bool has_states() const { return !states_.empty(); }
    // The next message, valid until the encoder's next use; empty: there is none.
    std::span<const std::byte> next(wire::Encoder&);

private:
    struct KeptState {
        std::string ask;
        SchedulingState state = SchedulingState::unknown;
        std::string reason;
    };

    bool may(std::uint64_t feature) const { return (features_ & feature) != 0; }
    std::span<const std::byte> states(wire::Encoder&);
    std::span<const std::byte> configuration(wire::Encoder&);
    std::span<const std::byte> events(wire::Encoder&);

    ShimServices& services_;
    const std::uint64_t features_;
    const std::size_t partition_;
    const std::uint64_t connection_;
    const std::size_t frame_bytes_;  // of a message, about
    const std::size_t text_bytes_;   // of a configuration, at most
    std::vector<KeptState> states_;
    std::uint64_t configuration_seen_ = 0;
    std::uint64_t dump_asked_ = 0;
    std::uint64_t stream_ = 0;  // in the store; 0: none
    std::uint64_t next_event_ = 0;
};

}  // namespace bayplan::daemon
