// causal_conv1d as torch sees it; see binding.cpp.
#include <torch/csrc/stable/library.h>

#include "arguments.h"
#include "kernel_names.h"
#include "operators.h"

namespace torchpaged {
namespace {

// The tensors that hold a token's row between them; `total` counts its numbers.
std::vector<RowPart> row_parts(const Arguments& a, const std::vector<AtenTensorHandle>& handles, const Tensor& x,
                               ConvolutionParams& p) {
  if (handles.empty()) refuse("causal_conv1d", "caches", "is an empty list", "at least one tensor");
  std::vector<RowPart> parts;
  int64_t total = 0;
  for (size_t i = 0; i < handles.size(); ++i) {
    Tensor cache = a.view(("caches[" + std::to_string(i) + "]").c_str(), handles[i]);
    cache.expect_dim(4, "[num_blocks, block_size, num_heads, head_dim]");
    cache.expect_type({x.type()});
    cache.expect_last_contiguous();
    cache.expect_own_elements();
    if (i == 0) {
      p.num_blocks = cache.size(0);
      p.block_size = cache.size(1);
    }
    cache.expect_size(0, p.num_blocks, "num_blocks, as in caches[0]");
    cache.expect_size(1, p.block_size, "block_size, as in caches[0]");
    for (int64_t axis = 0; axis < 4; ++axis)
      if (cache.size(axis) == 0)
        cache.refused("has an empty dimension, shape " + cache.shape(), "at least one number a token");
    RowPart part{cache.data<char>(), cache.byte_stride(0), cache.byte_stride(1), cache.byte_stride(2),
                 cache.size(2), cache.size(3)};
    total += part.num_heads * part.head_dim;
    if (cache.stride(2) == cache.size(3)) {  // a row is one piece
      part.head_dim *= part.num_heads;
      part.num_heads = 1;
    }
    parts.push_back(part);
  }
  if (total < x.size(1))
    refuse("causal_conv1d", "caches", "hold " + std::to_string(total) + " numbers a token",
           "at least " + std::to_string(x.size(1)) + ", the channels of x");
  return parts;
}

void boxed_causal_conv1d(StableIValue* stack, uint64_t, uint64_t) {
  const TorchTypes& t = torch_types();
  Arguments a("causal_conv1d", stack);
  AtenTensorHandle x_handle = a.take(), weight_handle = a.take(), bias_handle = a.take_optional();
  const std::vector<AtenTensorHandle>& handles = a.take_list();
  AtenTensorHandle numbers[4];
  for (AtenTensorHandle& handle : numbers) handle = a.take();
  ConvolutionParams p{};
  p.silu = a.boolean();
  Tensor x = a.view("x", x_handle), weight = a.view("weight", weight_handle), bias = a.optional_view("bias", bias_handle);
  Tensor slots = a.view("slot_mapping", numbers[0]), tables = a.view("block_tables", numbers[1]);
  Tensor lens = a.view("seq_lens", numbers[2]), starts = a.view("query_start_loc", numbers[3]);
  x.expect_dim(2, "[num_tokens, channels]");
  x.expect_type({t.float32, t.float16, t.bfloat16});
  x.expect_last_contiguous();
  weight.expect_dim(2, "[channels, width]");
  weight.expect_size(0, x.size(1), "channels of x");
  weight.expect_type({x.type(), t.float32});
  if (weight.size(1) == 0) weight.refused("has shape " + weight.shape(), "a width of at least 1");
  if (bias) {
    bias.expect_dim(1, "[channels]");
    bias.expect_size(0, x.size(1), "channels of x");
    bias.expect_type({x.type(), t.float32});
    p.weights.bias = bias.data<const char>();
    p.weights.bias_type = bias.kind();
    p.weights.bias_stride = bias.byte_stride(0);
  }
  p.parts = row_parts(a, handles, x, p);
  slots.expect_dim(1, "[num_tokens]");
  slots.expect_type({t.int64});
  slots.expect_size(0, x.size(0), "num_tokens, as in x");
  check_tables(tables, lens);
  check_starts(starts, lens);
  p.x = x.data<const char>();
  p.x_stride = x.byte_stride(0);
  p.type = x.kind();
  p.weights.weight = weight.data<const char>();
  p.weights.weight_type = weight.kind();
  p.weights.weight_channel_stride = weight.byte_stride(0);
  p.weights.weight_tap_stride = weight.byte_stride(1);
  p.slots = slots.data<const int64_t>();
  p.slot_stride = slots.stride(0);
  p.block_tables = tables.data<const int32_t>();
  p.block_table_stride = tables.stride(0);
  p.max_blocks = tables.size(1);
  p.seq_lens = lens.data<const int32_t>();
  p.query_start_loc = starts.data<const int32_t>();
  p.num_seqs = lens.size(0);
  p.num_tokens = x.size(0);
  p.weights.channels = x.size(1);
  p.weights.width = weight.size(1);
  NewTensor out({p.num_tokens, p.weights.channels}, x.type());
  p.out = out.data<char>();
  causal_conv1d(p);
  stack[0] = out.release();
}

template <class Library>
void register_kernels(Library& m) {
  m.impl("causal_conv1d", boxed_causal_conv1d);
}

TORCHPAGED_REGISTER(register_kernels)

}  // namespace
}  // namespace torchpaged
