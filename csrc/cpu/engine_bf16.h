// Scores and values in pairs of bfloat16, summed in float32 (AVX512_BF16, and VBMI for 8-bit caches).
//
// A word is a pair of bfloat16: two dimensions of a key, or one dimension of two keys' values. An element of an
// 8-bit cache is exact in bfloat16 and is expanded unscaled; scales go to the scores and the weights.
#pragma once

#include "attention.h"

namespace torchpaged {
namespace {

// The high and low bytes of the bfloat16 for each of the 256 values of an 8-bit type.
struct ByteTable {
  uint8_t low[256] = {}, high[256] = {};

  constexpr void set(int index, uint32_t bf16) {
    low[index] = uint8_t(bf16);
    high[index] = uint8_t(bf16 >> 8);
  }
};

// magnitude * 2^exponent, exact, as bfloat16.
constexpr uint32_t bf16_bits(uint32_t sign, uint32_t magnitude, int exponent) {
  if (magnitude == 0) return sign << 15;
  int top = 0;
  while (magnitude >> (top + 1)) ++top;
  return sign << 15 | uint32_t(127 + exponent + top) << 7 | ((magnitude << 7 >> top) & 0x7f);
}

// kBias: of the exponent; kMantissa: its bits. The highest exponent of e5m2 is for Inf and NaN.
template <int kBias, int kMantissa, bool kInfinities>
constexpr ByteTable float8_table() {
  ByteTable table;
  for (int i = 0; i < 256; ++i) {
    uint32_t sign = uint32_t(i) >> 7, mantissa = uint32_t(i) & ((1 << kMantissa) - 1);
    int exponent = (i & 0x7f) >> kMantissa;
    bool special = kInfinities ? exponent == 31 : (i & 0x7f) == 0x7f;
    if (special)
      table.set(i, sign << 15 | 0x7f80 | (kInfinities ? mantissa << (7 - kMantissa) : 0x40));
    else if (exponent == 0)
      table.set(i, bf16_bits(sign, mantissa, 1 - kBias - kMantissa));
    else
      table.set(i, bf16_bits(sign, mantissa | 1u << kMantissa, exponent - kBias - kMantissa));
  }
  return table;
}

constexpr ByteTable int8_table() {
  ByteTable table;
  for (int i = 0; i < 256; ++i) table.set(i, i < 128 ? bf16_bits(0, uint32_t(i), 0) : bf16_bits(1, uint32_t(256 - i), 0));
  return table;
}

constexpr ByteTable kE4M3Table = float8_table<7, 3, false>();
constexpr ByteTable kE5M2Table = float8_table<15, 2, true>();
constexpr ByteTable kInt8Table = int8_table();

// Sixty-four bytes of an 8-bit type become the low and the high bytes of their bfloat16.
template <bool kSignMagnitude>
struct Expander {
  __m512i low[4], high[4];

  explicit Expander(const ByteTable& table) {
    for (int i = 0; i < (kSignMagnitude ? 2 : 4); ++i) {
      low[i] = _mm512_loadu_si512(table.low + 64 * i);
      high[i] = _mm512_loadu_si512(table.high + 64 * i);
    }
  }

  void expand(__m512i x, __m512i& out_low, __m512i& out_high) const {
    out_low = _mm512_permutex2var_epi8(low[0], x, low[1]);
    out_high = _mm512_permutex2var_epi8(high[0], x, high[1]);
    if constexpr (kSignMagnitude) {
      // high | (x & 0x80)
      out_high = _mm512_ternarylogic_epi64(out_high, x, _mm512_set1_epi8(char(0x80)), 0xf8);
    } else {
      __mmask64 negative = _mm512_movepi8_mask(x);
      out_low = _mm512_mask_mov_epi8(out_low, negative, _mm512_permutex2var_epi8(low[2], x, low[3]));
      out_high = _mm512_mask_mov_epi8(out_high, negative, _mm512_permutex2var_epi8(high[2], x, high[3]));
    }
  }
};

template <class Function>
inline auto with_expander(DType type, Function f) {
  if (type == DType::Int8) return f(Expander<false>(kInt8Table));
  return f(Expander<true>(type == DType::Float8E4M3 ? kE4M3Table : kE5M2Table));
}

// Whether none of the words' bfloat16 is Inf or NaN.
inline bool all_finite(const float* words, int64_t n) {
  const __m512i exponent = _mm512_set1_epi16(0x7f80);
  __mmask32 found = 0;
  for (int64_t i = 0; i < n; i += kLanes)
    found |= _mm512_cmpeq_epi16_mask(_mm512_and_si512((__m512i)load(words + i), exponent), exponent);
  return found == 0;
}

inline void prefetch_row(const char* row, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(row + i);
}

struct Bf16Engine {
  static constexpr int kValueAlign = 32;

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
    // As load_bytes() leaves the keys: dimensions 4i and 4i + 2, then 4i + 1 and 4i + 3.
    for (int64_t d = 0; d < 2 * key_words(n); ++d) {
      int64_t source_d = (d & ~3) | (d & 1) << 1 | (d & 2) >> 1;
      to[d] = source_d < n ? from[source_d] : 0;
    }
  }

  static void load_keys(DType type, const TileRows& tile, const TileRows& next, int64_t head_dim, float* keys) {
    for (int group = 0; group < tile.keys; group += kLanes) {
      const char* const* rows = tile.key + group;
      const char* const* next_rows = next.key + group;
      bool prefetch = group + kLanes <= next.keys;
      if (type == DType::BFloat16)
        load_words(rows, next_rows, prefetch, head_dim, keys + group);
      else
        with_expander(type, [&](auto expander) { load_bytes(expander, rows, next_rows, prefetch, head_dim, keys + group); });
    }
  }

  static void load_words(const char* const* rows, const char* const* next, bool prefetch, int64_t head_dim,
                         float* keys) {
    for (int64_t d = 0; d < head_dim; d += 32) {
      F x[16];
      if (d + 32 <= head_dim) {
#pragma GCC unroll 16
        for (int i = 0; i < 16; ++i) x[i] = _mm512_loadu_ps(rows[i] + 2 * d);
      } else {
        __mmask32 mask = __mmask32(low_bits(head_dim - d));
        for (int i = 0; i < 16; ++i) x[i] = (F)_mm512_maskz_loadu_epi16(mask, rows[i] + 2 * d);
      }
      if (prefetch)
        for (int i = 0; i < 16; ++i) __builtin_prefetch(next[i] + 2 * d);
      transpose(x);
#pragma GCC unroll 16
      for (int i = 0; i < 16; ++i) store(keys + (d / 2 + i) * kTileKeys, x[i]);
    }
  }

  template <class Expander>
  static void load_bytes(const Expander& expander, const char* const* rows, const char* const* next, bool prefetch,
                         int64_t head_dim, float* keys) {
    for (int64_t d = 0; d < head_dim; d += 64) {
      __mmask64 mask = low_bits(head_dim - d);
      F x[16];
#pragma GCC unroll 16
      for (int i = 0; i < 16; ++i) x[i] = (F)_mm512_maskz_loadu_epi8(mask, rows[i] + d);
      if (prefetch)
        for (int i = 0; i < 16; ++i) __builtin_prefetch(next[i] + d);
      transpose(x);
      const __m512i even = _mm512_set1_epi16(0x00ff);
#pragma GCC unroll 16
      for (int i = 0; i < 16; ++i) {
        __m512i low, high;
        expander.expand((__m512i)x[i], low, high);
        // Bytes 0 and 2, then 1 and 3, of the low and high bytes: even ? a : b
        __m512i first = _mm512_ternarylogic_epi32(even, low, _mm512_slli_epi32(high, 8), 0xca);
        __m512i second = _mm512_ternarylogic_epi32(even, _mm512_srli_epi32(low, 8), high, 0xca);
        store(keys + (d / 2 + 2 * i) * kTileKeys, (F)first);
        store(keys + (d / 2 + 2 * i + 1) * kTileKeys, (F)second);
      }
    }
  }

  // Returns whether every value is finite, where `check` asks for it.
  static bool load_values(DType type, const TileRows& tile, const TileRows& next, int64_t head_dim, int64_t stride,
                          float* values, bool check) {
    if (type == DType::BFloat16) return load_value_words(tile, next, head_dim, stride, values, check);
    return with_expander(type, [&](auto expander) {
      return load_value_bytes(expander, tile, next, head_dim, stride, values, check);
    });
  }

  static bool load_value_words(const TileRows& tile, const TileRows& next, int64_t head_dim, int64_t stride,
                               float* values, bool check) {
    const __m512i low = _mm512_set_epi16(47, 15, 46, 14, 45, 13, 44, 12, 43, 11, 42, 10, 41, 9, 40, 8, 39, 7, 38, 6,
                                         37, 5, 36, 4, 35, 3, 34, 2, 33, 1, 32, 0);
    const __m512i high = _mm512_add_epi16(low, _mm512_set1_epi16(16));
    const int64_t whole = head_dim / 32 * 32;
    const __mmask32 rest = __mmask32(low_bits(head_dim - whole));
    for (int i = 0; i < tile.keys; i += 2) {
      const char *first = tile.value[i], *second = tile.value[i + 1];
      float* target = values + i / 2 * stride;
      auto interleave = [&](__m512i a, __m512i b, int64_t d) {
        store(target + d, (F)_mm512_permutex2var_epi16(a, low, b));
        store(target + d + 16, (F)_mm512_permutex2var_epi16(a, high, b));
      };
      for (int64_t d = 0; d < whole; d += 32)
        interleave(_mm512_loadu_si512(first + 2 * d), _mm512_loadu_si512(second + 2 * d), d);
      if (rest)
        interleave(_mm512_maskz_loadu_epi16(rest, first + 2 * whole),
                   _mm512_maskz_loadu_epi16(rest, second + 2 * whole), whole);
      if (i + 1 < next.keys) {
        prefetch_row(next.value[i], 2 * head_dim);
        prefetch_row(next.value[i + 1], 2 * head_dim);
      }
    }
    return !check || all_finite(values, (tile.keys + 1) / 2 * stride);
  }

  template <class Expander>
  static bool load_value_bytes(const Expander& expander, const TileRows& tile, const TileRows& next,
                               int64_t head_dim, int64_t stride, float* values, bool check) {
    // So that unpacking within 128-bit lanes leaves the dimensions in order: lane i of the source holds
    // dimensions 4i to 4i + 3, then 16 + 4i to 16 + 4i + 3, each from both keys.
    alignas(64) uint8_t order[64];
    for (int i = 0; i < 64; ++i) {
      int lane = i / 16, dimension = lane * 4 + i % 8 / 2 + (i % 16 >= 8 ? 16 : 0);
      order[i] = uint8_t(dimension + (i % 2) * 32);
    }
    const __m512i interleave = _mm512_load_si512(order);
    for (int i = 0; i < tile.keys; i += 2) {
      const char *first = tile.value[i], *second = tile.value[i + 1];
      float* target = values + i / 2 * stride;
      for (int64_t d = 0; d < head_dim; d += 32) {
        __mmask32 mask = __mmask32(low_bits(head_dim - d));
        __m256i a = _mm256_maskz_loadu_epi8(mask, first + d), b = _mm256_maskz_loadu_epi8(mask, second + d);
        __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1), low, high;
        expander.expand(_mm512_permutexvar_epi8(interleave, both), low, high);
        store(target + d, (F)_mm512_unpacklo_epi8(low, high));
        store(target + d + 16, (F)_mm512_unpackhi_epi8(low, high));
      }
      if (i + 1 < next.keys) {
        prefetch_row(next.value[i], head_dim);
        prefetch_row(next.value[i + 1], head_dim);
      }
    }
    return !check || all_finite(values, (tile.keys + 1) / 2 * stride);
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
