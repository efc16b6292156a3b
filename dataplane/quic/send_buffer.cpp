// See send_buffer.h.
#include "quic/send_buffer.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "quic/frame_reader.h"

namespace bayplan::dataplane {

bool SendBuffer::append_frame(std::span<const std::byte> payload) {
    const std::size_t total = frame_bytes_on_stream(payload.size());
    if (buffered_bytes() + total > limit_) return false;
    const std::uint32_t header[2] = {static_cast<std::uint32_t>(payload.size()), 0};
    append(header, sizeof header);
    append(payload.data(), payload.size());
    append_zeros(total - sizeof header - payload.size());
    return true;
}

std::span<std::uint8_t> SendBuffer::writable() {
    const std::uint64_t in_chunks = end_ - first_;
    if (in_chunks == chunks_.size() * kChunkBytes) {
        chunks_.push_back(spare_ ? std::move(spare_) : std::make_unique_for_overwrite<std::uint8_t[]>(kChunkBytes));
    }
    const std::size_t used = static_cast<std::size_t>(in_chunks % kChunkBytes);
    return {chunks_.back().get() + used, kChunkBytes - used};
}

void SendBuffer::append(const void* bytes, std::size_t size) {
    const auto* from = static_cast<const std::uint8_t*>(bytes);
    while (size > 0) {
        const auto room = writable();
        const std::size_t n = std::min(size, room.size());
        std::memcpy(room.data(), from, n);
        from += n;
        size -= n;
        end_ += n;
    }
}

void SendBuffer::append_zeros(std::size_t size) {
    static constexpr std::uint8_t kZeros[8] = {};
    append(kZeros, size);
}

std::size_t SendBuffer::unsent(std::array<Piece, 2>& pieces, std::size_t bytes_max) const {
    std::uint64_t from = sent_;
    std::uint64_t left = std::min<std::uint64_t>(end_ - sent_, bytes_max);
    std::size_t count = 0;
    while (left > 0 && count < pieces.size()) {
        const auto index = static_cast<std::size_t>((from - first_) / kChunkBytes);
        const auto used = static_cast<std::size_t>((from - first_) % kChunkBytes);
        BP_CHECK_OP(index, <, chunks_.size());
        const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(left, kChunkBytes - used));
        pieces[count++] = {chunks_[index].get() + used, n};
        from += n;
        left -= n;
    }
    return count;
}

void SendBuffer::mark_sent(std::size_t bytes) {
    BP_CHECK_OP(bytes, <=, unsent_bytes());
    sent_ += bytes;
}

// Freed bytes are never sent again: an acknowledgement of bytes that were not sent would lose them.
void SendBuffer::acknowledge(std::size_t bytes) {
    BP_CHECK_OP(bytes, <=, sent_ - acked_);
    acked_ += bytes;
    while (!chunks_.empty() && acked_ - first_ >= kChunkBytes) {
        spare_ = std::move(chunks_.front());
        chunks_.pop_front();
        first_ += kChunkBytes;
    }
}

}  // namespace bayplan::dataplane
