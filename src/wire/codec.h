// Bytes to records and back: the trust boundary towards shims.
//
// Everything a peer sends is verified (flatbuffers verifier, tight limits), then decoded into the
// records of bayplan/messages.h, whose spans and views point into the DecodedFrame and its Frame.
// Only this folder includes generated flatbuffers code. Meaning (unknown ids, negative amounts,
// duplicate keys) is checked by the engine, which can answer with the item's name.
//
// Also broken: control characters or bad UTF-8 in keys, names and dictionary texts (they end up in
// logs and REST answers), an enumerator that this version does not know, and a field that would
// have to be obeyed and cannot be yet (fbs/README.md lists them; none may be sent unless offered).
//
// Thread: any; no shared state. Errors: as text, the bytes are broken and the connection is to be
// closed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bayplan/information.h"
#include "bayplan/messages.h"

namespace bayplan::wire {

inline constexpr std::uint32_t kProtocolMin = 1;
inline constexpr std::uint32_t kProtocolMax = 1;

// Bits of Hello.features and HelloReply.features.
inline constexpr std::uint64_t kFeatureCounters = 1;   // CountersRequest
inline constexpr std::uint64_t kFeatureDevices = 2;    // devices of nodes, asks and decisions
inline constexpr std::uint64_t kFeaturePlugins = 4;    // predicates that the shim serves
inline constexpr std::uint64_t kFeatureClaims = 8;     // claims on devices, slices and classes of devices
inline constexpr std::uint64_t kFeatureGiveBack = 16;  // claims on devices are given back; not every shim does it
// Placeholders of applications; not every shim deletes a placeholder's pod when it is told to.
inline constexpr std::uint64_t kFeaturePlaceholders = 32;
inline constexpr std::uint64_t kFeatureVictims = 64;  // plugins judge victims; not every shim's do
// States of pods, events, configuration, the shim's own state (bayplan/information.h): of shims that want them.
inline constexpr std::uint64_t kFeatureContainerStates = 128;
inline constexpr std::uint64_t kFeatureEvents = 256;
inline constexpr std::uint64_t kFeatureConfiguration = 512;
inline constexpr std::uint64_t kFeatureStateDump = 1'024;
inline constexpr std::uint64_t kFeaturesOfInformation =
    kFeatureContainerStates | kFeatureEvents | kFeatureConfiguration | kFeatureStateDump;
// All that this software has.
inline constexpr std::uint64_t kFeatures = kFeatureCounters | kFeatureDevices | kFeaturePlugins | kFeatureClaims |
                                           kFeatureGiveBack | kFeaturePlaceholders | kFeatureVictims |
                                           kFeaturesOfInformation;

// Agreement of two sides: the highest protocol and the features that both have. Protocol 0: none.
struct Agreed {
    std::uint32_t protocol = 0;
    std::uint64_t features = 0;
};
Agreed agree(std::uint32_t protocol_min, std::uint32_t protocol_max, std::uint64_t features);

// Limits on one frame; past them it is broken.
struct Limits {
    std::uint32_t items_max = 65'536;        // records in one message
    std::uint32_t string_bytes_max = 4'096;  // any one string but a configuration's text
    std::uint32_t amounts_max = 64;          // resource kinds of one record
    std::uint32_t attributes_max = 1'024;    // attributes or tags of one record
    std::uint32_t terms_max = 4'096;         // images of a node; any other list in a spec or object
};

// --- shim to daemon
struct Hello {
    std::uint32_t protocol_min = kProtocolMin;
    std::uint32_t protocol_max = kProtocolMax;
    std::uint64_t features = 0;
    std::string_view partition;
    std::uint64_t shim_instance = 0;
    std::uint64_t daemon_instance = 0;
    std::uint64_t decisions_received = 0;
    std::string_view version;  // of the shim's software, for logs
    std::string_view plugins;  // that the shim serves, each ended by LF
    std::string_view build;    // facts of how it was built, each KEY=VALUE and ended by LF
};
struct StateFrame {
    std::uint64_t sequence = 0;
    StateBody body;
};
struct AcknowledgeFrame {
    std::uint64_t up_to = 0;
};
struct CountersRequest {
    std::uint64_t token = 0;  // repeated in the answer
};

// The shim's state as JSON: the answer to a StateDumpRequest.
struct StateDumpFrame {
    std::uint64_t token = 0;
    std::string_view text;
};

// --- daemon to shim
// An engine's answer to a hello, and what the connection may use.
struct HelloReplyFrame : HelloReply {
    HelloReplyFrame() = default;
    HelloReplyFrame(const HelloReply& reply) : HelloReply(reply) {}
    std::uint64_t features = 0;
    std::uint32_t protocol = kProtocolMax;
};
// Before a counter's name: of this lcore alone, as in lcore.0.rx_packets. Without it: of all.
inline constexpr std::string_view kLcorePrefix = "lcore.";
struct NamedCounter {
    std::string_view name;
    std::uint64_t value = 0;
};
struct CountersFrame {
    std::uint64_t token = 0;
    std::string_view version;  // of the daemon's software
    std::uint64_t uptime_ms = 0;
    std::span<const NamedCounter> counters;
};
struct DecisionsFrame {
    std::uint64_t first_sequence = 0;  // of decisions[0]; they are consecutive
    std::uint64_t state_applied = 0;   // state messages up to this one have been applied
    std::span<const Decision> decisions;
};
// When there is no decision to carry it.
struct StateAppliedFrame {
    std::uint64_t up_to = 0;
};

// The messages from here on decide nothing, and have no number.
struct ContainerStatesFrame {
    std::span<const ContainerState> states;
};
struct EventsFrame {
    std::span<const EventRecord> events;
};
struct ConfigurationFrame {
    std::string_view partition;
    std::string_view text;
};
struct StateDumpRequest {
    std::uint64_t token = 0;
};

using Message = std::variant<Hello, HelloReplyFrame, StateFrame, AcknowledgeFrame, DecisionsFrame, StateAppliedFrame,
                             CountersRequest, CountersFrame, ContainerStatesFrame, EventsFrame, ConfigurationFrame,
                             StateDumpRequest, StateDumpFrame>;

// The first half of DecodedFrame::decode: that the bytes are a flatbuffer of this schema. For a caller that passes
// frames on unread, and for measuring.
bool verify(std::span<const std::byte> bytes, std::string& error);

// Arrays that the spans of a decoded message point into. Reused from message to message.
struct Storage;

class DecodedFrame {
public:
    DecodedFrame();
    ~DecodedFrame();
    DecodedFrame(DecodedFrame&&) noexcept;
    DecodedFrame& operator=(DecodedFrame&&) noexcept;

    const Message& message() const { return message_; }

    // Verifies and decodes. `bytes` must be 8-aligned and outlive the records. On failure returns
    // false with the reason in `error`, and message() means nothing.
    bool decode(std::span<const std::byte> bytes, const Limits&, std::string& error);

    // Bytes of the message's lists, each as often as it is named. Much more than the frame, if tables are shared.
    std::size_t decoded_bytes() const { return decoded_bytes_; }
    // Of the arrays, whichever messages they grew by, and of what the last message has in them.
    std::size_t held_bytes() const;

private:
    std::unique_ptr<Storage> storage_;
    Message message_;
    std::size_t decoded_bytes_ = 0;
};

// Encodes one message. The encoder keeps its buffer; the span is valid until the next call.
class Encoder {
public:
    Encoder();
    ~Encoder();
    std::span<const std::byte> encode(const Message&);

private:
    struct Builder;
    std::unique_ptr<Builder> builder_;
};

}  // namespace bayplan::wire
