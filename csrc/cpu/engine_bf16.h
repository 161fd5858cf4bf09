// Scores and values in pairs of bfloat16, summed in float32 (AVX512_BF16, and VBMI for 8-bit caches).
//
// A word is a pair of bfloat16: two dimensions of a key, or one dimension of two keys' values. An element of an
// 8-bit cache is exact in bfloat16 and is expanded unscaled; scales go to the scores and the weights.
//
// A tile is either loaded into scratch, for many rows, or multiplied as it is read, for few: the words and the
// order in which they are added to a row are the same.
#pragma once

#include "attention.h"

namespace torchpaged {
namespace {

// The high and low bytes of the bfloat16 for each magnitude of an 8-bit type.
struct ByteTable {
  uint8_t low[128] = {}, high[128] = {};

  constexpr void set(int index, uint32_t bf16) {
    low[index] = uint8_t(bf16);
    high[index] = uint8_t(bf16 >> 8);
  }
};

// magnitude * 2^exponent, exact, as bfloat16.
constexpr uint32_t bf16_bits(uint32_t magnitude, int exponent) {
  if (magnitude == 0) return 0;
  int top = 0;
  while (magnitude >> (top + 1)) ++top;
  return uint32_t(127 + exponent + top) << 7 | ((magnitude << 7 >> top) & 0x7f);
}

// kBias: of the exponent; kMantissa: its bits. The highest exponent of e5m2 is for Inf and NaN.
template <int kBias, int kMantissa, bool kInfinities>
constexpr ByteTable float8_table() {
  ByteTable table;
  for (int i = 0; i < 128; ++i) {
    uint32_t mantissa = uint32_t(i) & ((1 << kMantissa) - 1);
    int exponent = i >> kMantissa;
    bool special = kInfinities ? exponent == 31 : i == 0x7f;
    if (special)
      table.set(i, 0x7f80 | (kInfinities ? mantissa << (7 - kMantissa) : 0x40));
    else if (exponent == 0)
      table.set(i, bf16_bits(mantissa, 1 - kBias - kMantissa));
    else
      table.set(i, bf16_bits(mantissa | 1u << kMantissa, exponent - kBias - kMantissa));
  }
  return table;
}

constexpr ByteTable int8_table() {
  ByteTable table;
  for (int i = 0; i < 128; ++i) table.set(i, bf16_bits(uint32_t(i), 0));
  return table;
}

constexpr ByteTable kE4M3Table = float8_table<7, 3, false>();
constexpr ByteTable kE5M2Table = float8_table<15, 2, true>();
constexpr ByteTable kInt8Table = int8_table();

// Sixty-four bytes of an 8-bit type become the low and the high bytes of their bfloat16.
template <bool kTwosComplement>
struct Expander {
  __m512i low[2], high[2];

  explicit Expander(const ByteTable& table) {
    for (int i = 0; i < 2; ++i) {
      low[i] = _mm512_loadu_si512(table.low + 64 * i);
      high[i] = _mm512_loadu_si512(table.high + 64 * i);
    }
  }

  void expand(__m512i x, __m512i& out_low, __m512i& out_high) const {
    __m512i magnitude = kTwosComplement ? _mm512_abs_epi8(x) : x;
    out_low = _mm512_permutex2var_epi8(low[0], magnitude, low[1]);
    out_high = _mm512_permutex2var_epi8(high[0], magnitude, high[1]);
    // high | (x & 0x80)
    out_high = _mm512_ternarylogic_epi64(out_high, x, _mm512_set1_epi8(char(0x80)), 0xf8);
    // The table has 7 bits: -128 is none of it but in its low byte, which is 0's.
    if constexpr (kTwosComplement)
      out_high = _mm512_mask_mov_epi8(out_high, _mm512_movepi8_mask(magnitude), _mm512_set1_epi8(char(0xc3)));
  }
};

// Whether none of the words' bfloat16 is Inf or NaN.
inline bool all_finite(const float* words, int64_t n) {
  const __m512i exponent = _mm512_set1_epi16(0x7f80);
  __mmask32 found = 0;
  for (int64_t i = 0; i < n; i += kLanes)
    found |= _mm512_cmpeq_epi16_mask(_mm512_and_si512((__m512i)load(words + i), exponent), exponent);
  return found == 0;
}

// Into the second-level cache: a tile's keys and values are 32 KiB, and beside the tile that is worked on the first
// level would lose them before their turn (Zen 4, from memory: 18 GB/s there, 29 GB/s this way).
inline void prefetch_row(const char* row, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(row + i, 0, 2);
}

// Sixteen keys' words from one 64-byte piece of each row, word by word: `emit(word, vector of 16 keys)`.
struct BFloat16Pieces {
  static constexpr int kDimensions = 32;  // of a piece of a key
  static constexpr int kWords = 16;

  template <class Emit>
  void keys(const char* const* rows, int64_t d, int64_t head_dim, Emit emit) const {
    F x[16];
    if (d + kDimensions <= head_dim) {
#pragma GCC unroll 16
      for (int i = 0; i < 16; ++i) x[i] = _mm512_loadu_ps(rows[i] + 2 * d);
    } else {
      __mmask32 mask = __mmask32(low_bits(head_dim - d));
      for (int i = 0; i < 16; ++i) x[i] = (F)_mm512_maskz_loadu_epi16(mask, rows[i] + 2 * d);
    }
    transpose(x);
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) emit(i, x[i]);
  }

  // Dimensions [d, d + 32) of two keys' values, interleaved: two vectors of words.
  void values(const char* a, const char* b, int64_t d, __mmask32 mask, F& first, F& second) const {
    const __m512i low = _mm512_set_epi16(47, 15, 46, 14, 45, 13, 44, 12, 43, 11, 42, 10, 41, 9, 40, 8, 39, 7, 38, 6,
                                         37, 5, 36, 4, 35, 3, 34, 2, 33, 1, 32, 0);
    const __m512i high = _mm512_add_epi16(low, _mm512_set1_epi16(16));
    __m512i x, y;
    if (mask == 0xffffffff) {
      x = _mm512_loadu_si512(a + 2 * d);
      y = _mm512_loadu_si512(b + 2 * d);
    } else {
      x = _mm512_maskz_loadu_epi16(mask, a + 2 * d);
      y = _mm512_maskz_loadu_epi16(mask, b + 2 * d);
    }
    first = (F)_mm512_permutex2var_epi16(x, low, y);
    second = (F)_mm512_permutex2var_epi16(x, high, y);
  }
};

template <bool kTwosComplement>
struct BytePieces {
  static constexpr int kDimensions = 64;
  static constexpr int kWords = 32;

  Expander<kTwosComplement> expander;
  __m512i interleave;

  explicit BytePieces(const ByteTable& table) : expander(table) {
    // So that unpacking within 128-bit lanes leaves the dimensions in order: lane i of the source holds
    // dimensions 4i to 4i + 3, then 16 + 4i to 16 + 4i + 3, each from both keys.
    alignas(64) uint8_t order[64];
    for (int i = 0; i < 64; ++i) {
      int lane = i / 16, dimension = lane * 4 + i % 8 / 2 + (i % 16 >= 8 ? 16 : 0);
      order[i] = uint8_t(dimension + (i % 2) * 32);
    }
    interleave = _mm512_load_si512(order);
  }

  // Four dimensions give two words: dimensions 4i and 4i + 2, then 4i + 1 and 4i + 3.
  template <class Emit>
  void keys(const char* const* rows, int64_t d, int64_t head_dim, Emit emit) const {
    F x[16];
    __mmask64 mask = low_bits(head_dim - d);
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) x[i] = (F)_mm512_maskz_loadu_epi8(mask, rows[i] + d);
    transpose(x);
    const __m512i even = _mm512_set1_epi16(0x00ff);
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
      __m512i low, high;
      expander.expand((__m512i)x[i], low, high);
      // even ? a : b
      emit(2 * i, (F)_mm512_ternarylogic_epi32(even, low, _mm512_slli_epi32(high, 8), 0xca));
      emit(2 * i + 1, (F)_mm512_ternarylogic_epi32(even, _mm512_srli_epi32(low, 8), high, 0xca));
    }
  }

  void values(const char* a, const char* b, int64_t d, __mmask32 mask, F& first, F& second) const {
    __m256i x = _mm256_maskz_loadu_epi8(mask, a + d), y = _mm256_maskz_loadu_epi8(mask, b + d);
    __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(x), y, 1), low, high;
    expander.expand(_mm512_permutexvar_epi8(interleave, both), low, high);
    first = (F)_mm512_unpacklo_epi8(low, high);
    second = (F)_mm512_unpackhi_epi8(low, high);
  }
};

template <class Function>
inline auto with_pieces(DType type, Function f) {
  if (type == DType::BFloat16) return f(BFloat16Pieces());
  if (type == DType::Int8) return f(BytePieces<true>(kInt8Table));
  return f(BytePieces<false>(type == DType::Float8E4M3 ? kE4M3Table : kE5M2Table));
}

// The part of the next tile's keys that is fetched while piece `d` of the group of keys at `group` is worked on.
inline void prefetch_keys(const TileRows& next, int group, int64_t d, int64_t piece, int64_t head_dim, int64_t bytes) {
  int64_t last = least(next.keys, group + least(16, 16 * (d + piece) / head_dim));
  for (int64_t i = group + 16 * d / head_dim; i < last; ++i) prefetch_row(next.key[i], bytes * head_dim);
}

inline void prefetch_values(const TileRows& next, int i, int64_t bytes) {
  if (i + 1 >= next.keys) return;
  prefetch_row(next.value[i], bytes);
  prefetch_row(next.value[i + 1], bytes);
}

struct Bf16Engine {
  static constexpr int kValueAlign = 32;
  // Up to so many rows are multiplied with a tile as it is read.
  static constexpr int kDirectRows = 4;

  // Four dimensions of an 8-bit key become two words: the number of words is even.
  static int64_t key_words(int64_t head_dim) { return (head_dim + 3) / 4 * 2; }
  static int64_t value_steps(int64_t keys) { return (keys + 1) / 2; }
  static F multiply_add(F sum, F a, F b) { return _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)b); }

  static void load_query(DType, DType cache_type, const char* source, float* query, int64_t n) {
    auto* from = (const uint16_t*)source;
    auto* to = (uint16_t*)query;
    if (cache_type == DType::BFloat16) {
      memcpy(to, from, size_t(n) * 2);
      for (int64_t d = n; d < 2 * key_words(n); ++d) to[d] = 0;
      return;
    }
    // In the order of BytePieces::keys().
    for (int64_t d = 0; d < 2 * key_words(n); ++d) {
      int64_t source_d = (d & ~3) | (d & 1) << 1 | (d & 2) >> 1;
      to[d] = source_d < n ? from[source_d] : 0;
    }
  }

  static void load_keys(DType type, const TileRows& tile, const TileRows& next, int64_t head_dim, float* keys) {
    with_pieces(type, [&](auto pieces) {
      constexpr int kPiece = decltype(pieces)::kDimensions, kWords = decltype(pieces)::kWords;
      for (int group = 0; group < tile.keys; group += 16) {
        for (int64_t d = 0; d < head_dim; d += kPiece) {
          float* target = keys + d / kPiece * kWords * kTileKeys + group;
          pieces.keys(tile.key + group, d, head_dim, [&](int word, F x) { store(target + word * kTileKeys, x); });
          prefetch_keys(next, group, d, kPiece, head_dim, kDTypeBytes[int(type)]);
        }
      }
    });
  }

  // Returns whether every value is finite, where `check` asks for it.
  static bool load_values(DType type, const TileRows& tile, const TileRows& next, int64_t head_dim, int64_t stride,
                          float* values, bool check) {
    with_pieces(type, [&](auto pieces) {
      for (int i = 0; i < tile.keys; i += 2) {
        const char *a = tile.value[i], *b = tile.value[i + 1];
        float* target = values + i / 2 * stride;
        for (int64_t d = 0; d < head_dim; d += 32) {
          F first, second;
          pieces.values(a, b, d, __mmask32(low_bits(head_dim - d)), first, second);
          store(target + d, first);
          store(target + d + 16, second);
        }
        prefetch_values(next, i, head_dim * kDTypeBytes[int(type)]);
      }
    });
    return !check || all_finite(values, (tile.keys + 1) / 2 * stride);
  }

  // load_keys() and dot_rows() piece by piece: the scratch stays small, and with it what it displaces.
  template <int R>
  static void dot_direct(DType type, const TileRows& tile, const TileRows& next, int64_t head_dim, const float* query,
                         int64_t words, float* keys, float* scores) {
    with_pieces(type, [&](auto pieces) {
      constexpr int kPiece = decltype(pieces)::kDimensions, kWords = decltype(pieces)::kWords;
      int64_t word = 0;
      for (int64_t d = 0; d < head_dim; d += kPiece, word += kWords) {
        for (int group = 0; group < tile.keys; group += 16) {
          pieces.keys(tile.key + group, d, head_dim, [&](int i, F x) { store(keys + i * kTileKeys + group, x); });
          prefetch_keys(next, group, d, kPiece, head_dim, kDTypeBytes[int(type)]);
        }
        dot_rows<Bf16Engine, R>((tile.keys + 15) / 16, query + word, words, least(kWords, words - word), keys, scores,
                                d > 0);
      }
    });
  }

  // load_values() and add_values() in one.
  template <int R>
  static void add_direct(DType type, const TileRows& tile, const TileRows& next, int64_t head_dim, float* acc,
                         int64_t stride, const float* alpha, const float* weights) {
    with_pieces(type, [&](auto pieces) {
      int64_t bytes = head_dim * kDTypeBytes[int(type)];
      int64_t d = 0;
      constexpr int kChunks = R <= 2 ? 4 : 2;
      for (; d + 32 * kChunks <= head_dim; d += 32 * kChunks)
        add_chunks<R, kChunks>(pieces, tile, next, d ? 0 : bytes, d, 0xffffffff, acc + d, stride, alpha, weights);
      for (; d < head_dim; d += 32)
        add_chunks<R, 1>(pieces, tile, next, d ? 0 : bytes, d, __mmask32(low_bits(head_dim - d)), acc + d, stride,
                         alpha, weights);
    });
  }

  // C times 32 dimensions from `d` on; fetches `prefetch` bytes of each of the next tile's rows.
  template <int R, int C, class Pieces>
  static void add_chunks(const Pieces& pieces, const TileRows& tile, const TileRows& next, int64_t prefetch, int64_t d,
                         __mmask32 mask, float* acc, int64_t stride, const float* alpha, const float* weights) {
    F sum[R][2 * C];
    for (int r = 0; r < R; ++r)
      for (int n = 0; n < 2 * C; ++n) sum[r][n] = load(acc + r * stride + n * kLanes) * set1(alpha[r]);
    for (int i = 0; i < tile.keys; i += 2) {
      const char *a = tile.value[i], *b = tile.value[i + 1];
#pragma GCC unroll 4
      for (int c = 0; c < C; ++c) {
        F first, second;
        pieces.values(a, b, d + 32 * c, mask, first, second);
        for (int r = 0; r < R; ++r) {
          F weight = set1(weights[r * kTileKeys + i / 2]);
          sum[r][2 * c] = multiply_add(sum[r][2 * c], weight, first);
          sum[r][2 * c + 1] = multiply_add(sum[r][2 * c + 1], weight, second);
        }
      }
      if (prefetch) prefetch_values(next, i, prefetch);
    }
    for (int r = 0; r < R; ++r)
      for (int n = 0; n < 2 * C; ++n) store(acc + r * stride + n * kLanes, sum[r][n]);
  }

  static void store_weights(float* weights, const F* p, int vectors) {
    for (int v = 0; v < vectors; v += 2) {
      F second = v + 1 < vectors ? p[v + 1] : set1(0);
      store(weights + v * kLanes / 2, (F)_mm512_cvtne2ps_pbh(second, p[v]));
    }
  }

  static void clear_unseen(const float* values, float* target, int64_t stride, int64_t keys, uint64_t seen) {
    for (int64_t i = 0; i < keys; i += 2) {
      int32_t mask = (seen >> i & 1 ? 0x0000ffff : 0) | (seen >> i & 2 ? int32_t(0xffff0000) : 0);
      for (int64_t d = 0; d < stride; d += kLanes)
        store(target + i / 2 * stride + d, (F)((I)load(values + i / 2 * stride + d) & mask));
    }
  }
};

}  // namespace
}  // namespace torchpaged
