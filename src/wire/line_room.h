// Room for texts that are made of lists of names (base/lines.h). Texts stay where they are until clear().
//
// Thread and owner: the DecodedFrame's Storage. Bytes kept from message to message are at most twice the bytes of the
// largest message, so that decoding allocates nothing once the room has grown to the size of the traffic.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string>

namespace bayplan::wire {

class LineRoom {
public:
    // A string to append a text of this many bytes to; it has the capacity already.
    std::string& for_text(std::size_t bytes) {
        if (chunks_.empty() || chunks_.back().capacity() - chunks_.back().size() < bytes) {
            chunks_.emplace_back().reserve(std::max(bytes, kChunkMin));
        }
        return chunks_.back();
    }

    std::size_t held_bytes() const {
        std::size_t bytes = 0;
        for (const std::string& chunk : chunks_) bytes += chunk.capacity();
        return bytes;
    }

    void clear() {
        std::size_t capacity = 0;
        for (std::string& chunk : chunks_) {
            capacity += chunk.capacity();
            chunk.clear();
        }
        if (chunks_.size() > 1) {
            chunks_.clear();
            chunks_.emplace_back().reserve(capacity);
        }
    }

private:
    static constexpr std::size_t kChunkMin = 1024;

    std::deque<std::string> chunks_;
};

}  // namespace bayplan::wire
