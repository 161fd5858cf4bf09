// The derivative of attention: one KV head of one sequence, whose query heads share its keys (Dao 2022, algorithm 4).
//
// Nothing of the forward is kept but each row's log-sum-exp: scores are computed again, tile by tile, in float32. Keys are
// the outer loop, tokens the inner one, and both lie in tiles at fixed positions of the sequence, so each sum has one
// order: the bits do not depend on the batch or on threads. A pair that is not seen adds 0.
#pragma once

#include "engine_float.h"
#include "score_mods.h"

namespace torchpaged {
namespace {

// Tokens of a tile. As many as keys, so that scores are a square that is transposed in place of a second product.
constexpr int kTileTokens = kTileKeys;

struct GradientSpace {
  float *keys, *key_rows;      // the tile of keys, transposed [head_dim][keys] and as it is [keys][stride]
  float* values;               // transposed
  float *query, *grad_out;     // a tile of tokens of one head
  float* out;                  // a row
  float *weights, *slopes;     // [tokens][keys]: the softmax's, and the gradient of the scores
  float *weights_t, *slopes_t; // [keys][tokens]
  float *grad_keys, *grad_values;
  float* grad_query;           // [heads of the group][query_len][stride]
  char* zeros;
  TileRows* tile;
  float* scores;  // a row's before `score_mod`
  ModValues score_mod, slope_mod, mask_mod;
};

inline int64_t padded(int64_t n) { return round_up(n, kLanes); }

static_assert(kTileTokens <= kRowTile);

inline size_t carve_gradient(const AttentionGradientParams& g, int64_t query_len, char* base, GradientSpace& s) {
  const AttentionParams& p = g.of;
  Carver c{base};
  const int64_t dim = padded(p.head_dim), dim_v = padded(p.head_dim_v);
  s.keys = c.take<float>(dim * kTileKeys);
  s.key_rows = c.take<float>(dim * kTileKeys);
  s.values = c.take<float>(dim_v * kTileKeys);
  s.query = c.take<float>(dim * kTileTokens);
  s.grad_out = c.take<float>(dim_v * kTileTokens);
  s.out = c.take<float>(dim_v);
  float** const squares[] = {&s.weights, &s.slopes, &s.weights_t, &s.slopes_t};
  for (float** square : squares) *square = c.take<float>(kTileTokens * kTileKeys);
  s.grad_keys = c.take<float>(dim * kTileKeys);
  s.grad_values = c.take<float>(dim_v * kTileKeys);
  s.grad_query = c.take<float>(int64_t(p.group) * query_len * dim);
  s.zeros = c.take<char>(4 * most(p.head_dim, p.head_dim_v));
  s.tile = c.take<TileRows>(1);
  s.scores = c.take<float>(kTileKeys);
  s.score_mod.carve(p.score_mod, c);
  s.slope_mod.carve(g.slope_mod, c);
  s.mask_mod.carve(p.mask_mod, c);
  return c.used;
}

inline size_t attention_gradient_scratch_bytes(const AttentionGradientParams& g, int64_t query_len) {
  GradientSpace space;
  return carve_gradient(g, query_len, nullptr, space) + 64;
}

// A row of a float type as float32, with zeros up to whole vectors.
inline void widen(DType type, const char* source, float* target, int64_t n) {
  with_float_type(type, [&](auto element) {
    using Element = decltype(element);
    auto* row = (const typename Element::T*)source;
    int64_t d = 0;
    for (; d + kLanes <= n; d += kLanes) store(target + d, Element::get(row + d));
    if (d < n) store(target + d, get_some<Element>(row + d, n - d));
  });
}

inline void narrow(DType type, const float* source, char* target, int64_t n) {
  with_float_type(type, [&](auto element) { write_row<decltype(element)>(target, source, 1.0f, n); });
}

// [rows][kTileKeys] to [kTileKeys][kTileTokens]; whole vectors of rows.
inline void transpose_square(const float* source, float* target, int rows, int keys) {
  for (int r = 0; r < rows; r += kLanes)
    for (int k = 0; k < keys; k += kLanes) {
      F x[kLanes];
      for (int i = 0; i < kLanes; ++i) x[i] = load(source + (r + i) * kTileKeys + k);
      transpose(x);
      for (int i = 0; i < kLanes; ++i) store(target + (k + i) * kTileTokens + r, x[i]);
    }
}

// scores[r] = rows[r] . columns, of `vectors` vectors of columns.
inline void multiply_rows(int rows, int vectors, const float* x, int64_t words, const float* columns, float* scores) {
  each_block(rows, [&](int row, auto count) {
    dot_rows<FloatEngine, decltype(count)::kCount>(vectors, x + row * words, words, columns, scores + row * kTileKeys);
  });
}

// acc[r] += weights[r] . rows, for `count` rows of weights and `steps` rows.
inline void add_products(int count, float* acc, int64_t stride, const float* weights, const float* rows, int64_t steps) {
  each_block(count, [&](int row, auto together) {
    constexpr int R = decltype(together)::kCount;
    float once[R];
    for (float& each : once) each = 1.0f;
    add_value_columns<FloatEngine, R, kValueVectors<R>>(0, acc + row * stride, stride, once, weights + row * kTileKeys,
                                                        rows, steps);
  });
}

struct GradientWorker {
  const AttentionGradientParams& g;
  const AttentionParams& p;
  GradientSpace s;
  Sight sight;
  int64_t sequence, dim, dim_v;
  int kv_head;
  uint64_t visible[kTileTokens];  // by `mask_mod`, of the rows of a tile

  GradientWorker(const AttentionGradientParams& params, int64_t sequence, int kv_head, char* scratch)
      : g(params),
        p(params.of),
        sight(params.of, int(sequence)),
        sequence(sequence),
        dim(padded(params.of.head_dim)),
        dim_v(padded(params.of.head_dim_v)),
        kv_head(kv_head) {
    carve_gradient(g, sight.query_len, scratch, s);
  }

  void run() {
    memset(s.zeros, 0, size_t(4 * most(p.head_dim, p.head_dim_v)));
    memset(s.grad_query, 0, size_t(p.group * sight.query_len * dim) * 4);
    for (int h = 0; h < p.group; ++h)
      for (int64_t token = 0; token < sight.query_len; ++token) set_delta(sight.first_token + token, kv_head * p.group + h);
    for (int64_t start = 0; start < sight.seq_len; start += kTileKeys) {
      load_keys(start);
      // The tokens that see a key of the tile: causal rows begin with its first key, windows end behind its last.
      for (int64_t first = 0; first < sight.query_len; first += kTileTokens) {
        const int64_t last = least(first + kTileTokens, sight.query_len) - 1;
        if (sight.last(last) <= start || sight.first(first) >= start + kTileKeys) continue;
        for (int h = 0; h < p.group; ++h)
          if (!hidden(start, first, last, kv_head * p.group + h)) add_tile(start, first, int(last - first + 1), h);
      }
      store_keys(start);
    }
    const int64_t bytes = kDTypeBytes[int(p.query_type)];
    for (int h = 0; h < p.group; ++h)
      for (int64_t token = 0; token < sight.query_len; ++token) {
        const int64_t place = (sight.first_token + token) * p.num_heads + kv_head * p.group + h;
        narrow(p.query_type, s.grad_query + (h * sight.query_len + token) * dim, g.grad_query + place * p.head_dim * bytes,
               p.head_dim);
      }
  }

  const char* grad_out_row(int64_t token, int head) const {
    return g.grad_out + token * g.grad_out_token_stride + head * g.grad_out_head_stride;
  }

  // What a row's weights have in common: sum over keys of weight * gradient of the weight.
  void set_delta(int64_t token, int head) {
    const int64_t place = token * p.num_heads + head;
    widen(p.query_type, grad_out_row(token, head), s.grad_out, p.head_dim_v);
    widen(p.query_type, p.out + token * p.out_token_stride + head * p.out_head_stride, s.out, p.head_dim_v);
    F sum = set1(0);
    for (int64_t d = 0; d < dim_v; d += kLanes) sum = fma(load(s.grad_out + d), load(s.out + d), sum);
    g.delta[place] = reduce_add(sum) - (g.grad_lse ? g.grad_lse[place] : 0.0f);
  }

  void load_keys(int64_t start) {
    TileRows none;
    none.begin = none.keys = 0;
    locate(p, int(sequence), kv_head, start, 0, sight.seq_len, s.zeros, *s.tile);
    FloatEngine::load_keys(p.cache_type, *s.tile, none, p.head_dim, s.keys);
    TileRows& values = none;  // the same loop transposes values
    const int rows = int(padded(s.tile->keys));
    for (int i = 0; i < rows; ++i) values.key[i] = s.tile->value[i];
    values.keys = s.tile->keys;
    TileRows empty;
    empty.keys = 0;
    FloatEngine::load_keys(p.cache_type, values, empty, p.head_dim_v, s.values);
    for (int i = 0; i < s.tile->keys; ++i) widen(p.cache_type, s.tile->key[i], s.key_rows + i * dim, p.head_dim);
    memset(s.grad_keys, 0, size_t(s.tile->keys * dim) * 4);
    memset(s.grad_values, 0, size_t(s.tile->keys * dim_v) * 4);
  }

  void store_keys(int64_t start) const {
    const int64_t bytes = kDTypeBytes[int(p.cache_type)];
    for (int i = 0; i < s.tile->keys; ++i) {
      const int64_t place = (p.key_starts[sequence] + start + i) * p.num_kv_heads + kv_head;
      narrow(p.cache_type, s.grad_keys + i * dim, g.grad_key + place * p.head_dim * bytes, p.head_dim);
      narrow(p.cache_type, s.grad_values + i * dim_v, g.grad_value + place * p.head_dim_v * bytes, p.head_dim_v);
    }
  }

  // Whether `mask_mod` hides all keys of the tile from the tokens [first, last].
  bool hidden(int64_t start, int64_t first, int64_t last, int head) const {
    return p.mask_mod && RangeOf(p.mask_mod).judge(sequence, head, head, double(sight.position(first)),
                                                       double(sight.position(last)), double(start),
                                                       double(least(start + kTileKeys, sight.seq_len) - 1)) == Verdict::None;
  }

  // The tokens [first, first + count) of the h-th head of the group, over the tile of keys at `start`.
  void add_tile(int64_t start, int64_t first, int count, int h) {
    const int head = kv_head * p.group + h, keys = s.tile->keys, vectors = (keys + kLanes - 1) / kLanes;
    for (int r = 0; r < count; ++r) {
      const int64_t token = sight.first_token + first + r;
      widen(p.query_type, p.query + token * p.query_token_stride + head * p.query_head_stride, s.query + r * dim,
            p.head_dim);
      widen(p.query_type, grad_out_row(token, head), s.grad_out + r * dim_v, p.head_dim_v);
    }
    multiply_rows(count, vectors, s.query, dim, s.keys, s.weights);
    multiply_rows(count, vectors, s.grad_out, dim_v, s.values, s.slopes);
    ModValues* const mods[] = {&s.score_mod, &s.slope_mod, &s.mask_mod};
    for (ModValues* mod : mods) {
      if (!mod->program) continue;
      mod->begin(count, sequence, [&](int) { return head; }, [&](int r) { return sight.position(first + r); });
      mod->begin_tile(start, nullptr, vectors);
    }
    if (p.mask_mod) s.mask_mod.bits(count, vectors, visible);
    for (int r = 0; r < count; ++r) differentiate_row(start, first + r, head, vectors, r);
    // Rows that there are not, up to whole vectors, for the transposition.
    const int rows = int(padded(count));
    for (int r = count; r < rows; ++r) {
      memset(s.weights + r * kTileKeys, 0, kTileKeys * 4);
      memset(s.slopes + r * kTileKeys, 0, kTileKeys * 4);
    }
    add_products(count, s.grad_query + (h * sight.query_len + first) * dim, dim, s.slopes, s.key_rows, keys);
    transpose_square(s.weights, s.weights_t, rows, vectors * kLanes);
    transpose_square(s.slopes, s.slopes_t, rows, vectors * kLanes);
    add_products(keys, s.grad_values, dim_v, s.weights_t, s.grad_out, count);
    add_products(keys, s.grad_keys, dim, s.slopes_t, s.query, count);
  }

  // A row of products q.k and grad_out.v becomes its weights, and the gradient of q.k.
  void differentiate_row(int64_t start, int64_t token, int head, int vectors, int r) {
    const int64_t place = (sight.first_token + token) * p.num_heads + head;
    const float lse = p.lse[place];
    uint64_t seen = lse == -kInfinity ? 0 : seen_bits(p, sight, token, start);
    if (p.mask_mod) seen &= visible[r];
    const F total = set1(lse), delta = set1(g.delta[place]), zero = set1(0);
    const float slope = p.alibi_slopes ? p.alibi_slopes[sequence * p.alibi_sequence_stride + head] : 0.0f;
    const float before = float(start - sight.position(token));
    float *weights = s.weights + r * kTileKeys, *slopes = s.slopes + r * kTileKeys;
    auto score = [&](int v, F& factor) {
      F x = load(weights + v * kLanes) * set1(p.scale);
      factor = set1(p.scale);
      if (p.softcap > 0) {
        F y = tanh(x / set1(p.softcap));
        x = set1(p.softcap) * y;
        factor = factor * (set1(1.0f) - y * y);
      }
      if (p.alibi_slopes) {
        F distance = set1(before + float(v * kLanes)) + iota();
        if (p.mirrored_alibi) distance = select((I)(distance > zero), zero - distance, distance);
        x = fma(set1(slope), distance, x);
      }
      return x;
    };
    F factor;
    for (int v = 0; p.score_mod && v < vectors; ++v) store(s.scores + v * kLanes, score(v, factor));
    if (p.score_mod) s.score_mod.run_pairs(r, 1, vectors, s.scores);
    if (p.score_mod) s.slope_mod.run_pairs(r, 1, vectors, s.scores);
    for (int v = 0; v < vectors; ++v) {
      F x = score(v, factor);
      if (p.score_mod) {
        x = s.score_mod.result().at(0, v);
        factor = factor * s.slope_mod.result().at(0, v);
      }
      F weight = select(seen >> (v * kLanes), exp(x - total), zero);
      F gradient = weight * (load(slopes + v * kLanes) - delta) * factor;
      store(weights + v * kLanes, weight);
      store(slopes + v * kLanes, select(seen >> (v * kLanes), gradient, zero));
    }
  }
};

inline void attention_gradient(const AttentionGradientParams& params, int64_t sequence, int kv_head, char* scratch) {
  GradientWorker(params, sequence, kv_head, scratch).run();
}

}  // namespace
}  // namespace torchpaged
