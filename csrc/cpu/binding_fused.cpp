// Products fused with their neighbours: a kernel that replay calls by its name. Torch knows no such operator.
#include <torch/csrc/stable/library.h>

#include <optional>

#include "binding_parts.h"
#include "fused_linear.h"
#include "kernel_names.h"

namespace torchpaged {
namespace {

// (input, residual?, norm_weight?, norm_eps, packed_weight, out_features, bias?, weight_scale?, format, activation,
//  cos?, sin?, query_weight?, key_weight?, eps, query_heads, key_heads, head_dim)
// -> ([sum], outputs, gated outputs or outputs and rotated query and key [tokens, heads, head_dim])
void boxed_fused_linear(StableIValue* stack, uint64_t, uint64_t) {
  const char* op = "fused_linear";
  Arguments a(op, stack);
  AtenTensorHandle input_handle = a.take(), residual_handle = a.take_optional(), norm_handle = a.take_optional();
  const double norm_eps = a.number();
  AtenTensorHandle weight_handle = a.take();
  const int64_t out_features = a.integer();
  AtenTensorHandle bias_handle = a.take_optional(), scale_handle = a.take_optional();
  const int64_t format = a.integer(), activation = a.integer();
  AtenTensorHandle rotation[4];
  for (AtenTensorHandle& handle : rotation) handle = a.take_optional();
  const double eps = a.number();
  const int64_t heads[2] = {a.integer(), a.integer()}, head_dim = a.integer();

  Tensor input = a.view("input", input_handle), weight = a.view("packed_weight", weight_handle);
  FusedLinear f{};
  LinearParams& p = f.product;
  p = product_of(op, input, weight, 0, out_features, format);
  complete_product(op, p, input, weight, a.optional_view("bias", bias_handle),
                   a.optional_view("weight_scale", scale_handle));

  std::optional<NewTensor> sum, normed, out, query, key;
  const Tensor norm_weight = a.optional_view("norm_weight", norm_handle);
  f.norm_weight = weight_of(norm_weight, input, p.in_features, "input's last dimension");
  f.norm_eps = float(norm_eps);
  if (f.norm_weight.data) {
    f.x = rows_of(input);
    if (!makes_rows(p)) {
      normed.emplace(input.sizes(), input.dim(), input.type());
      f.normed = normed->data<char>();
    }
    if (Tensor residual = a.optional_view("residual", residual_handle)) {
      expect_shape(residual, input, "as in input");
      residual.expect_type({input.type()});
      f.residual = rows_of(residual);
      sum.emplace(input.sizes(), input.dim(), input.type());
      f.sum = sum->data<char>();
    }
  }

  int64_t sizes[NewTensor::kMaxDim];
  for (int64_t d = 0; d + 1 < input.dim(); ++d) sizes[d] = input.size(d);
  f.gated = activation >= 0;
  f.activation = Activation(activation);
  if (f.gated && out_features % (2 * kPanel))
    refuse(op, "out_features", "is " + std::to_string(out_features), "halves of whole panels");
  sizes[input.dim() - 1] = f.gated ? out_features / 2 : out_features;
  out.emplace(sizes, input.dim(), input.type());
  (f.gated ? f.gated_out : p.out) = out->data<char>();

  if (heads[0]) {
    if (head_dim < kPanel || head_dim % kPanel || (heads[0] + heads[1]) * head_dim > out_features)
      refuse(op, "head_dim", "is " + std::to_string(head_dim), "a multiple of a panel, and heads within the outputs");
    f.query_heads = heads[0], f.key_heads = heads[1], f.head_dim = head_dim, f.eps = float(eps);
    const Tensor cos = a.view("cos", rotation[0]), sin = a.view("sin", rotation[1]);
    sin.expect_type({cos.type()});
    cos.expect_type({torch_types().float32, input.type()});
    expect_shape(sin, cos, "as in cos");
    std::optional<NewTensor>* results[2] = {&query, &key};
    for (int i = 0; i < 2; ++i) {
      Rows like;
      like.n = head_dim, like.sizes[1] = p.num_rows, like.sizes[2] = heads[i];
      const std::string shape = "(tokens, heads, head_dim)";
      f.cos[i] = table_of(cos, like, 3, shape);
      f.sin[i] = table_of(sin, like, 3, shape);
      const Tensor own = a.optional_view(i ? "key_weight" : "query_weight", rotation[2 + i]);
      f.weight[i] = weight_of(own, input, head_dim, "head_dim");
      results[i]->emplace(std::initializer_list<int64_t>{p.num_rows, heads[i], head_dim}, input.type());
    }
    f.query = query->data<char>(), f.key = key->data<char>();
  }
  fused_linear(f);
  size_t place = 0;
  for (auto* result : {&sum, &out, &query, &key})
    if (*result) stack[place++] = (*result)->release();
}

[[maybe_unused]] const bool kNamed = [] {
  KernelNames().impl("fused_linear", boxed_fused_linear);
  return true;
}();

}  // namespace
}  // namespace torchpaged
