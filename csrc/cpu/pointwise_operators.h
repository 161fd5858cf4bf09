// The pointwise operators behind their binding: rows and where they lie, torch out of sight.
#pragma once

#include "common.h"

namespace torchpaged {

// A tensor as rows along its last dimension, which is contiguous; the dimensions before it are padded to three.
struct Rows {
  char* data = nullptr;
  int64_t sizes[3] = {1, 1, 1}, strides[3] = {0, 0, 0};  // rows; bytes
  int64_t n = 0;                                         // elements of a row
  DType type = DType::Float32;

  int64_t count() const { return sizes[0] * sizes[1] * sizes[2]; }
  // The row that stands at `index` in this order of dimensions.
  char* row(int64_t index) const {
    int64_t last = index % sizes[2], rest = index / sizes[2];
    return data + (rest / sizes[1]) * strides[0] + (rest % sizes[1]) * strides[1] + last * strides[2];
  }
};

// residual and sum have no data in `rms_norm`. Results are contiguous.
void rms_norm(const Rows& x, const Rows& residual, const Rows& weight, float eps, char* sum, char* out);

// cos and sin have x's sizes, with strides of 0 where they are broadcast; weight has no data where there is no norm.
void rotary_embedding(const Rows& x, const Rows& cos, const Rows& sin, const Rows& weight, float eps, char* out);

void gated_activation(const Rows& gate, const Rows& up, Activation activation, char* out);

}  // namespace torchpaged
