// One message of a stream as the rest of the program sees it: owned, contiguous, 8-byte aligned
// bytes.
//
// Layout on the wire (little endian): u32 length of the payload, u32 reserved (0), payload, zero
// padding to a multiple of 8. A Frame holds the payload alone.
//
// Thread: its owner's; it may be moved to an owner on another thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace bayplan::dataplane {

class Frame {
public:
    static constexpr std::size_t kAlignment = 8;

    Frame() = default;
    explicit Frame(std::size_t size)
        : words_(size == 0 ? nullptr : std::make_unique_for_overwrite<std::uint64_t[]>((size + 7) / 8)), size_(size) {}
    // A frame that was moved from is empty, not a size without bytes.
    Frame(Frame&& other) noexcept : words_(std::move(other.words_)), size_(std::exchange(other.size_, 0)) {}
    Frame& operator=(Frame&& other) noexcept {
        words_ = std::move(other.words_);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }

    std::size_t size() const { return size_; }
    std::byte* data() { return reinterpret_cast<std::byte*>(words_.get()); }
    const std::byte* data() const { return reinterpret_cast<const std::byte*>(words_.get()); }
    std::span<std::byte> bytes() { return {data(), size_}; }
    std::span<const std::byte> bytes() const { return {data(), size_}; }

private:
    std::unique_ptr<std::uint64_t[]> words_;  // 8-aligned with any allocator
    std::size_t size_ = 0;
};

}  // namespace bayplan::dataplane
