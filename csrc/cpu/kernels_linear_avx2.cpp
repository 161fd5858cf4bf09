// The linear operators for AVX2.
#include "vec_avx2.h"

#include "dot_avx2.h"
#include "linear_kernels.h"

namespace torchpaged {

const LinearKernels kAvx2Linear = kLinearKernels<PairsDot, Avx2Dot>;

}  // namespace torchpaged
