// Vectors of 512 bits: AVX-512 F, DQ, BW and VL. Built with these flags; runs only where the CPU has them.

#include <immintrin.h>

#include "lanes/level_tables.h"
#include "lanes/vector_kernels.h"

namespace bayplan {

namespace {

struct Avx512 {
    static constexpr int kInts = 8;
    using Ints = __m512i;
    using Reals = __m512d;
    using Mask = __mmask8;

    static Ints load(const std::int64_t* from) { return _mm512_loadu_si512(from); }
    static Ints load_short_ints(const std::int32_t* from) {
        return _mm512_cvtepi32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
    }
    static void store(std::int64_t* to, Ints a) { _mm512_storeu_si512(to, a); }
    static Ints all(std::int64_t value) { return _mm512_set1_epi64(value); }
    static Ints count_up() { return _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0); }
    static Ints add(Ints a, Ints b) { return _mm512_add_epi64(a, b); }
    static Ints subtract(Ints a, Ints b) { return _mm512_sub_epi64(a, b); }
    static Ints times_small(Ints a, Ints b) { return _mm512_mullo_epi64(a, b); }
    static Ints half(Ints a) { return _mm512_srli_epi64(a, 1); }
    static Ints to_high_half(Ints a) { return _mm512_slli_epi64(a, 32); }
    static Ints larger(Ints a, Ints b) { return _mm512_max_epi64(a, b); }
    static std::int64_t largest_of(Ints a) { return _mm512_reduce_max_epi64(a); }
    static Mask greater(Ints a, Ints b) { return _mm512_cmpgt_epi64_mask(a, b); }
    static Mask both(Mask a, Mask b) { return a & b; }
    static Mask mask_of(std::uint64_t bits) { return static_cast<Mask>(bits); }
    static std::uint64_t bits(Mask mask) { return mask; }
    static Ints pick(Mask mask, Ints yes, Ints no) { return _mm512_mask_blend_epi64(mask, no, yes); }

    static Reals real(Ints a) { return _mm512_cvtepi64_pd(a); }
    static Ints truncated(Reals a) { return _mm512_cvttpd_epi64(a); }
    static Reals divide(Reals a, Reals b) { return _mm512_div_pd(a, b); }
    static Reals at_most_one(Reals a) { return _mm512_min_pd(a, _mm512_set1_pd(1.0)); }
    static Reals half_distance(Reals a, Reals b) {
        return _mm512_abs_pd(_mm512_mul_pd(_mm512_sub_pd(a, b), _mm512_set1_pd(0.5)));
    }
    static Reals hundredfold_of_rest(Reals a) {
        return _mm512_mul_pd(_mm512_sub_pd(_mm512_set1_pd(1.0), a), _mm512_set1_pd(100.0));
    }

    static std::uint64_t named(const NameId* names, NameId name) noexcept {
        std::uint64_t lanes = 0;
        for (int first = 0; first < 64; first += 16) {
            const __mmask16 equal =
                _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(names + first), _mm512_set1_epi32(static_cast<int>(name)));
            lanes |= std::uint64_t{equal} << first;
        }
        return lanes;
    }

    static constexpr int kFloats = 16;
    using Floats = __m512;

    static Floats load_floats(const float* from) { return _mm512_loadu_ps(from); }
    static Floats all_floats(float value) { return _mm512_set1_ps(value); }
    static Floats floats_of(const std::uint16_t* from) {
        return _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
    }
    static Floats plus(Floats a, Floats b) { return _mm512_add_ps(a, b); }
    static Floats less(Floats a, Floats b) { return _mm512_sub_ps(a, b); }
    static Floats times(Floats a, Floats b) { return _mm512_mul_ps(a, b); }
    static Floats larger_float(Floats a, Floats b) { return _mm512_max_ps(a, b); }
    static Floats smaller_float(Floats a, Floats b) { return _mm512_min_ps(a, b); }
    static Floats whole(Floats a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
    // `value` where a <= b, else 0.
    static Floats where_at_most(Floats a, Floats b, Floats value) {
        return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(a, b, _CMP_LE_OQ), value);
    }
    static void store_whole(std::int32_t* to, Floats a) { _mm512_storeu_si512(to, _mm512_cvttps_epi32(a)); }

    static constexpr int kShorts = 32;
    using Shorts = __m512i;
    using ShortMask = __mmask32;

    static Shorts load_shorts(const std::uint16_t* from) { return _mm512_loadu_si512(from); }
    static Shorts all_shorts(std::uint16_t value) { return _mm512_set1_epi16(static_cast<short>(value)); }
    static Shorts sum(Shorts a, Shorts b) { return _mm512_adds_epu16(a, b); }
    static Shorts above(Shorts a, Shorts b) { return _mm512_subs_epu16(a, b); }  // 0 if a < b
    static Shorts minus(Shorts a, Shorts b) { return _mm512_sub_epi16(a, b); }   // modulo 2^16
    static Shorts half_shorts(Shorts a) { return _mm512_srli_epi16(a, 1); }
    static Shorts high_product(Shorts a, Shorts b) { return _mm512_mulhi_epu16(a, b); }
    static Shorts low_product(Shorts a, Shorts b) { return _mm512_mullo_epi16(a, b); }
    static Shorts smaller(Shorts a, Shorts b) { return _mm512_min_epu16(a, b); }
    static Shorts larger_short(Shorts a, Shorts b) { return _mm512_max_epu16(a, b); }
    static ShortMask at_most(Shorts a, Shorts b) { return _mm512_cmple_epu16_mask(a, b); }
    static ShortMask both_shorts(ShortMask a, ShortMask b) { return a & b; }
    static ShortMask short_mask_of(std::uint64_t bits) { return static_cast<ShortMask>(bits); }
    static std::uint64_t short_bits(ShortMask mask) { return mask; }
    static Shorts keep(ShortMask mask, Shorts a) { return _mm512_maskz_mov_epi16(mask, a); }
    static std::uint16_t largest_short_of(Shorts a) {
        const __m256i half = _mm256_max_epu16(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
        const __m128i quarter = _mm_max_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
        // The only reduction there is finds the smallest.
        const __m128i ones = _mm_set1_epi16(-1);
        return static_cast<std::uint16_t>(0xffff -
                                          _mm_extract_epi16(_mm_minpos_epu16(_mm_xor_si128(quarter, ones)), 0));
    }
};

}  // namespace

const LaneKernels kAvx512Kernels = VectorKernels<Avx512>::table(SimdLevel::avx512);

}  // namespace bayplan
