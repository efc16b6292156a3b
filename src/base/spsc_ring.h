// A bounded ring between exactly two threads: one pushes, the other pops.
//
//   slots_   [0] [1] [2] ... [capacity - 1]     power of two, index = position & mask_
//   tail_    position of the next push           written by the producer
//   head_    position of the next pop            written by the consumer
//
// Positions only grow, so full is tail - head == capacity and empty is tail == head. Each side
// keeps a copy of the other side's position and reads the shared one only when the copy says "no":
// in steady state a push and a pop touch one shared cache line per batch, not per item.
//
// Memory order: the producer's release store of tail_ publishes the slots before it, and pairs with
// the consumer's acquire load; the consumer's release store of head_ hands moved-from slots back,
// and pairs with the producer's acquire load. Nothing else is shared.
//
// Thread: push*, room: the producer; pop*, empty: the consumer; size_estimate: any.
// Full: push takes nothing and says so; the caller pushes back on its own source. T must be
// default-constructible and movable; a popped slot keeps a moved-from T until it is used again.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace bayplan {

inline constexpr std::size_t kCacheLineBytes = 64;

template <class T>
class SpscRing {
public:
    // Rounded up to a power of two, at least 1.
    explicit SpscRing(std::size_t capacity_min)
        : capacity_(std::bit_ceil(std::max<std::size_t>(capacity_min, 1))),
          mask_(capacity_ - 1),
          slots_(std::make_unique<T[]>(capacity_)) {}
    SpscRing(const SpscRing&) = delete;
    SpscRing& operator=(const SpscRing&) = delete;

    std::size_t capacity() const { return capacity_; }

    // Takes the value and returns true, or leaves it untouched and returns false.
    bool push(T&& value) { return push_batch(std::span<T>(&value, 1)) == 1; }

    // Takes as many leading values as there is room for; returns how many. The others are
    // untouched.
    std::size_t push_batch(std::span<T> values) {
        const std::size_t tail = tail_.load(std::memory_order_relaxed);
        const std::size_t count = std::min(values.size(), room_for(tail, values.size()));
        for (std::size_t i = 0; i < count; ++i) slots_[(tail + i) & mask_] = std::move(values[i]);
        if (count > 0) tail_.store(tail + count, std::memory_order_release);
        return count;
    }

    // Free slots. Exact for the producer as a lower bound: the consumer can only make more.
    std::size_t room() { return room_for(tail_.load(std::memory_order_relaxed), capacity_); }

    bool pop(T& out) { return pop_batch(std::span<T>(&out, 1)) == 1; }

    // Moves the oldest values into the front of `out`; returns how many.
    std::size_t pop_batch(std::span<T> out) {
        const std::size_t head = head_.load(std::memory_order_relaxed);
        const std::size_t count = std::min(out.size(), filled_from(head, out.size()));
        for (std::size_t i = 0; i < count; ++i) out[i] = std::move(slots_[(head + i) & mask_]);
        if (count > 0) head_.store(head + count, std::memory_order_release);
        return count;
    }

    bool empty() { return filled_from(head_.load(std::memory_order_relaxed), 1) == 0; }

    // For reports: what lay in the ring a moment ago.
    std::size_t size_estimate() const {
        const std::size_t head = head_.load(std::memory_order_acquire);
        const std::size_t tail = tail_.load(std::memory_order_acquire);
        return std::min(tail - head, capacity_);
    }

private:
    std::size_t room_for(std::size_t tail, std::size_t wanted) {
        if (capacity_ - (tail - head_seen_) < wanted) head_seen_ = head_.load(std::memory_order_acquire);
        return capacity_ - (tail - head_seen_);
    }

    std::size_t filled_from(std::size_t head, std::size_t wanted) {
        if (tail_seen_ - head < wanted) tail_seen_ = tail_.load(std::memory_order_acquire);
        return tail_seen_ - head;
    }

    const std::size_t capacity_;
    const std::size_t mask_;
    const std::unique_ptr<T[]> slots_;
    // Each side's own position beside its copy of the other's, on a cache line nobody else writes.
    alignas(kCacheLineBytes) std::atomic<std::size_t> tail_{0};
    std::size_t head_seen_ = 0;
    alignas(kCacheLineBytes) std::atomic<std::size_t> head_{0};
    std::size_t tail_seen_ = 0;
};

}  // namespace bayplan
