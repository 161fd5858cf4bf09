// Four floats through the vector extension of GCC and clang: whatever the compiler's baseline offers (SSE2, NEON, scalars).
#pragma once

#include "scalar.h"

namespace torchpaged {
namespace {

constexpr int kLanes = 4;
constexpr int kRowBlock = 2;
// Rows whose values are summed in eight columns at once; others in four.
constexpr int kWideRows = 1;
typedef float F __attribute__((vector_size(16)));
typedef int32_t I __attribute__((vector_size(16)));

inline F set1(float x) { return F{x, x, x, x}; }
inline I set1i(int32_t x) { return I{x, x, x, x}; }
inline F keep(F x) { return x; }
inline F load(const float* p) {
  F x;
  memcpy(&x, p, sizeof x);
  return x;
}
inline void store(float* p, F x) { memcpy(p, &x, sizeof x); }
inline F fma(F a, F b, F c) { return a * b + c; }  // rounded twice
inline F add_product(F sum, F a, F b) { return fma(a, b, sum); }
// a * b + c, rounded once: a product of two floats is exact in double, and a sum rounded to odd there is rounded to
// float as the exact sum would be (Boldo, Melquiond: Emulation of FMA and Correctly Rounded Sums).
inline F fused(F a, F b, F c) {
  typedef double D __attribute__((vector_size(32)));
  typedef int64_t L __attribute__((vector_size(32)));
  D product = __builtin_convertvector(a, D) * __builtin_convertvector(b, D), addend = __builtin_convertvector(c, D);
  D sum = product + addend, back = sum - product, error = (product - (sum - back)) + (addend - back);
  L bits = (L)sum, inexact = (L)(error > 0) | (L)(error < 0), even = (bits & 1) - 1;
  L farther_from_zero = (L)((L)(error > 0) == (L)(sum > 0));
  bits += inexact & even & ((farther_from_zero & 2) - 1);
  return __builtin_convertvector((D)bits, F);
}
// The bytes of a table at the indices below 16 that another vector has.
inline I look_up(I table, I indices) {
  uint8_t values[16], bytes[16];
  memcpy(values, &table, 16);
  memcpy(bytes, &indices, 16);
  for (uint8_t& byte : bytes) byte = values[byte & 15];
  memcpy(&table, bytes, 16);
  return table;
}
// sum + for each lane, the products of its 16-bit halves.
inline I add_halves(I sum, I a, I b) {
  return sum + ((a << 16) >> 16) * ((b << 16) >> 16) + (a >> 16) * (b >> 16);
}
inline F select(I mask, F a, F b) { return (F)((mask & (I)a) | (~mask & (I)b)); }
inline F max(F a, F b) { return select(a > b, a, b); }  // b where either is NaN
inline F iota() { return F{0, 1, 2, 3}; }
// a where the lane's bit is set, else b.
inline F select(uint64_t bits, F a, F b) {
  const I lane = {1, 2, 4, 8};
  return select((set1i(int32_t(bits & 0xf)) & lane) == lane, a, b);
}
inline uint32_t sign_bits(I mask) {
  return uint32_t((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));  // of lanes that are 0 or -1
}
inline bool any(I mask) { return ((mask[0] | mask[1]) | (mask[2] | mask[3])) != 0; }
inline bool any_greater(F a, F b) { return any(a > b); }
// Exact for |x| < 2^22: adding 1.5 * 2^23 leaves no bits behind the point.
inline F round_nearest(F x) { return (x + 12582912.0f) - 12582912.0f; }
// x * 2^n for integral n; below 2^-126 the result is 0. A NaN stays one.
inline F scale_by_power(F x, F n) {
  I exponent = __builtin_convertvector(n, I);
  return select((I)(n < set1(-126)), set1(0), x * (F)((exponent + 127) << 23));
}
inline float greater(float a, float b) { return a > b ? a : b; }
inline float reduce_max(F x) { return greater(greater(x[0], x[2]), greater(x[1], x[3])); }
inline float reduce_add(F x) { return (x[0] + x[2]) + (x[1] + x[3]); }

inline I load_u8(const uint8_t* p) { return I{p[0], p[1], p[2], p[3]}; }
inline F load_i8(const int8_t* p) { return F{float(p[0]), float(p[1]), float(p[2]), float(p[3])}; }
inline F load_bf16(const uint16_t* p) { return (F)(I{p[0], p[1], p[2], p[3]} << 16); }
inline F load_half(const uint16_t* p) {
  return F{float_of_half(p[0]), float_of_half(p[1]), float_of_half(p[2]), float_of_half(p[3])};
}
inline F broadcast_half(uint16_t x) { return set1(float_of_half(x)); }
inline void store_half(uint16_t* p, F x) {
  for (int i = 0; i < kLanes; ++i) p[i] = half_of_float(x[i]);
}
// The low halves of the lanes.
inline void store_u16(uint16_t* p, I x) {
  for (int i = 0; i < kLanes; ++i) p[i] = uint16_t(x[i]);
}

// a's and b's lanes in turn, of their first and of their second halves: shuffles without a compiler's own builtins.
inline F interleave_low(F a, F b) { return F{a[0], b[0], a[1], b[1]}; }
inline F interleave_high(F a, F b) { return F{a[2], b[2], a[3], b[3]}; }

// r[i][j] becomes r[j][i].
inline void transpose(F* r) {
  F a = interleave_low(r[0], r[2]), b = interleave_low(r[1], r[3]);
  F c = interleave_high(r[0], r[2]), d = interleave_high(r[1], r[3]);
  r[0] = interleave_low(a, b);
  r[1] = interleave_high(a, b);
  r[2] = interleave_low(c, d);
  r[3] = interleave_high(c, d);
}

// Four words of each of kLanes rows, from byte `at` on: x[i] has word i of each row.
inline void load_words(const char* const* rows, int64_t at, F* x) {
  for (int i = 0; i < kLanes; ++i) x[i] = load((const float*)(rows[i] + at));
  transpose(x);
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
