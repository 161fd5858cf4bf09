// The linear operators for AVX-512 with BF16 and VNNI.
#include "vec_avx512.h"

#include "dot_avx512.h"
#include "linear_kernels.h"
#include "lora_avx512_bf16.h"

namespace torchpaged {

const LinearKernels kAvx512Bf16Linear = kLinearKernels<Bf16Dot, VnniDot, Bf16Lora>;

}  // namespace torchpaged
