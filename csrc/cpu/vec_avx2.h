// Eight floats: AVX2, FMA, F16C.
#pragma once

#include <immintrin.h>

#include "scalar.h"

namespace torchpaged {
namespace {

constexpr int kLanes = 8;
// 2 x 4 accumulators, four key vectors and a broadcast of the 16 registers.
constexpr int kRowBlock = 2;
// Rows whose values are summed in eight columns at once, which hides latency: more rows would not fit the registers.
constexpr int kWideRows = 1;
using F = __m256;
typedef int32_t I __attribute__((vector_size(32)));

inline F set1(float x) { return _mm256_set1_ps(x); }
inline I set1i(int32_t x) { return (I)_mm256_set1_epi32(x); }
// Holds a value in a register: without it GCC loads an operand anew for each of its uses.
inline F keep(F x) {
  asm("" : "+x"(x));
  return x;
}
inline F load(const float* p) { return _mm256_loadu_ps(p); }
inline void store(float* p, F x) { _mm256_storeu_ps(p, x); }
inline F fma(F a, F b, F c) { return _mm256_fmadd_ps(a, b, c); }
// a * b + sum, in sum's register. Not the intrinsic: GCC 12 also takes a product's register for a sum, and then copies and
// spills registers in loops that have all of them.
inline F add_product(F sum, F a, F b) {
  asm("vfmadd231ps %2, %1, %0" : "+x"(sum) : "x"(a), "x"(b));
  return sum;
}
inline F fused(F a, F b, F c) { return fma(a, b, c); }  // where a result's definition has one rounding
// The bytes of a table at the indices below 16 that another vector has; every 16 bytes of the table are the same.
inline I look_up(I table, I indices) { return (I)_mm256_shuffle_epi8((__m256i)table, (__m256i)indices); }
// sum + for each lane, the products of its 16-bit halves. Not the intrinsics: GCC 12 has all products before the first
// addition, for which there are not the registers.
inline I add_halves(I sum, I a, I b) {
  __m256i products;
  asm("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0" : "+x"(sum), "=&x"(products) : "x"(a), "x"(b));
  return sum;
}
inline F max(F a, F b) { return _mm256_max_ps(a, b); }  // b where either is NaN
inline F iota() { return _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7); }
inline F select(I mask, F a, F b) { return _mm256_blendv_ps(b, a, (F)mask); }
// a where the lane's bit is set, else b.
inline F select(uint64_t bits, F a, F b) {
  const I lane = {1, 2, 4, 8, 16, 32, 64, 128};
  return select((set1i(int32_t(bits & 0xff)) & lane) == lane, a, b);
}
// A bit for each lane, of lanes that are 0 or -1.
inline uint32_t sign_bits(I mask) { return uint32_t(_mm256_movemask_ps((F)mask)); }
inline bool any(I mask) { return _mm256_movemask_ps((F)mask) != 0; }
inline bool any_greater(F a, F b) { return any((I)_mm256_cmp_ps(a, b, _CMP_GT_OQ)); }
inline F round_nearest(F x) { return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
// x * 2^n for integral n; below 2^-126 the result is 0. A NaN stays one.
inline F scale_by_power(F x, F n) {
  __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
  return x * (F)_mm256_slli_epi32(_mm256_max_epi32(exponent, _mm256_setzero_si256()), 23);
}
inline float reduce_max(F x) {
  __m128 y = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  y = _mm_max_ps(y, _mm_movehl_ps(y, y));
  return _mm_cvtss_f32(_mm_max_ss(y, _mm_movehdup_ps(y)));
}
inline float reduce_add(F x) {
  __m128 y = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  y = _mm_add_ps(y, _mm_movehl_ps(y, y));
  return _mm_cvtss_f32(_mm_add_ss(y, _mm_movehdup_ps(y)));
}

inline I load_u8(const uint8_t* p) { return (I)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i*)p)); }
inline F load_i8(const int8_t* p) {
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i*)p)));
}
inline F load_bf16(const uint16_t* p) {
  return (F)_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i*)p)), 16);
}
inline F load_half(const uint16_t* p) { return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i*)p)); }
inline F broadcast_half(uint16_t x) { return _mm256_cvtph_ps(_mm_set1_epi16(short(x))); }
inline void store_half(uint16_t* p, F x) {
  _mm_storeu_si128((__m128i*)p, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
// The low halves of the lanes.
inline void store_u16(uint16_t* p, I x) {
  __m256i low = _mm256_and_si256((__m256i)x, _mm256_set1_epi32(0xffff));
  __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(low, low), 0x08);
  _mm_storeu_si128((__m128i*)p, _mm256_castsi256_si128(packed));
}

// r[i][j] becomes r[j][i].
inline void transpose(F* r) {
  F t[8], u[8];
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
    u[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
    u[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
    u[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
    u[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    r[i] = _mm256_permute2f128_ps(u[i], u[i + 4], 0x20);
    r[i + 4] = _mm256_permute2f128_ps(u[i], u[i + 4], 0x31);
  }
}

// Four words of each of eight rows, from byte `at` on: x[i] has word i of each row.
__attribute__((always_inline)) inline void load_words(const char* const* rows, int64_t at, F* x) {
  F r[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i)
    r[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps((const float*)(rows[i] + at))),
                                _mm_loadu_ps((const float*)(rows[i + 4] + at)), 1);
  F a = _mm256_unpacklo_ps(r[0], r[1]), b = _mm256_unpacklo_ps(r[2], r[3]);
  F c = _mm256_unpackhi_ps(r[0], r[1]), d = _mm256_unpackhi_ps(r[2], r[3]);
  x[0] = _mm256_shuffle_ps(a, b, 0x44);
  x[1] = _mm256_shuffle_ps(a, b, 0xee);
  x[2] = _mm256_shuffle_ps(c, d, 0x44);
  x[3] = _mm256_shuffle_ps(c, d, 0xee);
}
// The float16 at byte `at` of each row.
inline F load_halves(const char* const* rows, int64_t at) {
  short h[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) memcpy(h + i, rows[i] + at, 2);
  return _mm256_cvtph_ps(_mm_setr_epi16(h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7]));
}
// Bytes 8 * part and following of sixteen, each as the second byte of a lane.
inline I spread_bytes(const uint8_t* p, int part) {
  const __m256i order = _mm256_setr_epi8(-1, 0, -1, -1, -1, 1, -1, -1, -1, 2, -1, -1, -1, 3, -1, -1,  //
                                         -1, 4, -1, -1, -1, 5, -1, -1, -1, 6, -1, -1, -1, 7, -1, -1);
  const __m256i all = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i*)p));
  return (I)_mm256_shuffle_epi8(all, _mm256_add_epi8(order, _mm256_set1_epi32(part << 11)));
}

}  // namespace
}  // namespace torchpaged
