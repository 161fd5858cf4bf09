// Attention of one unit of work, for any ISA: a row tile of one sequence and KV head through its keys.
//
// The algorithm is FlashAttention's (Dao 2023): keys in tiles, a running maximum m, sum l and accumulator.
// What keeps a row's bits independent of everything around it:
//  - tiles and partitions lie at fixed key positions; a partition starts from a fresh (m, l, accumulator) and
//    partitions are merged in ascending order by merge_rows(), in one thread or several;
//  - the operations on a row are the same for any number of rows in its block (only the blocking differs);
//  - a masked key has p = 0, and adding 0 * v changes nothing: what a row does not see may be skipped or not.
//
// An Engine says how numbers are multiplied: FloatEngine (engine_float.h) or Bf16Engine (engine_bf16.h).
#pragma once

#include "vec_math.h"

namespace torchpaged {
namespace {

constexpr int kKeyVectors = 4;
constexpr int kTileKeys = kKeyVectors * kLanes;
static_assert(kTileKeys <= kMaxTileKeys && kPartitionKeys % kTileKeys == 0);
static_assert(kRowTile % kRowBlock == 0);

inline int64_t round_up(int64_t x, int64_t multiple) { return (x + multiple - 1) / multiple * multiple; }
inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

constexpr float kInfinity = __builtin_inff();

// The first n of 64 bits, for any n.
inline uint64_t low_bits(int64_t n) { return n <= 0 ? 0 : n >= 64 ? ~0ull : (1ull << n) - 1; }

// Where the rows of a tile lie: addresses in the cache, or of zeros for keys that no row of the unit sees
// (their slots may hold anything, NaN included).
struct TileRows {
  const char* key[kTileKeys];
  const char* value[kTileKeys];
  float key_scale[kTileKeys];  // per token; 0 for unseen keys
  float value_scale[kTileKeys];
  int keys;  // seen keys end here: what lies behind is not processed
};

// Running state of up to kRowTile rows over some keys.
struct RowState {
  float* max;    // [rows]
  float* sum;    // [rows]
  float* lanes;  // [rows][kLanes]: the sum of the partition in progress, lane by lane
  float* acc;    // [rows][acc_stride]
};

struct Workspace {
  float* query;  // [rows][query_words]
  float* keys;   // [key_words][kTileKeys]: the tile, transposed
  float* values;
  float* spare_values;  // the same with unseen rows cleared, where a value is not finite
  float* scores;        // [kRowBlock][kTileKeys]
  float* weights;       // [kRowBlock][kTileKeys]
  RowState part, total;
  char* zeros;  // a cache row of zeros
  TileRows* tile;
  TileRows* next_tile;
};

struct Carver {
  char* base;
  size_t used = 0;
  template <class T>
  T* take(int64_t count) {
    T* result = (T*)(base + used);
    used += size_t(round_up(count * int64_t(sizeof(T)), 64));
    return result;
  }
};

template <class Engine>
inline int64_t acc_stride(const AttentionParams& p) {
  return round_up(p.head_dim_v, Engine::kValueAlign);
}

template <class Engine>
inline int64_t query_words(const AttentionParams& p) {
  return Engine::key_words(p.head_dim);
}

template <class Engine>
size_t carve(const AttentionParams& p, char* base, Workspace& w) {
  Carver c{base};
  int64_t stride = acc_stride<Engine>(p);
  w.query = c.take<float>(kRowTile * query_words<Engine>(p));
  w.keys = c.take<float>(round_up(query_words<Engine>(p), kLanes) * kTileKeys);
  w.values = c.take<float>(kTileKeys * stride);
  w.spare_values = c.take<float>(kTileKeys * stride);
  w.scores = c.take<float>(kRowBlock * kTileKeys);
  w.weights = c.take<float>(kRowBlock * kTileKeys);
  RowState* const states[] = {&w.part, &w.total};
  for (RowState* s : states) {
    s->max = c.take<float>(kRowTile);
    s->sum = c.take<float>(kRowTile);
    s->lanes = c.take<float>(kRowTile * kLanes);
    s->acc = c.take<float>(kRowTile * stride);
  }
  w.zeros = c.take<char>(4 * most(p.head_dim, p.head_dim_v));
  w.tile = c.take<TileRows>(1);
  w.next_tile = c.take<TileRows>(1);
  return c.used;
}

// --- What rows see ----------------------------------------------------------------------------------------

// One sequence's geometry: where this step's queries lie, and which keys a token sees.
struct Sight {
  int64_t seq_len, query_len, first_token, window;
  bool causal, tree;

  Sight(const AttentionParams& p, int sequence)
      : seq_len(p.seq_lens[sequence]),
        query_len(p.query_start_loc[sequence + 1] - p.query_start_loc[sequence]),
        first_token(p.query_start_loc[sequence]),
        window(p.window),
        causal(p.causal),
        tree(p.tree_mask != nullptr) {}

  int64_t context() const { return seq_len - query_len; }
  int64_t position(int64_t token) const { return context() + token; }
  // Seen keys lie in [first, last); within it a tree mask may hide some.
  int64_t first(int64_t token) const { return window > 0 ? most(0, position(token) - window + 1) : 0; }
  int64_t last(int64_t token) const {
    if (position(token) < 0) return 0;
    return causal && !tree ? least(position(token) + 1, seq_len) : seq_len;
  }
};

// Bit j: whether the token sees key `start + j`.
inline uint64_t seen_bits(const AttentionParams& p, const Sight& sight, int64_t token, int64_t start) {
  uint64_t bits = low_bits(sight.last(token) - start) & ~low_bits(sight.first(token) - start);
  bits &= low_bits(kTileKeys);
  if (!sight.tree || start + kTileKeys <= sight.context()) return bits;
  const uint8_t* row = p.tree_mask + (sight.first_token + token) * p.tree_row_stride;
  for (int64_t j = most(0, sight.context() - start); j < kTileKeys; ++j) {
    int64_t column = start + j - sight.context();
    if (column >= p.tree_width || !row[column * p.tree_column_stride]) bits &= ~(1ull << j);
  }
  return bits;
}

// --- Tiles ------------------------------------------------------------------------------------------------

inline int64_t clamp_block(const AttentionParams& p, int64_t block) {
  return block < 0 ? 0 : block >= p.num_blocks ? p.num_blocks - 1 : block;
}

// Addresses of the keys [first, last) of the tile at `start`; zeros elsewhere.
inline void locate(const AttentionParams& p, int sequence, int head, int64_t start, int64_t first, int64_t last,
                   const char* zeros, TileRows& t) {
  first = most(first, start);
  last = least(last, start + kTileKeys);
  int begin = int(first - start), end = int(last - start);
  int padded = int(round_up(end, kLanes));
  t.keys = end;
  for (int i = 0; i < begin; ++i) t.key[i] = t.value[i] = zeros;
  for (int i = end; i < padded; ++i) t.key[i] = t.value[i] = zeros;
  bool scales = p.key_scale.per_token || p.value_scale.per_token;
  if (scales) memset(t.key_scale, 0, sizeof t.key_scale + sizeof t.value_scale);
  const int32_t* table = p.block_tables + sequence * p.block_table_stride;
  int64_t logical = first / p.block_size, offset = first % p.block_size;
  for (int i = begin; i < end; ++logical, offset = 0) {
    int64_t block = clamp_block(p, table[least(logical, p.max_blocks - 1)]);
    int count = int(least(end - i, p.block_size - offset));
    const char* key =
        p.key.data + block * p.key.block_stride + offset * p.key.token_stride + head * p.key.head_stride;
    const char* value =
        p.value.data + block * p.value.block_stride + offset * p.value.token_stride + head * p.value.head_stride;
    if (scales) {
      for (int k = 0; k < count; ++k) {
        const ScaleView &ks = p.key_scale, &vs = p.value_scale;
        if (ks.per_token)
          t.key_scale[i + k] =
              ks.data[block * ks.block_stride + (offset + k) * ks.token_stride + head * ks.head_stride];
        if (vs.per_token)
          t.value_scale[i + k] =
              vs.data[block * vs.block_stride + (offset + k) * vs.token_stride + head * vs.head_stride];
      }
    }
    for (int k = 0; k < count; ++k, ++i) {
      t.key[i] = key + k * p.key.token_stride;
      t.value[i] = value + k * p.value.token_stride;
    }
  }
}

// --- Row blocks: R rows at a time ------------------------------------------------------------------------

// scores[r][key] = query[r] . key, for V vectors of keys.
template <class Engine, int R, int V>
inline void dot_rows(const float* query, int64_t words, const float* keys, float* scores) {
  F acc[R][V];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) acc[r][v] = set1(0);
  for (int64_t d = 0; d < words; ++d) {
    F key[V];
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) key[v] = load(keys + d * kTileKeys + v * kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      F q = set1(query[r * words + d]);
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) acc[r][v] = Engine::multiply_add(acc[r][v], q, key[v]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) store(scores + r * kTileKeys + v * kLanes, acc[r][v]);
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
    for (int n = 0; n < N; ++n) value[n] = load(values + k * value_stride + n * kLanes);
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

// What a row's scores go through before the softmax, the same for all rows but slope and position.
struct ScoreRule {
  float scale, softcap;
  const float* key_scale;    // of the tile, or nullptr
  const float* value_scale;  // of the tile, or nullptr
};

// One row of a tile: scores become weights; returns the factor by which earlier results shrink.
template <class Engine>
inline float softmax_row(const ScoreRule& rule, const float* scores, int vectors, uint64_t seen, bool all_seen,
                         bool alibi, float slope, float distance, float& row_max, float* lanes, float* weights) {
  F s[kKeyVectors];
  F top = set1(-kInfinity);
#pragma GCC unroll 4
  for (int v = 0; v < kKeyVectors; ++v) {
    if (v >= vectors) break;
    F x = load(scores + v * kLanes) * set1(rule.scale);
    if (rule.key_scale) x = x * load(rule.key_scale + v * kLanes);
    if (rule.softcap > 0) x = set1(rule.softcap) * tanh(x / set1(rule.softcap));
    if (alibi) x = fma(set1(slope), set1(distance + float(v * kLanes)) + iota(), x);
    if (!all_seen) x = select(seen >> (v * kLanes), x, set1(-kInfinity));
    s[v] = x;
    top = max(top, x);
  }
  float old_max = row_max, new_max = reduce_max(top);
  new_max = old_max > new_max ? old_max : new_max;
  row_max = new_max;
  float shift = new_max == -kInfinity ? 0.0f : new_max;
  float alpha = old_max == new_max ? 1.0f : exp(old_max - shift);
  F sum = set1(0);
#pragma GCC unroll 4
  for (int v = 0; v < kKeyVectors; ++v) {
    if (v >= vectors) break;
    s[v] = exp(s[v] - set1(shift));
    sum = sum + s[v];
    if (rule.value_scale) s[v] = s[v] * load(rule.value_scale + v * kLanes);
  }
  store(lanes, load(lanes) * set1(alpha) + sum);
  Engine::store_weights(weights, s, vectors);
  return alpha;
}

struct Block {
  const AttentionParams* params;
  Workspace* work;
  ScoreRule rule;
  int64_t start;        // the tile's first key
  bool all_seen;        // every row sees every key of the tile
  bool values_checked;  // every value of the tile is finite, or no row hides one
  const uint64_t* seen;
  const float* slopes;     // nullptr without ALiBi
  const float* positions;  // of the rows' tokens
};

template <class Engine, int R>
inline void add_value_columns(float* acc, int64_t stride, const float* alpha, const float* weights,
                              const float* values, int64_t steps) {
  // Few rows need many columns to hide the latency of the multiply-adds.
  constexpr int N = R * 8 <= 2 * kLanes ? 8 : 4;
  int64_t column = 0;
  for (; column + N * kLanes <= stride; column += N * kLanes)
    add_values<Engine, R, N>(acc + column, stride, alpha, weights, values + column, stride, steps);
  for (; column < stride; column += kLanes)
    add_values<Engine, R, 1>(acc + column, stride, alpha, weights, values + column, stride, steps);
}

// Rows [row, row + R) of the unit over one tile. `row` indexes the unit's arrays.
template <class Engine, int R>
void attend_rows(const Block& b, int row) {
  const AttentionParams& p = *b.params;
  Workspace& w = *b.work;
  int keys = w.tile->keys;
  uint64_t any = 0;
  if (!b.all_seen) {
    for (int r = 0; r < R; ++r) any |= b.seen[row + r];
    if (any == 0) return;
    keys = 64 - __builtin_clzll(any);
  }
  int vectors = (keys + kLanes - 1) / kLanes;
  int64_t words = query_words<Engine>(p), stride = acc_stride<Engine>(p);
  const float* query = w.query + row * words;
  if (vectors == kKeyVectors) {
    dot_rows<Engine, R, kKeyVectors>(query, words, w.keys, w.scores);
  } else {
    for (int v = 0; v < vectors; ++v)
      dot_rows<Engine, R, 1>(query, words, w.keys + v * kLanes, w.scores + v * kLanes);
  }
  float alpha[R];
  for (int r = 0; r < R; ++r) {
    int i = row + r;
    alpha[r] = softmax_row<Engine>(b.rule, w.scores + r * kTileKeys, vectors, b.all_seen ? 0 : b.seen[i],
                                   b.all_seen, b.slopes != nullptr, b.slopes ? b.slopes[i] : 0.0f,
                                   b.slopes ? float(b.start) - b.positions[i] : 0.0f, w.part.max[i],
                                   w.part.lanes + i * kLanes, w.weights + r * kTileKeys);
  }
  float* acc = w.part.acc + row * stride;
  int64_t steps = Engine::value_steps(keys);
  if (b.values_checked) {
    add_value_columns<Engine, R>(acc, stride, alpha, w.weights, w.values, steps);
  } else {
    // 0 * NaN is NaN: a row must not meet a value that it does not see.
    for (int r = 0; r < R; ++r) {
      Engine::clear_unseen(w.values, w.spare_values, stride, keys, b.seen[row + r]);
      add_value_columns<Engine, 1>(acc + r * stride, stride, alpha + r, w.weights + r * kTileKeys,
                                   w.spare_values, steps);
    }
  }
}

template <class Engine>
void attend_block(const Block& b, int row, int rows) {
  if (rows == 1) return attend_rows<Engine, 1>(b, row);
  if (rows == 2) return attend_rows<Engine, 2>(b, row);
  if constexpr (kRowBlock > 2) {
    if (rows == 3) return attend_rows<Engine, 3>(b, row);
    if (rows == 4) return attend_rows<Engine, 4>(b, row);
    if (rows == 5) return attend_rows<Engine, 5>(b, row);
    return attend_rows<Engine, 6>(b, row);
  }
}

// --- Merging and finishing -------------------------------------------------------------------------------

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

// --- A unit ----------------------------------------------------------------------------------------------

template <class Engine>
struct UnitWorker {
  const AttentionParams& p;
  const AttentionUnit& u;
  Workspace w;
  Sight sight;
  int64_t stride;
  float positions[kRowTile];
  float slopes[kRowTile];
  uint64_t seen[kRowTile];

  UnitWorker(const AttentionParams& params, const AttentionUnit& unit, char* scratch)
      : p(params), u(unit), sight(params, unit.sequence), stride(acc_stride<Engine>(params)) {
    carve<Engine>(params, scratch, w);
  }

  int64_t token_of(int row) const { return (u.row + row) / p.group; }
  int head_of(int row) const { return u.kv_head * p.group + (u.row + row) % p.group; }

  void load_queries() {
    for (int r = 0; r < u.rows; ++r) {
      int64_t token = token_of(r);
      const char* source = p.query + (sight.first_token + token) * p.query_token_stride +
                           head_of(r) * p.query_head_stride;
      Engine::load_query(p.query_type, p.cache_type, source, w.query + r * query_words<Engine>(p), p.head_dim);
      positions[r] = float(sight.position(token));
      if (p.alibi_slopes) slopes[r] = p.alibi_slopes[head_of(r)];
    }
  }

  void start_partition() {
    for (int r = 0; r < u.rows; ++r) w.part.max[r] = -kInfinity;
    memset(w.part.lanes, 0, size_t(u.rows) * kLanes * 4);
    memset(w.part.acc, 0, size_t(u.rows * stride) * 4);
  }

  // Keys that any of the unit's rows sees lie in [first, last).
  int64_t first_key() const { return sight.first(token_of(0)); }
  int64_t last_key() const { return sight.last(token_of(u.rows - 1)); }

  void attend_tile(int64_t start, const ScoreRule& rule) {
    Block b{&p, &w, rule, start, false, true, seen, p.alibi_slopes ? slopes : nullptr, positions};
    int64_t first_token = token_of(0), last_token = token_of(u.rows - 1);
    b.all_seen = start + kTileKeys <= sight.last(first_token) && start >= sight.first(last_token) &&
                 (!sight.tree || start + kTileKeys <= sight.context());
    int64_t token = -1;
    for (int r = 0; !b.all_seen && r < u.rows; ++r) {
      if (token_of(r) != token) {
        token = token_of(r);
        seen[r] = seen_bits(p, sight, token, start);
      } else {
        seen[r] = seen[r - 1];
      }
    }
    b.rule.key_scale = p.key_scale.per_token ? w.tile->key_scale : nullptr;
    b.rule.value_scale = p.value_scale.per_token ? w.tile->value_scale : nullptr;
    // Rows of one token see the same keys, and what none of them sees was not loaded.
    bool hides = !b.all_seen && (first_token != last_token || sight.tree);
    Engine::load_keys(p.cache_type, *w.tile, *w.next_tile, p.head_dim, w.keys);
    bool finite = Engine::load_values(p.cache_type, *w.tile, *w.next_tile, p.head_dim_v, stride, w.values, hides);
    b.values_checked = !hides || finite;
    // As even as possible: 8 rows are 4 + 4, not 6 + 2.
    int blocks = (u.rows + kRowBlock - 1) / kRowBlock;
    for (int i = 0, row = 0; i < blocks; ++i) {
      int rows = (u.rows - row + (blocks - i) - 1) / (blocks - i);
      attend_block<Engine>(b, row, rows);
      row += rows;
    }
  }

  // Where the keys of a partition that the unit's rows see begin and end.
  int64_t begin_of(int64_t partition) const { return most(first_key(), partition * kPartitionKeys); }
  int64_t end_of(int64_t partition) const { return least(last_key(), (partition + 1) * kPartitionKeys); }

  void run(const AttentionUnit* next) {
    memset(w.zeros, 0, size_t(4 * most(p.head_dim, p.head_dim_v)));
    load_queries();
    ScoreRule rule{p.scale, p.softcap, nullptr, nullptr};
    if (p.key_scale.data && !p.key_scale.per_token) rule.scale *= p.key_scale.data[u.kv_head * p.key_scale.head_stride];
    if (u.first_partition == u.last_partition) {
      start_partition();
      finish_partition(u.first_partition);
    }
    int64_t first = first_key(), last = last_key();
    int64_t tile = most(first, u.first_partition * kPartitionKeys) / kTileKeys * kTileKeys;
    locate(p, u.sequence, u.kv_head, tile, first, last, w.zeros, *w.tile);
    for (int partition = u.first_partition; partition < u.last_partition; ++partition) {
      start_partition();
      int64_t end = end_of(partition);
      for (; tile < end; tile += kTileKeys) {
        locate_next(next, tile, first, last);
        attend_tile(tile, rule);
        TileRows* done = w.tile;
        w.tile = w.next_tile;
        w.next_tile = done;
      }
      finish_partition(partition);
    }
    if (u.partials) {
      if (__atomic_sub_fetch(u.pending, 1, __ATOMIC_ACQ_REL) != 0) return;
      for (int i = 0; i < u.num_partitions; ++i) merge_partial(i);
    }
    for (int r = 0; r < u.rows; ++r)
      finish_row(p, sight.first_token + token_of(r), head_of(r), u.kv_head, w.total.max[r], w.total.sum[r],
                 w.total.acc + r * stride);
  }

  // The tile after the one at `tile`: in this unit, else the first one of the next unit, else this one again.
  void locate_next(const AttentionUnit* next, int64_t tile, int64_t first, int64_t last) {
    int64_t following = tile + kTileKeys;
    if (following < least(last, u.last_partition * kPartitionKeys)) {
      locate(p, u.sequence, u.kv_head, following, first, last, w.zeros, *w.next_tile);
    } else if (next) {
      Sight s(p, next->sequence);
      int64_t next_first = s.first(next->row / p.group);
      int64_t next_last = s.last((next->row + next->rows - 1) / p.group);
      int64_t at = most(next_first, next->first_partition * kPartitionKeys) / kTileKeys * kTileKeys;
      locate(p, next->sequence, next->kv_head, at, next_first, next_last, w.zeros, *w.next_tile);
    } else {
      w.next_tile->keys = 0;
    }
  }

  void finish_partition(int partition) {
    for (int r = 0; r < u.rows; ++r) w.part.sum[r] = reduce_add(load(w.part.lanes + r * kLanes));
    if (u.partials) {
      float* target = u.partials + (partition - u.base_partition) * u.rows * (stride + 2);
      memcpy(target, w.part.max, size_t(u.rows) * 4);
      memcpy(target + u.rows, w.part.sum, size_t(u.rows) * 4);
      memcpy(target + 2 * u.rows, w.part.acc, size_t(u.rows * stride) * 4);
    } else if (partition == u.first_partition) {
      // Merging with an empty state gives the same bits.
      RowState first = w.part;
      w.part = w.total;
      w.total = first;
    } else {
      for (int r = 0; r < u.rows; ++r)
        merge_row(w.total.max[r], w.total.sum[r], w.total.acc + r * stride, w.part.max[r], w.part.sum[r],
                  w.part.acc + r * stride, stride);
    }
  }

  void merge_partial(int index) {
    const float* source = u.partials + int64_t(index) * u.rows * (stride + 2);
    const float* acc = source + 2 * u.rows;
    if (index == 0) {
      memcpy(w.total.max, source, size_t(u.rows) * 4);
      memcpy(w.total.sum, source + u.rows, size_t(u.rows) * 4);
      memcpy(w.total.acc, acc, size_t(u.rows * stride) * 4);
      return;
    }
    for (int r = 0; r < u.rows; ++r)
      merge_row(w.total.max[r], w.total.sum[r], w.total.acc + r * stride, source[r], source[u.rows + r],
                acc + r * stride, stride);
  }
};

template <class Engine>
size_t attention_scratch_bytes(const AttentionParams& p) {
  Workspace w;
  return carve<Engine>(p, nullptr, w) + 64;
}

template <class Engine>
int64_t partial_floats(const AttentionParams& p, int rows) {
  return rows * (acc_stride<Engine>(p) + 2);
}

template <class Engine>
void attention(const AttentionParams& p, const AttentionUnit& unit, const AttentionUnit* next, char* scratch) {
  UnitWorker<Engine>(p, unit, scratch).run(next);
}

}  // namespace
}  // namespace torchpaged
