// paged_topk for torch: arguments are checked and turned into plain structs.
#include <torch/csrc/stable/library.h>

#include <algorithm>
#include <cmath>

#include "arguments.h"
#include "binding_parts.h"
#include "kernel_names.h"
#include "operators.h"
#include "scalar.h"

namespace torchpaged {
namespace {

// Numbers of any float type as float32, row after row.
std::vector<float> floats_of(const Tensor& rows) {
  std::vector<float> values;
  values.reserve(size_t(rows.size(0) * rows.size(1)));
  for (int64_t i = 0; i < rows.size(0); ++i)
    for (int64_t j = 0; j < rows.size(1); ++j) {
      const int64_t at = i * rows.stride(0) + j * rows.stride(1);
      values.push_back(rows.kind() == DType::Float32   ? rows.data<const float>()[at]
                       : rows.kind() == DType::Float16 ? float_of_half(rows.data<const uint16_t>()[at])
                                                       : float_of_bf16(rows.data<const uint16_t>()[at]));
    }
  return values;
}

// Each row's negative numbers, then its positive ones, with zeros for the others: a product with a row of lower bounds
// and upper bounds is the largest that there can be with a row between them.
template <class T>
void part_by_sign(const Tensor& query, T* out) {
  for (int64_t i = 0; i < query.size(0); ++i)
    for (int64_t j = 0; j < query.size(1); ++j, out += 2 * query.size(2)) {
      const T* row = query.data<const T>() + i * query.stride(0) + j * query.stride(1);
      for (int64_t d = 0; d < query.size(2); ++d) {
        const bool negative = row[d] >> (8 * sizeof(T) - 1);
        out[d] = negative ? row[d] : T(0);
        out[query.size(2) + d] = negative ? T(0) : row[d];
      }
    }
}

void expect_at_least(const char* op, const char* name, int64_t value, int64_t least) {
  if (value < least) refuse(op, name, "is " + std::to_string(value), std::to_string(least) + " or more");
}

void boxed_paged_topk(StableIValue* stack, uint64_t, uint64_t) {
  const char* op = "paged_topk";
  const TorchTypes& t = torch_types();
  Arguments a(op, stack);
  AtenTensorHandle query_handle = a.take(), weights_handle = a.take_optional();
  AtenTensorHandle handles[4];
  for (AtenTensorHandle& handle : handles) handle = a.take();
  TopkParams p{};
  IndexParams& x = p.index;
  p.k = a.integer();
  const std::string rule = a.take_string();
  p.granularity = a.integer();
  const int64_t num_selections = a.integer();
  p.initial = a.integer();
  p.local = a.integer();
  p.tokens_per_row = a.integer();
  const double scale = a.optional_number(NAN);
  AtenTensorHandle scale_handle = a.take_optional();

  Tensor query = a.view("index_query", query_handle), weights = a.optional_view("index_weights", weights_handle);
  Tensor cache = a.view("index_cache", handles[0]), block_tables = a.view("block_tables", handles[1]);
  Tensor seq_lens = a.view("seq_lens", handles[2]), query_start_loc = a.view("query_start_loc", handles[3]);
  const bool bounds = rule == "bounds";
  if (rule != "relu" && rule != "dot" && !bounds)
    refuse(op, "rule", "is '" + rule + "'", "one of 'relu', 'dot', 'bounds'");
  query.expect_dim(3, "[num_tokens, num_heads, head_dim]");
  query.expect_type({t.float32, t.float16, t.bfloat16});
  query.expect_last_contiguous();
  cache.expect_dim(4, "[num_blocks, block_rows, num_index_heads, head_dim]");
  cache.expect_type({t.float32, t.float16, t.bfloat16, t.e4m3, t.e5m2, t.int8});
  cache.expect_last_contiguous();
  for (int axis = 0; axis < 4; ++axis)
    if (cache.size(axis) == 0)
      cache.refused("has an empty dimension, shape " + cache.shape(), "at least one of each");
  if (!cache.quantised()) query.expect_type({cache.type()});
  cache.expect_size(3, bounds ? 2 * query.size(2) : query.size(2),
                    bounds ? "a lower and an upper bound for each of head_dim" : "head_dim of index_query");
  const int64_t heads = query.size(1), index_heads = cache.size(2);
  if (heads == 0 || heads % index_heads)
    query.refused("has " + std::to_string(heads) + " heads",
                  "a multiple of the " + std::to_string(index_heads) + " heads of index_cache");
  if (weights) {
    weights.expect_dim(2, "[num_tokens, num_heads]");
    weights.expect_type({t.float32, query.type()});
    weights.expect_size(0, query.size(0), "num_tokens, as in index_query");
    weights.expect_size(1, heads, "num_heads, as in index_query");
  }
  check_tables(block_tables, seq_lens);
  check_starts(query_start_loc, seq_lens);
  if (std::isinf(scale)) refuse(op, "scale", "is NaN or infinite", "a finite number, or None");
  expect_at_least(op, "k", p.k, 1);
  if (p.k > INT32_MAX) refuse(op, "k", "is " + std::to_string(p.k), "less than 2**31");
  expect_at_least(op, "granularity", p.granularity, 1);
  expect_at_least(op, "num_selections", num_selections, 1);
  expect_at_least(op, "initial", p.initial, 0);
  expect_at_least(op, "local", p.local, 0);
  expect_at_least(op, "tokens_per_row", p.tokens_per_row, 1);
  if (p.initial > p.k || p.local > p.k || p.initial + p.local > p.k)
    refuse(op, "k", "is " + std::to_string(p.k), "at least initial + local, the groups that are always chosen");
  if (p.granularity % p.tokens_per_row)
    refuse(op, "granularity", "is " + std::to_string(p.granularity),
           "a multiple of tokens_per_row, " + std::to_string(p.tokens_per_row));
  if (heads % num_selections)
    refuse(op, "num_selections", "is " + std::to_string(num_selections),
           "a divisor of the " + std::to_string(heads) + " heads of index_query");

  // No sequence is longer, and products with what is cut here stay far from overflowing.
  const int64_t longest = int64_t{1} << 31;
  p.tokens_per_row = std::min(p.tokens_per_row, longest);
  p.granularity = std::min(p.granularity, (longest + p.tokens_per_row - 1) / p.tokens_per_row * p.tokens_per_row);

  std::vector<char> parted;
  const int64_t bytes = kDTypeBytes[int(query.kind())];
  x.query = query.data<const char>();
  x.query_token_stride = query.byte_stride(0);
  x.query_head_stride = query.byte_stride(1);
  if (bounds) {
    parted.resize(size_t(query.size(0) * heads * cache.size(3) * bytes));
    if (bytes == 4)
      part_by_sign(query, reinterpret_cast<uint32_t*>(parted.data()));
    else
      part_by_sign(query, reinterpret_cast<uint16_t*>(parted.data()));
    x.query = parted.data();
    x.query_head_stride = cache.size(3) * bytes;
    x.query_token_stride = heads * x.query_head_stride;
  }
  std::vector<float> weight_values;
  if (weights) weight_values = floats_of(weights);
  x.weights = weights ? weight_values.data() : nullptr;
  x.query_type = query.kind();
  x.cache_type = cache.kind();
  x.key = cache_view(cache);
  x.key_scale = scale_view(a.optional_view("index_scale", scale_handle), cache);
  x.block_tables = block_tables.data<const int32_t>();
  x.block_table_stride = block_tables.stride(0);
  x.num_blocks = cache.size(0);
  x.block_rows = cache.size(1);
  x.max_blocks = block_tables.size(1);
  x.num_heads = int(heads);
  x.group = int(heads / index_heads);
  x.dim = int(cache.size(3));
  x.num_selections = int(num_selections);
  x.scale = float(std::isnan(scale) ? 1.0 / std::sqrt(double(query.size(2))) : scale);
  x.relu = rule == "relu";
  p.seq_lens = seq_lens.data<const int32_t>();
  p.query_start_loc = query_start_loc.data<const int32_t>();
  p.num_seqs = seq_lens.size(0);
  p.num_tokens = query.size(0);
  NewTensor out({p.num_tokens, num_selections, p.k}, t.int32);
  p.out = out.data<int32_t>();
  paged_topk(op, p);
  stack[0] = out.release();
}

template <class Library>
void register_kernels(Library& m) {
  m.impl("paged_topk", boxed_paged_topk);
}

TORCHPAGED_REGISTER(register_kernels)

}  // namespace
}  // namespace torchpaged
