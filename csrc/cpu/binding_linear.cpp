// The linear operators as torch sees them; binding.cpp has the others and says how they are registered.
#include <torch/csrc/stable/library.h>

#include "binding_parts.h"
#include "kernel_names.h"
#include "replay.h"

namespace torchpaged {
namespace {

void boxed_pack_linear_weight(StableIValue* stack, uint64_t, uint64_t) {
  const TorchTypes& t = torch_types();
  Arguments a("pack_linear_weight", stack);
  Tensor weight = a.view("weight", a.take());
  weight.expect_dim(2, "[out_features, in_features]");
  weight.expect_type({t.bfloat16, t.float16, t.float32, t.int8});
  weight.expect_last_contiguous();
  PackParams p =
      packing_of(weight.kind(), weight.size(0), weight.size(1), weight.data<const char>(), weight.byte_stride(0));
  if (p.out_features == 0 || p.in_features == 0)
    weight.refused("has an empty dimension, shape " + weight.shape(), "at least one output and input");
  NewTensor packed({p.panels, p.words, kPanel, inputs_per_word(p.type)},
                   p.type == DType::Int8 ? aoti_torch_dtype_uint8() : weight.type());
  p.packed = packed.data<char>();
  pack_linear_weight(p);
  stack[0] = packed.release();
}

GroupedFormat format_of(const char* op, int64_t code) {
  const GroupedFormat f = grouped_format(code);
  const int64_t type = code >> 16 & 0xf;
  bool good = (f.bits == 4 || f.bits == 8) &&
              (f.group_size == 16 || f.group_size == 32 || f.group_size == 64 || f.group_size == 128) && type < 4 &&
              int(f.origin) < 6 && f.shared >= 0 && f.shared % f.group_size == 0;
  const bool table = good && table_of(f.origin);
  good = good && (!table || f.bits == 4) && (type < 3 || (table && !f.shared));
  if (!good)
    refuse(op, "format", "is " + std::to_string(code),
           "the code of a GroupedFormat: bits 4 or 8, group_size 16, 32, 64 or 128, scale_type 0 to 2, origin 0 to 2, "
           "or with 4 bits to 5, shared a multiple of group_size or 0; scale_type 3 with an origin above 2 and no shared");
  return f;
}

void boxed_pack_grouped_weight(StableIValue* stack, uint64_t, uint64_t) {
  const char* op = "pack_grouped_weight";
  const TorchTypes& t = torch_types();
  const int32_t uint8 = aoti_torch_dtype_uint8();
  Arguments a(op, stack);
  AtenTensorHandle codes_handle = a.take();
  const int64_t format = a.integer();
  AtenTensorHandle scale_handle = a.take(), optional[4];
  for (auto& handle : optional) handle = a.take_optional();
  Tensor codes = a.view("codes", codes_handle), scale = a.view("scale", scale_handle);
  Tensor zero = a.optional_view("zero", optional[0]), offset = a.optional_view("offset", optional[1]);
  Tensor scale_steps = a.optional_view("scale_steps", optional[2]);
  Tensor offset_steps = a.optional_view("offset_steps", optional[3]);

  PackGroupedParams p{};
  p.format = format_of(op, format);
  codes.expect_dim(2, "[out_features, in_features]");
  codes.expect_type({uint8});
  codes.expect_last_contiguous();
  p.out_features = codes.size(0);
  p.in_features = codes.size(1);
  if (p.out_features == 0 || p.in_features == 0)
    codes.refused("has an empty dimension, shape " + codes.shape(), "at least one output and input");
  const GroupedLayout at(p.format, p.in_features);
  auto check = [&](const Tensor& tensor, const char* name, bool wanted, int64_t entries, int32_t type) {
    if (bool(tensor) != wanted)
      refuse(op, name, tensor ? "is given" : "is None", std::string(wanted ? "a tensor" : "None") + " with this format");
    if (!tensor) return (const char*)nullptr;
    tensor.expect_dim(2, "[out_features, entries]");
    tensor.expect_size(0, p.out_features, "out_features");
    tensor.expect_size(1, entries, "entries of a row");
    tensor.expect_type({type});
    tensor.expect_contiguous();
    return tensor.data<const char>();
  };
  const int32_t scale_types[] = {t.float32, t.float16, t.bfloat16, uint8};
  const int32_t scale_type = scale_types[(format >> 16) & 0xf];
  const bool zeros = p.format.origin == Origin::Zeros, offsets = p.format.origin == Origin::Offsets;
  const bool steps = p.format.shared != 0;
  p.scale = check(scale, "scale", true, at.scales, scale_type);
  const char* zero_data = check(zero, "zero", zeros, at.groups, uint8);
  const char* offset_data = check(offset, "offset", offsets, at.scales, scale_type);
  p.origin = zeros ? zero_data : offset_data;
  p.scale_steps = check(scale_steps, "scale_steps", steps, at.groups, t.int8);
  p.origin_steps = check(offset_steps, "offset_steps", steps && offsets, at.groups, t.int8);
  p.codes = codes.data<const uint8_t>();
  p.row_stride = codes.stride(0);
  NewTensor packed({(p.out_features + kPanel - 1) / kPanel, at.bytes}, uint8);
  p.packed = packed.data<char>();
  if (!pack_grouped_weight(p)) codes.refused("has one of 16 or more", "codes of 4 bits");
  stack[0] = packed.release();
}

}  // namespace

LinearParams product_of(const char* op, const Tensor& input, const Tensor& weight, int64_t axis, int64_t out_features,
                        int64_t format) {
  const TorchTypes& t = torch_types();
  const int32_t packed_int8 = aoti_torch_dtype_uint8();
  const bool grouped = format != 0;
  LinearParams p{};
  if (grouped) {
    p.format = format_of(op, format);
    weight.expect_dim(axis + 2, axis ? "what pack_grouped_weight returns, stacked" : "what pack_grouped_weight returns");
    weight.expect_type({packed_int8});
  } else {
    weight.expect_dim(axis + 4, axis ? "what pack_linear_weight returns, stacked" : "what pack_linear_weight returns");
    weight.expect_type({t.bfloat16, t.float16, t.float32, packed_int8});
  }
  bool int8 = weight.type() == packed_int8;
  p.weight_type = int8 ? DType::Int8 : weight.kind();
  int64_t per_word = inputs_per_word(p.weight_type);
  weight.expect_contiguous();
  if (out_features < 1) refuse(op, "out_features", "is " + std::to_string(out_features), "1 or more");
  weight.expect_size(axis, (out_features + kPanel - 1) / kPanel, "panels of out_features");
  if (!grouped) {
    weight.expect_size(axis + 2, kPanel, "outputs of a panel");
    weight.expect_size(axis + 3, per_word, "inputs of a word");
  }

  if (input.dim() < 1 || input.dim() > NewTensor::kMaxDim)
    input.refused("has " + std::to_string(input.dim()) + " dimensions",
                  "[.., in_features] with 1 to " + std::to_string(NewTensor::kMaxDim));
  if (int8)
    input.expect_type({t.bfloat16, t.float16, t.float32});
  else
    input.expect_type({weight.type()});
  input.expect_last_contiguous();
  int64_t in_features = input.size(input.dim() - 1), words = weight.size(axis + 1);
  if (grouped) {
    const int64_t bytes = in_features ? GroupedLayout(p.format, in_features).bytes : 0;
    if (bytes != words)
      input.refused("has " + std::to_string(in_features) + " input features, " + std::to_string(bytes) +
                        " bytes of a panel in format " + std::to_string(format),
                    "the " + std::to_string(words) + " bytes of the packed weight's panels");
    words = GroupedLayout(p.format, in_features).words * (p.format.bits == 4 ? 2 : 1);
  } else if (in_features == 0 || (in_features + per_word - 1) / per_word != words)
    input.refused("has " + std::to_string(in_features) + " input features",
                  "the " + std::to_string(words * per_word) + " of the packed weight (its padding included)");
  p.num_rows = 1;
  for (int64_t d = 0; d + 1 < input.dim(); ++d) p.num_rows *= input.size(d);
  p.input = input.data<const char>();
  p.input_type = input.kind();
  p.input_dim = input.dim();
  p.input_sizes = input.sizes();
  p.input_strides = input.strides();
  p.weight = weight.data<const char>();
  p.in_features = in_features;
  p.out_features = out_features;
  p.words = words;
  p.panels = weight.size(axis);
  return p;
}

namespace {

// [.., out_features] of the input's type.
class Result : public NewTensor {
 public:
  Result(const Tensor& input, LinearParams& p) : NewTensor(Sizes(input, p).data, input.dim(), input.type()) {
    p.out = data<char>();
  }

 private:
  struct Sizes {
    int64_t data[kMaxDim];
    Sizes(const Tensor& input, const LinearParams& p) {
      for (int64_t d = 0; d + 1 < input.dim(); ++d) data[d] = input.size(d);
      data[input.dim() - 1] = p.out_features;
    }
  };
};

// True if there is a scale. An int8 weight must have one, and no other may.
bool expects_scale(const char* op, const Tensor& scale, const LinearParams& p, const Tensor& weight, const char* shape) {
  if (p.format.bits) {
    if (scale) scale.refused("is given with a format", "None: the packed weight has its scales");
    return false;
  }
  bool int8 = p.weight_type == DType::Int8;
  if (scale && !int8)
    scale.refused("is given with a " + type_name(weight.type()) + " weight", "None unless the weight is int8");
  if (!scale && int8) refuse(op, "weight_scale", "is None", std::string("a tensor ") + shape + " with an int8 weight");
  return int8;
}

// [out_features], contiguous.
void check_per_output(const Tensor& tensor, int64_t out_features) {
  tensor.expect_dim(1, "[out_features]");
  tensor.expect_size(0, out_features, "out_features");
  tensor.expect_last_contiguous();
}

}  // namespace

void complete_product(const char* op, LinearParams& p, const Tensor& input, const Tensor& weight, const Tensor& bias,
                      const Tensor& scale) {
  if (bias) {
    check_per_output(bias, p.out_features);
    bias.expect_type({input.type(), torch_types().float32});
    p.bias = bias.data<const char>();
    p.bias_type = bias.kind();
  }
  if (expects_scale(op, scale, p, weight, "[out_features]")) {
    check_per_output(scale, p.out_features);
    scale.expect_type({torch_types().float32});
    p.weight_scale = scale.data<const float>();
  }
}

namespace {

void boxed_packed_linear(StableIValue* stack, uint64_t, uint64_t) {
  const char* op = "packed_linear";
  Arguments a(op, stack);
  AtenTensorHandle handles[2] = {a.take(), a.take()};
  int64_t out_features = a.integer();
  AtenTensorHandle optional[2] = {a.take_optional(), a.take_optional()};
  const int64_t format = a.integer();
  Tensor input = a.view("input", handles[0]), weight = a.view("packed_weight", handles[1]);
  Tensor bias = a.optional_view("bias", optional[0]), scale = a.optional_view("weight_scale", optional[1]);

  LinearParams p = product_of(op, input, weight, 0, out_features, format);
  complete_product(op, p, input, weight, bias, scale);
  Result out(input, p);
  packed_linear(p);
  stack[0] = out.release();
}

void boxed_packed_grouped_linear(StableIValue* stack, uint64_t, uint64_t) {
  const char* op = "packed_grouped_linear";
  const TorchTypes& t = torch_types();
  Arguments a(op, stack);
  AtenTensorHandle handles[2] = {a.take(), a.take()};
  int64_t out_features = a.integer();
  AtenTensorHandle experts = a.take(), optional = a.take_optional();
  const int64_t format = a.integer();
  Tensor input = a.view("input", handles[0]), weights = a.view("packed_weights", handles[1]);
  Tensor expert_of_row = a.view("expert_of_row", experts), scale = a.optional_view("weight_scale", optional);

  GroupedLinearParams p{product_of(op, input, weights, 1, out_features, format), weights.size(0), nullptr};
  expert_of_row.expect_dim(input.dim() - 1, "[..] of input [.., in_features]");
  for (int64_t d = 0; d + 1 < input.dim(); ++d) expert_of_row.expect_size(d, input.size(d), "as in input");
  expert_of_row.expect_type({t.int64});
  expert_of_row.expect_contiguous();
  p.expert_of_row = expert_of_row.data<const int64_t>();
  if (expects_scale(op, scale, p.rows, weights, "[num_experts, out_features]")) {
    scale.expect_dim(2, "[num_experts, out_features]");
    scale.expect_size(0, p.num_experts, "num_experts of packed_weights");
    scale.expect_size(1, out_features, "out_features");
    scale.expect_type({t.float32});
    scale.expect_contiguous();
    p.rows.weight_scale = scale.data<const float>();
  }
  Result out(input, p.rows);
  packed_grouped_linear(p);
  stack[0] = out.release();
}

// The arguments of lora_linear_add; `ranks` may be without a tensor.
struct LoraTensors {
  Tensor out, x, lora_a, lora_b, slots, ranks;
};

void add_adapters(const char* op, const LoraTensors& a, std::vector<int64_t> ends) {
  const TorchTypes& t = torch_types();
  if (ends.empty()) refuse(op, "sizes", "is an empty list", "the outputs of at least one linear layer");
  for (size_t i = 0; i < ends.size(); ++i) {
    if (ends[i] < 1) refuse(op, "sizes", "has " + std::to_string(ends[i]), "1 or more");
    if (i) ends[i] += ends[i - 1];
  }
  const int64_t parts = int64_t(ends.size());
  a.out.expect_dim(2, "[num_tokens, outputs]");
  a.out.expect_type({t.float32, t.float16, t.bfloat16});
  a.out.expect_last_contiguous();
  a.out.expect_own_elements();
  a.out.expect_size(1, ends.back(), "the sum of sizes");
  a.x.expect_dim(2, "[num_tokens, in_features]");
  a.x.expect_size(0, a.out.size(0), "num_tokens, as in out");
  a.lora_a.expect_dim(3, "[num_slots, parts * rank, in_features]");
  a.lora_b.expect_dim(3, "[num_slots, rank, outputs]");
  for (const Tensor* each : {&a.x, &a.lora_a, &a.lora_b}) {
    each->expect_type({a.out.type()});
    each->expect_last_contiguous();
  }
  for (const Tensor* each : {&a.lora_a, &a.lora_b})
    if (each->size(0) == 0 || each->size(1) == 0 || each->size(2) == 0)
      each->refused("has an empty dimension, shape " + each->shape(), "at least one of each");
  a.lora_b.expect_size(0, a.lora_a.size(0), "num_slots, as in lora_a");
  a.lora_b.expect_size(2, ends.back(), "the sum of sizes");
  a.lora_a.expect_size(1, parts * a.lora_b.size(1), "rank rows for each of sizes");
  a.lora_a.expect_size(2, a.x.size(1), "in_features, as in x");
  a.slots.expect_dim(1, "[num_tokens]");
  a.slots.expect_type({t.int32});
  a.slots.expect_size(0, a.out.size(0), "num_tokens, as in out");

  LoraParams p{};
  p.out = a.out.data<char>();
  p.x = a.x.data<const char>();
  p.a = a.lora_a.data<const char>();
  p.b = a.lora_b.data<const char>();
  p.out_row_stride = a.out.byte_stride(0);
  p.x_row_stride = a.x.byte_stride(0);
  p.a_slot_stride = a.lora_a.byte_stride(0);
  p.a_row_stride = a.lora_a.byte_stride(1);
  p.b_slot_stride = a.lora_b.byte_stride(0);
  p.b_row_stride = a.lora_b.byte_stride(1);
  p.type = a.out.kind();
  p.slots = a.slots.data<const int32_t>();
  p.slot_stride = a.slots.stride(0);
  p.num_tokens = a.out.size(0);
  p.num_slots = a.lora_a.size(0);
  p.in_features = a.x.size(1);
  p.rank = a.lora_b.size(1);
  p.parts = parts;
  p.ends = ends.data();
  if (a.ranks) {
    a.ranks.expect_dim(2, "[num_slots, parts]");
    a.ranks.expect_type({t.int32});
    a.ranks.expect_size(0, p.num_slots, "num_slots, as in lora_a");
    a.ranks.expect_size(1, parts, "a rank for each of sizes");
    p.ranks = a.ranks.data<const int32_t>();
    p.ranks_slot_stride = a.ranks.stride(0);
    p.ranks_part_stride = a.ranks.stride(1);
  }
  lora_linear_add(p);
}

constexpr const char* kLora = "lora_linear_add";

void boxed_lora_linear_add(StableIValue* stack, uint64_t, uint64_t) {
  Arguments a(kLora, stack);
  AtenTensorHandle handles[5];
  for (AtenTensorHandle& handle : handles) handle = a.take();
  std::vector<int64_t> sizes = a.take_integers();
  AtenTensorHandle ranks = a.take_optional();
  add_adapters(kLora,
               {a.view("out", handles[0]), a.view("x", handles[1]), a.view("lora_a", handles[2]),
                a.view("lora_b", handles[3]), a.view("slots", handles[4]), a.optional_view("ranks", ranks)},
               std::move(sizes));
}

void viewed_lora_linear_add(const View* const* v, const std::vector<int64_t>& sizes) {
  auto view = [&](const char* name, const View* of) {
    return Tensor(kLora, name, of->data, of->dim, of->sizes, of->strides, of->type);
  };
  add_adapters(kLora,
               {view("out", v[0]), view("x", v[1]), view("lora_a", v[2]), view("lora_b", v[3]), view("slots", v[4]),
                v[5] ? view("ranks", v[5]) : Tensor()},
               sizes);
}

template <class Library>
void register_kernels(Library& m) {
  m.impl("pack_linear_weight", boxed_pack_linear_weight);
  m.impl("pack_grouped_weight", boxed_pack_grouped_weight);
  m.impl("packed_linear", boxed_packed_linear);
  m.impl("packed_grouped_linear", boxed_packed_grouped_linear);
  m.impl("lora_linear_add", boxed_lora_linear_add);
}

TORCHPAGED_REGISTER(register_kernels)

[[maybe_unused]] const bool viewed = register_view_kernel(kLora, viewed_lora_linear_add);

}  // namespace
}  // namespace torchpaged
