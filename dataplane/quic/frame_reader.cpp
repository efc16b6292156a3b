// The byte-moving half of FrameReader; see the header for who runs it and what it owns.
#include "quic/frame_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"

namespace bayplan::dataplane {

static_assert(std::endian::native == std::endian::little, "frame headers are read as they lie");

bool FrameReader::begin_frame() {
    BP_CHECK_OP(header_filled_, ==, kFrameHeaderBytes);
    std::uint32_t length = 0;
    std::uint32_t reserved = 0;
    std::memcpy(&length, header_.data(), 4);
    std::memcpy(&reserved, header_.data() + 4, 4);
    if (length > frame_bytes_max_) {
        error_ =
            "frame of " + std::to_string(length) + " bytes exceeds the limit of " + std::to_string(frame_bytes_max_);
        return false;
    }
    if (reserved != 0) {
        error_ = "frame header has a non-zero reserved field";
        return false;
    }
    frame_ = Frame(length);
    payload_filled_ = 0;
    padding_left_ = frame_bytes_on_stream(length) - kFrameHeaderBytes - length;
    return true;
}

FrameReader::Step FrameReader::absorb(std::span<const std::uint8_t>& bytes) {
    if (failed()) return Step::failed;
    if (header_filled_ < kFrameHeaderBytes) {
        const std::size_t n = std::min(kFrameHeaderBytes - header_filled_, bytes.size());
        std::copy_n(bytes.data(), n, header_.data() + header_filled_);
        header_filled_ += n;
        bytes = bytes.subspan(n);
        if (header_filled_ < kFrameHeaderBytes) return Step::need_bytes;
        if (!begin_frame()) return Step::failed;
    }
    if (payload_filled_ < frame_.size()) {
        const std::size_t n = std::min(frame_.size() - payload_filled_, bytes.size());
        if (n != 0) std::memcpy(frame_.data() + payload_filled_, bytes.data(), n);
        payload_filled_ += n;
        bytes = bytes.subspan(n);
        if (payload_filled_ < frame_.size()) return Step::need_bytes;
    }
    while (padding_left_ > 0 && !bytes.empty()) {
        // Insisting on zeros keeps the encoding of a message unique.
        if (bytes.front() != 0) {
            error_ = "frame padding is not zero";
            return Step::failed;
        }
        --padding_left_;
        bytes = bytes.subspan(1);
    }
    return padding_left_ == 0 ? Step::frame_ready : Step::need_bytes;
}

void FrameReader::finish_frame() {
    BP_CHECK(padding_left_ == 0 && (failed() || header_filled_ == kFrameHeaderBytes));
    frame_ = Frame();
    header_filled_ = 0;
    payload_filled_ = 0;
}

void FrameReader::keep(std::span<const std::uint8_t> bytes) {
    BP_CHECK_OP(backlog_start_, <=, backlog_.size());
    // Drop what was worked off once it is the larger part: the vector stays under twice the
    // backlog.
    if (backlog_start_ > 0 && backlog_start_ >= backlog_bytes()) {
        backlog_.erase(backlog_.begin(), backlog_.begin() + static_cast<std::ptrdiff_t>(backlog_start_));
        backlog_start_ = 0;
    }
    backlog_.insert(backlog_.end(), bytes.begin(), bytes.end());
}

}  // namespace bayplan::dataplane
