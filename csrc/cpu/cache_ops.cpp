// The operators on the cache itself: write, gather, merge, copy and swap, spread over threads.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "operators.h"
#include "parallel.h"
#include "tables.h"

namespace torchpaged {
namespace {

float largest(DType type) {
  return type == DType::Int8 ? 127.0f : type == DType::Float8E4M3 ? 448.0f : 57344.0f;
}

void write_token(const WriteParams& p, const Kernels& k, int64_t token) {
  int64_t slot = p.slots[token * p.slot_stride];
  if (slot < 0) return;
  int64_t block = slot / p.block_size, offset = slot % p.block_size;
  bool quantised = p.cache_type != p.type;
  for (const WriteSide& s : p.sides) {
    for (int64_t head = 0; head < p.num_heads; ++head) {
      const char* source = s.rows + token * s.row_token_stride + head * s.row_head_stride;
      char* target = s.cache + block * s.block_stride + offset * s.token_stride + head * s.head_stride;
      if (!quantised) {
        std::memcpy(target, source, size_t(s.head_dim) * kDTypeBytes[int(p.type)]);
        continue;
      }
      float scale = s.scale.data ? s.scale.data[head * s.scale.head_stride] : 1.0f;
      if (s.scale_cache) {
        scale = k.absmax_row(source, p.type, s.head_dim) / largest(p.cache_type);
        if (!(scale > 0)) scale = 1.0f;
        s.scale_cache[block * s.scale_block_stride + offset * s.scale_token_stride + head * s.scale_head_stride] =
            scale;
      }
      k.quantise_row(source, p.type, target, p.cache_type, scale, s.head_dim);
    }
  }
}

void gather_row(const GatherParams& p, const Kernels& k, const GatherSide& s, int64_t row) {
  int64_t sequence = row / p.max_tokens, position = row % p.max_tokens;
  bool quantised = kDTypeBytes[int(p.cache_type)] == 1;
  size_t row_bytes = size_t(s.head_dim) * (quantised ? 4 : kDTypeBytes[int(p.cache_type)]);
  char* target = s.rows + size_t(row * p.num_heads) * row_bytes;
  if (position >= p.seq_lens[sequence]) {
    std::memset(target, 0, size_t(p.num_heads) * row_bytes);
    return;
  }
  int64_t logical = std::min(position / p.block_size, p.max_blocks - 1), offset = position % p.block_size;
  int64_t block = p.block_tables[sequence * p.block_table_stride + logical];
  block = std::clamp<int64_t>(block, 0, p.num_blocks - 1);
  const char* source = s.cache.data + block * s.cache.block_stride + offset * s.cache.token_stride;
  for (int64_t head = 0; head < p.num_heads; ++head, target += row_bytes) {
    const char* from = source + head * s.cache.head_stride;
    if (!quantised) {
      std::memcpy(target, from, row_bytes);
      continue;
    }
    const ScaleView& v = s.scale;
    float scale =
        v.data ? v.data[block * v.block_stride + offset * v.token_stride + head * v.head_stride] : 1.0f;
    k.dequantise_row(from, p.cache_type, reinterpret_cast<float*>(target), scale, s.head_dim);
  }
}

// One block, dimension by dimension; what is contiguous in both goes as one memcpy.
void copy_block(const BlockPool& from, const char* source, const BlockPool& to, char* target, size_t dim) {
  int64_t run = from.element_bytes;
  size_t inner = from.sizes.size();
  while (inner > dim && from.strides[inner - 1] == run && to.strides[inner - 1] == run) run *= from.sizes[--inner];
  if (inner == dim) {
    std::memcpy(target, source, size_t(run));
    return;
  }
  for (int64_t i = 0; i < from.sizes[dim]; ++i)
    copy_block(from, source + i * from.strides[dim], to, target + i * to.strides[dim], dim + 1);
}

int64_t block_bytes(const BlockPool& pool) {
  int64_t bytes = pool.element_bytes;
  for (int64_t size : pool.sizes) bytes *= size;
  return bytes;
}

// A pool of the same shape in contiguous memory of one's own.
BlockPool staging(const BlockPool& like, std::vector<char>& memory, int64_t num_blocks) {
  BlockPool pool = like;
  pool.block_stride = block_bytes(like);
  pool.num_blocks = num_blocks;
  memory.resize(size_t(num_blocks * pool.block_stride));
  pool.data = memory.data();
  int64_t stride = like.element_bytes;
  for (size_t d = pool.sizes.size(); d-- > 0;) {
    pool.strides[d] = stride;
    stride *= pool.sizes[d];
  }
  return pool;
}

// Dimensions in descending order of stride, so that a transposed view is copied as it lies in memory.
void sort_dimensions(BlockPool& a, BlockPool& b) {
  std::vector<size_t> order(a.sizes.size());
  for (size_t d = 0; d < order.size(); ++d) order[d] = d;
  std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) { return a.strides[x] > a.strides[y]; });
  BlockPool sorted_a = a, sorted_b = b;
  for (size_t d = 0; d < order.size(); ++d) {
    sorted_a.sizes[d] = sorted_b.sizes[d] = a.sizes[order[d]];
    sorted_a.strides[d] = a.strides[order[d]];
    sorted_b.strides[d] = b.strides[order[d]];
  }
  a = sorted_a;
  b = sorted_b;
}

void copy_pairs(const BlockPool& from, const BlockPool& to, int64_t count, const int64_t* pairs, int64_t source_step,
                bool parallel) {
  auto body = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t source = source_step ? i : pairs[2 * i];
      copy_block(from, from.data + source * from.block_stride, to, to.data + pairs[2 * i + 1] * to.block_stride, 0);
    }
  };
  if (parallel)
    parallel_chunks(count, count * block_bytes(from), body);
  else
    body(0, count);
}

}  // namespace

void merge_attention_states(const MergeParams& p) {
  const Kernels& k = kernels();
  int64_t rows = p.num_tokens * p.num_heads, row_bytes = p.head_dim * kDTypeBytes[int(p.type)];
  constexpr float inf = std::numeric_limits<float>::infinity();
  parallel_chunks(rows, rows * row_bytes * 3, [&](int64_t begin, int64_t end) {
    DefaultFloatMode mode;
    for (int64_t row = begin; row < end; ++row) {
      int64_t token = row / p.num_heads, head = row % p.num_heads;
      float a = p.lse_a[token * p.lse_strides[0][0] + head * p.lse_strides[0][1]];
      float b = p.lse_b[token * p.lse_strides[1][0] + head * p.lse_strides[1][1]];
      if (a == inf) a = -inf;
      if (b == inf) b = -inf;
      float top = a > b ? a : b;
      float shift = top == -inf ? 0.0f : top;
      float weight_a = std::exp(a - shift), weight_b = std::exp(b - shift), total = weight_a + weight_b;
      float scale = total == 0 ? 0.0f : 1.0f / total;
      k.merge_row(p.out_a + token * p.out_strides[0][0] + head * p.out_strides[0][1], weight_a * scale,
                  p.out_b + token * p.out_strides[1][0] + head * p.out_strides[1][1], weight_b * scale,
                  p.out + row * row_bytes, p.type, p.head_dim);
      p.lse[row] = shift + std::log(total);
    }
  });
}

void write_kv_cache(const WriteParams& p) {
  int64_t limit = p.num_blocks * p.block_size;
  for (int64_t i = 0; i < p.num_tokens; ++i) {
    int64_t slot = p.slots[i * p.slot_stride];
    if (slot >= limit)
      throw std::invalid_argument("write_kv_cache: slot_mapping has slot " + std::to_string(slot) + " at " +
                                  std::to_string(i) + ", expected less than " + std::to_string(limit));
  }
  const Kernels& k = kernels();
  int64_t row_bytes = p.num_heads * (p.sides[0].head_dim + p.sides[1].head_dim) * kDTypeBytes[int(p.type)];
  // Quantising takes about as long as moving eight times the bytes.
  int64_t cost = p.num_tokens * row_bytes * (p.cache_type == p.type ? 1 : 8);
  parallel_chunks(p.num_tokens, cost, [&](int64_t begin, int64_t end) {
    DefaultFloatMode mode;
    for (int64_t token = begin; token < end; ++token) write_token(p, k, token);
  });
}

void gather_kv_cache(const GatherParams& p) {
  const BlockTables tables{p.block_tables, p.block_table_stride, p.max_blocks, p.num_blocks, p.block_size};
  for (int64_t i = 0; i < p.num_seqs; ++i) {
    check_length("gather_kv_cache", tables, i, p.seq_lens[i]);
    check_blocks("gather_kv_cache", tables, i, 0, std::min<int64_t>(p.seq_lens[i], p.max_tokens));
  }
  const Kernels& k = kernels();
  int64_t rows = p.num_seqs * p.max_tokens;
  int64_t cost = rows * p.num_heads * (p.sides[0].head_dim + p.sides[1].head_dim) * 4;
  parallel_chunks(rows, cost, [&](int64_t begin, int64_t end) {
    DefaultFloatMode mode;
    for (const GatherSide& side : p.sides)
      for (int64_t row = begin; row < end; ++row) gather_row(p, k, side, row);
  });
}

void copy_block_pairs(const std::vector<std::pair<BlockPool, BlockPool>>& pools, const std::vector<int64_t>& pairs,
                      bool same_pool) {
  int64_t count = int64_t(pairs.size() / 2);
  std::vector<int64_t> sources, targets;
  for (int64_t i = 0; i < count; ++i) {
    sources.push_back(pairs[2 * i]);
    targets.push_back(pairs[2 * i + 1]);
  }
  std::sort(sources.begin(), sources.end());
  std::sort(targets.begin(), targets.end());
  // Two pairs with one target: the last wins, so order matters.
  bool repeated = std::adjacent_find(targets.begin(), targets.end()) != targets.end();
  std::vector<int64_t> both;
  std::set_intersection(sources.begin(), sources.end(), targets.begin(), targets.end(), std::back_inserter(both));
  bool staged = same_pool && !both.empty();
  for (auto [from, to] : pools) {
    if (block_bytes(from) == 0) continue;
    sort_dimensions(from, to);
    std::vector<char> memory;
    if (!staged) {
      copy_pairs(from, to, count, pairs.data(), 0, !repeated);
      continue;
    }
    BlockPool stage = staging(from, memory, count);
    std::vector<int64_t> in_order;
    for (int64_t i = 0; i < count; ++i) {
      in_order.push_back(pairs[2 * i]);
      in_order.push_back(i);
    }
    copy_pairs(from, stage, count, in_order.data(), 0, true);
    copy_pairs(stage, to, count, pairs.data(), 1, !repeated);
  }
}

}  // namespace torchpaged
