// The products of linear.h in one instruction each: pairs of bfloat16 (AVX512_BF16), four bytes (AVX512_VNNI).
#pragma once

#include "linear.h"

namespace torchpaged {
namespace {

// Both have 14 x 2 sums, two vectors of weights and a row's word: 31 of the 32 registers.
#ifdef __AVX512BF16__
struct Bf16Dot {
  using Sum = F;
  static constexpr bool kScaled = false;
  static constexpr int kRows = 14;
  static constexpr int kVectors = 2;
  static constexpr int kRowWords = 1;
  static constexpr int64_t kPartWords = kBlockWords;
  static constexpr int64_t kStep = kPanelStep;

  template <int R>
  static void add(F (&sums)[R][kVectors], const char* word, int output, const uint32_t* rows) {
    F words[kVectors];
    for (int v = 0; v < kVectors; ++v) words[v] = keep(load((const float*)word + output + v * kLanes));
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      F row = (F)set1i(int32_t(rows[r]));
      for (int v = 0; v < kVectors; ++v) sums[r][v] = _mm512_dpbf16_ps(sums[r][v], (__m512bh)words[v], (__m512bh)row);
    }
  }
};
#endif

struct VnniDot {
  using Sum = __m512i;
  using OfNibbles = VnniDot;
  static constexpr bool kScaled = true;
  static constexpr bool kSingle = true;
  static constexpr int64_t kExactWords = 0;
  static constexpr int kRows = 14;
  static constexpr int kVectors = 2;
  static constexpr int kRowWords = 1;
  static constexpr int64_t kPartWords = kGroupWords;
  static constexpr int64_t kStep = kPanelStep;

  // Not the intrinsic: GCC 12 spills its sums, and the product takes twice as long.
  static __m512i dot(__m512i sum, __m512i words, __m512i row) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(words), "v"(row));
    return sum;
  }

  template <int R, int = R>
  static void add(__m512i (&sums)[R][kVectors], const char* word, int output, const uint32_t* rows) {
    I words[kVectors];
    for (int v = 0; v < kVectors; ++v) words[v] = (I)keep(load((const float*)word + output + v * kLanes));
    multiply<R, R>(sums, words, rows);
  }

  template <int R, int>
  static void multiply(__m512i (&sums)[R][kVectors], const I (&words)[kVectors], const uint32_t* rows) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      __m512i row = (__m512i)set1i(int32_t(rows[r]));
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sums[r][v] = dot(sums[r][v], (__m512i)words[v], row);
    }
  }
};

}  // namespace
}  // namespace torchpaged
