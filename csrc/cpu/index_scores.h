// Scores of a paged index's rows, for any ISA: products with each head's query, rectified or not, joined over heads.
//
// A score's bits depend on its row and its token alone: products run through the numbers of a row in their order, heads
// are joined in their order, and every row has a lane of its own.
#pragma once

#include "attention.h"

namespace torchpaged {
namespace {

struct IndexWork {
  float* query;  // [tokens * heads][words]
  float* keys;   // [words][kTileKeys]: the tile, transposed
  float* scores;  // [kRowBlock][kTileKeys]
  char* zeros;
  TileRows* tile;
  TileRows* next_tile;
};

template <class Engine>
size_t carve_index(const IndexParams& p, int64_t tokens, char* base, IndexWork& w) {
  Carver c{base};
  const int64_t words = Engine::key_words(p.cache_type, p.dim);
  w.query = c.take<float>(tokens * p.num_heads * words);
  w.keys = c.take<float>(round_up(words, Engine::kKeyAlign) * kTileKeys);
  w.scores = c.take<float>(kRowBlock * kTileKeys);
  w.zeros = c.take<char>(4 * p.dim);
  w.tile = c.take<TileRows>(1);
  w.next_tile = c.take<TileRows>(1);
  return c.used;
}

// Rows [start, last) of the index, at most a tile of them.
inline void locate_index(const IndexParams& p, int64_t sequence, int head, int64_t start, int64_t last,
                         const char* zeros, TileRows& t) {
  t.begin = 0;
  t.keys = int(most(0, least(last - start, kTileKeys)));
  for (int i = t.keys; i < round_up(t.keys, kLanes); ++i) t.key[i] = zeros;
  if (p.key_scale.per_token) memset(t.key_scale, 0, sizeof t.key_scale);
  const int32_t* table = p.block_tables + sequence * p.block_table_stride;
  int64_t logical = start / p.block_rows, offset = start % p.block_rows;
  for (int i = 0; i < t.keys; ++logical, offset = 0) {
    int64_t block = table[least(logical, p.max_blocks - 1)];
    block = block < 0 ? 0 : block >= p.num_blocks ? p.num_blocks - 1 : block;
    const int count = int(least(t.keys - i, p.block_rows - offset));
    if (p.key_scale.per_token) copy_scales(p.key_scale, block, offset, head, count, t.key_scale + i);
    const char* key = p.key.data + block * p.key.block_stride + offset * p.key.token_stride + head * p.key.head_stride;
    for (int k = 0; k < count; ++k, ++i) t.key[i] = key + k * p.key.token_stride;
  }
}

// One head's products with a tile become scores, joined with those of the selection's heads before it.
inline void join_scores(const IndexParams& p, const TileRows& tile, float scale, int vectors, const float* products,
                        const float* weight, bool first, float* scores) {
  for (int v = 0; v < vectors; ++v) {
    F x = load(products + v * kLanes) * set1(scale);
    if (p.key_scale.per_token) x = x * load(tile.key_scale + v * kLanes);
    if (p.relu) x = max(set1(0), x);  // NaN stays
    F before = load(scores + v * kLanes);
    if (weight)
      x = first ? x * set1(*weight) : fma(x, set1(*weight), before);
    else if (!first)
      x = select((I)(before == before), max(before, x), before);
    store(scores + v * kLanes, x);
  }
}

template <class Engine>
struct IndexWorker {
  const IndexParams& p;
  const IndexUnit& u;
  IndexWork w;
  int64_t words;

  IndexWorker(const IndexParams& params, const IndexUnit& unit, char* scratch)
      : p(params), u(unit), words(Engine::key_words(params.cache_type, params.dim)) {
    carve_index<Engine>(params, unit.tokens, scratch, w);
  }

  void run() {
    memset(w.zeros, 0, size_t(4 * p.dim));
    for (int64_t row = 0; row < u.tokens * p.num_heads; ++row) {
      const char* source = p.query + (u.token + row / p.num_heads) * p.query_token_stride +
                           row % p.num_heads * p.query_head_stride;
      Engine::load_query(p.query_type, p.cache_type, source, w.query + row * words, p.dim);
    }
    const int index_heads = p.num_heads / p.group;
    locate_index(p, u.sequence, 0, u.first, u.last, w.zeros, *w.tile);
    for (int64_t start = u.first; start < u.last; start += kTileKeys) {
      for (int head = 0; head < index_heads; ++head) {
        const bool further = head + 1 < index_heads;
        locate_index(p, u.sequence, further ? head + 1 : 0, further ? start : start + kTileKeys, u.last, w.zeros,
                     *w.next_tile);
        score_tile(head, index_heads, start - u.first);
        TileRows* done = w.tile;
        w.tile = w.next_tile;
        w.next_tile = done;
      }
    }
  }

  void score_tile(int head, int index_heads, int64_t offset) {
    Engine::load_keys(p.cache_type, *w.tile, *w.next_tile, p.dim, w.keys);
    float scale = p.scale;
    if (p.key_scale.data && !p.key_scale.per_token) scale *= p.key_scale.data[head * p.key_scale.head_stride];
    // Rows of one head of the index lie one behind the other within a token, or all of them where there is one head.
    const int64_t together = index_heads == 1 ? u.tokens * p.num_heads : p.group;
    for (int64_t begin = int64_t(head) * p.group; begin < u.tokens * p.num_heads;
         begin += index_heads == 1 ? together : p.num_heads)
      each_block(int(together), [&](int row, auto count) {
        score_rows<decltype(count)::kCount>(begin + row, scale, offset);
      });
  }

  template <int R>
  void score_rows(int64_t row, float scale, int64_t offset) {
    const int vectors = (w.tile->keys + kLanes - 1) / kLanes;
    dot_rows<Engine, R>(vectors, w.query + row * words, words, w.keys, w.scores);
    const int heads = p.num_heads / p.num_selections;
    for (int r = 0; r < R; ++r) {
      const int64_t token = (row + r) / p.num_heads, head = (row + r) % p.num_heads;
      float* scores = u.scores + (token * p.num_selections + head / heads) * u.stride + offset;
      const float* weight = p.weights ? p.weights + (u.token + token) * p.num_heads + head : nullptr;
      join_scores(p, *w.tile, scale, vectors, w.scores + r * kTileKeys, weight, head % heads == 0, scores);
    }
  }
};

template <class Engine>
size_t index_scratch_bytes(const IndexParams& p, int64_t tokens) {
  IndexWork w;
  return carve_index<Engine>(p, tokens, nullptr, w) + 64;
}

template <class Engine>
void index_scores(const IndexParams& p, const IndexUnit& unit, char* scratch) {
  IndexWorker<Engine>(p, unit, scratch).run();
}

}  // namespace
}  // namespace torchpaged
