// The keys that are selected for a token, in ascending order: the key of rank r is the r-th of them.
//
// Attention goes through ranks in tiles and partitions, as it goes through positions where nothing is selected. So where
// all keys are selected, which then are at their ranks, a row's bits are the same.
#pragma once

#include "attention_tile.h"

namespace torchpaged {
namespace {

struct SelectionScratch {
  uint64_t* marks;  // a bit for each group of a sequence
  int32_t* groups;  // as many as are selected

  static int64_t words(const AttentionParams& p) {
    return (p.max_blocks * p.block_size + p.granularity - 1) / p.granularity / 64 + 1;
  }
};

struct Selection {
  const int32_t* groups = nullptr;  // ascending, each once, with all before the token's last key
  int64_t first = 0, last = 0;      // the ranks that the token sees, but for what a tree hides
};

inline Selection select_keys(const AttentionParams& p, const Sight& sight, int64_t token, int head,
                             const SelectionScratch& scratch) {
  const int32_t* ids = p.selected + (sight.first_token + token) * p.selected_token_stride + head * p.selected_head_stride;
  const int64_t size = p.granularity, last = least(sight.last(token), p.max_blocks * p.block_size);
  const int64_t limit = (last + size - 1) / size;
  memset(scratch.marks, 0, size_t((limit + 63) / 64) * 8);
  for (int64_t i = 0; i < p.num_selected; ++i)
    if (ids[i] >= 0 && ids[i] < limit) scratch.marks[ids[i] / 64] |= 1ull << (ids[i] % 64);
  int64_t count = 0;
  for (int64_t word = 0; word * 64 < limit; ++word)
    for (uint64_t bits = scratch.marks[word]; bits; bits &= bits - 1)
      scratch.groups[count++] = int32_t(word * 64 + __builtin_ctzll(bits));
  Selection s;
  s.groups = scratch.groups;
  s.last = count * size;
  if (count > 0 && s.groups[count - 1] == limit - 1) s.last -= limit * size - last;
  // A rank before the window counts, as a position does.
  const int64_t begin = sight.first(token);
  int64_t before = 0;
  while (begin > 0 && before < count && (s.groups[before] + int64_t(1)) * size <= begin) ++before;
  s.first = before * size;
  if (before < count && s.groups[before] * size < begin) s.first += begin - s.groups[before] * size;
  s.first = least(s.first, s.last);
  return s;
}

// Addresses and positions of the selected keys of the tile at rank `start`; zeros for what the token does not see.
inline void locate_selected(const AttentionParams& p, int sequence, int head, const Selection& s, int64_t start,
                            const char* zeros, TileRows& t) {
  if (start >= s.last) {
    t.begin = t.keys = 0;
    return;
  }
  begin_tile(p, start, s.first, s.last, zeros, t);
  memset(t.places, 0, sizeof t.places);
  const int32_t* table = p.block_tables + sequence * p.block_table_stride;
  const int64_t size = p.granularity;
  int64_t group = (start + t.begin) / size, inside = (start + t.begin) % size;
  // A division of 32 bits takes a third of the time of one of 64.
  const uint32_t block_size = uint32_t(p.block_size);
  for (int i = t.begin; i < t.keys;) {
    const uint32_t position = uint32_t(s.groups[group] * size + inside), logical = position / block_size;
    const int64_t offset = position - logical * block_size;
    const int count = int(least(least(t.keys - i, size - inside), p.block_size - offset));
    add_keys(p, clamp_block(p, table[logical]), offset, head, i, count, t);
    for (int k = 0; k < count; ++k) t.places[i + k] = float(int32_t(position) + k);
    i += count;
    inside += count;
    if (inside == size) ++group, inside = 0;
  }
}

// Bit j: whether the token sees the key of rank `start + j`, which lies at places[j].
inline uint64_t seen_selected(const AttentionParams& p, const Sight& sight, int64_t token, const Selection& s,
                              int64_t start, const float* places) {
  uint64_t bits = low_bits(s.last - start) & ~low_bits(s.first - start) & low_bits(kTileKeys);
  if (!sight.tree) return bits;
  const uint8_t* row = p.tree_mask + (sight.first_token + token) * p.tree_row_stride;
  for (int64_t j = 0; j < kTileKeys; ++j) {
    const int64_t column = int64_t(places[j]) - sight.context();
    if (column >= 0 && (column >= p.tree_width || !row[column * p.tree_column_stride])) bits &= ~(1ull << j);
  }
  return bits;
}

}  // namespace
}  // namespace torchpaged
