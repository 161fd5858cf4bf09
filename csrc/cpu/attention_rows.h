// Attention's arithmetic on rows: scores, softmax, weighted values, merging, results. Each template that works on
// R rows at once does the same operations on each of them for any R.
#pragma once

#include "attention_tile.h"

namespace torchpaged {
namespace {

// How many rows a template takes.
template <int R>
struct Rows {
  static constexpr int kCount = R;
};

// Calls f(first row, how many as a constant) for blocks of at most kRowBlock of `rows` rows, as even as possible: 8 rows are 4 + 4,
// not 6 + 2.
template <class Function>
inline void each_block(int rows, Function f) {
  const int blocks = (rows + kRowBlock - 1) / kRowBlock;
  for (int i = 0, row = 0; i < blocks; ++i) {
    const int count = (rows - row + (blocks - i) - 1) / (blocks - i);
    if (count == 1) f(row, Rows<1>());
    if (count == 2) f(row, Rows<2>());
    if constexpr (kRowBlock > 2) {
      if (count == 3) f(row, Rows<3>());
      if (count == 4) f(row, Rows<4>());
      if (count == 5) f(row, Rows<5>());
      if (count == 6) f(row, Rows<6>());
    }
    row += count;
  }
}

// scores[r][key] = query[r] . key, for so many vectors of keys.
template <class Engine, int R>
inline void dot_rows(int vectors, const float* query, int64_t words, const float* keys, float* scores) {
  if (vectors == kKeyVectors) return Engine::template dot_rows<R, kKeyVectors>(query, words, keys, scores);
  for (int v = 0; v < vectors; ++v)
    Engine::template dot_rows<R, 1>(query, words, keys + v * kLanes, scores + v * kLanes);
}

// acc[r] = acc[r] * alpha[r] + weights[r] . values, for N vectors of the value dimension.
template <class Engine, int R, int N>
inline void add_values(float* acc, int64_t stride, const float* alpha, const float* weights, const float* values,
                       int64_t value_stride, int64_t steps) {
  F sum[R][N];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) sum[r][n] = load(acc + r * stride + n * kLanes) * set1(alpha[r]);
  for (int64_t k = 0; k < steps; ++k) {
    F value[N];
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) value[n] = keep(load(values + k * value_stride + n * kLanes));
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      F weight = set1(weights[r * kTileKeys + k]);
#pragma GCC unroll 8
      for (int n = 0; n < N; ++n) sum[r][n] = Engine::multiply_add(sum[r][n], weight, value[n]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) store(acc + r * stride + n * kLanes, sum[r][n]);
}

// The steps from dot products to the softmax's inputs, the same for all rows except for slope and position.
struct ScoreRule {
  float scale, softcap;
  const float* key_scale;    // of the tile, or nullptr
  const float* value_scale;  // of the tile, or nullptr
};

// A row's bias by the distance of keys: the first `distances` numbers, the last one for all keys beyond.
struct DistanceBias {
  const float* bias;  // of the row's head, or nullptr
  int64_t distances;
  int64_t before;       // how far the tile's first key lies before the row; with places: the row's position
  const float* places;  // of the tile's keys, or nullptr: one behind the other

  F at(int first) const {
    alignas(64) float values[kLanes];
    for (int i = 0; i < kLanes; ++i) {
      int64_t distance = before - (places ? int64_t(places[first + i]) : first + i);
      values[i] = bias[distance < 0 ? 0 : distance < distances ? distance : distances - 1];
    }
    return load(values);
  }
};

// Properties of a row's scores that most models do not need: they are tested once a tile, not once a vector.
struct RowRule {
  uint64_t seen;
  bool all_seen, alibi;
  float slope, distance;  // of the tile's first key; with places: of position 0
  DistanceBias bias;
  const float* places;  // of the tile's keys, or nullptr: one behind the other
  bool mirrored;        // the slope counts the distance of keys behind the row, too, as a loss

  bool plain(const ScoreRule& rule) const {
    return all_seen && !alibi && !bias.bias && !rule.key_scale && rule.softcap <= 0;
  }
};

// The scores of one row of a tile as the softmax takes them; returns the largest.
inline float finish_scores(const ScoreRule& rule, const RowRule& row, int vectors, float* scores) {
  F top = set1(-kInfinity);
  if (vectors == kKeyVectors && row.plain(rule)) {
#pragma GCC unroll 4
    for (int v = 0; v < kKeyVectors; ++v) {
      F x = load(scores + v * kLanes) * set1(rule.scale);
      store(scores + v * kLanes, x);
      top = max(top, x);
    }
    return reduce_max(top);
  }
  for (int v = 0; v < vectors; ++v) {
    F x = load(scores + v * kLanes) * set1(rule.scale);
    if (rule.key_scale) x = x * load(rule.key_scale + v * kLanes);
    if (rule.softcap > 0) x = set1(rule.softcap) * tanh(x / set1(rule.softcap));
    if (row.alibi) {
      F distance = row.places ? load(row.places + v * kLanes) + set1(row.distance)
                              : set1(row.distance + float(v * kLanes)) + iota();
      if (row.mirrored) distance = select((I)(distance > set1(0)), set1(0) - distance, distance);
      x = fma(set1(row.slope), distance, x);
    }
    if (row.bias.bias) x = x + row.bias.at(v * kLanes);
    if (!row.all_seen) x = select(row.seen >> (v * kLanes), x, set1(-kInfinity));
    store(scores + v * kLanes, x);
    top = max(top, x);
  }
  return reduce_max(top);
}

// Hides the unseen scores of a row, and returns the largest.
inline float hide_unseen(uint64_t seen, bool all_seen, int vectors, float* scores) {
  F top = set1(-kInfinity);
  for (int v = 0; v < vectors; ++v) {
    F x = load(scores + v * kLanes);
    if (!all_seen) x = select(seen >> (v * kLanes), x, set1(-kInfinity));
    store(scores + v * kLanes, x);
    top = max(x, top);
  }
  return reduce_max(top);
}

// Rows of a head that go through the softmax of a tile together.
constexpr int kSoftmaxRows = 24;
static_assert(kSoftmaxRows % kRowBlock == 0);

// The running maximum of each row, a row in each lane. `old`: the maximum before this tile. `max`: the tile's, and after
// update() that of both. `shift`: what is subtracted from scores before exp(). `alpha`: the factor for earlier results.
struct RowMaxima {
  static constexpr int kPadded = (kSoftmaxRows + kLanes - 1) / kLanes * kLanes;
  alignas(64) float old[kPadded], max[kPadded], shift[kPadded], alpha[kPadded];

  void update(int rows) {
    for (int i = 0; i < rows; i += kLanes) {
      F before = load(old + i), top = load(max + i);
      top = select((I)(before > top), before, top);
      F taken = select((I)(top == set1(-kInfinity)), set1(0), top);
      store(max + i, top);
      store(shift + i, taken);
      store(alpha + i, select((I)(before == top), set1(1), exp(before - taken)));
    }
  }
};

// One row of a tile: scores become weights, whose sum is added to what there is of it.
template <class Engine>
inline void weigh(const ScoreRule& rule, const float* scores, int vectors, float shift, float alpha, float* lanes,
                  float* weights) {
  F s[kKeyVectors];
  F sum = set1(0);
  if (vectors == kKeyVectors && !rule.value_scale) {
#pragma GCC unroll 4
    for (int v = 0; v < kKeyVectors; ++v) {
      s[v] = exp(load(scores + v * kLanes) - set1(shift));
      sum = sum + s[v];
    }
    store(lanes, load(lanes) * set1(alpha) + sum);
    return Engine::store_weights(weights, s, kKeyVectors);
  }
#pragma GCC unroll 4
  for (int v = 0; v < kKeyVectors; ++v) {
    if (v >= vectors) break;
    s[v] = exp(load(scores + v * kLanes) - set1(shift));
    sum = sum + s[v];
    if (rule.value_scale) s[v] = s[v] * load(rule.value_scale + v * kLanes);
  }
  store(lanes, load(lanes) * set1(alpha) + sum);
  Engine::store_weights(weights, s, vectors);
}

// add_values() over all columns from `column` on: N vectors at a time, then half as many, down to one.
template <class Engine, int R, int N>
inline void add_value_columns(int64_t column, float* acc, int64_t stride, const float* alpha, const float* weights,
                              const float* values, int64_t steps) {
  for (; column + N * kLanes <= stride; column += N * kLanes)
    add_values<Engine, R, N>(acc + column, stride, alpha, weights, values + column, stride, steps);
  if constexpr (N > 1)
    add_value_columns<Engine, R, N / 2>(column, acc, stride, alpha, weights, values, steps);
}

// Few rows need many columns to hide the latency of the multiply-adds.
template <int R>
constexpr int kValueVectors = R <= kWideRows ? 8 : 4;

// total = total merged with the partial result that follows it.
inline void merge_row(float& max, float& sum, float* acc, float part_max, float part_sum, const float* part_acc,
                      int64_t stride) {
  float top = max > part_max ? max : part_max;
  float shift = top == -kInfinity ? 0.0f : top;
  float a = exp(max - shift), b = exp(part_max - shift);
  max = top;
  sum = sum * a + part_sum * b;
  for (int64_t d = 0; d < stride; d += kLanes)
    store(acc + d, fma(load(part_acc + d), set1(b), load(acc + d) * set1(a)));
}

template <class Element>
inline void write_row(char* target, const float* acc, float factor, int64_t n) {
  auto* out = (typename Element::T*)target;
  int64_t d = 0;
  // Adding 0 turns -0 into 0: the sign of a zero sum depends on how many zeros were added to it.
  for (; d + kLanes <= n; d += kLanes) Element::put(out + d, load(acc + d) * set1(factor) + set1(0));
  if (d < n) put_some<Element>(out + d, load(acc + d) * set1(factor) + set1(0), n - d);
}

inline float sink_of(const AttentionParams& p, int head) {
  if (!p.sinks) return -kInfinity;
  return with_float_type(p.sinks_type, [&](auto element) {
    using Element = decltype(element);
    return get_some<Element>((const typename Element::T*)p.sinks + head, 1)[0];
  });
}

// The row's result from its merged state.
inline void finish_row(const AttentionParams& p, int64_t token, int head, int kv_head, float max, float sum,
                       const float* acc) {
  float sink = sink_of(p, head);
  float top = max > sink ? max : sink;
  float shift = top == -kInfinity ? 0.0f : top;
  float weight = exp(max - shift);
  float total = sum * weight + exp(sink - shift);
  float factor = sum == 0.0f ? 0.0f : weight / total;
  if (p.value_scale.data && !p.value_scale.per_token) factor *= p.value_scale.data[kv_head * p.value_scale.head_stride];
  char* out = p.out + token * p.out_token_stride + head * p.out_head_stride;
  with_float_type(p.query_type, [&](auto element) {
    write_row<decltype(element)>(out, acc, factor, p.head_dim_v);
  });
  if (p.lse) p.lse[token * p.num_heads + head] = total == 0.0f ? -kInfinity : shift + __builtin_logf(total);
}

}  // namespace
}  // namespace torchpaged
