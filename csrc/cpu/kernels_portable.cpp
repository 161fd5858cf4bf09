// The kernels for any machine: products in float32.
#include "vec_portable.h"

#include "kernel_table.h"

namespace torchpaged {

const Kernels kPortableKernels = kernel_table("portable", kFloatAttention, &kPortableLinear);

}  // namespace torchpaged
