// Scores and values in float32: for float32 and float16, and for everything else where the ISA has no
// bfloat16 products. Whatever the cache's type, a tile becomes float32 as it is loaded: into scratch, for many rows, or
// into registers, for few. The operations on a row are the same.
#pragma once

#include "attention.h"
#include "cache_rows.h"

namespace torchpaged {
namespace {

struct FloatEngine {
  static constexpr int kValueAlign = kLanes;
  static constexpr int kKeyAlign = kLanes;
  // Up to so many rows are multiplied with a tile as it is read.
  static constexpr int kDirectBlock = 4;
  static int direct_rows(DType) { return kDirectBlock; }

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
    with_cache_type(type, [&](auto element) {
      using Piece = KeyPiece<decltype(element)>;
      for (int group = 0; group < tile.keys; group += kLanes) {
        int64_t d = 0;
        auto use = [&](int i, F x) { store(keys + (d + i) * kTileKeys + group, x); };
        RowsAhead ahead = keys_ahead(element, next, group, kLanes, head_dim);
        for (; d + Piece::kNumbers <= head_dim; d += Piece::kNumbers) {
          each_number(Piece(tile.key + group, d), use);
          ahead.pass(Piece::kNumbers * kLanes);
        }
        if (d == head_dim) continue;
        each_last_number<Piece>(tile.key + group, d, head_dim, use);
        ahead.pass((head_dim - d) * kLanes);
      }
    });
  }

  // `count` keys of the next tile.
  template <class Element>
  static RowsAhead keys_ahead(Element element, const TileRows& next, int first, int count, int64_t head_dim) {
    return {next.key + first, next.key + least(first + count, next.keys), row_bytes(element, head_dim), head_dim};
  }

  // Returns whether every value is finite, where `check` asks for it.
  static bool load_values(DType type, const TileRows& tile, const TileRows& next, int64_t head_dim, int64_t stride,
                          float* values, bool check) {
    return with_cache_type(type, [&](auto element) {
      F probe = set1(0);
      for (int i = 0; i < tile.keys; ++i) {
        float* target = values + i * stride;
        auto copy = [&](auto& x) {
          constexpr int N = sizeof x / sizeof x[0];
#pragma GCC unroll 4
          for (int n = 0; n < N; ++n) {
            store(target + n * kLanes, x[n]);
            if (check) probe = fma(x[n], set1(0), probe);  // NaN if x is not finite
          }
          target += N * kLanes;
        };
        int64_t d = 0;
        for (F x[4]; d + 4 * kLanes <= head_dim; d += 4 * kLanes, copy(x)) value_at(element, tile.value[i], d, x);
        for (F x[1]; d < head_dim; d += kLanes, copy(x)) x[0] = row_at(element, tile.value[i], d, head_dim);
        if (i < next.keys) prefetch_row(next.value[i], row_bytes(element, head_dim));
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

  // load_keys() and dot_rows() in one.
  template <int R>
  static void dot_direct(DType type, const TileRows& tile, const TileRows& next, int64_t head_dim, const float* query,
                         int64_t words, float* scores) {
    with_cache_type(type, [&](auto element) {
      int group = 0;
      // The sums of several groups hide each other's latency; of a byte's numbers, registers are short of one.
      constexpr int kGroups = R <= 2 ? 4 : KeyPiece<decltype(element)>::kNumbers == 16 ? 1 : 2;
      for (; group + (kGroups - 1) * kLanes < tile.keys; group += kGroups * kLanes)
        dot_groups<R, kGroups>(element, tile, next, group, head_dim, query, words, scores + group);
      for (; group < tile.keys; group += kLanes)
        dot_groups<R, 1>(element, tile, next, group, head_dim, query, words, scores + group);
    });
  }

  // G times kLanes keys from `group` on.
  template <int R, int G, class Element>
  static void dot_groups(Element element, const TileRows& tile, const TileRows& next, int group, int64_t head_dim,
                         const float* query, int64_t words, float* scores) {
    F sum[R][G];
    for (int r = 0; r < R; ++r)
      for (int g = 0; g < G; ++g) sum[r][g] = set1(0);
    using Piece = KeyPiece<Element>;
    int64_t d = 0;
    RowsAhead ahead = keys_ahead(element, next, group, G * kLanes, head_dim);
    for (; d + Piece::kNumbers <= head_dim; d += Piece::kNumbers) {
#pragma GCC unroll 4
      for (int g = 0; g < G; ++g) {
        ahead.pass(Piece::kNumbers * kLanes);
        each_number(Piece(tile.key + group + g * kLanes, d), [&](int i, F x) {
#pragma GCC unroll 4
          for (int r = 0; r < R; ++r) sum[r][g] = multiply_add(sum[r][g], set1(query[r * words + d + i]), x);
        });
      }
    }
    for (int g = 0; d < head_dim && g < G; ++g)
      each_last_number<Piece>(tile.key + group + g * kLanes, d, head_dim, [&](int i, F x) {
        for (int r = 0; r < R; ++r) sum[r][g] = multiply_add(sum[r][g], set1(query[r * words + d + i]), x);
      });
    ahead.pass((head_dim - d) * G * kLanes);
    for (int r = 0; r < R; ++r)
      for (int g = 0; g < G; ++g) store(scores + r * kTileKeys + g * kLanes, sum[r][g]);
  }

  // load_values() and add_values() in one, of at most eight sums at a time.
  template <int R>
  static void add_direct(DType type, const TileRows& tile, const TileRows& next, int64_t head_dim, float* acc,
                         int64_t stride, const float* alpha, const float* weights) {
    with_cache_type(type, [&](auto element) {
      add_columns<R, R == 1 ? 8 : R == 2 ? 4 : 2>(element, tile, next, 0, head_dim, acc, stride, alpha, weights);
    });
  }

  // Columns from number d on: N vectors at a time, then one, then what is left of one.
  template <int R, int N, class Element>
  static void add_columns(Element element, const TileRows& tile, const TileRows& next, int64_t d, int64_t head_dim,
                          float* acc, int64_t stride, const float* alpha, const float* weights) {
    auto ahead = [&](int64_t numbers) {
      int64_t first = tile.keys * d / head_dim, last = tile.keys * (d + numbers) / head_dim;
      return RowsAhead{next.value + first, next.value + least(last, next.keys), row_bytes(element, head_dim), head_dim};
    };
    for (; d + N * kLanes <= head_dim; d += N * kLanes)
      add_column<R, N>(tile, ahead(N * kLanes), acc + d, stride, alpha, weights,
                       [&](const char* row, F(&x)[N]) { value_at(element, row, d, x); });
    if constexpr (N > 1) return add_columns<R, 1>(element, tile, next, d, head_dim, acc, stride, alpha, weights);
    if (d < head_dim)
      add_column<R, 1>(tile, ahead(head_dim - d), acc + d, stride, alpha, weights,
                       [&](const char* row, F(&x)[1]) { x[0] = row_at(element, row, d, head_dim); });
  }

  template <int R, int N, class Load>
  static void add_column(const TileRows& tile, RowsAhead ahead, float* acc, int64_t stride, const float* alpha,
                         const float* weights, Load load_value) {
    F sum[R][N];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
      for (int n = 0; n < N; ++n) sum[r][n] = load(acc + r * stride + n * kLanes) * set1(alpha[r]);
    for (int k = 0; k < tile.keys; ++k) {
      F value[N];
      load_value(tile.value[k], value);
      ahead.pass(N * kLanes);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) {
        F weight = set1(weights[r * kTileKeys + k]);
#pragma GCC unroll 8
        for (int n = 0; n < N; ++n) sum[r][n] = multiply_add(sum[r][n], weight, value[n]);
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
      for (int n = 0; n < N; ++n) store(acc + r * stride + n * kLanes, sum[r][n]);
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
