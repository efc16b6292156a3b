// The table of functions of each level, for the choice of a level. Vector levels must only run where the CPU has them.
//
// Thread: any; constant.
#pragma once

#include "lanes/lane_kernels.h"

namespace bayplan {

extern const LaneKernels kScalarKernels;
extern const LaneKernels kAvx2Kernels;
extern const LaneKernels kAvx512Kernels;

}  // namespace bayplan
