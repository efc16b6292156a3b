// How long something took, counted so finely that a quantile is right to a thirty-second, over all durations from a
// nanosecond to a quarter of an hour.
//
//   below 64 ns: a bucket each; above: 32 buckets between each power of two and the next
//
// Thread: add: one, its owner; everything else: any. Counts are atomic but for one writer, who needs no locked instruction;
// what a reader sees of a moment may lack its newest values.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace bayplan::instruments {

class LatencyHistogram {
public:
    // Longer ones count as this long.
    static constexpr std::uint64_t kMaxNs = (std::uint64_t{1} << 40) - 1;

    void add(std::chrono::nanoseconds took) {
        const auto ns =
            std::min<std::uint64_t>(took.count() > 0 ? static_cast<std::uint64_t>(took.count()) : 0, kMaxNs);
        increase(counts_[bucket_of(ns)], 1);
        increase(sum_ns_, ns);
        if (ns > max_ns_.load(std::memory_order_relaxed)) max_ns_.store(ns, std::memory_order_relaxed);
    }

    std::uint64_t count() const {
        std::uint64_t sum = 0;
        for (const auto& each : counts_) sum += each.load(std::memory_order_relaxed);
        return sum;
    }
    std::uint64_t sum_ns() const { return sum_ns_.load(std::memory_order_relaxed); }
    std::uint64_t max_ns() const { return max_ns_.load(std::memory_order_relaxed); }

    // The least duration that is not shorter than this share (0 to 1) of them: the end of its bucket, and never more than
    // the longest. 0: there are none.
    std::uint64_t quantile_ns(double share) const {
        const std::uint64_t all = count();
        const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(all) + 0.999999);
        std::uint64_t seen = 0;
        for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
            seen += counts_[bucket].load(std::memory_order_relaxed);
            if (seen > 0 && seen >= wanted) return std::min(last_of(bucket), max_ns());
        }
        return max_ns();
    }

    // Visible for tests: every duration is in one bucket, and buckets follow each other without a gap.
    static constexpr std::size_t bucket_of(std::uint64_t ns) {
        if (ns < 2 * kFine) return static_cast<std::size_t>(ns);
        const auto power = static_cast<std::size_t>(std::bit_width(ns) - std::bit_width(kFine));
        return power * kFine + static_cast<std::size_t>(ns >> power);
    }
    static constexpr std::uint64_t last_of(std::size_t bucket) {
        if (bucket < 2 * kFine) return bucket;
        const std::size_t power = bucket / kFine - 1;
        return ((std::uint64_t{bucket % kFine} + kFine + 1) << power) - 1;
    }

private:
    static constexpr std::uint64_t kFine = 32;  // buckets of a power of two
    static constexpr std::size_t kBuckets = (40 - 6 + 2) * kFine;

    static void increase(std::atomic<std::uint64_t>& value, std::uint64_t by) {
        value.store(value.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
    }

    std::array<std::atomic<std::uint64_t>, kBuckets> counts_{};
    std::atomic<std::uint64_t> sum_ns_{0};
    std::atomic<std::uint64_t> max_ns_{0};
};

static_assert(LatencyHistogram::last_of(LatencyHistogram::bucket_of(LatencyHistogram::kMaxNs)) ==
              LatencyHistogram::kMaxNs);

}  // namespace bayplan::instruments
