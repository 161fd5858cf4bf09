// Scores and values in pairs of bfloat16, summed in float32 (AVX512_BF16, and VBMI for 8-bit caches).
//
// A word is a pair of bfloat16: two dimensions of a key, or one dimension of two keys' values. An element of an
// 8-bit cache is exact in bfloat16 and is expanded unscaled; scales go to the scores and the weights.
//
// A tile is either loaded into scratch, for many rows, or multiplied as it is read, for few: the words and the
// order in which they are added to a row are the same.
#pragma once

#include "attention.h"
#include "cache_rows.h"

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

// True if none of the words' bfloat16 is Inf or NaN.
inline bool all_finite(const float* words, int64_t n) {
  const __m512i exponent = _mm512_set1_epi16(0x7f80);
  __mmask32 found = 0;
  for (int64_t i = 0; i < n; i += kLanes)
    found |= _mm512_cmpeq_epi16_mask(_mm512_and_si512((__m512i)load(words + i), exponent), exponent);
  return found == 0;
}

// So many of a key's words are multiplied side by side where it is not transposed: half a vector.
constexpr int kRun = 8;

// Rows that are fetched line by line, each into a level of the cache as of __builtin_prefetch.
struct Lines {
  const char* const* row;
  const char* const* last;
  int64_t row_bytes, at = 0;

  template <int kLevel>
  void fetch() {
    if (row >= last) return;
    __builtin_prefetch(*row + at, 0, kLevel);
    at += 64;
    if (at >= row_bytes) at -= row_bytes, ++row;
  }
};

inline __m512i two_halves(__m256i low, __m256i high) {
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
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

  // Dimensions [d, d + 16) of two keys, a run of each.
  static constexpr int kPair = 16;
  static constexpr int kPairRuns = 1;
  void pair(const char* a, const char* b, int64_t d, F (&runs)[kPairRuns]) const {
    runs[0] = (F)two_halves(_mm256_loadu_si256((const __m256i*)(a + 2 * d)),
                            _mm256_loadu_si256((const __m256i*)(b + 2 * d)));
  }
  void last_pair(const char* a, const char* b, int64_t d, int64_t count, F (&runs)[kPairRuns]) const {
    __mmask16 mask = __mmask16(low_bits(count));
    runs[0] = (F)two_halves(_mm256_maskz_loadu_epi16(mask, a + 2 * d), _mm256_maskz_loadu_epi16(mask, b + 2 * d));
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

  // Thirty-two dimensions give two runs: dimensions 4i and 4i + 2, then 4i + 1 and 4i + 3.
  template <class Emit>
  void keys(const char* const* rows, int64_t d, int64_t head_dim, Emit emit) const {
    F x[16];
    __mmask64 mask = low_bits(head_dim - d);
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) x[i] = (F)_mm512_maskz_loadu_epi8(mask, rows[i] + d);
    transpose(x);
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
      F first, second;
      words((__m512i)x[i], first, second);
      emit(i / kRun * 2 * kRun + i % kRun, first);
      emit(i / kRun * 2 * kRun + i % kRun + kRun, second);
    }
  }

  // Dimensions [d, d + 32) of two keys, a key in each half: a run of each, and another.
  static constexpr int kPair = 32;
  static constexpr int kPairRuns = 2;
  void pair(const char* a, const char* b, int64_t d, F (&runs)[kPairRuns]) const {
    words(two_halves(_mm256_loadu_si256((const __m256i*)(a + d)), _mm256_loadu_si256((const __m256i*)(b + d))), runs[0],
          runs[1]);
  }
  void last_pair(const char* a, const char* b, int64_t d, int64_t count, F (&runs)[kPairRuns]) const {
    __mmask32 mask = __mmask32(low_bits(count));
    words(two_halves(_mm256_maskz_loadu_epi8(mask, a + d), _mm256_maskz_loadu_epi8(mask, b + d)), runs[0], runs[1]);
  }

  // Converts each four bytes to two words of bfloat16: the first and third byte, and the second and fourth.
  void words(__m512i bytes, F& first, F& second) const {
    const __m512i even = _mm512_set1_epi16(0x00ff);
    __m512i low, high;
    expander.expand(bytes, low, high);
    // even ? a : b
    first = (F)_mm512_ternarylogic_epi32(even, low, _mm512_slli_epi32(high, 8), 0xca);
    second = (F)_mm512_ternarylogic_epi32(even, _mm512_srli_epi32(low, 8), high, 0xca);
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

// Prefetches two values into a level of the cache.
template <int kLevel = 2>
inline void prefetch_values(const TileRows& tile, int i, int64_t bytes) {
  if (i + 1 >= tile.keys) return;
  prefetch_row<kLevel>(tile.value[i], bytes);
  prefetch_row<kLevel>(tile.value[i + 1], bytes);
}

struct Bf16Engine {
  static constexpr int kValueAlign = 32;
  static constexpr int kKeyAlign = 32;  // words that load_keys() writes at a time, at most
  // Up to direct_rows() rows are multiplied with a tile as it is read from the cache, kDirectBlock at a time. bfloat16
  // gains from that up to three blocks (8 rows behind 8,192 tokens: 1.4x as fast as from a copy in scratch). 8-bit
  // elements are expanded again for each block, so one block is the limit (8 rows of int8: 0.93x).
  static constexpr int kDirectBlock = 4;
  static int direct_rows(DType type) { return type == DType::BFloat16 ? 3 * kDirectBlock : kDirectBlock; }

  // Whole runs of words, two of them for the 32 bytes that an 8-bit key is read by.
  static int64_t key_words(DType type, int64_t head_dim) {
    return type == DType::BFloat16 ? round_up(head_dim, 2 * kRun) / 2 : round_up(head_dim, 4 * kRun) / 2;
  }
  static int64_t value_steps(int64_t keys) { return (keys + 1) / 2; }
  static F multiply_add(F sum, F a, F b) { return _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)b); }

  static void load_query(DType, DType cache_type, const char* source, float* query, int64_t n) {
    auto* from = (const uint16_t*)source;
    auto* to = (uint16_t*)query;
    const int64_t padded = 2 * key_words(cache_type, n);
    if (cache_type == DType::BFloat16) {
      memcpy(to, from, size_t(n) * 2);
      for (int64_t d = n; d < padded; ++d) to[d] = 0;
      return;
    }
    // In the order of BytePieces::keys().
    for (int64_t i = 0; i < padded; ++i) {
      int64_t d = i / 32 * 32 + i % 16 / 2 * 4 + i % 2 * 2 + i / 16 % 2;
      to[i] = d < n ? from[d] : 0;
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

  // load_keys() and dot_rows() in one, without a transposed copy of the keys: a vector holds kRun words of one key and
  // kRun of another.
  template <int R>
  static void dot_direct(DType type, const TileRows& tile, const TileRows& next, int64_t head_dim, const float* query,
                         int64_t words, float* scores) {
    with_pieces(type, [&](auto pieces) {
      int64_t row_bytes = head_dim * kDTypeBytes[int(type)];
      for (int group = 0; group < tile.keys; group += 16) {
        const bool last = group + 16 >= tile.keys;
        const char* const* rows = tile.key + group;
        F low[R], high[R];
        dot_eight<R>(pieces, rows, head_dim, query, words, {rows + 8, rows + 16, row_bytes},
                     lines_of(next, group, row_bytes), low);
        dot_eight<R>(pieces, rows + 8, head_dim, query, words,
                     {last ? tile.value : rows + 16, last ? tile.value + 8 : rows + 24, row_bytes},
                     lines_of(next, group + 8, row_bytes), high);
        for (int r = 0; r < R; ++r) {
          F a = _mm512_shuffle_f32x4(low[r], high[r], 0x88), b = _mm512_shuffle_f32x4(low[r], high[r], 0xdd);
          store(scores + r * kTileKeys + group, a + b);
        }
      }
    });
  }

  // Eight of the next tile's keys.
  static Lines lines_of(const TileRows& next, int first, int64_t row_bytes) {
    return {next.key + first, next.key + least(first + 8, next.keys), row_bytes};
  }

  // Computes the products of eight keys, key n and key n + 4 in one vector, and adds each key's sums in the order of
  // dot_rows(). Meanwhile prefetches the following eight keys from the second-level cache, and eight keys of the next
  // tile from memory.
  template <int R, class Pieces>
  static void dot_eight(const Pieces& pieces, const char* const* keys, int64_t head_dim, const float* query,
                        int64_t words, Lines following, Lines next, F (&result)[R]) {
    F sum[R][4];
    for (int r = 0; r < R; ++r)
      for (int i = 0; i < 4; ++i) sum[r][i] = set1(0);
#pragma GCC unroll 2
    for (int i = 0; i < 4; i += 2) {  // two pairs at a time: the caches follow rows that are read one after the other
      const float* q = query;
      int64_t d = 0;
      for (; d + Pieces::kPair <= head_dim; d += Pieces::kPair, q += Pieces::kPairRuns * kRun) {
#pragma GCC unroll 2
        for (int n = i; n < i + 2; ++n) {
          F runs[Pieces::kPairRuns];
          pieces.pair(keys[n], keys[n + 4], d, runs);
          add_runs<R>(sum, n, q, words, runs);
          following.fetch<3>();
          next.fetch<2>();
        }
      }
      if (d == head_dim) continue;
#pragma GCC unroll 2
      for (int n = i; n < i + 2; ++n) {
        F runs[Pieces::kPairRuns];
        pieces.last_pair(keys[n], keys[n + 4], d, head_dim - d, runs);
        add_runs<R>(sum, n, q, words, runs);
      }
    }
    for (int r = 0; r < R; ++r) {
      F a = _mm512_unpacklo_ps(sum[r][0], sum[r][1]) + _mm512_unpackhi_ps(sum[r][0], sum[r][1]);
      F b = _mm512_unpacklo_ps(sum[r][2], sum[r][3]) + _mm512_unpackhi_ps(sum[r][2], sum[r][3]);
      result[r] = (F)(_mm512_unpacklo_pd((__m512d)a, (__m512d)b)) + (F)(_mm512_unpackhi_pd((__m512d)a, (__m512d)b));
    }
  }

  // Products of the runs of two keys are added to a vector of each row.
  template <int R, int N>
  static void add_runs(F (&sum)[R][4], int vector, const float* query, int64_t words, const F (&runs)[N]) {
#pragma GCC unroll 2
    for (int n = 0; n < N; ++n)
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r)
        sum[r][vector] = multiply_add(sum[r][vector], twice(query + r * words + n * kRun), runs[n]);
  }

  // A run in both halves.
  static F twice(const float* run) { return (F)_mm512_broadcast_f64x4(_mm256_loadu_pd((const double*)run)); }

  // scores[r][key] = query[r] . key, for V vectors of keys. The kRun words of a run have sums of their own, which are
  // added as ((0 + 2) + (1 + 3)) + ((4 + 6) + (5 + 7)). dot_direct() has them in lanes and adds them in the same order, so
  // both give the same bits. At most four words' sums, of R x V vectors, are kept at a time, to stay in registers.
  template <int R, int V>
  static void dot_rows(const float* query, int64_t words, const float* keys, float* scores) {
    if constexpr (V > 2) {
      dot_rows<R, V - 2>(query, words, keys, scores);
      dot_rows<R, 2>(query, words, keys + (V - 2) * kLanes, scores + (V - 2) * kLanes);
    } else if constexpr (R > 3) {
      dot_rows<R / 2, V>(query, words, keys, scores);
      dot_rows<R - R / 2, V>(query + R / 2 * words, words, keys, scores + R / 2 * kTileKeys);
    } else {
      F sums[4][R][V];
      dot_places<0>(sums[0], query, words, keys);
      dot_places<2>(sums[1], query, words, keys);
      join(sums[0], sums[1]);
      dot_places<1>(sums[1], query, words, keys);
      dot_places<3>(sums[2], query, words, keys);
      join(sums[1], sums[2]);
      join(sums[0], sums[1]);
      dot_places<4>(sums[1], query, words, keys);
      dot_places<6>(sums[2], query, words, keys);
      join(sums[1], sums[2]);
      dot_places<5>(sums[2], query, words, keys);
      dot_places<7>(sums[3], query, words, keys);
      join(sums[2], sums[3]);
      join(sums[1], sums[2]);
      join(sums[0], sums[1]);
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) store(scores + r * kTileKeys + v * kLanes, sums[0][r][v]);
    }
  }

  template <int R, int V>
  static void join(F (&a)[R][V], const F (&b)[R][V]) {
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) a[r][v] = a[r][v] + b[r][v];
  }

  template <int kPlace, int R, int V>
  static void dot_places(F (&sum)[R][V], const float* query, int64_t words, const float* keys) {
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) sum[r][v] = set1(0);
    for (int64_t w = kPlace; w < words; w += kRun) {
      F key[V];
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) key[v] = keep(load(keys + w * kTileKeys + v * kLanes));
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        F q = set1(query[r * words + w]);
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) sum[r][v] = multiply_add(sum[r][v], q, key[v]);
      }
    }
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

  // C times 32 dimensions from `d` on; fetches `prefetch` bytes of each row of the next tile, and of this one's later
  // rows from the second-level cache.
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
      if (!prefetch) continue;
      prefetch_values<3>(tile, i + 8, prefetch);
      prefetch_values(next, i, prefetch);
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
