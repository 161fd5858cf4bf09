// A product together with the operators before and behind it, which replay finds beside each other.
#pragma once

#include "operators.h"
#include "pointwise_operators.h"

namespace torchpaged {

// All results are those of the operators one by one, bit for bit.
struct FusedLinear {
  LinearParams product;  // its input lacks an address where rows are normed; its `out` one where outputs are gated

  // rms_norm, or add_rms_norm with its residual and sum, of what is multiplied; no data of the weight: neither.
  Rows x, residual, norm_weight;
  float norm_eps;
  char *sum, *normed;  // normed: nullptr where each worker norms the rows, as far as makes_rows() goes

  // gated_activation of the first half of the outputs, a multiple of kPanel, and the second.
  bool gated;
  Activation activation;
  char* gated_out;

  // rotary_embedding of the heads that the outputs begin with: queries, then keys. No query heads: none.
  int64_t query_heads, key_heads, head_dim;  // head_dim: a multiple of kPanel
  Rows cos[2], sin[2], weight[2];            // of queries and keys; cos and sin [1][tokens][heads]
  float eps;
  char *query, *key;
};

void fused_linear(const FusedLinear& params);

}  // namespace torchpaged
