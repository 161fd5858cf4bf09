// The linear operators for the portable kernels.
#include "vec_portable.h"

#include "linear.h"

namespace torchpaged {

const LinearKernels kPortableLinear = kLinearKernels<PairsDot, IntegerDot>;

}  // namespace torchpaged
