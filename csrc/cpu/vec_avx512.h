// Sixteen floats: AVX-512 F, BW, DQ, VL.
#pragma once

#include <immintrin.h>

#include "scalar.h"

namespace torchpaged {
namespace {

constexpr int kLanes = 16;
// Query rows that share each load of a key vector: 6 x 4 accumulators of the 32 registers.
constexpr int kRowBlock = 6;
// Rows whose values are summed in eight columns at once; others in four.
constexpr int kWideRows = 4;
using F = __m512;
typedef int32_t I __attribute__((vector_size(64)));

inline F set1(float x) { return _mm512_set1_ps(x); }
inline I set1i(int32_t x) { return (I)_mm512_set1_epi32(x); }
// Holds a value in a register: without it GCC loads an operand anew for each of its uses.
inline F keep(F x) {
  asm("" : "+v"(x));
  return x;
}
inline F load(const float* p) { return _mm512_loadu_ps(p); }
inline void store(float* p, F x) { _mm512_storeu_ps(p, x); }
inline F fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
inline F add_product(F sum, F a, F b) { return fma(a, b, sum); }
inline F fused(F a, F b, F c) { return fma(a, b, c); }  // where a result's definition has one rounding
// The bytes of a table at the indices below 16 that another vector has; every 16 bytes of the table are the same.
inline I look_up(I table, I indices) { return (I)_mm512_shuffle_epi8((__m512i)table, (__m512i)indices); }
// sum + for each lane, the products of its 16-bit halves.
inline I add_halves(I sum, I a, I b) { return sum + (I)_mm512_madd_epi16((__m512i)a, (__m512i)b); }
inline F max(F a, F b) { return _mm512_max_ps(a, b); }  // b where either is NaN
inline float reduce_max(F x) { return _mm512_reduce_max_ps(x); }
inline float reduce_add(F x) { return _mm512_reduce_add_ps(x); }
inline F iota() { return _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15); }
// a where the lane's bit is set, else b.
inline F select(uint64_t bits, F a, F b) { return _mm512_mask_blend_ps(__mmask16(bits), b, a); }
inline F select(I mask, F a, F b) { return _mm512_mask_blend_ps(_mm512_movepi32_mask((__m512i)mask), b, a); }
// A bit for each lane, of lanes that are 0 or -1.
inline uint32_t sign_bits(I mask) { return uint32_t(_mm512_movepi32_mask((__m512i)mask)); }
inline bool any(I mask) { return _mm512_movepi32_mask((__m512i)mask) != 0; }
inline bool any_greater(F a, F b) { return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ) != 0; }
inline F round_nearest(F x) { return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
// x * 2^n for integral n, with a correct underflow.
inline F scale_by_power(F x, F n) { return _mm512_scalef_ps(x, n); }

inline I load_u8(const uint8_t* p) { return (I)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i*)p)); }
inline F load_i8(const int8_t* p) {
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i*)p)));
}
inline F load_bf16(const uint16_t* p) {
  return (F)_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i*)p)), 16);
}
inline F load_half(const uint16_t* p) { return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i*)p)); }
inline F broadcast_half(uint16_t x) { return _mm512_cvtph_ps(_mm256_set1_epi16(short(x))); }
inline void store_half(uint16_t* p, F x) {
  _mm256_storeu_si256((__m256i*)p, _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
// The low halves of the lanes.
inline void store_u16(uint16_t* p, I x) { _mm256_storeu_si256((__m256i*)p, _mm512_cvtepi32_epi16((__m512i)x)); }

// r[i][j] becomes r[j][i].
inline void transpose(F* r) {
  __m512i* x = (__m512i*)r;
  __m512i t[16], u[16];
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_epi32(x[i], x[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi32(x[i], x[i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
    u[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
    u[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
    u[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
    u[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    __m512i a = _mm512_shuffle_i32x4(u[i], u[i + 4], 0x88), b = _mm512_shuffle_i32x4(u[i], u[i + 4], 0xdd);
    __m512i c = _mm512_shuffle_i32x4(u[i + 8], u[i + 12], 0x88);
    __m512i d = _mm512_shuffle_i32x4(u[i + 8], u[i + 12], 0xdd);
    x[i] = _mm512_shuffle_i32x4(a, c, 0x88);
    x[i + 4] = _mm512_shuffle_i32x4(b, d, 0x88);
    x[i + 8] = _mm512_shuffle_i32x4(a, c, 0xdd);
    x[i + 12] = _mm512_shuffle_i32x4(b, d, 0xdd);
  }
}

// Four words of each of kLanes rows, from byte `at` on: x[i] has word i of each row.
__attribute__((always_inline)) inline void load_words(const char* const* rows, int64_t at, F* x) {
  __m512i r[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    r[i] = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i*)(rows[i] + at)));
    r[i] = _mm512_inserti32x4(r[i], _mm_loadu_si128((const __m128i*)(rows[i + 4] + at)), 1);
    r[i] = _mm512_inserti32x4(r[i], _mm_loadu_si128((const __m128i*)(rows[i + 8] + at)), 2);
    r[i] = _mm512_inserti32x4(r[i], _mm_loadu_si128((const __m128i*)(rows[i + 12] + at)), 3);
  }
  __m512i a = _mm512_unpacklo_epi32(r[0], r[1]), b = _mm512_unpacklo_epi32(r[2], r[3]);
  __m512i c = _mm512_unpackhi_epi32(r[0], r[1]), d = _mm512_unpackhi_epi32(r[2], r[3]);
  x[0] = (F)_mm512_unpacklo_epi64(a, b);
  x[1] = (F)_mm512_unpackhi_epi64(a, b);
  x[2] = (F)_mm512_unpacklo_epi64(c, d);
  x[3] = (F)_mm512_unpackhi_epi64(c, d);
}
// The float16 at byte `at` of each row.
inline F load_halves(const char* const* rows, int64_t at) {
  uint16_t halves[kLanes];
  for (int i = 0; i < kLanes; ++i) memcpy(halves + i, rows[i] + at, 2);
  return load_half(halves);
}
// Bytes kLanes * part and following of sixteen, each as the second byte of a lane.
inline I spread_bytes(const uint8_t* p, int part) { return load_u8(p + kLanes * part) << 8; }

}  // namespace
}  // namespace torchpaged
