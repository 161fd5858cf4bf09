// The table of every kernels_*.cpp: the same kernels, compiled again over the vec_*.h that the file includes first.
#pragma once

#include "attention_gradient.h"
#include "convolution.h"
#include "edit.h"
#include "engine_float.h"
#include "index_scores.h"
#include "logprobs.h"
#include "penalize.h"
#include "pointwise.h"
#include "recurrence.h"
#include "rows.h"
#include "sample.h"
#include "selective.h"

namespace torchpaged {
namespace {

constexpr AttentionKernels kFloatAttention = {
    attention_scratch_bytes<FloatEngine>,
    partial_floats<FloatEngine>,
    attention<FloatEngine>,
    index_scratch_bytes<FloatEngine>,
    index_scores<FloatEngine>,
};

constexpr Kernels kernel_table(const char* name, const AttentionKernels& attention, const LinearKernels* linear) {
  return {
      name,
      attention.scratch_bytes,
      attention.partial,
      attention.attend,
      attention_gradient_scratch_bytes,
      attention_gradient,
      attention.index_scratch_bytes,
      attention.index_scores,
      merge_rows,
      absmax_row,
      quantise_row,
      dequantise_row,
      linear,
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
}

}  // namespace
}  // namespace torchpaged
