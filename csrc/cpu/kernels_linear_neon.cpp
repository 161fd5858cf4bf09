// The linear operators for 64-bit Arm.
#include "vec_neon.h"

#include "linear_kernels.h"

namespace torchpaged {

const LinearKernels kNeonLinear = kLinearKernels<PairsDot, IntegerDot>;

}  // namespace torchpaged
