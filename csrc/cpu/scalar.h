// Arithmetic on sizes; conversions of single values, exact or rounded to nearest even. All static: no symbol
// leaves a unit.
#pragma once

#include <cstdint>
#include <cstring>

namespace torchpaged {
namespace {

[[maybe_unused]] inline int64_t round_up(int64_t x, int64_t multiple) { return (x + multiple - 1) / multiple * multiple; }
[[maybe_unused]] inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
[[maybe_unused]] inline int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

[[maybe_unused]] inline float float_of_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

[[maybe_unused]] inline uint32_t bits_of_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits;
}

[[maybe_unused]] inline float float_of_bf16(uint16_t x) { return float_of_bits(uint32_t(x) << 16); }

[[maybe_unused]] inline uint16_t bf16_of_float(float value) {
  uint32_t bits = bits_of_float(value);
  if (value != value) return uint16_t((bits >> 16) | 0x40);
  return uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

// A small float with `kMantissa` bits of mantissa behind `kShift` bits of a binary32, whose exponent bias is
// smaller by `kRebias`: moving the bits and multiplying by 2^kRebias is exact, subnormal numbers included.
[[maybe_unused]] inline float float_of_half(uint16_t x) {
  uint32_t sign = uint32_t(x & 0x8000) << 16, magnitude = uint32_t(x & 0x7fff) << 13;
  uint32_t bits = bits_of_float(float_of_bits(magnitude) * 0x1p112f);
  if ((x & 0x7c00) == 0x7c00) bits = magnitude | 0x7f800000;
  return float_of_bits(bits | sign);
}

[[maybe_unused]] inline uint16_t half_of_float(float value) {
  uint32_t bits = bits_of_float(value), sign = (bits >> 16) & 0x8000;
  bits &= 0x7fffffff;
  if (bits > 0x7f800000) return uint16_t(sign | 0x7e00);
  if (bits >= 0x477ff000) return uint16_t(sign | 0x7c00);  // 65520 and up round to infinity
  if (bits < 0x38800000)  // below 2^-14: 0.5 has a unit of 2^-24 in the last place, as subnormal halves do
    return uint16_t(sign | (bits_of_float(float_of_bits(bits) + 0.5f) - bits_of_float(0.5f)));
  return uint16_t(sign | ((bits + 0xfff + ((bits >> 13) & 1) - (112u << 23)) >> 13));
}

// To float8: the value is saturated before; `magic` has the unit in the last place of the type's subnormals.
template <int kShift, uint32_t kRebias>
inline uint8_t float8_of_float(float value, float smallest_normal, float magic) {
  uint32_t bits = bits_of_float(value), sign = (bits >> 24) & 0x80;
  bits &= 0x7fffffff;
  float magnitude = float_of_bits(bits);
  uint32_t normal = (bits + ((1u << (kShift - 1)) - 1) + ((bits >> kShift) & 1) - (kRebias << 23)) >> kShift;
  uint32_t subnormal = bits_of_float(magnitude + magic) - bits_of_float(magic);
  uint32_t result = magnitude < smallest_normal ? subnormal : normal;
  return uint8_t(sign | (bits > 0x7f800000 ? 0x7f : result));
}

[[maybe_unused]] inline uint8_t e4m3_of_float(float value) {
  return float8_of_float<20, 120>(value, 0x1p-6f, 0x1p14f);
}

[[maybe_unused]] inline uint8_t e5m2_of_float(float value) {
  return float8_of_float<21, 112>(value, 0x1p-14f, 0x1p7f);
}

}  // namespace
}  // namespace torchpaged
