// The pointwise operators as torch sees them; see binding.cpp.
#include <torch/csrc/stable/library.h>

#include "binding_parts.h"
#include "kernel_names.h"

namespace torchpaged {

Rows rows_of(const Tensor& tensor) {
  const TorchTypes& t = torch_types();
  if (tensor.dim() < 1 || tensor.dim() > 4)
    tensor.refused("has " + std::to_string(tensor.dim()) + " dimensions, shape " + tensor.shape(), "1 to 4");
  tensor.expect_type({t.float32, t.float16, t.bfloat16});
  tensor.expect_last_contiguous();
  Rows rows;
  rows.data = tensor.data<char>();
  rows.type = tensor.kind();
  rows.n = tensor.size(tensor.dim() - 1);
  for (int64_t axis = tensor.dim() - 2, to = 2; axis >= 0; --axis, --to) {
    rows.sizes[to] = tensor.size(axis);
    rows.strides[to] = tensor.byte_stride(axis);
  }
  return rows;
}

void expect_shape(const Tensor& tensor, const Tensor& like, const char* what) {
  tensor.expect_dim(like.dim(), what);
  for (int64_t axis = 0; axis < like.dim(); ++axis) tensor.expect_size(axis, like.size(axis), what);
}

Rows weight_of(const Tensor& weight, const Tensor& x, int64_t n, const char* what) {
  if (!weight) return {};
  weight.expect_dim(1, what);
  weight.expect_size(0, n, what);
  weight.expect_type({torch_types().float32, x.type()});
  return rows_of(weight);
}

Rows table_of(const Tensor& table, const Rows& like, int64_t dim, const std::string& shape) {
  Rows rows = rows_of(table);
  if (table.dim() > dim) table.expect_dim(dim, "as in the query, or fewer");
  if (rows.n > like.n || rows.n % 2)
    table.refused("has rows of " + std::to_string(rows.n), "an even number up to " + std::to_string(like.n));
  for (int axis = 0; axis < 3; ++axis) {
    if (rows.sizes[axis] == like.sizes[axis]) continue;
    if (rows.sizes[axis] != 1)
      table.refused("has shape " + table.shape(), "one that broadcasts to " + shape + " but for the last dimension");
    rows.sizes[axis] = like.sizes[axis];
    rows.strides[axis] = 0;
  }
  return rows;
}

namespace {

NewTensor new_like(const Tensor& x) { return {x.sizes(), x.dim(), x.type()}; }

void boxed_rms_norm(StableIValue* stack, uint64_t, uint64_t) {
  Arguments a("rms_norm", stack);
  AtenTensorHandle handles[2] = {a.take(), a.take()};
  double eps = a.number();
  Tensor x = a.view("x", handles[0]);
  Rows rows = rows_of(x), weight = weight_of(a.view("weight", handles[1]), x, rows.n, "x's last dimension");
  NewTensor out = new_like(x);
  rms_norm(rows, {}, weight, float(eps), nullptr, out.data<char>());
  stack[0] = out.release();
}

void boxed_add_rms_norm(StableIValue* stack, uint64_t, uint64_t) {
  Arguments a("add_rms_norm", stack);
  AtenTensorHandle handles[3] = {a.take(), a.take(), a.take()};
  double eps = a.number();
  Tensor x = a.view("x", handles[0]), residual = a.view("residual", handles[1]);
  Rows rows = rows_of(x), weight = weight_of(a.view("weight", handles[2]), x, rows.n, "x's last dimension");
  expect_shape(residual, x, "as in x");
  residual.expect_type({x.type()});
  NewTensor sum = new_like(x), out = new_like(x);
  rms_norm(rows, rows_of(residual), weight, float(eps), sum.data<char>(), out.data<char>());
  stack[0] = sum.release();
  stack[1] = out.release();
}

void boxed_rotary_embedding(StableIValue* stack, uint64_t, uint64_t) {
  Arguments a("rotary_embedding", stack);
  AtenTensorHandle handles[4], optional[2];
  for (AtenTensorHandle& handle : handles) handle = a.take();
  for (AtenTensorHandle& handle : optional) handle = a.take_optional();
  double eps = a.number();
  Tensor inputs[2] = {a.view("query", handles[0]), a.view("key", handles[1])};
  Tensor cos = a.view("cos", handles[2]), sin = a.view("sin", handles[3]);
  Tensor weights[2] = {a.optional_view("query_weight", optional[0]), a.optional_view("key_weight", optional[1])};
  sin.expect_type({cos.type()});
  inputs[1].expect_type({inputs[0].type()});
  cos.expect_type({torch_types().float32, inputs[0].type()});
  expect_shape(sin, cos, "as in cos");
  Rows x[2], c[2], s[2], w[2];
  for (int i = 0; i < 2; ++i) {
    x[i] = rows_of(inputs[i]);
    c[i] = table_of(cos, x[i], inputs[i].dim(), inputs[i].shape());
    s[i] = table_of(sin, x[i], inputs[i].dim(), inputs[i].shape());
    w[i] = weight_of(weights[i], inputs[i], x[i].n, "head_dim");
  }
  NewTensor out[2] = {new_like(inputs[0]), new_like(inputs[1])};
  for (int i = 0; i < 2; ++i) rotary_embedding(x[i], c[i], s[i], w[i], float(eps), out[i].data<char>());
  stack[0] = out[0].release();
  stack[1] = out[1].release();
}

void gated(const char* op, Activation activation, StableIValue* stack) {
  Arguments a(op, stack);
  AtenTensorHandle handles[2] = {a.take(), a.take()};
  Tensor gate = a.view("gate", handles[0]), up = a.view("up", handles[1]);
  Rows gate_rows = rows_of(gate), up_rows = rows_of(up);
  expect_shape(up, gate, "as in gate");
  up.expect_type({gate.type()});
  NewTensor out = new_like(gate);
  gated_activation(gate_rows, up_rows, activation, out.data<char>());
  stack[0] = out.release();
}

#define TORCHPAGED_BOXED(name, op, value) \
  void boxed_##op(StableIValue* stack, uint64_t, uint64_t) { gated(#op, Activation::name, stack); }
TORCHPAGED_ACTIVATIONS(TORCHPAGED_BOXED)
#undef TORCHPAGED_BOXED

template <class Library>
void register_kernels(Library& m) {
  m.impl("rms_norm", boxed_rms_norm);
  m.impl("add_rms_norm", boxed_add_rms_norm);
  m.impl("rotary_embedding", boxed_rotary_embedding);
#define TORCHPAGED_IMPL(name, op, value) m.impl(#op, boxed_##op);
  TORCHPAGED_ACTIVATIONS(TORCHPAGED_IMPL)
#undef TORCHPAGED_IMPL
}

TORCHPAGED_REGISTER(register_kernels)

}  // namespace
}  // namespace torchpaged
