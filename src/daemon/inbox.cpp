// Accounting of the inbox's bytes. Out of line: per message it costs nothing, and g++ 12 warns of
// uninitialized alternatives where it sees a variant being moved and destroyed in one place.
//
// Thread: see the header.
#include "daemon/inbox.h"

#include "base/check.h"
#include "daemon/outbox.h"

namespace bayplan::daemon {
namespace {

std::size_t bytes_of(const InboxItem& item) {
    const auto* frame = std::get_if<FrameItem>(&item);
    return frame == nullptr ? 0 : frame->frame.size() + frame->decoded->decoded_bytes();
}

}  // namespace

bool Inbox::push(InboxItem&& item) {
    // Added first: the other side may take the item, and subtract, before this returns.
    const std::size_t bytes = bytes_of(item);
    const auto* frame = std::get_if<FrameItem>(&item);
    const std::shared_ptr<InboxShare> share = frame != nullptr ? frame->share : nullptr;
    count(1, bytes, share.get());
    if (ring_.push(std::move(item))) return true;
    count(std::size_t{0} - 1, std::size_t{0} - bytes, share.get());
    return false;
}

void Inbox::done(InboxItem& item) {
    BP_CHECK(!std::holds_alternative<std::monostate>(item));  // the count would wrap, and no frame find room
    auto* frame = std::get_if<FrameItem>(&item);
    count(std::size_t{0} - 1, std::size_t{0} - bytes_of(item), frame != nullptr ? frame->share.get() : nullptr);
    if (frame != nullptr) keep(std::move(frame->decoded));
    item = std::monostate();
}

// Counted first: the other side may take it before this returns.
void Inbox::keep(std::unique_ptr<wire::DecodedFrame> spare) {
    const std::size_t bytes = spare->held_bytes();
    if (spare_bytes() + bytes > kSpareBytesMax) return;
    spare_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    if (!spare_.push(std::move(spare))) spare_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
}

// Sums wrap, so that to subtract is to add.
void Inbox::count(std::size_t items, std::size_t bytes, InboxShare* share) {
    frames_.fetch_add(items, std::memory_order_relaxed);
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
    if (share == nullptr) return;
    share->frames.fetch_add(items, std::memory_order_relaxed);
    share->bytes.fetch_add(bytes, std::memory_order_relaxed);
}

}  // namespace bayplan::daemon
