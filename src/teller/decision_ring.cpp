// How records are put into the ring; see decision_ring.h.

#include "teller/decision_ring.h"

#include <algorithm>
#include <bit>

namespace bayplan {

namespace {

// A bit of the first length: the texts are not in the ring, but a pointer to them is.
constexpr std::uint32_t kFar = 0x8000'0000u;
constexpr std::size_t kLine = 64;
constexpr std::size_t kAhead = 4 * kLine;

std::byte* put(std::byte* at, const void* from, std::size_t bytes) {
    std::memcpy(at, from, bytes);
    return at + bytes;
}

template <typename To>
To* put_texts(To* at, const RecordTexts& texts) {
    for (const std::string_view text : texts) {
        if (!text.empty()) {
            std::memcpy(at, text.data(), text.size());
            at += text.size();
        }
    }
    return at;
}

}  // namespace

DecisionRing::DecisionRing(std::size_t bytes_min)
    : capacity_(std::bit_ceil(std::max(bytes_min, kBytesMin))),
      mask_(capacity_ - 1),
      bytes_(std::make_unique_for_overwrite<std::byte[]>(capacity_)) {}

DecisionRing::~DecisionRing() {
    read(SIZE_MAX, [](const Record&) {});  // frees the records never told that have memory of their own
}

std::byte* DecisionRing::reserve(std::size_t bytes) {
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

bool DecisionRing::write(RecordHead head, const RecordTexts& texts) {
    std::size_t text_bytes = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
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
    const std::size_t tail = tail_.load(std::memory_order_relaxed) + bytes;
    tail_.store(tail, std::memory_order_release);
    // The reader's cache has the lines that come: they are on their way by the time they are written.
    __builtin_prefetch(bytes_.get() + ((tail + kAhead) & mask_), 1);
    __builtin_prefetch(bytes_.get() + ((tail + kAhead + kLine) & mask_), 1);
    return true;
}

bool DecisionRing::write_far(RecordHead head, const RecordTexts& texts, std::size_t text_bytes) {
    constexpr std::size_t kBytes = sizeof(RecordHead) + sizeof(char*);
    std::byte* const at = reserve(kBytes);
    if (at == nullptr) {
        return false;
    }
    char* const far = new char[text_bytes];
    put_texts(far, texts);
    head.bytes = kBytes;
    head.lengths[0] |= kFar;
    put(put(at, &head, sizeof head), &far, sizeof far);
    tail_.store(tail_.load(std::memory_order_relaxed) + kBytes, std::memory_order_release);
    return true;
}

std::unique_ptr<char[]> DecisionRing::view(const std::byte* at, Record& record) {
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
    for (std::size_t i = 0; i < record.texts.size(); ++i) {
        record.texts[i] = {text, record.head.lengths[i]};
        text += record.head.lengths[i];
    }
    return far;
}

}  // namespace bayplan
