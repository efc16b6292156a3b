// The functions of lane_kernels.h over vectors V, which a level's own file defines and instantiates this with:
//
//   Ints     V::kInts 64-bit integers     Reals   as many doubles      Mask    a yes or no for each
//   Shorts   V::kShorts 16-bit numbers without a sign                  ShortMask
//   Floats   V::kFloats floats
//
// Included by one file per level, which is built with that level's flags; nothing here may call inline
// functions of other headers (README.md says why). The meaning of each function: scalar_kernels.cpp.
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
    using Floats = typename V::Floats;

    static constexpr int kCount = 64;

    // each(first lane) for every kInts that have any of `lanes`. Mostly one eight is asked for, another every time: steps
    // over all of them with a branch each would be mispredicted.
    template <typename Each>
    static void for_each_ints(std::uint64_t lanes, Each&& each) {
        while (lanes != 0) {
            const int first = __builtin_ctzll(lanes) & -V::kInts;
            each(first);
            lanes &= ~(((std::uint64_t{1} << V::kInts) - 1) << first);
        }
    }

    static Ints taken(const ResourceLanes& resource, int first) {
        return V::add(V::add(V::load(resource.used + first), V::load(resource.foreign + first)),
                      V::all(resource.amount));
    }

    // A bit for each of the kInts from this one on that have too little of the resource.
    static std::uint64_t full_from(const ResourceLanes& resource, int first) {
        const Ints free = V::subtract(V::subtract(V::load(resource.capacity + first), V::load(resource.used + first)),
                                      V::load(resource.foreign + first));
        return V::bits(V::greater(V::all(resource.amount), free));
    }

    static std::uint64_t with_room_for_all(const ResourceLanes* resources, std::size_t count,
                                           std::uint64_t lanes) noexcept {
        std::uint64_t full = 0;
        if (__builtin_popcountll(lanes) > kCount / 2) {  // every time most lanes: steps over all cost no branch
            for (const ResourceLanes* at = resources; at != resources + count; ++at) {
                const ResourceLanes resource = *at;
#pragma GCC unroll 16
                for (int first = 0; first < kCount; first += V::kInts) {
                    full |= full_from(resource, first) << first;
                }
            }
            return lanes & ~full;
        }
        for_each_ints(lanes, [&](int first) {
            std::uint64_t some = 0;
            for (const ResourceLanes* at = resources; at != resources + count; ++at) {
                some |= full_from(*at, first);
            }
            full |= some << first;
        });
        return lanes & ~full;
    }

    static std::uint64_t with_room(const ResourceLanes& resource, std::uint64_t lanes) noexcept {
        return with_room_for_all(&resource, 1, lanes);
    }

    static void clear_eights(std::uint64_t eights, std::int64_t* scores) noexcept {
        for_each_ints(eights, [&](int first) { V::store(scores + first, V::all(0)); });
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

    template <Ints (*kPerResource)(Ints, Ints, Ints)>
    static void add_allocated(const ResourceLanes& cpu, const ResourceLanes& memory, std::uint64_t lanes,
                              std::int64_t weight, std::int64_t* scores) noexcept {
        for_each_ints(lanes, [&](int first) {
            Ints sum = V::all(0);
            Mask both = V::greater(V::all(1), V::all(0));
            for (const ResourceLanes* resource : {&cpu, &memory}) {
                const Ints capacity = V::load(resource->capacity + first);
                const Mask has = V::greater(capacity, V::all(0));
                const Ints score = kPerResource(taken(*resource, first), capacity, V::pick(has, capacity, V::all(1)));
                sum = V::add(sum, V::pick(has, score, V::all(0)));
                both = V::both(both, has);
            }
            const Ints mean = V::pick(both, V::half(sum), sum);
            V::store(scores + first, V::add(V::load(scores + first), V::times_small(V::all(weight), mean)));
        });
    }

    static Reals fraction(const ResourceLanes& resource, int first, Ints divisor) {
        return V::at_most_one(V::divide(V::real(taken(resource, first)), V::real(divisor)));
    }

    static void add_balanced(const ResourceLanes& cpu, const ResourceLanes& memory, std::uint64_t lanes,
                             std::int64_t weight, std::int64_t* scores) noexcept {
        for_each_ints(lanes, [&](int first) {
            const Ints cpu_capacity = V::load(cpu.capacity + first);
            const Ints memory_capacity = V::load(memory.capacity + first);
            const Mask both = V::both(V::greater(cpu_capacity, V::all(0)), V::greater(memory_capacity, V::all(0)));
            const Reals deviation =
                V::half_distance(fraction(cpu, first, V::pick(both, cpu_capacity, V::all(1))),
                                 fraction(memory, first, V::pick(both, memory_capacity, V::all(1))));
            const Ints score = V::pick(both, V::truncated(V::hundredfold_of_rest(deviation)), V::all(100));
            V::store(scores + first, V::add(V::load(scores + first), V::times_small(V::all(weight), score)));
        });
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

    // Of all blocks alike.
    struct Bounding {
        explicit Bounding(const ScoreTerms& terms)
            : cpu_max(V::all_shorts(terms.cpu_max)),
              memory_max(V::all_shorts(terms.memory_max)),
              own_cpu(own(terms.own_cpu, terms.allocated)),
              own_memory(own(terms.own_memory, terms.allocated)),
              cpu_low(V::all_shorts(terms.cpu.low)),
              memory_low(V::all_shorts(terms.memory.low)),
              cpu_high(V::all_shorts(static_cast<std::uint16_t>(terms.cpu.high + 2))),
              memory_high(V::all_shorts(static_cast<std::uint16_t>(terms.memory.high + 2))),
              allocated_weight(V::all_shorts(terms.allocated_weight)),
              balanced_weight(V::all_shorts(terms.balanced_weight)) {}

        // LeastAllocated: the share left of the whole; MostAllocated: the share added, and 1.
        static Shorts own(const ShareRange& range, AllocatedScore resource) {
            return V::all_shorts(
                static_cast<std::uint16_t>(resource == AllocatedScore::least ? kWhole - range.low : range.high + 1));
        }

        const Shorts cpu_max, memory_max;
        const Shorts own_cpu, own_memory;
        const Shorts cpu_low, memory_low, cpu_high, memory_high;
        const Shorts allocated_weight, balanced_weight;
        const Shorts whole = V::all_shorts(kWhole);
    };

    // Floor of 100 * share / kWhole; share < 2^16.
    static Shorts percent_of_share(Shorts share) { return V::high_product(share, V::all_shorts(200)); }

    template <AllocatedScore kKind>
    static Shorts allocated_bound(Shorts share, Shorts own, Shorts whole) {
        return percent_of_share(kKind == AllocatedScore::least ? V::above(own, share)
                                                               : V::smaller(whole, V::sum(share, own)));
    }

    static Shorts balanced_bound(Shorts cpu, Shorts memory, const Bounding& terms) {
        const Shorts cpu_low = V::smaller(terms.whole, V::sum(cpu, terms.cpu_low));
        const Shorts memory_low = V::smaller(terms.whole, V::sum(memory, terms.memory_low));
        const Shorts apart = V::larger_short(V::above(cpu_low, V::sum(memory, terms.memory_high)),
                                             V::above(memory_low, V::sum(cpu, terms.cpu_high)));
        // (2^16 - apart) * 100 / 2^16, where 2^16 itself does not fit.
        const Shorts none = V::all_shorts(0);
        return V::sum(V::high_product(V::minus(none, apart), V::all_shorts(100)),
                      V::keep(V::at_most(apart, none), V::all_shorts(100)));
    }

    // For the lanes from `first` on: 1 + the lane's bound if it has room, else 0.
    template <AllocatedScore kAllocated, bool kBalanced>
    static Shorts bounds_from(const BoundedBlock& block, int first, const Bounding& terms) {
        const Shorts cpu = V::load_shorts(block.shares->cpu + first);
        const Shorts memory = V::load_shorts(block.shares->memory + first);
        const ShortMask room =
            V::both_shorts(V::both_shorts(V::at_most(cpu, terms.cpu_max), V::at_most(memory, terms.memory_max)),
                           V::short_mask_of(block.lanes >> first));
        Shorts score = V::all_shorts(1);
        if constexpr (kAllocated != AllocatedScore::none) {
            const Shorts of_cpu =
                allocated_bound<kAllocated>(V::load_shorts(block.scored->cpu + first), terms.own_cpu, terms.whole);
            const Shorts of_memory = allocated_bound<kAllocated>(V::load_shorts(block.scored->memory + first),
                                                                 terms.own_memory, terms.whole);
            score = V::sum(score, V::low_product(V::half_shorts(V::sum(of_cpu, of_memory)), terms.allocated_weight));
        }
        if constexpr (kBalanced) {
            score = V::sum(score, V::low_product(balanced_bound(cpu, memory, terms), terms.balanced_weight));
        }
        return V::keep(room, score);
    }

    template <AllocatedScore kAllocated, bool kBalanced>
    static void bound_all(const BoundedBlock* blocks, std::size_t count, const ScoreTerms& terms,
                          std::uint16_t* bounds) {
        const Bounding bounding(terms);
        for (std::size_t at = 0; at < count; ++at) {
            Shorts best = V::all_shorts(0);
            for (int first = 0; first < kCount; first += V::kShorts) {
                best = V::larger_short(best, bounds_from<kAllocated, kBalanced>(blocks[at], first, bounding));
            }
            bounds[at] = V::largest_short_of(best);
        }
    }

    template <AllocatedScore kAllocated, bool kBalanced>
    static std::uint64_t all_reaching(const BoundedBlock& block, const ScoreTerms& terms, std::uint16_t bound) {
        const Bounding bounding(terms);
        const Shorts least = V::all_shorts(bound);
        std::uint64_t lanes = 0;
        for (int first = 0; first < kCount; first += V::kShorts) {
            const Shorts bounds = bounds_from<kAllocated, kBalanced>(block, first, bounding);
            lanes |= V::short_bits(V::at_most(least, bounds)) << first;
        }
        return lanes;
    }

    // Calls `call` with the kind of score and whether balanced allocation is asked, known when it is compiled.
    template <typename Call>
    static auto with_scores(const ScoreTerms& terms, Call&& call) {
        const bool balanced = terms.balanced_weight != 0;
        switch (terms.allocated) {
            case AllocatedScore::least:
                return balanced ? call.template operator()<AllocatedScore::least, true>()
                                : call.template operator()<AllocatedScore::least, false>();
            case AllocatedScore::most:
                return balanced ? call.template operator()<AllocatedScore::most, true>()
                                : call.template operator()<AllocatedScore::most, false>();
            default:
                return balanced ? call.template operator()<AllocatedScore::none, true>()
                                : call.template operator()<AllocatedScore::none, false>();
        }
    }

    static void score_bounds(const BoundedBlock* blocks, std::size_t count, const ScoreTerms& terms,
                             std::uint16_t* bounds) noexcept {
        with_scores(terms, [&]<AllocatedScore kAllocated, bool kBalanced>() {
            bound_all<kAllocated, kBalanced>(blocks, count, terms, bounds);
        });
    }

    static std::uint64_t reaching(const BoundedBlock& block, const ScoreTerms& terms, std::uint16_t bound) noexcept {
        return with_scores(terms, [&]<AllocatedScore kAllocated, bool kBalanced>() {
            return all_reaching<kAllocated, kBalanced>(block, terms, bound);
        });
    }

    static Floats least_share(float amount, const float* unit) {
        const Floats share = V::less(V::times(V::all_floats(amount), V::load_floats(unit)), V::all_floats(kShareSlack));
        return V::larger_float(V::all_floats(0), share);
    }
    static Floats most_share(float amount, const float* unit, const std::uint16_t* in_use) {
        const Floats share = V::times(V::all_floats(amount), V::load_floats(unit));
        return V::plus(V::floats_of(in_use), V::plus(share, V::all_floats(1 + kShareSlack)));
    }
    static Floats ranged_percent(const std::uint16_t* in_use, Floats own) {
        const Floats rest = V::less(V::less(V::all_floats(kWhole), V::floats_of(in_use)), own);
        return V::whole(V::plus(V::times(V::larger_float(V::all_floats(0), rest), V::all_floats(100.0f / kWhole)),
                                V::all_floats(kPercentSlack)));
    }

    // 1 + the bounds of the kFloats blocks from this one on.
    static Floats range_bounds_from(const ShareRanges& ranges, const RangeTerms& terms, std::size_t at) {
        const Floats whole = V::all_floats(kWhole);
        const Floats cpu_low =
            V::plus(V::floats_of(ranges.cpu_least + at), least_share(terms.cpu, ranges.cpu_unit_least + at));
        const Floats memory_low =
            V::plus(V::floats_of(ranges.memory_least + at), least_share(terms.memory, ranges.memory_unit_least + at));
        const Floats of_cpu =
            ranged_percent(ranges.scored_cpu_least + at, least_share(terms.own_cpu, ranges.cpu_unit_least + at));
        const Floats of_memory = ranged_percent(ranges.scored_memory_least + at,
                                                least_share(terms.own_memory, ranges.memory_unit_least + at));
        const Floats cpu_high = most_share(terms.cpu, ranges.cpu_unit_most + at, ranges.cpu_most + at);
        const Floats memory_high = most_share(terms.memory, ranges.memory_unit_most + at, ranges.memory_most + at);
        const Floats apart =
            V::larger_float(V::all_floats(0), V::larger_float(V::less(V::smaller_float(whole, cpu_low), memory_high),
                                                              V::less(V::smaller_float(whole, memory_low), cpu_high)));
        const Floats balanced =
            V::whole(V::less(V::all_floats(100.0f + kPercentSlack), V::times(apart, V::all_floats(50.0f / kWhole))));
        const Floats allocated = V::whole(V::times(V::plus(of_cpu, of_memory), V::all_floats(0.5f)));
        const Floats score = V::plus(V::times(allocated, V::all_floats(terms.allocated_weight)),
                                     V::times(balanced, V::all_floats(terms.balanced_weight)));
        return V::where_at_most(
            cpu_low, V::all_floats(terms.cpu_max),
            V::where_at_most(memory_low, V::all_floats(terms.memory_max), V::plus(score, V::all_floats(1))));
    }

    static void range_bounds(const ShareRanges& ranges, const RangeTerms& terms, const BlockRuns& runs,
                             std::uint64_t* keys, std::uint16_t* changed) noexcept {
        alignas(64) std::int32_t bounds[kBlocksOfRun];
        for (std::uint32_t run = 0; run < runs.count; ++run) {
            const std::size_t at = std::size_t{run} * kBlocksOfRun;
            for (std::uint32_t in_run = 0; in_run < kBlocksOfRun; in_run += V::kFloats) {
                V::store_whole(bounds + in_run, range_bounds_from(ranges, terms, at + in_run));
            }
            changed[run] = put_keys(bounds, reinterpret_cast<const std::int64_t*>(ranges.versions + at),
                                    static_cast<std::int64_t>(terms.version), runs.first + run * runs.step, keys);
        }
    }

    // Writes the keys of a run's changed blocks; returns these blocks as bits.
    static std::uint16_t put_keys(const std::int32_t* bounds, const std::int64_t* versions, std::int64_t version,
                                  std::uint32_t first_block, std::uint64_t* keys) {
        std::uint64_t changed = 0;
        for (std::uint32_t in_run = 0; in_run < kBlocksOfRun; in_run += V::kInts) {
            const std::int64_t first_low = UINT32_MAX - std::int64_t{first_block + in_run} * kCount;
            const Ints low = V::subtract(V::all(first_low), V::times_small(V::count_up(), V::all(kCount)));
            const Ints bound = V::load_short_ints(bounds + in_run);
            const Ints key = V::pick(V::greater(bound, V::all(0)), V::add(V::to_high_half(bound), low), V::all(0));
            const Mask newer = V::greater(V::load(versions + in_run), V::all(version));
            auto* const to = reinterpret_cast<std::int64_t*>(keys + first_block + in_run);
            V::store(to, V::pick(newer, key, V::load(to)));
            changed |= V::bits(newer) << in_run;
        }
        return static_cast<std::uint16_t>(changed);
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

    template <typename Value>
    static LaneRange range_of(std::uint64_t lanes, Value&& value_at) {
        Ints max = V::all(INT64_MIN);
        Ints min_turned = V::all(INT64_MIN);  // ~value falls as the value rises
        for (int first = 0; first < kCount; first += V::kInts) {
            const Mask some = V::mask_of(lanes >> first);
            const Ints value = value_at(first);
            max = V::larger(max, V::pick(some, value, V::all(INT64_MIN)));
            min_turned = V::larger(min_turned, V::pick(some, V::subtract(V::all(-1), value), V::all(INT64_MIN)));
        }
        return {~V::largest_of(min_turned), V::largest_of(max)};
    }
    static LaneRange range(std::uint64_t lanes, const std::int64_t* values) noexcept {
        return range_of(lanes, [&](int first) { return V::load(values + first); });
    }
    static LaneRange range_of_difference(std::uint64_t lanes, const std::int64_t* values,
                                         const std::int64_t* less) noexcept {
        return range_of(lanes, [&](int first) { return V::subtract(V::load(values + first), V::load(less + first)); });
    }

    static constexpr LaneKernels table(SimdLevel level) {
        return {level,
                with_room,
                with_room_for_all,
                V::named,
                clear_eights,
                add_allocated<least>,
                add_allocated<most>,
                add_balanced,
                best_key,
                largest,
                coded,
                score_bounds,
                reaching,
                range_bounds,
                best_short_key,
                add_numbers,
                equal,
                range,
                range_of_difference};
    }
};

}  // namespace

}  // namespace bayplan
