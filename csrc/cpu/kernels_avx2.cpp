// The kernels for AVX2: products in float32.
#include "vec_avx2.h"

#include "kernel_table.h"

namespace torchpaged {

const Kernels kAvx2Kernels = kernel_table("avx2", kFloatAttention, &kAvx2Linear);

}  // namespace torchpaged
