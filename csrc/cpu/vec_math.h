// Built on a vec_*.h: exp, tanh, and rows of any element type as vectors of floats.
#pragma once

#include "common.h"

namespace torchpaged {
namespace {

// e^(x - n ln 2), where n is x / ln 2 rounded.
// Cephes' expf (S. Moshier): reduction by ln 2 in two parts, a polynomial of degree 7.
inline F exp_of_rest(F x, F n) {
  F r = fma(n, set1(-0.693359375f), x);
  r = fma(n, set1(2.12194440e-4f), r);
  F p = set1(1.9875691500e-4f);
  p = fma(p, r, set1(1.3981999507e-3f));
  p = fma(p, r, set1(8.3334519073e-3f));
  p = fma(p, r, set1(4.1665795894e-2f));
  p = fma(p, r, set1(1.6666665459e-1f));
  p = fma(p, r, set1(5.0000001201e-1f));
  return fma(p, r * r, r) + set1(1.0f);
}
inline F over_ln2(F x) { return round_nearest(x * set1(1.44269504088896341f)); }

// e^x to about one unit in the last place, for x up to 88; 0 below -110 (so for -inf), NaN for NaN. For a softmax, whose
// x are not above 0; others take exp_of_any.
inline F exp(F x) {
  x = max(set1(-110.0f), x);
  F n = over_ln2(x);
  return scale_by_power(exp_of_rest(x, n), n);
}

// x within [-limit, limit]; NaN for NaN.
inline F within(F x, float limit) { return max(set1(-limit), (F)-max(set1(-limit), (F)-x)); }

// x * 2^n for integral n within [-250, 250], in two steps: inf and denormals are as the exact result rounded.
inline F scale_twice(F x, F n) {
  I all = __builtin_convertvector(n, I), half = all >> 1;
  return x * (F)((half + 127) << 23) * (F)((all - half + 127) << 23);
}

// e^x and 2^x of any x: inf for what is too large, denormals, 0 for -inf, NaN for NaN.
inline F exp_of_any(F x) {
  x = within(x, 110.0f);
  F n = over_ln2(x);
  return scale_twice(exp_of_rest(x, n), n);
}
inline F exp2_of_any(F x) {
  x = within(x, 160.0f);
  F n = round_nearest(x);
  return scale_twice(exp_of_rest((x - n) * set1(0.693147180559945f), set1(0)), n);
}

inline float exp(float x) { return exp(set1(x))[0]; }

// Cephes' tanhf: a polynomial near 0, where 1 - 2 / (e^2x + 1) would cancel.
inline F tanh(F x) {
  F clamped = within(x, 10.0f);
  F wide = set1(1.0f) - set1(2.0f) / (exp(clamped + clamped) + set1(1.0f));
  F square = x * x;
  F p = set1(-5.70498872745e-3f);
  p = fma(p, square, set1(2.06390887954e-2f));
  p = fma(p, square, set1(-5.37397155531e-2f));
  p = fma(p, square, set1(1.33314422036e-1f));
  p = fma(p, square, set1(-3.33332819422e-1f));
  return select((I)(square < set1(0.390625f)), fma(p * square, x, x), wide);
}

// log(1 + e^x), as x or 0 and log(1 + y) of y = e^-|x|. Cephes' logf around 1, or around 2 for a large y: both r are
// exact, so that a small y keeps its digits.
inline F softplus(F x) {
  F y = exp((F)((I)x | set1i(int32_t(0x80000000))));
  I large = (I)(y > set1(0.41421356f));
  F r = select(large, (y - set1(1.0f)) * set1(0.5f), y);
  F p = set1(7.0376836292e-2f);
  p = fma(p, r, set1(-1.1514610310e-1f));
  p = fma(p, r, set1(1.1676998740e-1f));
  p = fma(p, r, set1(-1.2420140846e-1f));
  p = fma(p, r, set1(1.4249322787e-1f));
  p = fma(p, r, set1(-1.6668057665e-1f));
  p = fma(p, r, set1(2.0000714765e-1f));
  p = fma(p, r, set1(-2.4999993993e-1f));
  p = fma(p, r, set1(3.3333331174e-1f));
  F square = r * r;
  F log = fma(p * r - set1(0.5f), square, r) + select(large, set1(0.693147180559945f), set1(0));
  return max(set1(0), x) + log;
}

// Number i of those that the 4 bytes of each lane are, in the order of memory: what of_word() of the types below returns.
struct Float32 {
  using T = float;
  static F get(const T* p) { return load(p); }
  static F of_word(I x, int) { return (F)x; }
  static void put(T* p, F x) { store(p, x); }
};

struct Float16 {
  using T = uint16_t;
  static F get(const T* p) { return load_half(p); }
  static void put(T* p, F x) { store_half(p, x); }
};

struct BFloat16 {
  using T = uint16_t;
  static F get(const T* p) { return load_bf16(p); }
  static F of_word(I x, int i) { return (F)(i == 0 ? x << 16 : x & int32_t(0xffff0000)); }
  static void put(T* p, F x) {
    I bits = (I)x;
    I rounded = bits + 0x7fff + ((bits >> 16) & 1);
    store_u16(p, (I)select((I)(x == x), (F)rounded, (F)(bits | 0x400000)) >> 16);
  }
};

// Moving a float8's bits into a binary32 and multiplying by the difference of the biases is exact.
struct Float8E4M3 {
  using T = uint8_t;
  static F get(const T* p) { return of_word(load_u8(p), 0); }
  static F of_word(I x, int i) {
    x >>= 8 * i;
    I magnitude = x & 0x7f;
    I bits = (I)((F)(magnitude << 20) * set1(0x1p120f));
    bits |= (I)(magnitude == 0x7f) & 0x7fc00000;
    return (F)(bits | ((x & 0x80) << 24));
  }
};

struct Float8E5M2 {
  using T = uint8_t;
  static F get(const T* p) { return of_word(load_u8(p), 0); }
  static F of_word(I x, int i) {
    x >>= 8 * i;
    I magnitude = x & 0x7f;
    I bits = (I)((F)(magnitude << 21) * set1(0x1p112f));
    bits |= (I)(magnitude >= 0x7c) & 0x7f800000;
    return (F)(bits | ((x & 0x80) << 24));
  }
};

struct Int8 {
  using T = int8_t;
  static F get(const T* p) { return load_i8(p); }
  static F of_word(I x, int i) { return __builtin_convertvector((x << (24 - 8 * i)) >> 24, F); }
};

// The first n < kLanes elements, zeros behind them; never reads past them.
template <class Element>
inline F get_some(const typename Element::T* p, int64_t n) {
  typename Element::T padded[kLanes] = {};
  for (int64_t i = 0; i < n; ++i) padded[i] = p[i];
  return Element::get(padded);
}

template <class Element>
inline void put_some(typename Element::T* p, F x, int64_t n) {
  typename Element::T padded[kLanes];
  Element::put(padded, x);
  for (int64_t i = 0; i < n; ++i) p[i] = padded[i];
}

// A group of a 4-bit row is a float16 scale, then bytes of which one has the code of number i in its low and of number
// i + 16 in its high bits: vectors of neighbouring numbers have neighbouring bytes.
struct Int4 {
  static F get(const char* row, int64_t d) {
    auto* group = (const uint8_t*)row + d / kGroupNumbers * kGroupBytes;
    uint16_t scale;
    memcpy(&scale, group, 2);
    const int64_t place = d % kGroupNumbers;
    I codes = load_u8(group + 2 + place % 16) >> (place < 16 ? 0 : 4) & 15;
    return __builtin_convertvector(codes - 8, F) * set1(float_of_half(scale));
  }
};

// Vectors of a cache's row, whose first `n` numbers there are, from number d on; zeros behind them.
template <class Element>
inline F row_at(Element, const char* row, int64_t d, int64_t n) {
  auto* p = (const typename Element::T*)row + d;
  return d + kLanes <= n ? Element::get(p) : get_some<Element>(p, n - d);
}
inline F row_at(Int4, const char* row, int64_t d, int64_t) { return Int4::get(row, d); }

// Calls `f` with the struct of a float type, of any type of single numbers, or of any type of a cache.
template <class Function>
inline auto with_float_type(DType type, Function f) {
  switch (type) {
    case DType::Float16: return f(Float16{});
    case DType::BFloat16: return f(BFloat16{});
    default: return f(Float32{});
  }
}

template <class Function>
inline auto with_type(DType type, Function f) {
  switch (type) {
    case DType::Float8E4M3: return f(Float8E4M3{});
    case DType::Float8E5M2: return f(Float8E5M2{});
    case DType::Int8: return f(Int8{});
    default: return with_float_type(type, f);
  }
}

template <class Function>
inline auto with_cache_type(DType type, Function f) {
  return type == DType::Int4 ? f(Int4{}) : with_type(type, f);
}

}  // namespace
}  // namespace torchpaged
