// Batches to frames.
//
// Thread: the lcore.
#include "daemon/outbox_sender.h"

#include <algorithm>
#include <chrono>

#include "base/utf8.h"
#include "engine/inputs.h"
#include "options/engine_options.h"

namespace bayplan::daemon {
namespace {

// Large enough that the cost per frame vanishes, small enough that a held frame costs little memory
// and that connections take turns on the lcore within tens of microseconds.
constexpr std::size_t kFrameBytesAimed = 64u << 10;
// Bytes of a decision besides its texts, rounded up: table, references, lengths, padding.
constexpr std::size_t kDecisionBytes = 96;

// Shims refuse longer texts. A message about thousands of resource kinds ends where the limit does;
// cut between characters, because it must stay UTF-8.
std::string_view clipped(std::string_view text) { return utf8_prefix(text, wire::Limits{}.string_bytes_max); }

// Of each name of a list: its reference, length and padding; a total is less.
constexpr std::size_t kNameBytes = 16;
// The longest query fits the smallest frame that can be configured (data_plane.frame_bytes_max).
static_assert(PluginOptions::kNodesMax * (kNameBytesMax + 2 * kNameBytes) + kDecisionBytes + 2 * kNameBytesMax <
              1u << 20);
// Likewise: of each pod the names of its shim and of itself.
static_assert(PluginOptions::kVictimsMax * (2 * kNameBytesMax + 1 + kNameBytes) + kDecisionBytes + 2 * kNameBytesMax <
              1u << 20);

std::size_t bytes_of(const Decision& decision) {
    const std::size_t names =
        is_query(decision.kind) ? static_cast<std::size_t>(std::ranges::count(decision.text, '\n')) : 0;
    return kDecisionBytes + decision.name.size() + decision.node.size() + decision.text.size() + names * kNameBytes;
}

}  // namespace

OutboxSender::OutboxSender(std::shared_ptr<Outbox> outbox, std::size_t frame_bytes_max, const wire::Agreed& agreed)
    : outbox_(std::move(outbox)), agreed_(agreed), frame_bytes_(std::min(kFrameBytesAimed, frame_bytes_max / 2)) {}

std::size_t OutboxSender::drain(dataplane::DataPlane& plane, dataplane::ConnectionId connection, wire::Encoder& encoder,
                                std::size_t frames_max) {
    std::size_t sent = 0;
    for (; sent < frames_max; ++sent) {
        const bool again = !held_.empty();
        const std::span<const std::byte> frame = again ? std::span<const std::byte>(held_) : next_frame(encoder);
        if (frame.empty()) break;
        if (!plane.send(connection, stream_, frame)) {
            if (!again) held_.assign(frame.begin(), frame.end());
            break;
        }
        held_.clear();
        last_sent_ = std::max(last_sent_, frame_end_);
    }
    return sent;
}

std::span<const std::byte> OutboxSender::next_frame(wire::Encoder& encoder) {
    while (true) {
        if (information_ && information_->has_states()) return next_news(encoder);
        if (batch_.batch) return next_decisions(encoder);
        OutboxItem item;
        if (!outbox_->take(item)) return next_news(encoder);
        frame_end_ = 0;
        if (auto* hello = std::get_if<HelloItem>(&item)) {
            stream_ = dataplane::Stream::control;
            hello->reply.reason = hello->reason;
            wire::HelloReplyFrame reply(hello->reply);
            reply.protocol = agreed_.protocol;
            reply.features = agreed_.features;
            return encoder.encode(reply);
        }
        stream_ = dataplane::Stream::decisions;
        if (const auto* applied = std::get_if<AppliedItem>(&item)) {
            return encoder.encode(wire::StateAppliedFrame{applied->up_to});
        }
        if (auto* decisions = std::get_if<DecisionsItem>(&item)) {
            if (times_ != nullptr) times_->add(std::chrono::steady_clock::now() - decisions->since);
            if (decisions->skip < decisions->batch->decisions.size()) {
                batch_ = std::move(*decisions);
            } else {
                return encoder.encode(wire::StateAppliedFrame{decisions->state_applied});
            }
        }
    }
}

// Only when no decision waits, but for states of pods.
std::span<const std::byte> OutboxSender::next_news(wire::Encoder& encoder) {
    if (!information_) return {};
    frame_end_ = 0;
    stream_ = dataplane::Stream::decisions;
    const std::span<const std::byte> frame = information_->next(encoder);
    news_ = !frame.empty();
    return frame;
}

std::span<const std::byte> OutboxSender::next_decisions(wire::Encoder& encoder) {
    const std::vector<Decision>& all = batch_.batch->decisions;
    const std::size_t count_max = wire::Limits{}.items_max;
    chunk_.clear();
    std::size_t bytes = 0;
    std::size_t next = batch_.skip;
    // At least one: a single decision always fits a frame, its texts being limited.
    while (next < all.size() && chunk_.size() < count_max) {
        Decision decision = all[next];
        // The text of a query is a list of names (base/lines.h): none of them may be missing.
        if (!is_query(decision.kind)) decision.text = clipped(decision.text);
        bytes += bytes_of(decision);
        if (!chunk_.empty() && bytes > frame_bytes_) break;
        chunk_.push_back(decision);
        ++next;
    }
    if (information_) information_->note(chunk_);
    const wire::DecisionsFrame frame{batch_.batch->first_sequence + batch_.skip, batch_.state_applied, chunk_};
    frame_end_ = frame.first_sequence + chunk_.size() - 1;
    stream_ = dataplane::Stream::decisions;
    const std::span<const std::byte> encoded = encoder.encode(frame);
    batch_.skip = next;
    if (next == all.size()) batch_ = DecisionsItem();  // the encoded bytes hold copies
    return encoded;
}

}  // namespace bayplan::daemon
