// Scores and values in float32: for float32 and float16, and for everything else where the ISA has no
// bfloat16 products. Whatever the cache's type, a tile becomes float32 as it is loaded.
#pragma once

#include "attention.h"

namespace torchpaged {
namespace {

struct FloatEngine {
  static constexpr int kValueAlign = kLanes;
  static constexpr int kKeyAlign = kLanes;
  static constexpr int kDirectBlock = 0;
  static int direct_rows(DType) { return kDirectBlock; }  // a tile is always loaded into scratch

  static int64_t key_words(DType, int64_t head_dim) { return head_dim; }
  static int64_t value_steps(int64_t keys) { return keys; }
  static F multiply_add(F sum, F a, F b) { return fma(a, b, sum); }

  static void load_query(DType type, DType, const char* source, float* query, int64_t n) {
    with_float_type(type, [&](auto element) {
      using Element = decltype(element);
      auto* row = (const typename Element::T*)source;
      for (int64_t d = 0; d < n; d += kLanes) {
        if (d + kLanes <= n) {
          store(query + d, Element::get(row + d));
        } else {
          F x = get_some<Element>(row + d, n - d);
          for (int64_t i = 0; i < n - d; ++i) query[d + i] = x[i];
        }
      }
    });
  }

  static void load_keys(DType type, const TileRows& tile, const TileRows& next, int64_t head_dim, float* keys) {
    with_type(type, [&](auto element) {
      using Element = decltype(element);
      using T = typename Element::T;
      for (int group = 0; group < tile.keys; group += kLanes) {
        for (int64_t d = 0; d < head_dim; d += kLanes) {
          F x[kLanes];
          bool whole = d + kLanes <= head_dim;
          for (int i = 0; i < kLanes; ++i) {
            auto* row = (const T*)tile.key[group + i] + d;
            x[i] = whole ? Element::get(row) : get_some<Element>(row, head_dim - d);
            if (group + i < next.keys) __builtin_prefetch((const T*)next.key[group + i] + d, 0, 2);
          }
          transpose(x);
          // The scratch has room for whole vectors of words.
          for (int i = 0; i < kLanes; ++i) store(keys + (d + i) * kTileKeys + group, x[i]);
        }
      }
    });
  }

  // Returns whether every value is finite, where `check` asks for it.
  static bool load_values(DType type, const TileRows& tile, const TileRows& next, int64_t head_dim, int64_t stride,
                          float* values, bool check) {
    return with_type(type, [&](auto element) {
      using Element = decltype(element);
      using T = typename Element::T;
      F probe = set1(0);
      for (int i = 0; i < tile.keys; ++i) {
        auto* row = (const T*)tile.value[i];
        for (int64_t d = 0; d < stride; d += kLanes) {
          F x = d + kLanes <= head_dim ? Element::get(row + d) : get_some<Element>(row + d, head_dim - d);
          store(values + i * stride + d, x);
          if (i < next.keys) __builtin_prefetch((const T*)next.value[i] + d, 0, 2);
          if (check) probe = fma(x, set1(0), probe);  // NaN if x is not finite
        }
      }
      return reduce_add(probe) == 0.0f;
    });
  }

  // scores[r][key] = query[r] . key, of V vectors of keys.
  template <int R, int V>
  static void dot_rows(const float* query, int64_t words, const float* keys, float* scores) {
    F acc[R][V];
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) acc[r][v] = set1(0);
    for (int64_t d = 0; d < words; ++d) {
      F key[V];
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) key[v] = keep(load(keys + d * kTileKeys + v * kLanes));
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        F q = set1(query[r * words + d]);
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) acc[r][v] = multiply_add(acc[r][v], q, key[v]);
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) store(scores + r * kTileKeys + v * kLanes, acc[r][v]);
  }

  static void store_weights(float* weights, const F* p, int vectors) {
    for (int v = 0; v < vectors; ++v) store(weights + v * kLanes, p[v]);
  }

  static void clear_unseen(const float* values, float* target, int64_t stride, int64_t keys, uint64_t seen) {
    for (int64_t i = 0; i < keys; ++i) {
      for (int64_t d = 0; d < stride; d += kLanes)
        store(target + i * stride + d, seen >> i & 1 ? load(values + i * stride + d) : set1(0));
    }
  }
};

}  // namespace
}  // namespace torchpaged
