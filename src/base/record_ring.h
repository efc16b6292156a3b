// A bounded ring of records of different lengths between exactly two threads: one writes, the other reads. A record is a
// head of fixed size, then the bytes of its texts: copies, because the writer's tables may change at once.
//
//   bytes_  [record][record][record]........[record][skip]     power of two, index = position & mask_
//   tail_   position of the next write                         written by the writer
//   head_   position of the next read                          written by the reader, after the record has been told
//
// A record lies in one piece: where one does not fit before the end of the ring, a skip fills that up. A record that
// would take more than a quarter of the ring has its texts in memory of its own.
//
// Memory order as in base/spsc_ring.h: a release store of each position publishes what lies before it, and pairs with
// the other side's acquire load, which happens only when its copy of the position says "no".
//
// Thread: write, all_read, bytes_*, far_written: the writer; read: the reader. Full: write takes nothing and says so.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <type_traits>

namespace bayplan {

// Head: plain data that begins with `std::uint32_t bytes`, a one-byte `kind` (0 is the ring's own, a skip), and has an array
// `lengths` of as many numbers as a record has texts. The ring fills in `bytes` and `lengths`.
template <typename Head>
class RecordRing {
public:
    using Kind = decltype(Head::kind);
    static constexpr std::size_t kTexts = std::tuple_size_v<decltype(Head::lengths)>;
    using Texts = std::array<std::string_view, kTexts>;
    static_assert(sizeof(Head) % 8 == 0 && sizeof(Kind) == 1 && std::is_trivially_copyable_v<Head>);
    static_assert(offsetof(Head, bytes) == 0 && offsetof(Head, kind) == 4);

    // As it is read: the texts lie in the ring, and are gone after the call.
    struct Record {
        Head head;
        Texts texts;
    };

    // Rounded up to a power of two, at least kBytesMin. All of it is written now: who writes records later waits for no page.
    explicit RecordRing(std::size_t bytes_min)
        : capacity_(std::bit_ceil(std::max(bytes_min, kBytesMin))),
          mask_(capacity_ - 1),
          bytes_(std::make_unique<std::byte[]>(capacity_)) {}
    // Frees the records never read that have memory of their own.
    ~RecordRing() {
        read(SIZE_MAX, [](const Record&) {});
    }
    RecordRing(const RecordRing&) = delete;
    RecordRing& operator=(const RecordRing&) = delete;

    std::size_t capacity() const { return capacity_; }

    // Copies head and texts. False: there is no room now.
    bool write(Head head, const Texts& texts);
    // The same without texts: `lengths` of the head must be zeros.
    bool write(const Head& head);
    // Whether everything written has been read.
    bool all_read() const { return head_.load(std::memory_order_acquire) == tail_.load(std::memory_order_relaxed); }
    // Ever written, in bytes of the ring.
    std::uint64_t bytes_written() const { return tail_.load(std::memory_order_relaxed); }
    // Records ever written whose texts have memory of their own.
    std::uint64_t far_written() const { return far_written_; }
    // Written and not read yet.
    std::size_t bytes_waiting() const {
        return tail_.load(std::memory_order_relaxed) - head_.load(std::memory_order_acquire);
    }

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
            if (prefix.kind != kSkip) {
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
    static constexpr Kind kSkip = Kind{0};
    static constexpr std::size_t kAlign = 8;
    // A bit of the first length: the texts are not in the ring, but a pointer to them is.
    static constexpr std::uint32_t kFar = 0x8000'0000u;
    static constexpr std::size_t kLine = 64;
    static constexpr std::size_t kAhead = 4 * kLine;
    // All of a skip: there may be room for no more than this.
    struct Prefix {
        std::uint32_t bytes = 0;
        Kind kind = kSkip;
        std::uint8_t unused[3] = {};
    };
    static_assert(sizeof(Prefix) == kAlign);

    static std::byte* put(std::byte* at, const void* from, std::size_t bytes) {
        std::memcpy(at, from, bytes);
        return at + bytes;
    }
    template <typename To>
    static void put_texts(To* at, const Texts& texts) {
        for (const std::string_view text : texts) {
            if (!text.empty()) {
                std::memcpy(at, text.data(), text.size());
                at += text.size();
            }
        }
    }

    std::byte* reserve(std::size_t bytes);
    void publish(std::size_t bytes) {
        const std::size_t tail = tail_.load(std::memory_order_relaxed) + bytes;
        tail_.store(tail, std::memory_order_release);
        // The reader's cache has the lines that come: they are on their way by the time they are written.
        __builtin_prefetch(bytes_.get() + ((tail + kAhead) & mask_), 1);
        __builtin_prefetch(bytes_.get() + ((tail + kAhead + kLine) & mask_), 1);
    }
    bool write_far(Head head, const Texts& texts, std::size_t text_bytes);
    // The record that lies there; returns the memory of its texts if that is not the ring's.
    static std::unique_ptr<char[]> view(const std::byte* at, Record& record);

    const std::size_t capacity_;
    const std::size_t mask_;
    const std::unique_ptr<std::byte[]> bytes_;
    // Each side's own position beside its copy of the other's, on a cache line nobody else writes.
    alignas(64) std::atomic<std::size_t> tail_{0};
    std::size_t head_seen_ = 0;
    std::uint64_t far_written_ = 0;
    alignas(64) std::atomic<std::size_t> head_{0};
    std::size_t tail_seen_ = 0;
};

template <typename Head>
std::byte* RecordRing<Head>::reserve(std::size_t bytes) {
    std::size_t tail = tail_.load(std::memory_order_relaxed);
    const std::size_t to_end = capacity_ - (tail & mask_);
    const std::size_t wanted = bytes <= to_end ? bytes : to_end + bytes;
    if (capacity_ - (tail - head_seen_) < wanted) {
        head_seen_ = head_.load(std::memory_order_acquire);
        if (capacity_ - (tail - head_seen_) < wanted) {
            return nullptr;
        }
    }
    if (bytes > to_end) {
        const Prefix skip{.bytes = static_cast<std::uint32_t>(to_end)};
        std::memcpy(bytes_.get() + (tail & mask_), &skip, sizeof skip);
        tail += to_end;
        tail_.store(tail, std::memory_order_release);
    }
    return bytes_.get() + (tail & mask_);
}

template <typename Head>
bool RecordRing<Head>::write(Head head, const Texts& texts) {
    std::size_t text_bytes = 0;
    for (std::size_t i = 0; i < kTexts; ++i) {
        head.lengths[i] = static_cast<std::uint32_t>(texts[i].size());
        text_bytes += texts[i].size();
    }
    const std::size_t bytes = (sizeof head + text_bytes + kAlign - 1) & ~(kAlign - 1);
    if (bytes > capacity_ / 4) [[unlikely]] {
        return write_far(head, texts, text_bytes);
    }
    std::byte* const at = reserve(bytes);
    if (at == nullptr) {
        return false;
    }
    head.bytes = static_cast<std::uint32_t>(bytes);
    put_texts(put(at, &head, sizeof head), texts);
    publish(bytes);
    return true;
}

template <typename Head>
bool RecordRing<Head>::write(const Head& head) {
    std::byte* const at = reserve(sizeof head);
    if (at == nullptr) {
        return false;
    }
    constexpr std::uint32_t kBytes = sizeof(Head);
    std::memcpy(at, &head, sizeof head);
    std::memcpy(at, &kBytes, sizeof kBytes);
    publish(sizeof head);
    return true;
}

template <typename Head>
bool RecordRing<Head>::write_far(Head head, const Texts& texts, std::size_t text_bytes) {
    constexpr std::size_t kBytes = sizeof(Head) + sizeof(char*);
    std::byte* const at = reserve(kBytes);
    if (at == nullptr) {
        return false;
    }
    char* const far = new char[text_bytes];
    put_texts(far, texts);
    ++far_written_;
    head.bytes = kBytes;
    head.lengths[0] |= kFar;
    put(put(at, &head, sizeof head), &far, sizeof far);
    tail_.store(tail_.load(std::memory_order_relaxed) + kBytes, std::memory_order_release);
    return true;
}

template <typename Head>
std::unique_ptr<char[]> RecordRing<Head>::view(const std::byte* at, Record& record) {
    std::memcpy(&record.head, at, sizeof record.head);
    const char* text = reinterpret_cast<const char*>(at + sizeof record.head);
    std::unique_ptr<char[]> far;
    if ((record.head.lengths[0] & kFar) != 0) {
        char* memory = nullptr;
        std::memcpy(&memory, text, sizeof memory);
        far.reset(memory);
        text = memory;
        record.head.lengths[0] &= ~kFar;
    }
    for (std::size_t i = 0; i < kTexts; ++i) {
        record.texts[i] = {text, record.head.lengths[i]};
        text += record.head.lengths[i];
    }
    return far;
}

}  // namespace bayplan
