// Products of linear_groups.h in instructions that AVX2 has: codes of 4 bits, as bytes.
#pragma once

#include "linear.h"

namespace torchpaged {
namespace {

// Products of codes below 16 and bytes of a row are below 2^11, so 16 bits hold the sum of eight words with two products
// each. Sums of 16 bits give twice as many products an instruction as IntegerDot.
struct CodesDot : IntegerDot {
  static constexpr int64_t kExactWords = 8;
  static constexpr int kRowWords = 1;

  // sum + for each half of a lane, the products of its bytes. Not the intrinsics, as in add_halves.
  static I add_codes(I sum, I codes, I row) {
    __m256i products;
    asm("vpmaddubsw %3, %2, %1\n\tvpaddw %1, %0, %0" : "+x"(sum), "=&x"(products) : "x"(codes), "x"(row));
    return sum;
  }

  template <int R, int kOfTile = R, int V>
  static void add(I (&sums)[R][V], const char* word, int output, const uint32_t* rows) {
    I words[V];
    for (int v = 0; v < V; ++v) words[v] = (I)keep(load((const float*)word + output + v * kLanes));
    multiply<R, kOfTile>(sums, words, rows);
  }

  template <int R, int, int V>
  static void multiply(I (&sums)[R][V], const I (&words)[V], const uint32_t* rows) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const I row = (I)keep((F)set1i(int32_t(rows[r])));
      for (int v = 0; v < V; ++v) sums[r][v] = add_codes(sums[r][v], words[v], row);
    }
  }

  static I widened(I sum, I halves) { return add_halves(sum, halves, set1i(0x00010001)); }
};

struct Avx2Dot : IntegerDot {
  using OfNibbles = CodesDot;
};

}  // namespace
}  // namespace torchpaged
