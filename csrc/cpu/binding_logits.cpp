// The operators on rows of logits as torch sees them, but sample_tokens; binding.cpp has the others and says how they
// are registered.
#include <torch/csrc/stable/library.h>

#include "arguments.h"
#include "kernel_names.h"
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

Tensor table_of(const Arguments& a, AtenTensorHandle handle) {
  Tensor table = a.view("token_table", handle);
  table.expect_dim(2, "[num_table_rows, max_tokens]");
  table.expect_type({torch_types().int32});
  table.expect_last_contiguous();
  return table;
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
  Tensor logits = logits_of(a, handles[0]), table = table_of(a, handles[1]);
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

void boxed_edit_logits(StableIValue* stack, uint64_t, uint64_t) {
  const TorchTypes& t = torch_types();
  Arguments a("edit_logits", stack);
  AtenTensorHandle handles[12];
  for (AtenTensorHandle& handle : handles) handle = a.take();
  Tensor logits = logits_of(a, handles[0]), table = table_of(a, handles[1]);
  int64_t count = logits.size(0);
  auto of_rows = [&](const char* name, int place, int32_t type) {
    return column_of(a, name, handles[place], type, count, "[num_rows]", "num_rows of logits");
  };
  Tensor rows = of_rows("rows", 2, t.int64), lengths = of_rows("lengths", 3, t.int32);
  Tensor prompts = of_rows("prompt_lengths", 4, t.int32), masks = a.view("masks", handles[5]);
  masks.expect_dim(2, "[num_masks, num_words]");
  masks.expect_type({t.int32});
  masks.expect_last_contiguous();
  if (masks.size(0) > 0 && masks.size(1) * 32 < logits.size(1))
    masks.refused("has " + std::to_string(masks.size(1)) + " words of 32 tokens, shape " + masks.shape(),
                  "a bit for each of " + std::to_string(logits.size(1)) + " tokens");
  Tensor mask_of_row = of_rows("mask_of_row", 6, t.int32);
  Tensor starts = column_of(a, "starts", handles[7], t.int32, count + 1, "[num_rows + 1]", "num_rows of logits and 1");
  Tensor ids = a.view("token_ids", handles[8]);
  ids.expect_dim(1, "[num_edits]");
  auto of_edits = [&](const char* name, int place, int32_t type) {
    return column_of(a, name, handles[place], type, ids.size(0), "[num_edits]", "num_edits, as in token_ids");
  };
  ids = of_edits("token_ids", 8, t.int32);
  Tensor values = of_edits("values", 9, t.float32), until = of_edits("until", 10, t.int32);
  Tensor prefixes = a.view("prefixes", handles[11]);
  prefixes.expect_dim(2, "[num_edits, width]");
  prefixes.expect_type({t.int32});
  prefixes.expect_size(0, ids.size(0), "num_edits, as in token_ids");
  prefixes.expect_last_contiguous();
  EditParams p{};
  p.logits = logits.data<const char>();
  p.type = logits.kind();
  p.row_stride = logits.byte_stride(0);
  p.num_rows = count;
  p.vocab_size = logits.size(1);
  p.tokens = table.data<const int32_t>();
  p.table_stride = table.stride(0);
  p.num_table_rows = table.size(0);
  p.max_tokens = table.size(1);
  p.rows = rows.data<const int64_t>();
  p.lengths = lengths.data<const int32_t>();
  p.prompt_lengths = prompts.data<const int32_t>();
  p.masks = masks.data<const uint32_t>();
  p.mask_stride = masks.stride(0);
  p.num_masks = masks.size(0);
  p.mask_of_row = mask_of_row.data<const int32_t>();
  p.starts = starts.data<const int32_t>();
  p.token_ids = ids.data<const int32_t>();
  p.values = values.data<const float>();
  p.until = until.data<const int32_t>();
  p.prefixes = prefixes.data<const int32_t>();
  p.num_edits = ids.size(0);
  p.prefix_stride = prefixes.stride(0);
  p.width = prefixes.size(1);
  NewTensor out({p.num_rows, p.vocab_size}, t.float32);
  p.out = out.data<float>();
  edit_logits(p);
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

template <class Library>
void register_kernels(Library& m) {
  m.impl("edit_logits", boxed_edit_logits);
  m.impl("penalize_logits", boxed_penalize_logits);
  m.impl("token_logprobs", boxed_token_logprobs);
}

TORCHPAGED_REGISTER(register_kernels)

}  // namespace
}  // namespace torchpaged
