// The products of linear.h in one instruction each: pairs of bfloat16 (AVX512_BF16), four bytes (AVX512_VNNI).
#pragma once

#include "linear.h"

namespace torchpaged {
namespace {

// 14 x 2 sums, two vectors of weights and a row's word: 31 of the 32 registers.
struct Bf16Dot {
  static constexpr int kRows = 14;
  static constexpr int kVectors = 2;

  template <int R>
  static void add(F (&sums)[R][kVectors], const float* weight, const uint32_t* rows) {
    F words[kVectors];
    for (int v = 0; v < kVectors; ++v) words[v] = keep(load(weight + v * kLanes));
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      F row = (F)set1i(int32_t(rows[r]));
      for (int v = 0; v < kVectors; ++v) sums[r][v] = _mm512_dpbf16_ps(sums[r][v], (__m512bh)words[v], (__m512bh)row);
    }
  }
};

struct VnniDot {
  static constexpr int kRows = 14;
  static constexpr int kVectors = 2;

  template <int R>
  static void add(F (&sums)[R][kVectors], const float* weight, const uint32_t* rows) {
    F words[kVectors];
    for (int v = 0; v < kVectors; ++v) words[v] = keep(load(weight + v * kLanes));
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      I row = set1i(int32_t(rows[r]));
      for (int v = 0; v < kVectors; ++v)
        sums[r][v] = (F)_mm512_dpbusd_epi32((__m512i)sums[r][v], (__m512i)words[v], (__m512i)row);
    }
  }
};

}  // namespace
}  // namespace torchpaged
