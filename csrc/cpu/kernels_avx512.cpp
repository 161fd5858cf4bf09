// The kernels for AVX-512: products in float32.
#include "vec_avx512.h"

#include "kernel_table.h"

namespace torchpaged {

const Kernels kAvx512Kernels = kernel_table("avx512", kFloatAttention, &kAvx512Linear);

}  // namespace torchpaged
