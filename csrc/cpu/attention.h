// Attention of one unit of work, for any ISA: a row tile of one sequence through its keys.
//
// The algorithm is FlashAttention's (Dao 2023): keys in tiles, a running maximum m, sum l and accumulator.
// A row's bits do not depend on anything around it, because:
//  - tiles and partitions lie at fixed key positions; a partition starts from a fresh (m, l, accumulator) and
//    partitions are merged in ascending order by merge_row(), in one thread or several;
//  - the operations on a row are the same for any number of rows in its block (only the blocking differs);
//  - a masked key has p = 0, and adding 0 * v changes nothing: keys that a row does not see may be skipped or not.
//
// An Engine says how numbers are multiplied: FloatEngine (engine_float.h) or Bf16Engine (engine_bf16.h).
#pragma once

#include "attention_rows.h"
#include "score_mods.h"
#include "selection.h"

namespace torchpaged {
namespace {

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
  float* scores;        // [kSoftmaxRows][kTileKeys]
  float* weights;       // [kSoftmaxRows][kTileKeys]
  RowState part, total;
  char* zeros;  // a cache row of zeros
  TileRows* tile;
  TileRows* next_tile;
  SelectionScratch selection;
  ModValues score_mod, mask_mod;
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
  return Engine::key_words(p.cache_type, p.head_dim);
}

template <class Engine>
size_t carve(const AttentionParams& p, char* base, Workspace& w) {
  Carver c{base};
  int64_t stride = acc_stride<Engine>(p);
  w.query = c.take<float>(kRowTile * query_words<Engine>(p));
  w.keys = c.take<float>(round_up(query_words<Engine>(p), Engine::kKeyAlign) * kTileKeys);
  w.values = c.take<float>(kTileKeys * stride);
  w.spare_values = c.take<float>(kTileKeys * stride);
  w.scores = c.take<float>(kSoftmaxRows * kTileKeys);
  w.weights = c.take<float>(kSoftmaxRows * kTileKeys);
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
  w.selection.marks = c.take<uint64_t>(p.selected ? SelectionScratch::words(p) : 0);
  w.selection.groups = c.take<int32_t>(p.selected ? p.num_selected : 0);
  w.score_mod.carve(p.score_mod, c);
  w.mask_mod.carve(p.mask_mod, c);
  return c.used;
}

struct Block {
  const AttentionParams* params;
  Workspace* work;
  ScoreRule rule;
  int64_t start;        // the tile's first key
  bool all_seen;        // every row sees every key of the tile
  bool values_checked;  // every value of the tile is finite, or no row hides one
  // For the head's rows: seen keys, ALiBi slopes (or nullptr), positions.
  const uint64_t* seen;
  const float* slopes;
  const float* positions;
  const float* const* biases;  // by distance, of the head's rows, or nullptr
  const float* places;         // of the tile's keys, or nullptr: one behind the other
};

inline DistanceBias bias_of(const Block& b, int row) {
  if (!b.biases) return {nullptr, 0, 0, nullptr};
  return {b.biases[row], b.params->distances, int64_t(b.positions[row]) - (b.places ? 0 : b.start), b.places};
}

// Turns the scores of rows [row, row + rows) of a head into softmax weights. The head's first row is row `head` of the
// unit, and row r has `vectors(r)` vectors of scores. The maxima of all rows are found before any weight is computed, so
// that the latencies of the rows' reductions overlap.
template <class Engine, class Vectors>
inline void softmax_rows(const Block& b, int row, int head, int rows, Vectors vectors, float* alpha) {
  Workspace& w = *b.work;
  RowMaxima maxima = {};
  const bool modified = b.params->score_mod != nullptr;  // then what is unseen is hidden behind it
  for (int r = 0; r < rows; ++r) {
    int i = row + r;
    RowRule rule{b.all_seen ? 0 : b.seen[i],
                 b.all_seen || modified,
                 b.slopes != nullptr,
                 b.slopes ? b.slopes[i] : 0.0f,
                 b.slopes ? (b.places ? 0.0f : float(b.start)) - b.positions[i] : 0.0f,
                 bias_of(b, i),
                 b.places,
                 b.params->mirrored_alibi};
    maxima.max[r] = finish_scores(b.rule, rule, vectors(r), w.scores + r * kTileKeys);
    maxima.old[r] = w.part.max[head + i];
  }
  if (modified) {
    for (int first = 0; first < rows; first += kModRows) {
      const int count = int(least(kModRows, rows - first));
      int most_vectors = 0;
      for (int r = first; r < first + count; ++r) most_vectors = int(most(most_vectors, vectors(r)));
      w.score_mod.replace_scores(head + row + first, count, most_vectors, w.scores + first * kTileKeys);
    }
    for (int r = 0; r < rows; ++r)
      maxima.max[r] =
          hide_unseen(b.all_seen ? 0 : b.seen[row + r], b.all_seen, vectors(r), w.scores + r * kTileKeys);
  }
  maxima.update(rows);
  for (int r = 0; r < rows; ++r) {
    int i = head + row + r;
    w.part.max[i] = maxima.max[r];
    alpha[r] = maxima.alpha[r];
    weigh<Engine>(b.rule, w.scores + r * kTileKeys, vectors(r), maxima.shift[r], alpha[r], w.part.lanes + i * kLanes,
                  w.weights + r * kTileKeys);
  }
}

// Attends from rows [row, row + rows) of a head, at most kSoftmaxRows, to one tile in scratch. Products are computed for
// blocks of rows: the tile's keys, and then its values, stay in the first-level cache while all blocks use them.
template <class Engine>
void attend_rows(const Block& b, int row, int head, int rows) {
  const AttentionParams& p = *b.params;
  Workspace& w = *b.work;
  const int64_t words = query_words<Engine>(p), stride = acc_stride<Engine>(p);
  int keys[kSoftmaxRows];  // up to the last that any row of the block sees
  bool any = false;
  each_block(rows, [&](int first, auto count) {
    constexpr int R = decltype(count)::kCount;
    int last = w.tile->keys;
    if (!b.all_seen) {
      uint64_t seen = 0;
      for (int r = 0; r < R; ++r) seen |= b.seen[row + first + r];
      last = seen ? 64 - __builtin_clzll(seen) : 0;
    }
    for (int r = 0; r < R; ++r) keys[first + r] = last;
    if (last == 0) return;
    any = true;
    // Few sums would wait for each other: a whole tile of two rows takes no longer than one vector of it.
    const int vectors = R <= 2 ? kKeyVectors : (last + kLanes - 1) / kLanes;
    dot_rows<Engine, R>(vectors, w.query + (head + row + first) * words, words, w.keys, w.scores + first * kTileKeys);
  });
  if (!any) return;
  float alpha[kSoftmaxRows];
  softmax_rows<Engine>(b, row, head, rows, [&](int r) { return (keys[r] + kLanes - 1) / kLanes; }, alpha);
  each_block(rows, [&](int first, auto count) {
    constexpr int R = decltype(count)::kCount;
    if (keys[first] == 0) return;
    float* acc = w.part.acc + (head + row + first) * stride;
    const float* weights = w.weights + first * kTileKeys;
    const int64_t steps = Engine::value_steps(keys[first]);
    if (b.values_checked) {
      add_value_columns<Engine, R, kValueVectors<R>>(0, acc, stride, alpha + first, weights, w.values, steps);
      return;
    }
    // 0 * NaN is NaN: a row must not meet a value that it does not see.
    for (int r = 0; r < R; ++r) {
      Engine::clear_unseen(w.values, w.spare_values, stride, keys[first], b.seen[row + first + r]);
      add_value_columns<Engine, 1, kValueVectors<1>>(0, acc + r * stride, stride, alpha + first + r,
                                                     weights + r * kTileKeys, w.spare_values, steps);
    }
  });
}

// Rows [row, row + R) of a head over one tile, multiplied as it is read. All rows of the head see the same keys.
template <class Engine, int R>
void attend_direct(const Block& b, int row, int head) {
  const AttentionParams& p = *b.params;
  Workspace& w = *b.work;
  int64_t words = query_words<Engine>(p), stride = acc_stride<Engine>(p);
  Engine::template dot_direct<R>(p.cache_type, *w.tile, *w.next_tile, p.head_dim, w.query + (head + row) * words,
                                 words, w.scores);
  float alpha[R];
  const int vectors = (w.tile->keys + kLanes - 1) / kLanes;
  softmax_rows<Engine>(b, row, head, R, [&](int) { return vectors; }, alpha);
  Engine::template add_direct<R>(p.cache_type, *w.tile, *w.next_tile, p.head_dim_v,
                                 w.part.acc + (head + row) * stride, stride, alpha, w.weights);
}

template <class Engine>
struct UnitWorker {
  const AttentionParams& p;
  const AttentionUnit& u;
  char* scratch;
  Workspace w;
  Sight sight;
  Selection chosen;  // of the unit's only token, where keys are selected: what follows counts their ranks then
  int64_t stride;
  int rows;                    // of all heads: head 0's rows, then head 1's, ...
  float positions[kRowTile];   // of a head's rows
  uint64_t seen[kRowTile];     // of a head's rows, in the tile in progress
  float slopes[kRowTile];      // of all rows
  const float* biases[kRowTile];  // of all rows

  UnitWorker(const AttentionParams& params, const AttentionUnit& unit, char* memory)
      : p(params),
        u(unit),
        scratch(memory),
        sight(params, unit.sequence),
        stride(acc_stride<Engine>(params)),
        rows(unit.rows * unit.kv_heads) {
    carve<Engine>(params, memory, w);
  }

  int64_t token_of(int row) const { return (u.row + row % u.rows) / p.group; }
  int kv_head_of(int row) const { return u.kv_head + row / u.rows; }
  int head_of(int row) const { return kv_head_of(row) * p.group + (u.row + row % u.rows) % p.group; }

  void run(const AttentionUnit* next) {
    memset(w.zeros, 0, size_t(4 * most(p.head_dim, p.head_dim_v)));
    if (p.selected) chosen = select_keys(p, sight, token_of(0), u.kv_head, w.selection);
    load_queries();
    begin_mods();
    int64_t first = first_key(), last = last_key();
    int64_t start = first_tile(u, first);
    bool found = false;  // the tile at `start`, in w.tile
    if (u.first_partition == u.last_partition) empty_total();
    for (int partition = u.first_partition; partition < u.last_partition; ++partition) {
      int64_t end = least(last, (partition + 1) * kPartitionKeys);
      Verdict verdict = judge(start, end);
      if (verdict == Verdict::None) {
        start = most(start, round_up(end, kTileKeys));
        found = false;
        if (partition != u.first_partition && !u.partials) continue;  // merging it would change nothing
      }
      start_partition();
      for (; start < end; start += kTileKeys) {
        Verdict of_tile = verdict == Verdict::Some ? judge(start, least(end, start + kTileKeys)) : verdict;
        if (of_tile == Verdict::None) {
          found = false;
          continue;
        }
        if (!found) find(u.kv_head, start, first, last, *w.tile);
        found = attend_tile(start, first, last, next, of_tile == Verdict::Some);
      }
      finish_partition(partition);
    }
    if (u.partials && !last_of_split()) return;
    if (u.members) return hand_on();
    finish();
  }

  // Whether every unit that adds partial results has done so; merges them then.
  bool last_of_split() {
    if (__atomic_sub_fetch(u.pending, 1, __ATOMIC_ACQ_REL) != 0) return false;
    for (int i = 0; i < u.num_partitions; ++i) merge_partial(i);
    return true;
  }

  void finish() {
    for (int r = 0; r < rows; ++r)
      finish_row(p, sight.first_token + token_of(r), head_of(r), kv_head_of(r), w.total.max[r], w.total.sum[r],
                 w.total.acc + r * stride);
  }

  // Writes the state of each member's rows as the first of its partial results; finishes members that waited for it.
  void hand_on() {
    for (int r = 0; r < rows; ++r) {
      const AttentionUnit& of = owner(r);
      const int count = of.rows * of.kv_heads, row = (kv_head_of(r) - of.kv_head) * of.rows + r % u.rows % of.rows;
      of.partials[row] = w.total.max[r];
      of.partials[count + row] = w.total.sum[r];
      memcpy(of.partials + 2 * count + row * stride, w.total.acc + r * stride, size_t(stride) * 4);
    }
    for (int i = 0; i < u.num_members; ++i) {
      UnitWorker member(p, u.members[i], scratch);
      if (member.last_of_split()) member.finish();
    }
  }

  // The unit that a row gets its result from. Members have the same number of rows, whole sequences each.
  const AttentionUnit& owner(int row) const { return u.members ? u.members[row % u.rows / u.members->rows] : u; }

  void load_queries() {
    for (int r = 0; r < rows; ++r) {
      const AttentionUnit& of = owner(r);
      const Sight own(p, of.sequence);
      const int row = of.row + r % u.rows % of.rows, head = kv_head_of(r) * p.group + row % p.group;
      const char* source =
          p.query + (own.first_token + row / p.group) * p.query_token_stride + head * p.query_head_stride;
      Engine::load_query(p.query_type, p.cache_type, source, w.query + r * query_words<Engine>(p), p.head_dim);
      if (p.alibi_slopes) slopes[r] = p.alibi_slopes[of.sequence * p.alibi_sequence_stride + head];
      if (p.distance_bias) biases[r] = p.distance_bias + head * p.distance_bias_stride;
      if (r < u.rows) positions[r] = float(own.position(row / p.group));
    }
  }

  void begin_mods() {
    if (p.score_mod)
      w.score_mod.begin(
          rows, u.sequence, [&](int r) { return head_of(r); }, [&](int r) { return sight.position(token_of(r)); });
    if (!p.mask_mod) return;
    // A row for each token, unless heads see different keys: then units have one KV head each.
    const int tokens = int(token_of(u.rows - 1) - token_of(0)) + 1;
    w.mask_mod.begin(
        p.mask_mod->uses_head ? u.rows : tokens, u.sequence, [&](int r) { return head_of(r); },
        [&](int r) { return sight.position(p.mask_mod->uses_head ? token_of(r) : token_of(0) + r); });
  }

  // What the mask says for the unit's rows and the keys [first, last). Selected keys may lie anywhere.
  Verdict judge(int64_t first, int64_t last) const {
    if (!p.mask_mod) return Verdict::All;
    const int64_t first_head = u.kv_head * p.group, heads = u.kv_heads * p.group;
    return RangeOf(p.mask_mod).judge(
        u.sequence, double(first_head), double(first_head + heads - 1), double(sight.position(token_of(0))),
        double(sight.position(token_of(u.rows - 1))), p.selected ? 0 : double(first),
        p.selected ? double(sight.seq_len - 1) : double(last - 1));
  }

  // Keys that any of the unit's rows sees lie in [first, last).
  int64_t first_key() const { return p.selected ? chosen.first : sight.first(token_of(0)); }
  int64_t last_key() const { return p.selected ? chosen.last : sight.last(token_of(u.rows - 1)); }

  void find(int head, int64_t start, int64_t first, int64_t last, TileRows& tile) const {
    if (p.selected)
      locate_selected(p, u.sequence, head, chosen, start, w.zeros, tile);
    else
      locate(p, u.sequence, head, start, first, last, w.zeros, tile);
  }

  static int64_t first_tile(const AttentionUnit& unit, int64_t first_key) {
    return most(first_key, unit.first_partition * kPartitionKeys) / kTileKeys * kTileKeys;
  }

  void start_partition() {
    for (int r = 0; r < rows; ++r) w.part.max[r] = -kInfinity;
    memset(w.part.lanes, 0, size_t(rows) * kLanes * 4);
    memset(w.part.acc, 0, size_t(rows * stride) * 4);
  }

  void empty_total() {
    start_partition();
    finish_partition(u.first_partition);
  }

  // Takes what `mask_mod` hides from the tile's seen keys; returns whether any is left.
  bool hide_by_mask(int64_t start, bool all_seen) {
    uint64_t found[kRowTile], any = 0;
    const bool by_row = p.mask_mod->uses_head;
    w.mask_mod.begin_tile(start, p.selected ? w.tile->places : nullptr, kKeyVectors);
    w.mask_mod.bits(by_row ? u.rows : int(token_of(u.rows - 1) - token_of(0)) + 1, kKeyVectors, found);
    for (int r = 0; r < u.rows; ++r) {
      seen[r] = found[by_row ? r : token_of(r) - token_of(0)] & (all_seen ? low_bits(kTileKeys) : seen[r]);
      any |= seen[r];
    }
    return any != 0;
  }

  // Attends from all heads to the tile at `start`. While a head is computed, the next one is fetched from memory. Returns
  // whether w.tile holds the next tile afterwards: false if the mask hides this tile completely.
  bool attend_tile(int64_t start, int64_t first, int64_t last, const AttentionUnit* next, bool masked) {
    int64_t first_token = token_of(0), last_token = token_of(u.rows - 1);
    bool all_seen = u.members    ? true
                    : p.selected ? start + kTileKeys <= last && start >= first && !sight.tree
                                 : start + kTileKeys <= sight.last(first_token) && start >= sight.first(last_token) &&
                                       (!sight.tree || start + kTileKeys <= sight.context());
    for (int r = 0; !all_seen && r < u.rows; ++r) {
      bool same = r > 0 && token_of(r) == token_of(r - 1);
      seen[r] = same         ? seen[r - 1]
                : p.selected ? seen_selected(p, sight, token_of(r), chosen, start, w.tile->places)
                             : seen_bits(p, sight, token_of(r), start);
    }
    if (masked) {
      if (!hide_by_mask(start, all_seen)) return false;
      all_seen = false;
    }
    if (p.score_mod) w.score_mod.begin_tile(start, p.selected ? w.tile->places : nullptr, kKeyVectors);
    // Rows of one token see the same keys, and what none of them sees is not loaded.
    bool hides = !all_seen && (first_token != last_token || sight.tree || masked);
    for (int h = 0; h < u.kv_heads; ++h) {
      locate_next(h, start, first, last, next);
      Block b = block_of(h, start, all_seen);
      if (u.rows <= Engine::direct_rows(p.cache_type) && !hides)
        attend_head_direct(b, h);
      else
        attend_head(b, h, hides);
      TileRows* done = w.tile;
      w.tile = w.next_tile;
      w.next_tile = done;
    }
    return true;
  }

  Block block_of(int h, int64_t start, bool all_seen) {
    ScoreRule rule{p.scale, p.softcap, p.key_scale.per_token ? w.tile->key_scale : nullptr,
                   p.value_scale.per_token ? w.tile->value_scale : nullptr};
    if (p.key_scale.data && !p.key_scale.per_token)
      rule.scale *= p.key_scale.data[(u.kv_head + h) * p.key_scale.head_stride];
    return {&p, &w, rule, start, all_seen, true, seen, p.alibi_slopes ? slopes + h * u.rows : nullptr, positions,
            p.distance_bias ? biases + h * u.rows : nullptr, p.selected ? w.tile->places : nullptr};
  }

  void attend_head(Block& b, int h, bool hides) {
    Engine::load_keys(p.cache_type, *w.tile, *w.next_tile, p.head_dim, w.keys);
    bool finite = Engine::load_values(p.cache_type, *w.tile, *w.next_tile, p.head_dim_v, stride, w.values, hides);
    b.values_checked = !hides || finite;
    for (int row = 0; row < u.rows; row += kSoftmaxRows)
      attend_rows<Engine>(b, row, h * u.rows, int(least(kSoftmaxRows, u.rows - row)));
  }

  void attend_head_direct(const Block& b, int h) {
    if constexpr (Engine::kDirectBlock > 0) {
      static_assert(Engine::kDirectBlock == 4);
      int blocks = (u.rows + Engine::kDirectBlock - 1) / Engine::kDirectBlock;
      for (int i = 0, row = 0; i < blocks; ++i) {
        int count = (u.rows - row + (blocks - i) - 1) / (blocks - i);
        if (count == 1) attend_direct<Engine, 1>(b, row, h * u.rows);
        if (count == 2) attend_direct<Engine, 2>(b, row, h * u.rows);
        if (count == 3) attend_direct<Engine, 3>(b, row, h * u.rows);
        if (count == 4) attend_direct<Engine, 4>(b, row, h * u.rows);
        row += count;
      }
    }
  }

  // Finds the successor of head `h` on the tile at `start`: the next head, the next tile, the next unit, or none.
  void locate_next(int h, int64_t start, int64_t first, int64_t last, const AttentionUnit* next) {
    int64_t following = start + kTileKeys;
    if (h + 1 < u.kv_heads) {
      find(u.kv_head + h + 1, start, first, last, *w.next_tile);
    } else if (following < least(last, u.last_partition * kPartitionKeys)) {
      find(u.kv_head, following, first, last, *w.next_tile);
    } else if (!p.selected && next && next->first_partition < next->last_partition) {
      Sight s(p, next->sequence);
      int64_t next_first = s.first(next->row / p.group), next_last = s.last((next->row + next->rows - 1) / p.group);
      locate(p, next->sequence, next->kv_head, first_tile(*next, next_first), next_first, next_last, w.zeros,
             *w.next_tile);
    } else {
      w.next_tile->begin = w.next_tile->keys = 0;
    }
  }

  void finish_partition(int partition) {
    for (int r = 0; r < rows; ++r) w.part.sum[r] = reduce_add(load(w.part.lanes + r * kLanes));
    if (u.partials) {
      float* target = u.partials + (partition - u.base_partition) * rows * (stride + 2);
      memcpy(target, w.part.max, size_t(rows) * 4);
      memcpy(target + rows, w.part.sum, size_t(rows) * 4);
      memcpy(target + 2 * rows, w.part.acc, size_t(rows * stride) * 4);
    } else if (partition == u.first_partition) {
      // Merging with an empty state gives the same bits.
      RowState first = w.part;
      w.part = w.total;
      w.total = first;
    } else {
      merge_rows_of(w.part.max, w.part.sum, w.part.acc);
    }
  }

  void merge_partial(int index) {
    const float* source = u.partials + int64_t(index) * rows * (stride + 2);
    if (index > 0) return merge_rows_of(source, source + rows, source + 2 * rows);
    memcpy(w.total.max, source, size_t(rows) * 4);
    memcpy(w.total.sum, source + rows, size_t(rows) * 4);
    memcpy(w.total.acc, source + 2 * rows, size_t(rows * stride) * 4);
  }

  void merge_rows_of(const float* max, const float* sum, const float* acc) {
    for (int r = 0; r < rows; ++r)
      merge_row(w.total.max[r], w.total.sum[r], w.total.acc + r * stride, max[r], sum[r], acc + r * stride, stride);
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
