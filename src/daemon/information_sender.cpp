// See information_sender.h.
#include "daemon/information_sender.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "read_model/change.h"

namespace bayplan::daemon {

namespace {

constexpr std::size_t kEventsAtOnce = 256;
constexpr std::size_t kStatesAtOnce = 1'024;
constexpr std::size_t kHeadBytes = 4'096;  // of a frame around one text
constexpr std::size_t kWordBytesMax = 4'096;

// Texts that no reader would take are cut.
std::string_view readable(std::string_view text) { return utf8_prefix(text, kWordBytesMax); }

SchedulingState state_of(const Decision& decision) {
    switch (decision.kind) {
        case DecisionKind::allocated: return SchedulingState::scheduled;
        case DecisionKind::nominated:
            return decision.node.empty() ? SchedulingState::unknown : SchedulingState::reserved;
        case DecisionKind::ask_waiting: return decision.untried ? SchedulingState::skipped : SchedulingState::failed;
        default: return SchedulingState::unknown;
    }
}

}  // namespace

InformationSender::InformationSender(ShimServices& services, std::uint64_t features, std::size_t partition,
                                     std::uint64_t connection, std::string shim, std::shared_ptr<OutputSignal> signal,
                                     std::size_t frame_bytes_max)
    : services_(services),
      features_(features),
      partition_(partition),
      connection_(connection),
      frame_bytes_(std::min<std::size_t>(32u << 10, frame_bytes_max / 4)),
      text_bytes_(frame_bytes_max - kHeadBytes),
      dump_asked_(services.states.wanted()) {
    if (may(wire::kFeatureStateDump)) services_.states.join(connection_, std::move(shim));
    if (may(wire::kFeatureEvents)) {
        next_event_ = services_.events->id_before_end(0);
        stream_ = services_.events->add_stream([signal = std::move(signal)] { signal->put(); });
    }
}

InformationSender::~InformationSender() {
    if (may(wire::kFeatureStateDump)) services_.states.leave(connection_);
    if (stream_ != 0) services_.events->remove_stream(stream_);
}

void InformationSender::note(std::span<const Decision> decisions) {
    if (!may(wire::kFeatureContainerStates)) return;
    for (const Decision& decision : decisions) {
        const SchedulingState state = state_of(decision);
        if (state != SchedulingState::unknown) {
            states_.push_back({std::string(decision.name), state, std::string(readable(decision.text))});
        }
    }
}

std::span<const std::byte> InformationSender::next(wire::Encoder& encoder) {
    if (!states_.empty()) return states(encoder);
    if (may(wire::kFeatureConfiguration) && services_.configuration.changes() != configuration_seen_) {
        if (const auto frame = configuration(encoder); !frame.empty()) return frame;
    }
    if (const std::uint64_t wanted = services_.states.wanted(); may(wire::kFeatureStateDump) && wanted != dump_asked_) {
        dump_asked_ = wanted;
        return encoder.encode(wire::StateDumpRequest{wanted});
    }
    return stream_ != 0 ? events(encoder) : std::span<const std::byte>();
}

std::span<const std::byte> InformationSender::states(wire::Encoder& encoder) {
    std::vector<ContainerState> told;
    std::size_t bytes = 0;
    while (told.size() < std::min(states_.size(), kStatesAtOnce) && (told.empty() || bytes < frame_bytes_)) {
        const KeptState& kept = states_[told.size()];
        bytes += kept.ask.size() + kept.reason.size() + 64;
        told.push_back({kept.ask, kept.state, kept.reason});
    }
    const auto frame = encoder.encode(wire::ContainerStatesFrame{told});
    states_.erase(states_.begin(), states_.begin() + static_cast<std::ptrdiff_t>(told.size()));
    return frame;  // holds copies
}

std::span<const std::byte> InformationSender::configuration(wire::Encoder& encoder) {
    configuration_seen_ = services_.configuration.changes();
    const auto shown = services_.configuration.of(partition_);
    if (shown == nullptr || shown->text.size() > text_bytes_) return {};
    return encoder.encode(wire::ConfigurationFrame{shown->partition, shown->text});
}

std::span<const std::byte> InformationSender::events(wire::Encoder& encoder) {
    events::EventSlice slice = services_.events->read(next_event_, kEventsAtOnce, frame_bytes_, stream_);
    if (slice.overtaken) slice = services_.events->read(slice.lowest, kEventsAtOnce, frame_bytes_, stream_);
    next_event_ = slice.next;
    std::vector<EventRecord> records;
    std::vector<EventAmount> amounts;
    std::vector<std::size_t> counts;
    for (std::size_t at = 0; at < slice.size(); ++at) {
        const events::Event event = slice[at];
        std::string_view left = event.amounts;
        EventAmount amount;
        const std::size_t before = amounts.size();
        while (read_model::take_amount(left, amount.resource, amount.value)) amounts.push_back(amount);
        counts.push_back(amounts.size() - before);
        records.push_back({.type = static_cast<std::uint8_t>(event.type),
                           .change = static_cast<std::uint8_t>(event.change),
                           .detail = static_cast<std::uint16_t>(event.detail),
                           .time_ns = event.time_ns,
                           .object = event.object,
                           .reference = event.reference,
                           .message = readable(event.message),
                           .amounts = {}});
    }
    std::span<const EventAmount> rest = amounts;
    for (std::size_t at = 0; at < records.size(); ++at) {
        records[at].amounts = rest.first(counts[at]);
        rest = rest.subspan(counts[at]);
    }
    return records.empty() ? std::span<const std::byte>() : encoder.encode(wire::EventsFrame{records});
}

}  // namespace bayplan::daemon
