// Vectors of 256 bits: AVX2. Built with this flag; runs only where the CPU has it.

#include <immintrin.h>

#include "lanes/level_tables.h"
#include "lanes/vector_kernels.h"

namespace bayplan {

namespace {

struct Avx2 {
    static constexpr int kInts = 4;
    using Ints = __m256i;
    using Reals = __m256d;
    using Mask = __m256i;  // all bits of an entry

    static Ints load(const std::int64_t* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
    static Ints load_short_ints(const std::int32_t* from) {
        return _mm256_cvtepi32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    }
    static void store(std::int64_t* to, Ints a) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), a); }
    static Ints all(std::int64_t value) { return _mm256_set1_epi64x(value); }
    static Ints count_up() { return _mm256_set_epi64x(3, 2, 1, 0); }
    static Ints add(Ints a, Ints b) { return _mm256_add_epi64(a, b); }
    static Ints subtract(Ints a, Ints b) { return _mm256_sub_epi64(a, b); }
    // b < 2^32: two products of 32 bits.
    static Ints times_small(Ints a, Ints b) {
        const Ints high = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), b);
        return _mm256_add_epi64(_mm256_mul_epu32(a, b), _mm256_slli_epi64(high, 32));
    }
    static Ints half(Ints a) { return _mm256_srli_epi64(a, 1); }
    static Ints to_high_half(Ints a) { return _mm256_slli_epi64(a, 32); }
    static Ints larger(Ints a, Ints b) { return pick(greater(a, b), a, b); }
    static std::int64_t largest_of(Ints a) {
        const Ints swapped = larger(a, _mm256_permute4x64_epi64(a, 0b01'00'11'10));
        const Ints best = larger(swapped, _mm256_permute4x64_epi64(swapped, 0b10'11'00'01));
        return _mm256_extract_epi64(best, 0);
    }
    static Mask greater(Ints a, Ints b) { return _mm256_cmpgt_epi64(a, b); }
    static Mask both(Mask a, Mask b) { return _mm256_and_si256(a, b); }
    static Mask mask_of(std::uint64_t bits) {
        const Ints bit = _mm256_set_epi64x(8, 4, 2, 1);
        return _mm256_cmpeq_epi64(_mm256_and_si256(all(static_cast<std::int64_t>(bits)), bit), bit);
    }
    static std::uint64_t bits(Mask mask) {
        return static_cast<std::uint64_t>(_mm256_movemask_pd(_mm256_castsi256_pd(mask)));
    }
    static Ints pick(Mask mask, Ints yes, Ints no) { return _mm256_blendv_epi8(no, yes, mask); }

    // Both halves as doubles at 2^84 + 2^63 and 2^52, exactly; their difference is rounded once.
    static Reals real(Ints a) {
        const Ints low = _mm256_blend_epi32(all(0x4330'0000'0000'0000), a, 0b0101'0101);
        const Ints high = _mm256_xor_si256(_mm256_srli_epi64(a, 32), all(0x4530'0000'8000'0000));
        const Reals offset = _mm256_castsi256_pd(all(0x4530'0000'8010'0000));
        return _mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(high), offset), _mm256_castsi256_pd(low));
    }
    // Below 2^31.
    static Ints truncated(Reals a) { return _mm256_cvtepi32_epi64(_mm256_cvttpd_epi32(a)); }
    static Reals divide(Reals a, Reals b) { return _mm256_div_pd(a, b); }
    static Reals at_most_one(Reals a) { return _mm256_min_pd(a, _mm256_set1_pd(1.0)); }
    static Reals half_distance(Reals a, Reals b) {
        const Reals half = _mm256_mul_pd(_mm256_sub_pd(a, b), _mm256_set1_pd(0.5));
        return _mm256_andnot_pd(_mm256_set1_pd(-0.0), half);
    }
    static Reals hundredfold_of_rest(Reals a) {
        return _mm256_mul_pd(_mm256_sub_pd(_mm256_set1_pd(1.0), a), _mm256_set1_pd(100.0));
    }

    static std::uint64_t named(const NameId* names, NameId name) noexcept {
        std::uint64_t lanes = 0;
        for (int first = 0; first < 64; first += 8) {
            const __m256i equal =
                _mm256_cmpeq_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(names + first)),
                                   _mm256_set1_epi32(static_cast<int>(name)));
            const auto eight = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
            lanes |= std::uint64_t{eight} << first;
        }
        return lanes;
    }

    static constexpr int kFloats = 8;
    using Floats = __m256;

    static Floats load_floats(const float* from) { return _mm256_loadu_ps(from); }
    static Floats all_floats(float value) { return _mm256_set1_ps(value); }
    static Floats floats_of(const std::uint16_t* from) {
        return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
    }
    static Floats plus(Floats a, Floats b) { return _mm256_add_ps(a, b); }
    static Floats less(Floats a, Floats b) { return _mm256_sub_ps(a, b); }
    static Floats times(Floats a, Floats b) { return _mm256_mul_ps(a, b); }
    static Floats larger_float(Floats a, Floats b) { return _mm256_max_ps(a, b); }
    static Floats smaller_float(Floats a, Floats b) { return _mm256_min_ps(a, b); }
    static Floats whole(Floats a) { return _mm256_round_ps(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
    // `value` where a <= b, else 0.
    static Floats where_at_most(Floats a, Floats b, Floats value) {
        return _mm256_and_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ), value);
    }
    static void store_whole(std::int32_t* to, Floats a) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_cvttps_epi32(a));
    }

    static constexpr int kShorts = 16;
    using Shorts = __m256i;
    using ShortMask = __m256i;  // all bits of an entry

    static Shorts load_shorts(const std::uint16_t* from) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    }
    static Shorts all_shorts(std::uint16_t value) { return _mm256_set1_epi16(static_cast<short>(value)); }
    static Shorts sum(Shorts a, Shorts b) { return _mm256_adds_epu16(a, b); }
    static Shorts above(Shorts a, Shorts b) { return _mm256_subs_epu16(a, b); }  // 0 if a < b
    static Shorts minus(Shorts a, Shorts b) { return _mm256_sub_epi16(a, b); }   // modulo 2^16
    static Shorts half_shorts(Shorts a) { return _mm256_srli_epi16(a, 1); }
    static Shorts high_product(Shorts a, Shorts b) { return _mm256_mulhi_epu16(a, b); }
    static Shorts low_product(Shorts a, Shorts b) { return _mm256_mullo_epi16(a, b); }
    static Shorts smaller(Shorts a, Shorts b) { return _mm256_min_epu16(a, b); }
    static Shorts larger_short(Shorts a, Shorts b) { return _mm256_max_epu16(a, b); }
    static ShortMask at_most(Shorts a, Shorts b) { return _mm256_cmpeq_epi16(_mm256_min_epu16(a, b), a); }
    static ShortMask both_shorts(ShortMask a, ShortMask b) { return _mm256_and_si256(a, b); }
    static ShortMask short_mask_of(std::uint64_t bits) {
        const __m256i bit = _mm256_set_epi16(-0x8000, 0x4000, 0x2000, 0x1000, 0x800, 0x400, 0x200, 0x100, 0x80, 0x40,
                                             0x20, 0x10, 8, 4, 2, 1);
        return _mm256_cmpeq_epi16(_mm256_and_si256(all_shorts(static_cast<std::uint16_t>(bits)), bit), bit);
    }
    static std::uint64_t short_bits(ShortMask mask) {
        const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(mask), _mm256_extracti128_si256(mask, 1));
        return static_cast<std::uint64_t>(_mm_movemask_epi8(bytes));
    }
    static Shorts keep(ShortMask mask, Shorts a) { return _mm256_and_si256(mask, a); }
    static std::uint16_t largest_short_of(Shorts a) {
        const __m128i half = _mm_max_epu16(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
        // The only reduction there is finds the smallest.
        const __m128i ones = _mm_set1_epi16(-1);
        return static_cast<std::uint16_t>(0xffff - _mm_extract_epi16(_mm_minpos_epu16(_mm_xor_si128(half, ones)), 0));
    }
};

}  // namespace

const LaneKernels kAvx2Kernels = VectorKernels<Avx2>::table(SimdLevel::avx2);

}  // namespace bayplan
