// The table of each level, for the one who chooses. The vector ones must only run where the CPU has them.
//
// Thread: any; constant.
#pragma once

#include "lanes/lane_kernels.h"

namespace bayplan {

extern const LaneKernels kScalarKernels;
extern const LaneKernels kAvx2Kernels;
extern const LaneKernels kAvx512Kernels;

}  // namespace bayplan
