// The linear operators for the portable kernels.
#include "vec_portable.h"

#include "linear_kernels.h"

namespace torchpaged {

const LinearKernels kPortableLinear = kLinearKernels<PairsDot, IntegerDot>;

}  // namespace torchpaged
