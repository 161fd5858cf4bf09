// The keys that a row sees, and the places of a tile of keys in the paged cache.
#pragma once

#include "vec_math.h"

namespace torchpaged {
namespace {

// A tile of keys is this many vectors wide.
constexpr int kKeyVectors = 4;
constexpr int kTileKeys = kKeyVectors * kLanes;
static_assert(kTileKeys <= kMaxTileKeys && kPartitionKeys % kTileKeys == 0);
static_assert(kRowTile % kRowBlock == 0);

constexpr float kInfinity = __builtin_inff();

// The first n of 64 bits, for any n.
inline uint64_t low_bits(int64_t n) { return n <= 0 ? 0 : n >= 64 ? ~0ull : (1ull << n) - 1; }

// One sequence's geometry: where this step's queries lie, and which keys a token sees.
struct Sight {
  int64_t seq_len, query_len, first_token, window, reach;
  bool causal, tree;

  Sight(const AttentionParams& p, int sequence)
      : seq_len(p.seq_lens[sequence]),
        query_len(p.query_start_loc[sequence + 1] - p.query_start_loc[sequence]),
        first_token(p.query_start_loc[sequence]),
        window(p.window),
        reach(p.reach),
        causal(p.causal),
        tree(p.tree_mask != nullptr) {}

  int64_t context() const { return seq_len - query_len; }
  int64_t position(int64_t token) const { return context() + token; }
  // Seen keys lie in [first, last); within it a tree mask may hide some.
  int64_t first(int64_t token) const { return window > 0 ? most(0, position(token) - window + 1) : 0; }
  int64_t last(int64_t token) const {
    if ((causal || tree) && position(token) < 0) return 0;
    if (causal && !tree) return least(position(token) + 1, seq_len);
    return reach > 0 ? most(0, least(position(token) + reach, seq_len)) : seq_len;
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

// Where the rows of a tile lie: addresses in the cache, or of zeros for keys that no row of the unit sees
// (their slots may hold anything, NaN included).
struct TileRows {
  const char* key[kTileKeys];
  const char* value[kTileKeys];
  float key_scale[kTileKeys];  // per token; 0 for unseen keys
  float value_scale[kTileKeys];
  float places[kTileKeys];  // positions, where keys are selected
  int begin, keys;  // the seen keys; what lies behind is not processed
};

inline int64_t clamp_block(const AttentionParams& p, int64_t block) {
  return block < 0 ? 0 : block >= p.num_blocks ? p.num_blocks - 1 : block;
}

// One tile of a per-token scale: `count` keys of a block from `offset` on.
inline void copy_scales(const ScaleView& scale, int64_t block, int64_t offset, int head, int count, float* target) {
  const float* source = scale.data + block * scale.block_stride + offset * scale.token_stride + head * scale.head_stride;
  for (int k = 0; k < count; ++k) target[k] = source[k * scale.token_stride];
}

// A tile at `start` whose seen keys are [first, last), with zeros for the others.
inline void begin_tile(const AttentionParams& p, int64_t start, int64_t first, int64_t last, const char* zeros,
                       TileRows& t) {
  t.begin = int(most(first, start) - start);
  t.keys = int(least(last, start + kTileKeys) - start);
  int padded = int(round_up(t.keys, kLanes));
  for (int i = 0; i < t.begin; ++i) t.key[i] = t.value[i] = zeros;
  for (int i = t.keys; i < padded; ++i) t.key[i] = t.value[i] = zeros;
  if (p.key_scale.per_token) memset(t.key_scale, 0, sizeof t.key_scale);
  if (p.value_scale.per_token) memset(t.value_scale, 0, sizeof t.value_scale);
}

// Keys [i, i + count) of a tile: those from `offset` on of a block.
inline void add_keys(const AttentionParams& p, int64_t block, int64_t offset, int head, int i, int count, TileRows& t) {
  const char* key = p.key.data + block * p.key.block_stride + offset * p.key.token_stride + head * p.key.head_stride;
  const char* value =
      p.value.data + block * p.value.block_stride + offset * p.value.token_stride + head * p.value.head_stride;
  if (p.key_scale.per_token) copy_scales(p.key_scale, block, offset, head, count, t.key_scale + i);
  if (p.value_scale.per_token) copy_scales(p.value_scale, block, offset, head, count, t.value_scale + i);
  for (int k = 0; k < count; ++k, ++i) {
    t.key[i] = key + k * p.key.token_stride;
    t.value[i] = value + k * p.value.token_stride;
  }
}

// Addresses of the keys [first, last) of the tile at `start`; zeros elsewhere.
inline void locate(const AttentionParams& p, int sequence, int head, int64_t start, int64_t first, int64_t last,
                   const char* zeros, TileRows& t) {
  begin_tile(p, start, first, last, zeros, t);
  if (p.key_starts) {
    if (t.begin < t.keys) add_keys(p, 0, p.key_starts[sequence] + start + t.begin, head, t.begin, t.keys - t.begin, t);
    return;
  }
  const int32_t* table = p.block_tables + sequence * p.block_table_stride;
  int64_t logical = (start + t.begin) / p.block_size, offset = (start + t.begin) % p.block_size;
  for (int i = t.begin; i < t.keys; ++logical, offset = 0) {
    int64_t block = clamp_block(p, table[least(logical, p.max_blocks - 1)]);
    int count = int(least(t.keys - i, p.block_size - offset));
    add_keys(p, block, offset, head, i, count, t);
    i += count;
  }
}

}  // namespace
}  // namespace torchpaged
