// The kernels for 64-bit Arm: products in float32.
#include "vec_neon.h"

#include "convolution.h"
#include "edit.h"
#include "engine_float.h"
#include "logprobs.h"
#include "penalize.h"
#include "pointwise.h"
#include "recurrence.h"
#include "rows.h"
#include "sample.h"
#include "selective.h"

namespace torchpaged {

const Kernels kNeonKernels = {
    "neon",
    attention_scratch_bytes<FloatEngine>,
    partial_floats<FloatEngine>,
    attention<FloatEngine>,
    merge_rows,
    absmax_row,
    quantise_row,
    dequantise_row,
    &kNeonLinear,
    sample_scratch_bytes,
    sample_row,
    penalize_scratch_bytes,
    penalize_row,
    copy_allowed_row,
    reduce_logits,
    logit_at,
    count_greater,
    collect_logits,
    rms_norm_row,
    rotate_row,
    gated_row,
    convolve_row,
    recurrence_scratch_bytes,
    recurrence,
    scan_scratch_bytes,
    scan,
};

}  // namespace torchpaged
