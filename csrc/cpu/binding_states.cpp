// The operators of recurrent layers as torch sees them; see binding.cpp.
#include <torch/csrc/stable/library.h>

#include "arguments.h"
#include "kernel_names.h"
#include "operators.h"
#include "parallel.h"

namespace torchpaged {
namespace {

// A size and what it is.
struct Size {
  int64_t size;
  const char* what;
};
constexpr int64_t kAny = -1;

void expect_rows(const Tensor& tensor, std::initializer_list<Size> sizes, std::initializer_list<int32_t> types) {
  std::string shape;
  for (const Size& each : sizes) shape += (shape.empty() ? "[" : ", ") + std::string(each.what);
  tensor.expect_dim(int64_t(sizes.size()), (shape + "]").c_str());
  tensor.expect_type(types);
  int64_t axis = 0;
  for (const Size& each : sizes) {
    if (each.size != kAny) tensor.expect_size(axis, each.size, each.what);
    ++axis;
  }
  tensor.expect_last_contiguous();
}

void expect_not_empty(const Tensor& tensor, int64_t first, int64_t last) {
  for (int64_t axis = first; axis < last; ++axis)
    if (tensor.size(axis) == 0) tensor.refused("has an empty dimension, shape " + tensor.shape(), "at least one of each");
}

TokenRows rows_of(const Tensor& tensor) {
  return {tensor.data<const char>(), tensor.byte_stride(0), tensor.dim() > 1 ? tensor.byte_stride(1) : 0, tensor.kind()};
}

// The six arguments that all of these operators take, in the schema's order.
struct Paged {
  AtenTensorHandle handles[6];

  explicit Paged(Arguments& a) {
    for (AtenTensorHandle& handle : handles) handle = a.take();
  }

  // `state` has the sizes of one state, of which the last two, or all, are rows.
  PagedStates check(const Arguments& a, int32_t type, std::initializer_list<Size> state, Size row, int64_t num_tokens) {
    const TorchTypes& t = torch_types();
    Tensor states = a.view("state_cache", handles[0]), tails = a.view("tail_cache", handles[1]);
    Tensor state_tables = a.view("state_tables", handles[2]), tail_tables = a.view("tail_tables", handles[3]);
    Tensor lens = a.view("seq_lens", handles[4]), starts = a.view("query_start_loc", handles[5]);
    int64_t axis = 1 + int64_t(state.size());
    states.expect_dim(axis, state.size() == 2 ? "[num_slots, rows, columns]" : "[num_slots, num_heads, rows, columns]");
    states.expect_type({type});
    axis = 1;
    for (const Size& each : state) states.expect_size(axis++, each.size, each.what);
    states.expect_last_contiguous();
    expect_rows(tails, {{kAny, "num_tails"}, {kAny, "chunk"}, row}, {type});
    expect_not_empty(states, 0, 1);
    expect_not_empty(tails, 0, 2);
    states.expect_own_elements();
    tails.expect_own_elements();
    expect_rows(lens, {{kAny, "num_seqs"}}, {t.int32});
    for (const Tensor* table : {&state_tables, &tail_tables})
      expect_rows(*table, {{lens.size(0), "num_seqs, as in seq_lens"}, {kAny, "chunks"}}, {t.int32});
    expect_rows(starts, {{lens.size(0) + 1, "num_seqs + 1"}}, {t.int32});
    PagedStates p{};
    p.state = states.data<char>();
    p.tail = tails.data<char>();
    p.state_slot_stride = states.byte_stride(0);
    p.state_head_stride = states.byte_stride(1);
    p.state_row_stride = states.byte_stride(states.dim() - 2);
    p.tail_slot_stride = tails.byte_stride(0);
    p.tail_row_stride = tails.byte_stride(1);
    p.state_tables = state_tables.data<const int32_t>();
    p.tail_tables = tail_tables.data<const int32_t>();
    p.state_table_stride = state_tables.stride(0);
    p.tail_table_stride = tail_tables.stride(0);
    p.state_table_width = state_tables.size(1);
    p.tail_table_width = tail_tables.size(1);
    p.seq_lens = lens.data<const int32_t>();
    p.query_start_loc = starts.data<const int32_t>();
    p.num_seqs = lens.size(0);
    p.num_tokens = num_tokens;
    p.num_slots = states.size(0);
    p.num_tails = tails.size(0);
    p.chunk = tails.size(1);
    return p;
  }
};

// A vector of x's type or float32 as floats; empty for None.
std::vector<float> optional_floats(const Tensor& tensor, Size size, int32_t type) {
  if (!tensor) return {};
  expect_rows(tensor, {size}, {type, torch_types().float32});
  std::vector<float> floats(size_t(size.size));
  DefaultFloatMode mode;
  kernels().dequantise_row(tensor.data<const char>(), tensor.kind(), floats.data(), 1.0f, size.size);
  return floats;
}

const float* data_or_null(const std::vector<float>& floats) { return floats.empty() ? nullptr : floats.data(); }

void boxed_chunked_conv1d(StableIValue* stack, uint64_t, uint64_t) {
  const TorchTypes& t = torch_types();
  Arguments a("chunked_conv1d", stack);
  AtenTensorHandle x_handle = a.take(), weight_handle = a.take(), bias_handle = a.take_optional();
  Paged paged(a);
  ChunkedConvolutionParams p{};
  p.silu = a.boolean();
  Tensor x = a.view("x", x_handle), weight = a.view("weight", weight_handle), bias = a.optional_view("bias", bias_handle);
  expect_rows(x, {{kAny, "num_tokens"}, {kAny, "channels"}}, {t.float32, t.float16, t.bfloat16});
  weight.expect_dim(2, "[channels, width]");
  weight.expect_size(0, x.size(1), "channels of x");
  weight.expect_type({x.type(), t.float32});
  expect_not_empty(weight, 1, 2);
  p.weights.weight = weight.data<const char>();
  p.weights.weight_type = weight.kind();
  p.weights.weight_channel_stride = weight.byte_stride(0);
  p.weights.weight_tap_stride = weight.byte_stride(1);
  p.weights.channels = x.size(1);
  p.weights.width = weight.size(1);
  if (bias) {
    bias.expect_dim(1, "[channels]");
    bias.expect_size(0, x.size(1), "channels of x");
    bias.expect_type({x.type(), t.float32});
    p.weights.bias = bias.data<const char>();
    p.weights.bias_type = bias.kind();
    p.weights.bias_stride = bias.byte_stride(0);
  }
  Size channels{x.size(1), "channels of x"};
  p.paged = paged.check(a, x.type(), {{weight.size(1) - 1, "width - 1, of weight"}, channels}, channels, x.size(0));
  p.x = x.data<const char>();
  p.x_stride = x.byte_stride(0);
  p.type = x.kind();
  NewTensor out({x.size(0), x.size(1)}, x.type());
  p.out = out.data<char>();
  chunked_conv1d(p);
  stack[0] = out.release();
}

// query, key and value of gated_delta_rule and linear_attention.
void check_attention_rows(const Tensor& query, const Tensor& key, const Tensor& value, RecurrenceParams& p) {
  const TorchTypes& t = torch_types();
  expect_rows(query, {{kAny, "num_tokens"}, {kAny, "num_key_heads"}, {kAny, "head_dim"}},
              {t.float32, t.float16, t.bfloat16});
  expect_rows(key, {{query.size(0), "as in query"}, {query.size(1), "as in query"}, {query.size(2), "as in query"}},
              {query.type()});
  expect_not_empty(key, 1, 3);
  expect_rows(value, {{query.size(0), "num_tokens, as in query"}, {kAny, "num_heads"}, {kAny, "head_dim_v"}},
              {query.type()});
  if (value.size(1) == 0 || value.size(1) % key.size(1))
    value.refused("has " + std::to_string(value.size(1)) + " heads",
                  "a multiple of the " + std::to_string(key.size(1)) + " heads of key");
  expect_not_empty(value, 2, 3);
  p.query = rows_of(query);
  p.key = rows_of(key);
  p.value = rows_of(value);
  p.key_heads = key.size(1);
  p.heads = value.size(1);
  p.key_dim = key.size(2);
  p.value_dim = value.size(2);
}

PagedStates check_head_states(Paged& paged, const Arguments& a, const RecurrenceParams& p, int64_t gates,
                              int64_t num_tokens) {
  int64_t width = p.key_heads * p.key_dim + p.heads * p.value_dim + gates;
  return paged.check(a, torch_types().float32, {{p.heads, "num_heads"}, {p.key_dim, "of a key"}, {p.value_dim, "of a value"}},
                     {width, "a row's numbers"}, num_tokens);
}

StableIValue run_recurrence(const char* op, RecurrenceParams& p, const Tensor& value) {
  NewTensor out({value.size(0), p.heads, p.value_dim}, value.type());
  p.out = out.data<char>();
  recurrence(op, p);
  return out.release();
}

void boxed_gated_delta_rule(StableIValue* stack, uint64_t, uint64_t) {
  const TorchTypes& t = torch_types();
  Arguments a("gated_delta_rule", stack);
  AtenTensorHandle rows[5];
  for (AtenTensorHandle& handle : rows) handle = a.take();
  Paged paged(a);
  double scale = a.optional_number(__builtin_nan(""));
  RecurrenceParams p{};
  p.kind = Recurrence::Delta;
  p.normalize = a.boolean();
  Tensor query = a.view("query", rows[0]), key = a.view("key", rows[1]), value = a.view("value", rows[2]);
  Tensor gate = a.view("gate", rows[3]), beta = a.view("beta", rows[4]);
  check_attention_rows(query, key, value, p);
  p.scale = float(scale == scale ? scale : 1.0 / __builtin_sqrt(double(p.key_dim)));
  Size tokens{query.size(0), "num_tokens, as in query"}, heads{p.heads, "num_heads, of value"};
  p.channel_gates = gate.dim() == 3;
  if (p.channel_gates)
    expect_rows(gate, {tokens, heads, {p.key_dim, "head_dim, of key"}}, {t.float32});
  else
    expect_rows(gate, {tokens, heads}, {t.float32});
  expect_rows(beta, {tokens, heads}, {query.type(), t.float32});
  p.gate = rows_of(gate);
  p.beta = rows_of(beta);
  p.paged = check_head_states(paged, a, p, p.heads * (p.channel_gates ? p.key_dim : 1), query.size(0));
  stack[0] = run_recurrence("gated_delta_rule", p, value);
}

void boxed_linear_attention(StableIValue* stack, uint64_t, uint64_t) {
  Arguments a("linear_attention", stack);
  AtenTensorHandle rows[4];
  for (AtenTensorHandle& handle : rows) handle = a.take();
  Paged paged(a);
  RecurrenceParams p{};
  p.kind = Recurrence::Linear;
  p.scale = float(a.optional_number(1.0));
  Tensor query = a.view("query", rows[0]), key = a.view("key", rows[1]), value = a.view("value", rows[2]);
  Tensor decay = a.view("decay", rows[3]);
  check_attention_rows(query, key, value, p);
  expect_rows(decay, {{p.heads, "num_heads, of value"}}, {torch_types().float32});
  p.decay = decay.data<const float>();
  p.paged = check_head_states(paged, a, p, 0, query.size(0));
  stack[0] = run_recurrence("linear_attention", p, value);
}

void boxed_mamba2_scan(StableIValue* stack, uint64_t, uint64_t) {
  const TorchTypes& t = torch_types();
  Arguments a("mamba2_scan", stack);
  AtenTensorHandle rows[5];
  for (AtenTensorHandle& handle : rows) handle = a.take();
  Paged paged(a);
  AtenTensorHandle skip_handle = a.take_optional(), bias_handle = a.take_optional();
  RecurrenceParams p{};
  p.kind = Recurrence::Mamba2;
  p.scale = 1.0f;
  p.softplus = a.boolean();
  double min_time = a.number(), max_time = a.optional_number(__builtin_inf());
  Tensor x = a.view("x", rows[0]), dt = a.view("dt", rows[1]), decay = a.view("a", rows[2]);
  Tensor b = a.view("b", rows[3]), c = a.view("c", rows[4]);
  expect_rows(x, {{kAny, "num_tokens"}, {kAny, "num_heads"}, {kAny, "head_dim"}}, {t.float32, t.float16, t.bfloat16});
  expect_not_empty(x, 1, 3);
  Size tokens{x.size(0), "num_tokens, as in x"}, heads{x.size(1), "num_heads, of x"};
  expect_rows(dt, {tokens, heads}, {x.type(), t.float32});
  expect_rows(decay, {heads}, {t.float32});
  expect_rows(b, {tokens, {kAny, "num_groups"}, {kAny, "state_size"}}, {x.type()});
  expect_rows(c, {{b.size(0), "as in b"}, {b.size(1), "as in b"}, {b.size(2), "as in b"}}, {x.type()});
  if (b.size(1) == 0 || x.size(1) % b.size(1))
    x.refused("has " + std::to_string(x.size(1)) + " heads",
              "a multiple of the " + std::to_string(b.size(1)) + " groups of b");
  expect_not_empty(b, 2, 3);
  std::vector<float> skip = optional_floats(a.optional_view("d", skip_handle), heads, x.type());
  std::vector<float> bias = optional_floats(a.optional_view("dt_bias", bias_handle), heads, x.type());
  if (max_time < min_time)
    refuse("mamba2_scan", "dt_max", "is " + std::to_string(max_time),
           "at least dt_min, " + std::to_string(min_time) + ", or None");
  p.query = rows_of(c);
  p.key = rows_of(b);
  p.value = rows_of(x);
  p.gate = rows_of(dt);
  p.key_heads = b.size(1);
  p.heads = x.size(1);
  p.key_dim = b.size(2);
  p.value_dim = x.size(2);
  p.decay = decay.data<const float>();
  p.skip = data_or_null(skip);
  p.time_bias = data_or_null(bias);
  p.min_time = float(min_time);
  p.max_time = float(max_time);
  p.paged = check_head_states(paged, a, p, p.heads, x.size(0));
  stack[0] = run_recurrence("mamba2_scan", p, x);
}

void boxed_selective_scan(StableIValue* stack, uint64_t, uint64_t) {
  const TorchTypes& t = torch_types();
  Arguments a("selective_scan", stack);
  AtenTensorHandle rows[5];
  for (AtenTensorHandle& handle : rows) handle = a.take();
  Paged paged(a);
  AtenTensorHandle skip_handle = a.take_optional(), bias_handle = a.take_optional();
  ScanParams p{};
  p.softplus = a.boolean();
  Tensor x = a.view("x", rows[0]), dt = a.view("dt", rows[1]), decay = a.view("a", rows[2]);
  Tensor b = a.view("b", rows[3]), c = a.view("c", rows[4]);
  expect_rows(x, {{kAny, "num_tokens"}, {kAny, "channels"}}, {t.float32, t.float16, t.bfloat16});
  expect_not_empty(x, 1, 2);
  Size tokens{x.size(0), "num_tokens, as in x"}, channels{x.size(1), "channels of x"};
  expect_rows(dt, {tokens, channels}, {x.type(), t.float32});
  expect_rows(decay, {channels, {kAny, "state_size"}}, {t.float32});
  expect_not_empty(decay, 1, 2);
  Size state_size{decay.size(1), "state_size, of a"};
  expect_rows(b, {tokens, state_size}, {x.type()});
  expect_rows(c, {tokens, state_size}, {x.type()});
  std::vector<float> skip = optional_floats(a.optional_view("d", skip_handle), channels, x.type());
  std::vector<float> bias = optional_floats(a.optional_view("dt_bias", bias_handle), channels, x.type());
  p.paged = paged.check(a, t.float32, {channels, state_size}, {2 * x.size(1) + decay.size(1), "dt, dt * x, b"}, x.size(0));
  p.x = rows_of(x);
  p.dt = rows_of(dt);
  p.b = rows_of(b);
  p.c = rows_of(c);
  p.a = decay.data<const float>();
  p.a_stride = decay.stride(0);
  p.channels = x.size(1);
  p.state_size = decay.size(1);
  p.skip = data_or_null(skip);
  p.time_bias = data_or_null(bias);
  NewTensor out({x.size(0), x.size(1)}, x.type());
  p.out = out.data<char>();
  selective_scan(p);
  stack[0] = out.release();
}

template <class Library>
void register_kernels(Library& m) {
  m.impl("chunked_conv1d", boxed_chunked_conv1d);
  m.impl("gated_delta_rule", boxed_gated_delta_rule);
  m.impl("linear_attention", boxed_linear_attention);
  m.impl("mamba2_scan", boxed_mamba2_scan);
  m.impl("selective_scan", boxed_selective_scan);
}

TORCHPAGED_REGISTER(register_kernels)

}  // namespace
}  // namespace torchpaged
