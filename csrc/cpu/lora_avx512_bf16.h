// lora.h with products of pairs of bfloat16 (AVX512_BF16); other types are multiplied in float32.
#pragma once

#include "lora.h"

namespace torchpaged {
namespace {

inline F dot_pairs(F sum, F a, F b) { return _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)b); }

struct LoraPairs {
  using T = uint16_t;
  using V = F;
  static constexpr int64_t kWidth = 2 * kLanes;
  static V get(const T* p) { return keep(load((const float*)p)); }
  static F dot(F sum, V a, V x) { return dot_pairs(sum, a, x); }
};

// Pairs of ranks, in the first half of the tile's place.
struct PairsTile {
  static void finish(const float* sums, float* inner) {
    uint16_t pairs[kLoraTile];
    for (int c = 0; c < kLoraTile; ++c) pairs[c] = bf16_of_float(sums[c]);
    memcpy(inner, pairs, sizeof pairs);
  }
};

// Two rows of an adapter's 32 outputs are interleaved within each 128 bits: `low` and `high` have the outputs 0 to 3, 8 to
// 11, .. and 4 to 7, 12 to 15, .., which packing puts back into their order.
struct ExpandPairs : ExpandRows {
  int64_t n;  // outputs, at most 2 * kLanes

  __m512i get(const char* place) const {
    if (n == 2 * kLanes) return _mm512_loadu_si512(place);
    uint16_t padded[2 * kLanes] = {};
    memcpy(padded, place, size_t(n) * sizeof(uint16_t));
    return _mm512_loadu_si512(padded);
  }

  static __m512i rounded(F x) {
    I bits = (I)x;
    I even = bits + 0x7fff + ((bits >> 16) & 1);
    return _mm512_srli_epi32((__m512i)select((I)(x == x), (F)even, (F)(bits | 0x400000)), 16);
  }

  template <int R>
  void operator()(int64_t row) const {
    const float* in[R];
    F low[R], high[R];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      in[r] = inner(row + r);
      low[r] = high[r] = set1(0);
    }
    const char* place = weights;
    for (int64_t k = 0; k < rank; k += 2, place += 2 * p.b_row_stride) {
      __builtin_prefetch(place + 128);
      __builtin_prefetch(place + p.b_row_stride + 128);
      const __m512i first = get(place), second = k + 1 < rank ? get(place + p.b_row_stride) : _mm512_setzero_si512();
      const F even = keep((F)_mm512_unpacklo_epi16(first, second)), odd = keep((F)_mm512_unpackhi_epi16(first, second));
      const int64_t pair = k / kLoraTile * kLoraTile + k % kLoraTile / 2;
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) {
        const F factors = keep(set1(in[r][pair]));
        low[r] = dot_pairs(low[r], even, factors);
        high[r] = dot_pairs(high[r], odd, factors);
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      char* target = out(row + r);
      const __m512i before = get(target), zero = _mm512_setzero_si512();
      low[r] = low[r] + (F)_mm512_unpacklo_epi16(zero, before);
      high[r] = high[r] + (F)_mm512_unpackhi_epi16(zero, before);
      const __m512i after = _mm512_packus_epi32(rounded(low[r]), rounded(high[r]));
      if (n == 2 * kLanes) {
        _mm512_storeu_si512(target, after);
      } else {
        uint16_t padded[2 * kLanes];
        _mm512_storeu_si512(padded, after);
        memcpy(target, padded, size_t(n) * sizeof(uint16_t));
      }
    }
  }
};

struct Bf16Lora {
  static void shrink(const LoraParams& p, const LoraRows& b, int64_t first, int64_t last) {
    if (p.type != DType::BFloat16) return FloatLora::shrink(p, b, first, last);
    shrink_with<LoraPairs, PairsTile>(p, b, first, last);
  }
  static void expand(const LoraParams& p, const LoraRows& b, int64_t first, int64_t last) {
    if (p.type != DType::BFloat16) return FloatLora::expand(p, b, first, last);
    each_columns(p, b, first, last, 2 * kLanes,
                 [&](ExpandRows rows, int64_t n) { each_rows(b.count, ExpandPairs{rows, n}); });
  }
};

}  // namespace
}  // namespace torchpaged
