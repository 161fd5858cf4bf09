// Conversions from tensors to operands of products and pointwise operators, shared with the bindings that fuse them.
#pragma once

#include "arguments.h"
#include "operators.h"
#include "pointwise_operators.h"

namespace torchpaged {

CacheView cache_view(const Tensor& cache);

// A scale of a quantised cache, checked; nothing: 1.
ScaleView scale_view(const Tensor& scale, const Tensor& cache);

// A product's operands, checked; `weight` has `axis` dimensions before those that pack_linear_weight gives it.
LinearParams product_of(const char* op, const Tensor& input, const Tensor& weight, int64_t axis, int64_t out_features,
                        int64_t format);

// Adds the operands that there may be.
void complete_product(const char* op, LinearParams& p, const Tensor& input, const Tensor& weight, const Tensor& bias,
                      const Tensor& scale);

// A tensor of 1 to 4 dimensions.
Rows rows_of(const Tensor& tensor);

// [n], of x's dtype or float32; nothing when there is no weight.
Rows weight_of(const Tensor& weight, const Tensor& x, int64_t n, const char* what);

// cos or sin seen with `like`'s sizes, of a tensor of `dim` dimensions and that shape: what it lacks or has one of is
// broadcast.
Rows table_of(const Tensor& table, const Rows& like, int64_t dim, const std::string& shape);

void expect_shape(const Tensor& tensor, const Tensor& like, const char* what);

}  // namespace torchpaged
