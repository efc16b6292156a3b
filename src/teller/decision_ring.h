// A bounded ring of records of different lengths between exactly two threads: the engine's writes, the teller's reads.
//
//   bytes_  [record][record][record]........[record][skip]     power of two, index = position & mask_
//   tail_   position of the next write                         written by the engine
//   head_   position of the next read                          written by the teller, after the record has been told
//
// A record lies in one piece: where one does not fit before the end of the ring, a skip fills that up. A record that
// would take more than a quarter of the ring has its texts in memory of its own.
//
// Memory order as in base/spsc_ring.h: a release store of each position publishes what lies before it, and pairs with
// the other side's acquire load, which happens only when its copy of the position says "no".
//
// Thread: write, all_read: the engine; read: the teller. Full: write takes nothing and says so.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "teller/record.h"

namespace bayplan {

class DecisionRing {
public:
    // Rounded up to a power of two, at least kBytesMin.
    explicit DecisionRing(std::size_t bytes_min);
    ~DecisionRing();
    DecisionRing(const DecisionRing&) = delete;
    DecisionRing& operator=(const DecisionRing&) = delete;

    std::size_t capacity() const { return capacity_; }

    // Copies head and texts. False: there is no room now.
    bool write(RecordHead head, const RecordTexts& texts);
    // Whether everything written has been told.
    bool all_read() const { return head_.load(std::memory_order_acquire) == tail_.load(std::memory_order_relaxed); }
    // Ever written, in bytes of the ring.
    std::uint64_t bytes_written() const { return tail_.load(std::memory_order_relaxed); }

    // Tells at most so many of the oldest records; returns how many.
    template <typename Tell>
    std::size_t read(std::size_t records_max, Tell&& tell) {
        std::size_t count = 0;
        while (count < records_max) {
            const std::size_t head = head_.load(std::memory_order_relaxed);
            if (head == tail_seen_ && head == (tail_seen_ = tail_.load(std::memory_order_acquire))) {
                break;
            }
            const std::byte* const at = bytes_.get() + (head & mask_);
            Prefix prefix;
            std::memcpy(&prefix, at, sizeof prefix);
            if (prefix.kind != RecordKind::skip) {
                Record record;
                const std::unique_ptr<char[]> far = view(at, record);
                tell(record);
                ++count;
            }
            head_.store(head + prefix.bytes, std::memory_order_release);
        }
        return count;
    }

    static constexpr std::size_t kBytesMin = 1024;

private:
    static constexpr std::size_t kAlign = 8;
    // All of a skip: there may be room for no more than this.
    struct Prefix {
        std::uint32_t bytes = 0;
        RecordKind kind = RecordKind::skip;
        std::uint8_t unused[3] = {};
    };
    static_assert(sizeof(Prefix) == kAlign);

    std::byte* reserve(std::size_t bytes);
    bool write_far(RecordHead head, const RecordTexts& texts, std::size_t text_bytes);
    // The record that lies there; returns the memory of its texts if that is not the ring's.
    static std::unique_ptr<char[]> view(const std::byte* at, Record& record);

    const std::size_t capacity_;
    const std::size_t mask_;
    const std::unique_ptr<std::byte[]> bytes_;
    // Each side's own position beside its copy of the other's, on a cache line nobody else writes.
    alignas(64) std::atomic<std::size_t> tail_{0};
    std::size_t head_seen_ = 0;
    alignas(64) std::atomic<std::size_t> head_{0};
    std::size_t tail_seen_ = 0;
};

}  // namespace bayplan
