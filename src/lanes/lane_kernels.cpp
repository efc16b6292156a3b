// The choice of a level of vector instructions, once at the start; see lane_kernels.h.
#include "lanes/lane_kernels.h"

#include <cstdlib>
#include <string_view>

#include "lanes/level_tables.h"

namespace bayplan {

namespace {

SimdLevel named_level(const char* name) {
    const std::string_view text = name == nullptr ? "" : name;
    if (text == "scalar") {
        return SimdLevel::scalar;
    }
    return text == "avx2" ? SimdLevel::avx2 : SimdLevel::avx512;
}

}  // namespace

const LaneKernels& lane_kernels(SimdLevel wanted) {
    if (wanted == SimdLevel::automatic) {
        static const SimdLevel usual = named_level(std::getenv("BAYPLAN_SIMD"));
        wanted = usual;
    }
#if defined(__x86_64__)
    const bool avx2 = __builtin_cpu_supports("avx2");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    if (wanted == SimdLevel::avx512 && avx512) {
        return kAvx512Kernels;
    }
    if (wanted != SimdLevel::scalar && avx2) {
        return kAvx2Kernels;
    }
#endif
    return kScalarKernels;
}

}  // namespace bayplan
