// The operators' kernels for torch: they check arguments, turn them into plain structs, and allocate results.
//
// Schemas are defined in Python (ops/attention.py and so on); this file implements them twice: for `torchpaged`, and for
// `torchpaged_cpp`, which keeps these kernels where another backend has taken the public names.
#include <torch/csrc/stable/library.h>

#include <algorithm>
#include <cmath>

#include "arguments.h"
#include "binding_parts.h"
#include "kernel_names.h"
#include "operators.h"

namespace torchpaged {
namespace {

// Written values may have width 0: they are a part of the keys then (latent attention).
void check_caches(const Tensor& key_cache, const Tensor& value_cache, bool any_value_width = false) {
  const TorchTypes& t = torch_types();
  for (const Tensor* cache : {&key_cache, &value_cache}) {
    cache->expect_dim(4, "[num_blocks, block_size, num_kv_heads, head_dim]");
    cache->expect_type({t.float32, t.float16, t.bfloat16, t.e4m3, t.e5m2, t.int8, t.uint8});
    cache->expect_last_contiguous();
    if (cache->type() == t.uint8 && cache->size(3) % kGroupBytes)
      cache->refused("has size " + std::to_string(cache->size(3)) + " in dimension 3, dtype uint8",
                     "a multiple of 18, the bytes of 32 numbers of 4 bits");
    int axes = any_value_width && cache == &value_cache ? 3 : 4;
    for (int axis = 0; axis < axes; ++axis)
      if (cache->size(axis) == 0)
        cache->refused("has an empty dimension, shape " + cache->shape(), "at least one block, token and head");
  }
  value_cache.expect_type({key_cache.type()});
  value_cache.expect_size(0, key_cache.size(0), "key_cache's num_blocks");
  value_cache.expect_size(1, key_cache.size(1), "key_cache's block_size");
  value_cache.expect_size(2, key_cache.size(2), "key_cache's num_kv_heads");
}

// Numbers of a cache's row.
int64_t row_numbers(const Tensor& cache) {
  int64_t size = cache.size(3);
  return cache.kind() == DType::Int4 ? size / kGroupBytes * kGroupNumbers : size;
}

// Activations have the cache's dtype, or any float dtype over a quantised cache.
void check_activations(const Tensor& tensor, const Tensor& cache) {
  const TorchTypes& t = torch_types();
  tensor.expect_type({t.float32, t.float16, t.bfloat16});
  if (!cache.quantised()) tensor.expect_type({cache.type()});
  tensor.expect_last_contiguous();
}

void check_scale(const Tensor& scale, const Tensor& cache) {
  if (!cache.quantised())
    scale.refused("is given with a " + type_name(cache.type()) + " cache", "None unless the cache is quantised");
  if (cache.kind() == DType::Int4)
    scale.refused("is given with a uint8 cache", "None: the scales of 4-bit numbers lie in the rows");
  scale.expect_type({torch_types().float32});
  if (scale.dim() == 1) {
    scale.expect_size(0, cache.size(2), "num_kv_heads");
  } else if (scale.dim() == 3) {
    for (int axis = 0; axis < 3; ++axis)
      scale.expect_size(axis, cache.size(axis), "[num_blocks, block_size, num_kv_heads]");
  } else if (scale.dim() != 0) {
    scale.refused("has shape " + scale.shape(), "[], [num_kv_heads] or [num_blocks, block_size, num_kv_heads]");
  }
}

}  // namespace

CacheView cache_view(const Tensor& cache) {
  return {cache.data<char>(), cache.byte_stride(0), cache.byte_stride(1), cache.byte_stride(2)};
}

ScaleView scale_view(const Tensor& scale, const Tensor& cache) {
  if (!scale) return {nullptr, 0, 0, 0, false};
  check_scale(scale, cache);
  auto* data = scale.data<const float>();
  if (scale.dim() == 0) return {data, 0, 0, 0, false};
  if (scale.dim() == 1) return {data, 0, 0, scale.stride(0), false};
  return {data, scale.stride(0), scale.stride(1), scale.stride(2), true};
}

namespace {

void check_not_negative(const char* op, const char* name, double value, const std::string& text) {
  if (!(value >= 0)) refuse(op, name, "is " + text, "0 or more");
}

// The 20 arguments that every overload of paged_attention begins with; paged_sparse_attention has two more.
struct AttentionCall {
  const char* op;
  Tensor query, out;
  std::shared_ptr<const ModProgram> held_score_mod, held_mask_mod;
  AttentionParams params{};
  int64_t num_splits = 0;

  AttentionCall(const char* op, Arguments& a, bool sparse = false) : op(op) {
    AtenTensorHandle tensors[6];
    for (AtenTensorHandle& handle : tensors) handle = a.take();
    AtenTensorHandle selected = sparse ? a.take() : nullptr;
    params.granularity = sparse ? a.integer() : 1;
    double scale = a.optional_number(NAN);
    params.causal = a.boolean();
    int64_t window = a.integer();
    double softcap = a.number();
    AtenTensorHandle optional[5];
    for (AtenTensorHandle& handle : optional) handle = a.take_optional();
    int64_t max_query_len = a.integer();
    num_splits = a.integer();
    AtenTensorHandle bias = a.take_optional();
    std::optional<std::string> score_mod = a.take_optional_string(), mask_mod = a.take_optional_string();

    query = a.view("query", tensors[0]);
    Tensor key_cache = a.view("key_cache", tensors[1]), value_cache = a.view("value_cache", tensors[2]);
    Tensor block_tables = a.view("block_tables", tensors[3]), seq_lens = a.view("seq_lens", tensors[4]);
    Tensor query_start_loc = a.view("query_start_loc", tensors[5]);
    check(key_cache, value_cache, block_tables, seq_lens, query_start_loc);
    check_not_negative(op, "sliding_window", double(window), std::to_string(window));
    check_not_negative(op, "softcap", softcap, std::to_string(softcap));
    if (std::isinf(softcap)) refuse(op, "softcap", "is inf", "a finite number");
    if (std::isinf(scale)) refuse(op, "scale", "is NaN or infinite", "a finite number, or None");
    check_not_negative(op, "max_query_len", double(max_query_len), std::to_string(max_query_len));
    check_not_negative(op, "num_splits", double(num_splits), std::to_string(num_splits));

    AttentionParams& p = params;
    p.query = query.data<const char>();
    p.query_token_stride = query.byte_stride(0);
    p.query_head_stride = query.byte_stride(1);
    p.query_type = query.kind();
    p.cache_type = key_cache.kind();
    p.key = cache_view(key_cache);
    p.value = cache_view(value_cache);
    p.block_tables = block_tables.data<const int32_t>();
    p.block_table_stride = block_tables.stride(0);
    p.max_blocks = block_tables.size(1);
    p.seq_lens = seq_lens.data<const int32_t>();
    p.num_seqs = seq_lens.size(0);
    p.query_start_loc = query_start_loc.data<const int32_t>();
    p.num_blocks = key_cache.size(0);
    p.block_size = key_cache.size(1);
    p.num_tokens = query.size(0);
    p.num_heads = int(query.size(1));
    p.num_kv_heads = int(key_cache.size(2));
    p.group = p.num_heads / p.num_kv_heads;
    p.head_dim = int(row_numbers(key_cache));
    p.head_dim_v = int(row_numbers(value_cache));
    p.scale = float(std::isnan(scale) ? 1.0 / std::sqrt(double(p.head_dim)) : scale);
    p.softcap = float(softcap);
    p.window = window;
    take_options(a, optional, key_cache, value_cache);
    take_distance_bias(a.optional_view("distance_bias", bias));
    if (score_mod) held_score_mod = find_program(op, "score_mod", *score_mod);
    if (mask_mod) held_mask_mod = find_program(op, "mask_mod", *mask_mod);
    p.score_mod = held_score_mod.get();
    p.mask_mod = held_mask_mod.get();
    if (sparse) take_selected(a.view("selected", selected));
  }

  void check(const Tensor& key_cache, const Tensor& value_cache, const Tensor& block_tables, const Tensor& seq_lens,
             const Tensor& query_start_loc) const {
    check_caches(key_cache, value_cache);
    query.expect_dim(3, "[num_tokens, num_heads, head_dim]");
    check_activations(query, key_cache);
    query.expect_size(2, row_numbers(key_cache), "head_dim of key_cache");
    int64_t heads = query.size(1), kv_heads = key_cache.size(2);
    if (heads == 0 || heads % kv_heads)
      query.refused("has " + std::to_string(heads) + " heads",
                    "a multiple of the cache's " + std::to_string(kv_heads) + " KV heads");
    check_tables(block_tables, seq_lens);
    check_starts(query_start_loc, seq_lens);
  }

  void take_options(Arguments& a, AtenTensorHandle const* optional, const Tensor& key_cache,
                    const Tensor& value_cache) {
    const TorchTypes& t = torch_types();
    AttentionParams& p = params;
    Tensor slopes = a.optional_view("alibi_slopes", optional[0]), sinks = a.optional_view("sinks", optional[1]);
    for (const Tensor* per_head : {&slopes, &sinks}) {
      if (!*per_head) continue;
      per_head->expect_dim(1, "[num_heads]");
      per_head->expect_size(0, p.num_heads, "num_heads");
      per_head->expect_last_contiguous();
    }
    if (slopes) {
      slopes.expect_type({t.float32});
      p.alibi_slopes = slopes.data<const float>();
    }
    if (sinks) {
      sinks.expect_type({t.float32, query.type()});
      p.sinks = sinks.data<const char>();
      p.sinks_type = sinks.kind();
    }
    if (Tensor tree = a.optional_view("tree_mask", optional[2])) {
      tree.expect_dim(2, "[num_tokens, max_query_len]");
      tree.expect_type({t.boolean});
      tree.expect_size(0, p.num_tokens, "num_tokens");
      p.tree_mask = tree.data<const uint8_t>();
      p.tree_row_stride = tree.stride(0);
      p.tree_column_stride = tree.stride(1);
      p.tree_width = tree.size(1);
    }
    p.key_scale = scale_view(a.optional_view("k_scale", optional[3]), key_cache);
    p.value_scale = scale_view(a.optional_view("v_scale", optional[4]), value_cache);
  }

  void take_distance_bias(const Tensor& bias) {
    if (!bias) return;
    bias.expect_dim(2, "[num_heads, num_distances]");
    bias.expect_type({torch_types().float32});
    bias.expect_size(0, params.num_heads, "num_heads");
    if (bias.size(1) == 0) bias.refused("has 0 distances", "1 or more");
    bias.expect_last_contiguous();
    params.distance_bias = bias.data<const float>();
    params.distance_bias_stride = bias.stride(0);
    params.distances = bias.size(1);
  }

  void take_selected(const Tensor& selected) {
    AttentionParams& p = params;
    selected.expect_dim(3, "[num_tokens, 1 or num_kv_heads, num_selected]");
    selected.expect_type({torch_types().int32});
    selected.expect_last_contiguous();
    selected.expect_size(0, p.num_tokens, "num_tokens, as in query");
    if (selected.size(1) != 1) selected.expect_size(1, p.num_kv_heads, "1, or num_kv_heads of the cache");
    if (p.granularity < 1) refuse(op, "granularity", "is " + std::to_string(p.granularity), "1 or more");
    // No sequence is longer, and products of it with ids stay far from overflowing.
    p.granularity = std::min<int64_t>(p.granularity, int64_t{1} << 31);
    p.selected = selected.data<const int32_t>();
    p.selected_token_stride = selected.stride(0);
    p.selected_head_stride = selected.size(1) == 1 ? 0 : selected.stride(1);
    p.num_selected = selected.size(2);
  }

  void run(const Tensor& out_tensor, float* lse) {
    params.out = out_tensor.data<char>();
    params.out_token_stride = out_tensor.byte_stride(0);
    params.out_head_stride = out_tensor.byte_stride(1);
    params.lse = lse;
    paged_attention(op, params, num_splits);
  }

  NewTensor new_out() const { return {{params.num_tokens, params.num_heads, params.head_dim_v}, query.type()}; }
};

void attend(const char* op, StableIValue* stack, bool sparse) {
  Arguments a(op, stack);
  AttentionCall call(op, a, sparse);
  NewTensor out = call.new_out();
  call.run(a.view("out", out.get()), nullptr);
  stack[0] = out.release();
}

void attend_with_lse(const char* op, StableIValue* stack, bool sparse) {
  Arguments a(op, stack);
  AttentionCall call(op, a, sparse);
  NewTensor out = call.new_out();
  NewTensor lse({call.params.num_tokens, call.params.num_heads}, torch_types().float32);
  call.run(a.view("out", out.get()), lse.data<float>());
  stack[0] = out.release();
  stack[1] = lse.release();
}

void boxed_paged_attention(StableIValue* stack, uint64_t, uint64_t) { attend("paged_attention", stack, false); }

void boxed_paged_attention_with_lse(StableIValue* stack, uint64_t, uint64_t) {
  attend_with_lse("paged_attention_with_lse", stack, false);
}

void boxed_paged_sparse_attention(StableIValue* stack, uint64_t, uint64_t) {
  attend("paged_sparse_attention", stack, true);
}

void boxed_paged_sparse_attention_with_lse(StableIValue* stack, uint64_t, uint64_t) {
  attend_with_lse("paged_sparse_attention_with_lse", stack, true);
}

void boxed_paged_attention_out(StableIValue* stack, uint64_t, uint64_t) {
  Arguments a("paged_attention.out", stack);
  AtenTensorHandle out_handle;
  std::memcpy(&out_handle, &stack[20], sizeof out_handle);
  struct Release {
    AtenTensorHandle handle;
    ~Release() { aoti_torch_delete_tensor_object(handle); }
  } release{out_handle};
  AttentionCall call("paged_attention.out", a);
  Tensor out = a.view("out", out_handle);
  out.expect_dim(3, "[num_tokens, num_heads, head_dim_v]");
  out.expect_type({call.query.type()});
  out.expect_last_contiguous();
  out.expect_own_elements();
  out.expect_size(0, call.params.num_tokens, "num_tokens");
  out.expect_size(1, call.params.num_heads, "num_heads");
  out.expect_size(2, call.params.head_dim_v, "head_dim_v");
  call.run(out, nullptr);
}

void boxed_merge_attention_states(StableIValue* stack, uint64_t, uint64_t) {
  const TorchTypes& t = torch_types();
  Arguments a("merge_attention_states", stack);
  AtenTensorHandle handles[4];
  for (AtenTensorHandle& handle : handles) handle = a.take();
  Tensor outs[2] = {a.view("out_a", handles[0]), a.view("out_b", handles[2])};
  Tensor lses[2] = {a.view("lse_a", handles[1]), a.view("lse_b", handles[3])};
  MergeParams p{};
  for (int side = 0; side < 2; ++side) {
    const Tensor &out = outs[side], &lse = lses[side];
    out.expect_dim(3, "[num_tokens, num_heads, head_dim_v]");
    out.expect_type({t.float32, t.float16, t.bfloat16});
    out.expect_last_contiguous();
    lse.expect_dim(2, "[num_tokens, num_heads]");
    lse.expect_type({t.float32});
    for (int axis = 0; axis < 3; ++axis) out.expect_size(axis, outs[0].size(axis), "as in out_a");
    for (int axis = 0; axis < 2; ++axis) {
      lse.expect_size(axis, outs[0].size(axis), "as in out_a");
      p.out_strides[side][axis] = out.byte_stride(axis);
      p.lse_strides[side][axis] = lse.stride(axis);
    }
  }
  outs[1].expect_type({outs[0].type()});
  p.num_tokens = outs[0].size(0);
  p.num_heads = outs[0].size(1);
  p.head_dim = outs[0].size(2);
  NewTensor out({p.num_tokens, p.num_heads, p.head_dim}, outs[0].type());
  NewTensor lse({p.num_tokens, p.num_heads}, t.float32);
  p.out_a = outs[0].data<const char>();
  p.out_b = outs[1].data<const char>();
  p.lse_a = lses[0].data<const float>();
  p.lse_b = lses[1].data<const float>();
  p.type = outs[0].kind();
  p.out = out.data<char>();
  p.lse = lse.data<float>();
  merge_attention_states(p);
  stack[0] = out.release();
  stack[1] = lse.release();
}

// One side of write_kv_cache; `rows`, `cache` and so on are that side's tensors.
WriteSide write_side(const Tensor& rows, const Tensor& cache, const Tensor& scale, const Tensor& scale_cache,
                     const char* scale_cache_name) {
  rows.expect_dim(3, "[num_tokens, num_kv_heads, head_dim]");
  check_activations(rows, cache);
  rows.expect_size(1, cache.size(2), "num_kv_heads of the cache");
  rows.expect_size(2, row_numbers(cache), "head_dim of the cache");
  WriteSide side{};
  side.rows = rows.data<const char>();
  side.row_token_stride = rows.byte_stride(0);
  side.row_head_stride = rows.byte_stride(1);
  side.cache = cache.data<char>();
  side.block_stride = cache.byte_stride(0);
  side.token_stride = cache.byte_stride(1);
  side.head_stride = cache.byte_stride(2);
  side.head_dim = rows.size(2);
  side.scale = scale_view(scale, cache);
  if (scale && scale.dim() == 3)
    scale.refused("has shape " + scale.shape(),
                  std::string("[] or [num_kv_heads]; ") + scale_cache_name + " receives scales per token");
  if (!scale_cache) return side;
  check_scale(scale_cache, cache);
  if (scale_cache.dim() != 3)
    scale_cache.refused("has shape " + scale_cache.shape(), "[num_blocks, block_size, num_kv_heads]");
  if (scale) scale.refused(std::string("is given together with ") + scale_cache_name, "one of the two");
  scale_cache.expect_own_elements();
  side.scale_cache = scale_cache.data<float>();
  side.scale_block_stride = scale_cache.stride(0);
  side.scale_token_stride = scale_cache.stride(1);
  side.scale_head_stride = scale_cache.stride(2);
  return side;
}

void boxed_write_kv_cache(StableIValue* stack, uint64_t, uint64_t) {
  Arguments a("write_kv_cache", stack);
  AtenTensorHandle tensors[5], optional[4];
  for (AtenTensorHandle& handle : tensors) handle = a.take();
  for (AtenTensorHandle& handle : optional) handle = a.take_optional();
  Tensor key = a.view("key", tensors[0]), value = a.view("value", tensors[1]);
  Tensor key_cache = a.view("key_cache", tensors[2]), value_cache = a.view("value_cache", tensors[3]);
  Tensor slots = a.view("slot_mapping", tensors[4]);
  check_caches(key_cache, value_cache, true);
  key_cache.expect_own_elements();
  value_cache.expect_own_elements();
  WriteParams p{};
  p.sides[0] = write_side(key, key_cache, a.optional_view("k_scale", optional[0]),
                          a.optional_view("k_scale_cache", optional[2]), "k_scale_cache");
  p.sides[1] = write_side(value, value_cache, a.optional_view("v_scale", optional[1]),
                          a.optional_view("v_scale_cache", optional[3]), "v_scale_cache");
  value.expect_type({key.type()});
  value.expect_size(0, key.size(0), "num_tokens, as in key");
  slots.expect_dim(1, "[num_tokens]");
  slots.expect_type({torch_types().int64});
  slots.expect_size(0, key.size(0), "num_tokens, as in key");
  p.type = key.kind();
  p.cache_type = key_cache.kind();
  p.slots = slots.data<const int64_t>();
  p.slot_stride = slots.stride(0);
  p.num_tokens = key.size(0);
  p.num_heads = key_cache.size(2);
  p.num_blocks = key_cache.size(0);
  p.block_size = key_cache.size(1);
  write_kv_cache(p);
}

void boxed_gather_kv_cache(StableIValue* stack, uint64_t, uint64_t) {
  Arguments a("gather_kv_cache", stack);
  AtenTensorHandle tensors[4], optional[2];
  for (AtenTensorHandle& handle : tensors) handle = a.take();
  int64_t max_tokens = a.integer();
  for (AtenTensorHandle& handle : optional) handle = a.take_optional();
  Tensor key_cache = a.view("key_cache", tensors[0]), value_cache = a.view("value_cache", tensors[1]);
  Tensor block_tables = a.view("block_tables", tensors[2]), seq_lens = a.view("seq_lens", tensors[3]);
  check_caches(key_cache, value_cache);
  check_tables(block_tables, seq_lens);
  check_not_negative("gather_kv_cache", "max_tokens", double(max_tokens), std::to_string(max_tokens));
  GatherParams p{};
  p.cache_type = key_cache.kind();
  p.block_tables = block_tables.data<const int32_t>();
  p.block_table_stride = block_tables.stride(0);
  p.max_blocks = block_tables.size(1);
  p.seq_lens = seq_lens.data<const int32_t>();
  p.num_seqs = seq_lens.size(0);
  p.max_tokens = max_tokens;
  p.num_heads = key_cache.size(2);
  p.num_blocks = key_cache.size(0);
  p.block_size = key_cache.size(1);
  int32_t type = key_cache.quantised() ? torch_types().float32 : key_cache.type();
  NewTensor key({p.num_seqs, max_tokens, p.num_heads, row_numbers(key_cache)}, type);
  NewTensor value({p.num_seqs, max_tokens, p.num_heads, row_numbers(value_cache)}, type);
  p.sides[0] = {cache_view(key_cache), scale_view(a.optional_view("k_scale", optional[0]), key_cache),
                key.data<char>(), row_numbers(key_cache)};
  p.sides[1] = {cache_view(value_cache), scale_view(a.optional_view("v_scale", optional[1]), value_cache),
                value.data<char>(), row_numbers(value_cache)};
  gather_kv_cache(p);
  stack[0] = key.release();
  stack[1] = value.release();
}

BlockPool block_pool(const Tensor& tensor, AtenTensorHandle handle) {
  if (tensor.dim() < 1) tensor.refused("has no dimension", "[num_blocks, ...]");
  BlockPool pool{};
  pool.data = tensor.data<char>();
  int32_t type;
  check_abi(aoti_torch_get_dtype(handle, &type), "reading a tensor's dtype");
  pool.element_bytes = int64_t(aoti_torch_dtype_element_size(type));
  pool.num_blocks = tensor.size(0);
  pool.block_stride = tensor.stride(0) * pool.element_bytes;
  for (int64_t axis = 1; axis < tensor.dim(); ++axis) {
    pool.sizes.push_back(tensor.size(axis));
    pool.strides.push_back(tensor.stride(axis) * pool.element_bytes);
  }
  return pool;
}

std::vector<int64_t> block_pairs(const char* op, const Tensor& mapping, int64_t sources, int64_t targets) {
  mapping.expect_dim(2, "[num_pairs, 2]");
  mapping.expect_size(1, 2, "(source, destination)");
  mapping.expect_type({torch_types().int64});
  std::vector<int64_t> pairs;
  for (int64_t i = 0; i < mapping.size(0); ++i) {
    for (int64_t side = 0; side < 2; ++side) {
      int64_t block = mapping.data<const int64_t>()[i * mapping.stride(0) + side * mapping.stride(1)];
      int64_t limit = side == 0 ? sources : targets;
      if (block < 0 || block >= limit)
        refuse(op, "block_mapping", std::string("has ") + (side == 0 ? "source " : "destination ") +
               std::to_string(block), "0 to " + std::to_string(limit - 1));
      pairs.push_back(block);
    }
  }
  return pairs;
}

void boxed_copy_blocks(StableIValue* stack, uint64_t, uint64_t) {
  Arguments a("copy_blocks", stack);
  const std::vector<AtenTensorHandle>& handles = a.take_list();
  Tensor mapping = a.view("block_mapping", a.take());
  if (handles.empty()) refuse("copy_blocks", "caches", "is an empty list", "at least one tensor");
  std::vector<std::pair<BlockPool, BlockPool>> pools;
  for (size_t i = 0; i < handles.size(); ++i) {
    Tensor cache = a.view(("caches[" + std::to_string(i) + "]").c_str(), handles[i]);
    BlockPool pool = block_pool(cache, handles[i]);
    cache.expect_own_elements();
    if (i > 0) cache.expect_size(0, pools[0].first.num_blocks, "num_blocks, as in caches[0]");
    pools.emplace_back(pool, pool);
  }
  int64_t blocks = pools[0].first.num_blocks;
  copy_block_pairs(pools, block_pairs("copy_blocks", mapping, blocks, blocks), true);
}

void boxed_swap_blocks(StableIValue* stack, uint64_t, uint64_t) {
  Arguments a("swap_blocks", stack);
  AtenTensorHandle src_handle = a.take(), dst_handle = a.take(), mapping_handle = a.take();
  Tensor src = a.view("src", src_handle), dst = a.view("dst", dst_handle);
  BlockPool from = block_pool(src, src_handle), to = block_pool(dst, dst_handle);
  dst.expect_type({src.type()});
  dst.expect_dim(src.dim(), "as in src");
  dst.expect_own_elements();
  for (int64_t axis = 1; axis < src.dim(); ++axis) dst.expect_size(axis, src.size(axis), "as in src");
  Tensor mapping = a.view("block_mapping", mapping_handle);
  copy_block_pairs({{from, to}}, block_pairs("swap_blocks", mapping, from.num_blocks, to.num_blocks),
                   src.data<char>() == dst.data<char>());
}

void boxed_sample_tokens(StableIValue* stack, uint64_t, uint64_t) {
  const TorchTypes& t = torch_types();
  Arguments a("sample_tokens", stack);
  AtenTensorHandle handles[7];
  for (AtenTensorHandle& handle : handles) handle = a.take();
  Tensor logits = a.view("logits", handles[0]);
  logits.expect_dim(2, "[num_rows, vocab_size]");
  logits.expect_type({t.float32, t.float16, t.bfloat16});
  logits.expect_last_contiguous();
  if (logits.size(1) == 0) logits.refused("has an empty vocabulary, shape " + logits.shape(), "at least one token");
  const std::pair<const char*, int32_t> names[] = {{"temperature", t.float32}, {"top_k", t.int32},
                                                   {"top_p", t.float32},       {"min_p", t.float32},
                                                   {"seeds", t.int64},         {"positions", t.int64}};
  Tensor rows[6];
  for (int i = 0; i < 6; ++i) {
    rows[i] = a.view(names[i].first, handles[i + 1]);
    rows[i].expect_dim(1, "[num_rows]");
    rows[i].expect_type({names[i].second});
    rows[i].expect_size(0, logits.size(0), "num_rows of logits");
    rows[i].expect_last_contiguous();
  }
  NewTensor out({logits.size(0)}, t.int64);
  sample_tokens({logits.data<const char>(), logits.kind(), logits.byte_stride(0), logits.size(0), logits.size(1),
                 rows[0].data<const float>(), rows[2].data<const float>(), rows[3].data<const float>(),
                 rows[1].data<const int32_t>(), rows[4].data<const int64_t>(), rows[5].data<const int64_t>(),
                 out.data<int64_t>()});
  stack[0] = out.release();
}

template <class Library>
void register_kernels(Library& m) {
  m.impl("paged_attention", boxed_paged_attention);
  m.impl("paged_attention.out", boxed_paged_attention_out);
  m.impl("paged_attention_with_lse", boxed_paged_attention_with_lse);
  m.impl("paged_sparse_attention", boxed_paged_sparse_attention);
  m.impl("paged_sparse_attention_with_lse", boxed_paged_sparse_attention_with_lse);
  m.impl("merge_attention_states", boxed_merge_attention_states);
  m.impl("write_kv_cache", boxed_write_kv_cache);
  m.impl("gather_kv_cache", boxed_gather_kv_cache);
  m.impl("copy_blocks", boxed_copy_blocks);
  m.impl("swap_blocks", boxed_swap_blocks);
  m.impl("sample_tokens", boxed_sample_tokens);
}

TORCHPAGED_REGISTER(register_kernels)

}  // namespace
}  // namespace torchpaged
