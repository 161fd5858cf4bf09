// AVX-512 on AVX2, included before all else: SIMDe's functions in place of the intrinsics, and what it has none of.
#pragma once

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>

#include <cmath>
#include <cstdint>
#include <cstring>

#define __AVX512BF16__ 1  // asked by dot_avx512.h; SIMDe would take it for the machine's

namespace emulated {

// A vector's lanes as numbers of T, and back.
template <class T, class V>
struct Lanes {
  T at[sizeof(V) / sizeof(T)];
  static constexpr int kCount = sizeof(V) / sizeof(T);
  Lanes() : at() {}
  explicit Lanes(V x) { memcpy(at, &x, sizeof x); }
  V vector() const {
    V x;
    memcpy(&x, at, sizeof x);
    return x;
  }
};
using Floats = Lanes<float, __m512>;

template <class To, class T, class From>
inline Lanes<To, __m512i> widened(From x) {
  Lanes<T, From> from(x);
  Lanes<To, __m512i> to;
  for (int i = 0; i < to.kCount; ++i) to.at[i] = from.at[i];
  return to;
}

// Never reads what the mask leaves out.
template <class V, class T>
inline V masked(uint64_t mask, const void* p) {
  Lanes<T, V> x;
  for (int i = 0; i < x.kCount; ++i)
    if (mask >> i & 1) memcpy(&x.at[i], (const T*)p + i, sizeof(T));
  return x.vector();
}

inline __m512 scalef(__m512 a, __m512 b) {
  Floats x(a), n(b);
  for (int i = 0; i < 16; ++i)  // SIMDe's own multiplies by a power that may not be a float
    x.at[i] = std::isfinite(n.at[i]) ? std::scalbln(x.at[i], long(std::floor(n.at[i]))) : x.at[i] * std::exp2(n.at[i]);
  return x.vector();
}

inline float of_bf16(uint16_t x) {
  uint32_t bits = uint32_t(x) << 16;
  if (!(bits & 0x7f800000)) bits &= 0x80000000;  // the instructions take denormals for 0
  float value;
  memcpy(&value, &bits, 4);
  return value;
}
inline float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

inline uint16_t to_bf16(float value) {
  value = flushed(value);
  uint32_t bits;
  memcpy(&bits, &value, 4);
  if (value != value) return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// In the order of the instruction's definition: the second of each pair first. SIMDe rounds once more.
inline __m512 dpbf16(__m512 sum, __m512bh a, __m512bh b) {
  Floats s(sum);
  Lanes<uint16_t, __m512bh> x(a), y(b);
  for (int i = 0; i < 16; ++i)
    for (int half : {1, 0})
      s.at[i] = flushed(std::fma(of_bf16(x.at[2 * i + half]), of_bf16(y.at[2 * i + half]), flushed(s.at[i])));
  return s.vector();
}

inline __m512bh cvtne2(__m512 high, __m512 low) {
  Floats a(low), b(high);
  Lanes<uint16_t, __m512bh> to;
  for (int i = 0; i < 16; ++i) to.at[i] = to_bf16(a.at[i]), to.at[16 + i] = to_bf16(b.at[i]);
  return to.vector();
}

// Of unsigned and signed bytes.
inline __m512i dpbusd(__m512i sum, __m512i a, __m512i b) {
  Lanes<int32_t, __m512i> s(sum);
  Lanes<uint8_t, __m512i> x(a);
  Lanes<int8_t, __m512i> y(b);
  for (int i = 0; i < 64; ++i) s.at[i / 4] += x.at[i] * y.at[i];
  return s.vector();
}

// SIMDe's name for it is a macro of four arguments.
inline __m512i madd_halves(__m512i a, __m512i b) {
  Lanes<int16_t, __m512i> x(a), y(b);
  Lanes<uint32_t, __m512i> to;
  for (int i = 0; i < 32; ++i) to.at[i / 2] += uint32_t(x.at[i] * y.at[i]);
  return to.vector();
}

inline uint32_t equal_words(__m512i a, __m512i b) {
  Lanes<uint16_t, __m512i> x(a), y(b);
  uint32_t found = 0;
  for (int i = 0; i < 32; ++i) found |= uint32_t(x.at[i] == y.at[i]) << i;
  return found;
}

inline __m256i low_halves(__m512i a) {
  Lanes<int32_t, __m512i> x(a);
  Lanes<int16_t, __m256i> to;
  for (int i = 0; i < 16; ++i) to.at[i] = int16_t(x.at[i]);
  return to.vector();
}

inline __m512 floats(__m512i a) {
  Lanes<int32_t, __m512i> x(a);
  Floats to;
  for (int i = 0; i < 16; ++i) to.at[i] = float(x.at[i]);
  return to.vector();
}

inline __m512 of_halves(__m256i a) {
  Lanes<__m128i, __m256i> x(a);
  Lanes<__m256, __m512> to;
  for (int i = 0; i < 2; ++i) to.at[i] = _mm256_cvtph_ps(x.at[i]);
  return to.vector();
}
inline __m256i to_halves(__m512 a) {
  Lanes<__m256, __m512> x(a);
  Lanes<__m128i, __m256i> to;
  for (int i = 0; i < 2; ++i) to.at[i] = _mm256_cvtps_ph(x.at[i], _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  return to.vector();
}

// In halves, as GCC's _mm512_reduce_*.
template <class Function>
inline float reduced(__m512 a, Function of) {
  Floats x(a);
  for (int n = 8; n; n /= 2)
    for (int i = 0; i < n; ++i) x.at[i] = of(x.at[i], x.at[i + n]);
  return x.at[0];
}

}  // namespace emulated

#undef _mm512_scalef_ps
#undef _mm512_dpbf16_ps
#undef _mm512_cvtepi32_ps
#undef _mm512_cvtepi8_epi32
#undef _mm512_cvtps_ph
#undef _mm512_madd_epi16
#define _mm512_shuffle_f32x4 simde_mm512_shuffle_f32x4  // SIMDe has it, but not under its own name
#define _mm512_scalef_ps emulated::scalef
#define _mm512_dpbf16_ps emulated::dpbf16
#define _mm512_cvtne2ps_pbh emulated::cvtne2
#define _mm512_madd_epi16 emulated::madd_halves
#define _mm512_cmpeq_epi16_mask emulated::equal_words
#define _mm512_cvtepi32_epi16 emulated::low_halves
#define _mm512_cvtepi32_ps emulated::floats
#define _mm512_cvtepi8_epi32(x) (emulated::widened<int32_t, int8_t>(x).vector())
#define _mm512_cvtepu8_epi32(x) (emulated::widened<int32_t, uint8_t>(x).vector())
#define _mm512_cvtepu16_epi32(x) (emulated::widened<int32_t, uint16_t>(x).vector())
#define _mm512_cvtph_ps emulated::of_halves
#define _mm512_cvtps_ph(x, rounding) emulated::to_halves(x)  // to nearest even, the only rounding in use
#define _mm256_maskz_loadu_epi8 emulated::masked<__m256i, uint8_t>
#define _mm256_maskz_loadu_epi16 emulated::masked<__m256i, uint16_t>
#define _mm512_maskz_loadu_epi8 emulated::masked<__m512i, uint8_t>
#define _mm512_maskz_loadu_epi16 emulated::masked<__m512i, uint16_t>
#define _mm512_reduce_add_ps(x) emulated::reduced(x, [](float a, float b) { return a + b; })
#define _mm512_reduce_max_ps(x) emulated::reduced(x, [](float a, float b) { return a > b ? a : b; })
