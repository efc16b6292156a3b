// The functions of lane_kernels.h over vectors V, which a level's own file defines and instantiates this with:
//
//   Ints     V::kInts 64-bit integers     Reals   as many doubles      Mask    a yes or no for each
//   Shorts   V::kShorts 16-bit numbers without a sign                  ShortMask
//
// Included by one file per level, which is built with that level's flags; nothing here may call inline
// functions of other headers (README.md says why). What each function means: scalar_kernels.cpp.
//
// Thread: any.
#pragma once

#include "lanes/lane_kernels.h"

namespace bayplan {

namespace {

template <class V>
struct VectorKernels {
    using Ints = typename V::Ints;
    using Reals = typename V::Reals;
    using Mask = typename V::Mask;
    using Shorts = typename V::Shorts;
    using ShortMask = typename V::ShortMask;

    static constexpr int kCount = 64;

    // Is any of `lanes` among the kInts from this one on?
    static bool any_from(std::uint64_t lanes, int first) {
        return (lanes >> first & ((std::uint64_t{1} << V::kInts) - 1)) != 0;
    }

    static Ints taken(const KindLanes& kind, int first) {
        return V::add(V::add(V::load(kind.used + first), V::load(kind.foreign + first)), V::all(kind.amount));
    }

    static std::uint64_t with_room(const KindLanes& kind, std::uint64_t lanes) noexcept {
        std::uint64_t full = 0;
        for (int first = 0; first < kCount; first += V::kInts) {
            if (any_from(lanes, first)) {
                const Ints free = V::subtract(V::subtract(V::load(kind.capacity + first), V::load(kind.used + first)),
                                              V::load(kind.foreign + first));
                full |= V::bits(V::greater(V::all(kind.amount), free)) << first;
            }
        }
        return lanes & ~full;
    }

    // floor(100 * part / whole) for 0 <= part <= whole <= 2^53. The quotient of doubles is off by far less
    // than 1, so by at most 1 once truncated: the remainder tells which way.
    static Ints percent(Ints part, Ints whole) {
        const Ints hundredfold = V::times_small(part, V::all(100));
        const Ints guess = V::truncated(V::divide(V::real(hundredfold), V::real(whole)));
        const Ints rest = V::subtract(hundredfold, V::times_small(whole, guess));
        const Ints less = V::subtract(guess, V::pick(V::greater(V::all(0), rest), V::all(1), V::all(0)));
        return V::add(less, V::pick(V::greater(whole, rest), V::all(0), V::all(1)));
    }

    static Ints least(Ints requested, Ints capacity, Ints divisor) {
        return percent(V::pick(V::greater(requested, capacity), V::all(0), V::subtract(capacity, requested)), divisor);
    }
    static Ints most(Ints requested, Ints capacity, Ints divisor) {
        return percent(V::pick(V::greater(requested, capacity), capacity, requested), divisor);
    }

    template <Ints (*kPerKind)(Ints, Ints, Ints)>
    static void add_allocated(const KindLanes& cpu, const KindLanes& memory, std::uint64_t lanes,
                              std::int64_t weight, std::int64_t* scores) noexcept {
        for (int first = 0; first < kCount; first += V::kInts) {
            if (!any_from(lanes, first)) {
                continue;
            }
            Ints sum = V::all(0);
            Mask both = V::greater(V::all(1), V::all(0));
            for (const KindLanes* kind : {&cpu, &memory}) {
                const Ints capacity = V::load(kind->capacity + first);
                const Mask has = V::greater(capacity, V::all(0));
                const Ints score = kPerKind(taken(*kind, first), capacity, V::pick(has, capacity, V::all(1)));
                sum = V::add(sum, V::pick(has, score, V::all(0)));
                both = V::both(both, has);
            }
            const Ints mean = V::pick(both, V::half(sum), sum);
            V::store(scores + first, V::add(V::load(scores + first), V::times_small(V::all(weight), mean)));
        }
    }

    static Reals fraction(const KindLanes& kind, int first, Ints divisor) {
        return V::at_most_one(V::divide(V::real(taken(kind, first)), V::real(divisor)));
    }

    static void add_balanced(const KindLanes& cpu, const KindLanes& memory, std::uint64_t lanes,
                             std::int64_t weight, std::int64_t* scores) noexcept {
        for (int first = 0; first < kCount; first += V::kInts) {
            if (!any_from(lanes, first)) {
                continue;
            }
            const Ints cpu_capacity = V::load(cpu.capacity + first);
            const Ints memory_capacity = V::load(memory.capacity + first);
            const Mask both = V::both(V::greater(cpu_capacity, V::all(0)), V::greater(memory_capacity, V::all(0)));
            const Reals deviation =
                V::half_distance(fraction(cpu, first, V::pick(both, cpu_capacity, V::all(1))),
                                 fraction(memory, first, V::pick(both, memory_capacity, V::all(1))));
            const Ints score = V::pick(both, V::truncated(V::hundredfold_of_rest(deviation)), V::all(100));
            V::store(scores + first, V::add(V::load(scores + first), V::times_small(V::all(weight), score)));
        }
    }

    static std::uint64_t largest(const std::uint64_t* keys, std::size_t count) noexcept {
        Ints best = V::all(0);
        std::size_t at = 0;
        for (; at + V::kInts <= count; at += V::kInts) {
            best = V::larger(best, V::load(reinterpret_cast<const std::int64_t*>(keys + at)));
        }
        std::uint64_t key = static_cast<std::uint64_t>(V::largest_of(best));
        for (; at < count; ++at) {
            key = keys[at] > key ? keys[at] : key;
        }
        return key;
    }

    static std::uint64_t coded(const std::uint16_t* codes, std::uint16_t code) noexcept {
        std::uint64_t lanes = 0;
        for (int first = 0; first < kCount; first += V::kShorts) {
            lanes |= V::short_bits(V::at_most(V::all_shorts(code), V::load_shorts(codes + first))) << first;
        }
        return lanes;
    }

    // Floor of 100 * share / kWhole; share < 2^16.
    static Shorts percent_of_share(Shorts share) { return V::high_product(share, V::all_shorts(200)); }

    static Shorts allocated_bound(const std::uint16_t* shares, const ShareRange& own, AllocatedScore kind) {
        const Shorts share = V::load_shorts(shares);
        const Shorts whole = V::all_shorts(kWhole);
        if (kind == AllocatedScore::least) {
            return percent_of_share(V::above(V::above(whole, share), V::all_shorts(own.low)));
        }
        return percent_of_share(
            V::smaller(whole, V::sum(share, V::all_shorts(static_cast<std::uint16_t>(own.high + 1)))));
    }

    static Shorts balanced_bound(Shorts cpu, Shorts memory, const ScoreTerms& terms) {
        const auto up_to_whole = [](Shorts share, int more) {
            return V::smaller(V::all_shorts(kWhole), V::sum(share, V::all_shorts(static_cast<std::uint16_t>(more))));
        };
        const Shorts apart = V::larger_short(
            V::above(up_to_whole(cpu, terms.cpu.low), up_to_whole(memory, terms.memory.high + 2)),
            V::above(up_to_whole(memory, terms.memory.low), up_to_whole(cpu, terms.cpu.high + 2)));
        // (2^16 - apart) * 100 / 2^16, where 2^16 itself does not fit.
        const Shorts none = V::all_shorts(0);
        return V::sum(V::high_product(V::minus(none, apart), V::all_shorts(100)),
                      V::keep(V::at_most(apart, none), V::all_shorts(100)));
    }

    static std::int64_t score_bound(const ShareLanes& shares, bool alike, const ScoreTerms& terms,
                                    std::uint64_t lanes) noexcept {
        const std::uint16_t* const scored_cpu = alike ? shares.cpu : shares.scored_cpu;
        const std::uint16_t* const scored_memory = alike ? shares.memory : shares.scored_memory;
        Shorts best = V::all_shorts(0);
        std::uint64_t any = 0;
        for (int first = 0; first < kCount; first += V::kShorts) {
            const Shorts cpu = V::load_shorts(shares.cpu + first);
            const Shorts memory = V::load_shorts(shares.memory + first);
            const ShortMask room =
                V::both_shorts(V::both_shorts(V::at_most(cpu, V::all_shorts(terms.cpu_max)),
                                              V::at_most(memory, V::all_shorts(terms.memory_max))),
                               V::short_mask_of(lanes >> first));
            Shorts score = V::all_shorts(0);
            if (terms.allocated != AllocatedScore::none) {
                const Shorts mean = V::half_shorts(
                    V::sum(allocated_bound(scored_cpu + first, terms.own_cpu, terms.allocated),
                           allocated_bound(scored_memory + first, terms.own_memory, terms.allocated)));
                score = V::low_product(mean, V::all_shorts(terms.allocated_weight));
            }
            if (terms.balanced_weight != 0) {
                score = V::sum(score, V::low_product(balanced_bound(cpu, memory, terms),
                                                     V::all_shorts(terms.balanced_weight)));
            }
            best = V::larger_short(best, V::keep(room, score));
            any |= V::short_bits(room);
        }
        return any == 0 ? -1 : V::largest_short_of(best);
    }

    template <typename Load>
    static std::uint64_t best_key_of(std::uint64_t lanes, std::uint32_t first_slot, Load&& load) {
        Ints best = V::all(0);
        for (int first = 0; first < kCount; first += V::kInts) {
            const Ints slots = V::add(V::all(static_cast<std::int64_t>(first_slot) + first), V::count_up());
            const Ints low = V::subtract(V::all(UINT32_MAX), slots);
            const Ints key = V::add(V::to_high_half(V::add(load(first), V::all(1))), low);
            best = V::larger(best, V::pick(V::mask_of(lanes >> first), key, V::all(0)));
        }
        return static_cast<std::uint64_t>(V::largest_of(best));
    }
    static std::uint64_t best_key(std::uint64_t lanes, const std::int64_t* scores, std::uint32_t first_slot) noexcept {
        return best_key_of(lanes, first_slot, [&](int first) { return V::load(scores + first); });
    }
    static std::uint64_t best_short_key(std::uint64_t lanes, const std::int32_t* scores,
                                        std::uint32_t first_slot) noexcept {
        return best_key_of(lanes, first_slot, [&](int first) { return V::load_short_ints(scores + first); });
    }

    static void add_numbers(const std::int32_t* numbers, std::int64_t weight, std::int64_t* sums) noexcept {
        for (int first = 0; first < kCount; first += V::kInts) {
            const Ints more = V::times_small(V::all(weight), V::load_short_ints(numbers + first));
            V::store(sums + first, V::add(V::load(sums + first), more));
        }
    }

    static std::uint64_t equal(const std::int64_t* values, std::int64_t value) noexcept {
        std::uint64_t others = 0;
        for (int first = 0; first < kCount; first += V::kInts) {
            const Ints some = V::load(values + first);
            others |= (V::bits(V::greater(some, V::all(value))) | V::bits(V::greater(V::all(value), some))) << first;
        }
        return ~others;
    }

    static LaneRange range(std::uint64_t lanes, const std::int64_t* values) noexcept {
        Ints max = V::all(INT64_MIN);
        Ints min_turned = V::all(INT64_MIN);  // ~value falls as the value rises
        for (int first = 0; first < kCount; first += V::kInts) {
            const Mask some = V::mask_of(lanes >> first);
            const Ints value = V::load(values + first);
            max = V::larger(max, V::pick(some, value, V::all(INT64_MIN)));
            min_turned = V::larger(min_turned, V::pick(some, V::subtract(V::all(-1), value), V::all(INT64_MIN)));
        }
        return {~V::largest_of(min_turned), V::largest_of(max)};
    }

    static constexpr LaneKernels table(SimdLevel level) {
        return {level,    with_room, V::named, add_allocated<least>, add_allocated<most>, add_balanced,
                best_key, largest,   coded,    score_bound,
                best_short_key, add_numbers, equal, range};
    }
};

}  // namespace

}  // namespace bayplan
