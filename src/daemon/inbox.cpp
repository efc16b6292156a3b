// Accounting of the inbox's bytes. Out of line: per message it costs nothing, and g++ 12 warns of
// uninitialized alternatives where it sees a variant being moved and destroyed in one place.
//
// Thread: see the header.
#include "daemon/inbox.h"

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
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
    if (ring_.push(std::move(item))) return true;
    bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
}

void Inbox::done(InboxItem& item) {
    bytes_.fetch_sub(bytes_of(item), std::memory_order_relaxed);
    auto* frame = std::get_if<FrameItem>(&item);
    if (frame != nullptr && frame->decoded->decoded_bytes() <= kSpareBytesMax) spare_.push(std::move(frame->decoded));
    item = std::monostate();
}

}  // namespace bayplan::daemon
