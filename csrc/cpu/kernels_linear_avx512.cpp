// The linear operators for AVX-512.
#include "vec_avx512.h"

#include "linear_kernels.h"

namespace torchpaged {

const LinearKernels kAvx512Linear = kLinearKernels<PairsDot, IntegerDot>;

}  // namespace torchpaged
