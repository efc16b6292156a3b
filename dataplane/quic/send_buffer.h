// The bytes that one stream has to send: frames appended at the end, sent from the middle, freed at
// the front when QUIC reports them acknowledged. It is the retransmission store as well: ngtcp2
// keeps pointers into it until the acknowledgement, so bytes never move.
//
//   | acknowledged (freed) | sent, in flight | unsent |
//                          ^ acked_          ^ sent_  ^ end_      (stream offsets)
//
// Layout: a queue of fixed chunks instead of one big ring, so that an idle connection costs nothing
// and a busy one only what is in flight. Frames run across chunk borders.
//
// Thread: the connection's. Owner: the connection. Limit: `limit` bytes of unacknowledged data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>

namespace bayplan::dataplane {

class SendBuffer {
public:
    static constexpr std::size_t kChunkBytes = 64 * 1024;
    using Piece = std::span<const std::uint8_t>;

    explicit SendBuffer(std::size_t limit) : limit_(limit) {}

    // Appends one frame (header, payload, padding). False: no room now, nothing was appended.
    bool append_frame(std::span<const std::byte> payload);

    // The next unsent bytes, at most `bytes_max`, as at most two pieces; returns how many pieces.
    // Any packet is smaller than a chunk, so two always suffice.
    std::size_t unsent(std::array<Piece, 2>& pieces, std::size_t bytes_max) const;
    void mark_sent(std::size_t bytes);
    void acknowledge(std::size_t bytes);

    std::uint64_t unsent_bytes() const { return end_ - sent_; }
    std::uint64_t buffered_bytes() const { return end_ - acked_; }

private:
    using Chunk = std::unique_ptr<std::uint8_t[]>;

    void append(const void* bytes, std::size_t size);
    void append_zeros(std::size_t size);
    std::span<std::uint8_t> writable();

    std::size_t limit_;
    std::deque<Chunk> chunks_;
    Chunk spare_;              // one, so that a steady stream does not allocate
    std::uint64_t first_ = 0;  // stream offset of chunks_.front(), a multiple of kChunkBytes
    std::uint64_t acked_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t end_ = 0;
};

}  // namespace bayplan::dataplane
