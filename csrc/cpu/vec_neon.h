// Four floats: NEON of any 64-bit Arm.
#pragma once

#include <arm_neon.h>

#include "scalar.h"

namespace torchpaged {
namespace {

constexpr int kLanes = 4;
// Query rows that share each load of a key vector: 6 x 4 accumulators of the 32 registers.
constexpr int kRowBlock = 6;
// Rows whose values are summed in eight columns at once; others in four.
constexpr int kWideRows = 1;
typedef float F __attribute__((vector_size(16)));
typedef int32_t I __attribute__((vector_size(16)));

inline F set1(float x) { return (F)vdupq_n_f32(x); }
inline I set1i(int32_t x) { return (I)vdupq_n_s32(x); }
// Holds a value in a register.
inline F keep(F x) {
  asm("" : "+w"(x));
  return x;
}
inline F load(const float* p) { return (F)vld1q_f32(p); }
inline void store(float* p, F x) { vst1q_f32(p, (float32x4_t)x); }
inline F fma(F a, F b, F c) { return (F)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b); }
inline F add_product(F sum, F a, F b) { return fma(a, b, sum); }
inline F fused(F a, F b, F c) { return fma(a, b, c); }  // where a result's definition has one rounding
// The bytes of a table at the indices below 16 that another vector has.
inline I look_up(I table, I indices) { return (I)vqtbl1q_u8((uint8x16_t)table, (uint8x16_t)indices); }
// sum + for each lane, the products of its 16-bit halves.
inline I add_halves(I sum, I a, I b) {
  int16x8_t x = (int16x8_t)a, y = (int16x8_t)b;
  return sum + (I)vpaddq_s32(vmull_s16(vget_low_s16(x), vget_low_s16(y)), vmull_high_s16(x, y));
}
inline F select(I mask, F a, F b) { return (F)vbslq_f32((uint32x4_t)mask, (float32x4_t)a, (float32x4_t)b); }
inline F max(F a, F b) { return select((I)(a > b), a, b); }  // b where either is NaN
inline F iota() { return F{0, 1, 2, 3}; }
// a where the lane's bit is set, else b.
inline F select(uint64_t bits, F a, F b) {
  const I lane = {1, 2, 4, 8};
  return select((I)((set1i(int32_t(bits & 0xf)) & lane) == lane), a, b);
}
inline uint32_t sign_bits(I mask) {
  return uint32_t((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));  // of lanes that are 0 or -1
}
inline bool any(I mask) { return vmaxvq_u32((uint32x4_t)mask) != 0; }
inline bool any_greater(F a, F b) { return any((I)(a > b)); }
inline F round_nearest(F x) { return (F)vrndnq_f32((float32x4_t)x); }
// x * 2^n for integral n; below 2^-126 the result is 0. A NaN stays one.
inline F scale_by_power(F x, F n) {
  I exponent = (I)vcvtq_s32_f32((float32x4_t)n);
  return select((I)(n < set1(-126)), set1(0), x * (F)((exponent + 127) << 23));
}
// Two lanes on, and one.
inline F rotate_two(F x) { return (F)vextq_f32((float32x4_t)x, (float32x4_t)x, 2); }
inline F rotate_one(F x) { return (F)vextq_f32((float32x4_t)x, (float32x4_t)x, 1); }
inline float reduce_max(F x) {
  x = max(x, rotate_two(x));
  return max(x, rotate_one(x))[0];
}
inline float reduce_add(F x) {
  x = x + rotate_two(x);
  return (x + rotate_one(x))[0];
}

// Four bytes and no more, in the low half of a register.
inline uint8x8_t four_bytes(const void* p) {
  uint32_t bytes;
  memcpy(&bytes, p, sizeof bytes);
  return vcreate_u8(bytes);
}
inline I load_u8(const uint8_t* p) { return (I)vmovl_u16(vget_low_u16(vmovl_u8(four_bytes(p)))); }
inline F load_i8(const int8_t* p) {
  return (F)vcvtq_f32_s32(vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_u8(four_bytes(p))))));
}
inline F load_bf16(const uint16_t* p) { return (F)vshll_n_u16(vld1_u16(p), 16); }
inline F load_half(const uint16_t* p) { return (F)vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p))); }
inline F broadcast_half(uint16_t x) { return set1(float_of_half(x)); }
inline void store_half(uint16_t* p, F x) { vst1_u16(p, vreinterpret_u16_f16(vcvt_f16_f32((float32x4_t)x))); }
// The low halves of the lanes.
inline void store_u16(uint16_t* p, I x) { vst1_u16(p, vmovn_u32((uint32x4_t)x)); }

// r[i][j] becomes r[j][i].
inline void transpose(F* r) {
  float32x4_t a = vzip1q_f32((float32x4_t)r[0], (float32x4_t)r[2]), b = vzip1q_f32((float32x4_t)r[1], (float32x4_t)r[3]);
  float32x4_t c = vzip2q_f32((float32x4_t)r[0], (float32x4_t)r[2]), d = vzip2q_f32((float32x4_t)r[1], (float32x4_t)r[3]);
  r[0] = (F)vzip1q_f32(a, b);
  r[1] = (F)vzip2q_f32(a, b);
  r[2] = (F)vzip1q_f32(c, d);
  r[3] = (F)vzip2q_f32(c, d);
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
