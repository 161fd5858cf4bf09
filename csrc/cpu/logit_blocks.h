// A row of logits in blocks whose maxima are kept: they say which blocks a search may leave out. For any ISA.
#pragma once

#include "vec_math.h"

namespace torchpaged {
namespace {

constexpr int kBlockVectors = kLogitBlock / kLanes;
constexpr float kInf = __builtin_inff();

inline F float_of(I x) { return __builtin_convertvector(x, F); }

// A row's logits in blocks; behind the last token -inf.
template <class Element>
class Blocks {
 public:
  using T = typename Element::T;
  Blocks(const char* logits, int64_t size)
      : data_((const T*)logits), full_(size / kLogitBlock), count_((size + kLogitBlock - 1) / kLogitBlock) {
    for (int i = 0; i < kLogitBlock; ++i) tail_[i] = -kInf;
    for (int64_t i = full_ * kLogitBlock; i < size; ++i)
      tail_[i - full_ * kLogitBlock] = get_some<Element>(data_ + i, 1)[0];
  }
  int64_t count() const { return count_; }
  F get(int64_t block, int vector) const {
    return block < full_ ? Element::get(data_ + block * kLogitBlock + vector * kLanes)
                         : load(tail_ + vector * kLanes);
  }

 private:
  const T* data_;
  int64_t full_, count_;
  float tail_[kLogitBlock];
};

// The maxima of a row's blocks and, in `top`, of the row; false where there is a NaN.
template <class Element>
inline bool find_maxima(const Blocks<Element>& blocks, float* maxima, float& top) {
  F sum = set1(0.0f);
  top = -kInf;
  for (int64_t b = 0; b < blocks.count(); ++b) {
    F a = blocks.get(b, 0), c = blocks.get(b, 1), sum_a = a, sum_c = c;
    for (int v = 2; v < kBlockVectors; v += 2) {
      F x = blocks.get(b, v), y = blocks.get(b, v + 1);
      a = max(a, x);
      c = max(c, y);
      sum_a = sum_a + x;
      sum_c = sum_c + y;
    }
    sum = sum + (sum_a + sum_c);
    float most = reduce_max(max(a, c));
    maxima[b] = most;
    top = most > top ? most : top;
  }
  // Not -0: distances would have a sign.
  top += 0.0f;
  // No NaN is lost in a sum; one may be of infinities though.
  float probe = reduce_add(sum);
  if (probe == probe) return true;
  I found = set1i(0);
  for (int64_t b = 0; b < blocks.count(); ++b)
    for (int v = 0; v < kBlockVectors; ++v) found |= (I)(blocks.get(b, v) != blocks.get(b, v));
  return !any(found);
}

}  // namespace
}  // namespace torchpaged
