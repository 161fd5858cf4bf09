// The linear operators for AVX-512 with VNNI.
#include "vec_avx512.h"

#include "dot_avx512.h"
#include "linear_kernels.h"

namespace torchpaged {

const LinearKernels kAvx512VnniLinear = kLinearKernels<PairsDot, VnniDot>;

}  // namespace torchpaged
