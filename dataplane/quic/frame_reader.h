// Frames out of one QUIC stream: bytes in, whole aligned frames out.
//
// The stream is cut anywhere; the reader copies each byte once, straight into the frame that will
// be handed on. Bytes that it cannot pass on (the taker refuses a frame) are kept as a backlog,
// which flow control bounds: the caller gives the peer credit only for the bytes that `consumed`
// reports.
//
// Thread: the connection's. Owner: the connection. Memory: one frame plus the backlog; the frame's
// memory is allocated when its header is read, so a peer can cost at most frame_bytes_max per
// stream. Errors: a malformed header is final (`failed`), the connection is to be closed with
// error_text().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dataplane/frame.h"

namespace bayplan::dataplane {

inline constexpr std::size_t kFrameHeaderBytes = 8;

// Bytes that a payload takes on the stream, header and padding included.
constexpr std::size_t frame_bytes_on_stream(std::size_t payload) { return kFrameHeaderBytes + (payload + 7) / 8 * 8; }

class FrameReader {
public:
    explicit FrameReader(std::uint32_t frame_bytes_max) : frame_bytes_max_(frame_bytes_max) {}

    // Takes the next bytes of the stream. `take(Frame&) -> bool` is offered each whole frame, in
    // order; once it refuses, that frame and all bytes after it stay here. Returns the bytes
    // consumed (moved on into frames), which is what the peer may be credited.
    template <class Take>
    std::size_t feed(std::span<const std::uint8_t> bytes, Take&& take);

    // Offers what was refused again, then works the backlog off. Returns the bytes consumed.
    template <class Take>
    std::size_t resume(Take&& take);

    bool blocked() const { return blocked_; }
    bool failed() const { return !error_.empty(); }
    const std::string& error_text() const { return error_; }
    std::size_t backlog_bytes() const { return backlog_.size() - backlog_start_; }
    // Nothing begun: the stream may end here without cutting a frame.
    bool between_frames() const { return header_filled_ == 0 && !blocked_ && backlog_bytes() == 0; }

private:
    enum class Step { need_bytes, frame_ready, failed };

    // Moves bytes from the front of `bytes` into the frame in progress until it is whole.
    Step absorb(std::span<const std::uint8_t>& bytes);
    bool begin_frame();
    void finish_frame();
    void keep(std::span<const std::uint8_t> bytes);

    std::uint32_t frame_bytes_max_;
    std::array<std::uint8_t, kFrameHeaderBytes> header_{};
    std::size_t header_filled_ = 0;
    Frame frame_;
    std::size_t payload_filled_ = 0;
    std::size_t padding_left_ = 0;
    bool blocked_ = false;
    std::vector<std::uint8_t> backlog_;
    std::size_t backlog_start_ = 0;
    std::string error_;
};

template <class Take>
std::size_t FrameReader::feed(std::span<const std::uint8_t> bytes, Take&& take) {
    if (failed()) return 0;
    if (blocked_) {
        keep(bytes);
        return 0;
    }
    const std::size_t given = bytes.size();
    while (absorb(bytes) == Step::frame_ready) {
        if (!take(frame_)) {
            blocked_ = true;
            break;
        }
        finish_frame();
    }
    const std::size_t consumed = given - bytes.size();
    if (blocked_) keep(bytes);
    return consumed;
}

template <class Take>
std::size_t FrameReader::resume(Take&& take) {
    if (!blocked_ || !take(frame_)) return 0;
    blocked_ = false;
    finish_frame();
    std::vector<std::uint8_t> bytes = std::move(backlog_);
    const std::size_t start = backlog_start_;
    backlog_ = {};
    backlog_start_ = 0;
    std::span<const std::uint8_t> rest(bytes);
    rest = rest.subspan(start);
    const std::size_t given = rest.size();
    while (absorb(rest) == Step::frame_ready) {
        if (!take(frame_)) {
            blocked_ = true;
            break;
        }
        finish_frame();
    }
    if (blocked_) {
        backlog_ = std::move(bytes);
        backlog_start_ = backlog_.size() - rest.size();
    }
    return given - rest.size();
}

}  // namespace bayplan::dataplane
