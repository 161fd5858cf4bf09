// The operators on rows of logits as torch sees them, but sample_tokens; binding.cpp has the others and says how they
// are registered.
#include <torch/csrc/stable/library.h>

#include "arguments.h"
#include "operators.h"

namespace torchpaged {
namespace {

Tensor logits_of(const Arguments& a, AtenTensorHandle handle) {
  const TorchTypes& t = torch_types();
  Tensor logits = a.view("logits", handle);
  logits.expect_dim(2, "[num_rows, vocab_size]");
  logits.expect_type({t.float32, t.float16, t.bfloat16});
  logits.expect_last_contiguous();
  if (logits.size(1) == 0) logits.refused("has an empty vocabulary, shape " + logits.shape(), "at least one token");
  return logits;
}

// [size], contiguous.
Tensor column_of(const Arguments& a, const char* name, AtenTensorHandle handle, int32_t type, int64_t size,
                 const char* shape, const char* what) {
  Tensor column = a.view(name, handle);
  column.expect_dim(1, shape);
  column.expect_type({type});
  column.expect_size(0, size, what);
  column.expect_last_contiguous();
  return column;
}

void boxed_penalize_logits(StableIValue* stack, uint64_t, uint64_t) {
  const TorchTypes& t = torch_types();
  Arguments a("penalize_logits", stack);
  AtenTensorHandle handles[8];
  for (AtenTensorHandle& handle : handles) handle = a.take();
  Tensor logits = logits_of(a, handles[0]), table = a.view("token_table", handles[1]);
  table.expect_dim(2, "[num_table_rows, max_tokens]");
  table.expect_type({t.int32});
  table.expect_last_contiguous();
  const std::pair<const char*, int32_t> names[] = {{"rows", t.int64},          {"lengths", t.int32},
                                                   {"prompt_lengths", t.int32}, {"repetition", t.float32},
                                                   {"presence", t.float32},     {"frequency", t.float32}};
  Tensor columns[6];
  for (int i = 0; i < 6; ++i)
    columns[i] = column_of(a, names[i].first, handles[i + 2], names[i].second, logits.size(0), "[num_rows]",
                           "num_rows of logits");
  PenaltyParams p{};
  p.logits = logits.data<const char>();
  p.type = logits.kind();
  p.row_stride = logits.byte_stride(0);
  p.num_rows = logits.size(0);
  p.vocab_size = logits.size(1);
  p.tokens = table.data<const int32_t>();
  p.table_stride = table.stride(0);
  p.num_table_rows = table.size(0);
  p.max_tokens = table.size(1);
  p.rows = columns[0].data<const int64_t>();
  p.lengths = columns[1].data<const int32_t>();
  p.prompt_lengths = columns[2].data<const int32_t>();
  p.repetition = columns[3].data<const float>();
  p.presence = columns[4].data<const float>();
  p.frequency = columns[5].data<const float>();
  NewTensor out({p.num_rows, p.vocab_size}, t.float32);
  p.out = out.data<float>();
  penalize_logits(p);
  stack[0] = out.release();
}

void boxed_token_logprobs(StableIValue* stack, uint64_t, uint64_t) {
  const TorchTypes& t = torch_types();
  Arguments a("token_logprobs", stack);
  AtenTensorHandle handles[3];
  for (AtenTensorHandle& handle : handles) handle = a.take();
  int64_t num_top = a.integer();
  Tensor logits = logits_of(a, handles[0]), rows = a.view("rows", handles[1]);
  rows.expect_dim(1, "[num_tokens]");
  rows.expect_type({t.int64});
  rows.expect_last_contiguous();
  Tensor tokens = column_of(a, "token_ids", handles[2], t.int64, rows.size(0), "[num_tokens]", "num_tokens, as in rows");
  if (num_top < 0 || num_top > logits.size(1))
    refuse("token_logprobs", "num_top", "is " + std::to_string(num_top),
           "0 to " + std::to_string(logits.size(1)) + ", the vocabulary's size");
  LogprobParams p{};
  p.logits = logits.data<const char>();
  p.type = logits.kind();
  p.row_stride = logits.byte_stride(0);
  p.num_rows = logits.size(0);
  p.vocab_size = logits.size(1);
  p.rows = rows.data<const int64_t>();
  p.token_ids = tokens.data<const int64_t>();
  p.num_tokens = rows.size(0);
  p.num_top = num_top;
  NewTensor logprobs({p.num_tokens}, t.float32), ranks({p.num_tokens}, t.int64);
  NewTensor top_logprobs({p.num_tokens, num_top}, t.float32), top_ids({p.num_tokens, num_top}, t.int64);
  p.logprobs = logprobs.data<float>();
  p.ranks = ranks.data<int64_t>();
  p.top_logprobs = top_logprobs.data<float>();
  p.top_ids = top_ids.data<int64_t>();
  token_logprobs(p);
  stack[0] = logprobs.release();
  stack[1] = ranks.release();
  stack[2] = top_logprobs.release();
  stack[3] = top_ids.release();
}

void register_kernels(torch::stable::detail::StableLibrary& m) {
  m.impl("penalize_logits", boxed_penalize_logits);
  m.impl("token_logprobs", boxed_token_logprobs);
}

STABLE_TORCH_LIBRARY_IMPL(torchpaged, CPU, m) { register_kernels(m); }
STABLE_TORCH_LIBRARY_IMPL(torchpaged_cpp, CPU, m) { register_kernels(m); }

}  // namespace
}  // namespace torchpaged
