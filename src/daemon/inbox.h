// From one lcore to one engine: what shims sent, verified and decoded, in order.
//
// Bounded twice, by messages and by bytes, because a message is between a few bytes and a megabyte, and may be more when
// it is read: both count.
// When it is full the gateway stops reading the streams that feed it; nothing is dropped.
//
// Thread: has_room, push, spare: the lcore; take, done: the engine thread; depth, bytes: any.
// Owner: items belong to the side that holds them. Decoded arrays go back in a ring of their own
// and are used again, so that messages do not allocate once they have grown.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "base/spsc_ring.h"
#include "base/waker.h"
#include "bayplan/messages.h"
#include "dataplane/frame.h"
#include "wire/codec.h"

namespace bayplan::daemon {

class Outbox;

// A hello that the gateway has accepted.
struct ConnectItem {
    ConnectionId connection = 0;
    std::string shim;
    std::uint64_t shim_instance = 0;
    std::uint64_t daemon_instance = 0;
    std::uint64_t decisions_received = 0;
    std::string plugins;             // that the shim serves, each ended by LF
    bool gives_claims_back = false;  // features of its hello
    bool judges_victims = false;
    std::shared_ptr<Outbox> outbox;  // the way back
    std::size_t lcore = 0;           // the lcore to wake for it
};
struct DisconnectItem {
    ConnectionId connection = 0;
};
// The part of an inbox that one connection has filled.
struct InboxShare {
    std::atomic<std::size_t> frames{0};
    std::atomic<std::size_t> bytes{0};
};
// A state message or an acknowledgement. The records in `decoded` point into `frame`.
struct FrameItem {
    ConnectionId connection = 0;
    dataplane::Frame frame;
    std::unique_ptr<wire::DecodedFrame> decoded;
    std::chrono::steady_clock::time_point since{};  // when it was handed over
    std::shared_ptr<InboxShare> share = {};         // of its connection; may be null
};
using InboxItem = std::variant<std::monostate, ConnectItem, DisconnectItem, FrameItem>;

class Inbox {
public:
    // `shared`: the waker of an engine that has several inboxes; it outlives them.
    Inbox(std::size_t frames_max, std::size_t bytes_max, Waker* shared = nullptr)
        : waker(shared != nullptr ? *shared : own_waker_),
          ring_(frames_max),
          spare_(kSpareMax),
          frames_max_(frames_max),
          bytes_max_(bytes_max) {}

    // For what is no frame.
    bool has_room() { return ring_.room() > 0; }
    // For a frame of a connection that has filled `share` so far: half of what others leave, but one frame at least, so that
    // no shim fills it alone.
    bool has_room(std::size_t bytes, const InboxShare& share) {
        return has_room() && may_have(1, share.frames, frames_, frames_max_) &&
               may_have(bytes, share.bytes, bytes_, bytes_max_);
    }
    // Without notifying: the gateway does so once per turn.
    bool push(InboxItem&& item);
    // Arrays to decode into: used ones if there are any.
    std::unique_ptr<wire::DecodedFrame> spare() {
        std::unique_ptr<wire::DecodedFrame> decoded;
        if (!spare_.pop(decoded)) return std::make_unique<wire::DecodedFrame>();
        spare_bytes_.fetch_sub(decoded->held_bytes(), std::memory_order_relaxed);
        return decoded;
    }

    std::size_t take(std::span<InboxItem> out) { return ring_.pop_batch(out); }
    bool empty() { return ring_.empty(); }
    // The item that was taken has been applied: its bytes no longer count.
    void done(InboxItem& item);

    std::size_t waiting() const { return ring_.size_estimate(); }  // not taken yet
    // Of frames, hellos and ends that are not done yet.
    std::size_t depth() const { return frames_.load(std::memory_order_relaxed); }
    std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
    std::size_t spare_bytes() const { return spare_bytes_.load(std::memory_order_relaxed); }

    Waker& waker;  // of the engine thread

private:
    static bool may_have(std::size_t more, const std::atomic<std::size_t>& own_now,
                         const std::atomic<std::size_t>& all_now, std::size_t max) {
        const std::size_t own = own_now.load(std::memory_order_relaxed);
        const std::size_t all = std::max(all_now.load(std::memory_order_relaxed), own);
        return all + more <= max && (own == 0 || own + more <= (max - (all - own)) / 2);
    }

    void keep(std::unique_ptr<wire::DecodedFrame>);
    void count(std::size_t items, std::size_t bytes, InboxShare*);

    Waker own_waker_;
    // Few, and of few bytes together: each keeps the sizes of the largest lists that it has held.
    static constexpr std::size_t kSpareMax = 16;
    static constexpr std::size_t kSpareBytesMax = 8u << 20;

    SpscRing<InboxItem> ring_;
    SpscRing<std::unique_ptr<wire::DecodedFrame>> spare_;
    const std::size_t frames_max_;
    const std::size_t bytes_max_;
    std::atomic<std::size_t> frames_{0};
    std::atomic<std::size_t> bytes_{0};
    std::atomic<std::size_t> spare_bytes_{0};
};

}  // namespace bayplan::daemon
