// The kernels for 64-bit Arm: products in float32.
#include "vec_neon.h"

#include "kernel_table.h"

namespace torchpaged {

const Kernels kNeonKernels = kernel_table("neon", kFloatAttention, &kNeonLinear);

}  // namespace torchpaged
