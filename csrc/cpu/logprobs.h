// The reductions of a row of logits that token_logprobs needs, for any ISA.
#pragma once

#include "logit_blocks.h"

namespace torchpaged {
namespace {

// Vectors of exponentials that are added up pairwise in float32, with three roundings; these sums in float64.
constexpr int kSumVectors = 8;

typedef double D __attribute__((vector_size(kLanes * 8)));

// The sum of exp(logit - top), with the same bits on every ISA.
template <class Element>
double sum_exponentials(const Blocks<Element>& blocks, float top) {
  D sums = {};
  for (int64_t b = 0; b < blocks.count(); ++b) {
    for (int first = 0; first < kBlockVectors; first += kSumVectors) {
      F e[kSumVectors];
      for (int v = 0; v < kSumVectors; ++v) e[v] = exp(blocks.get(b, first + v) - set1(top));
      F sum = ((e[0] + e[1]) + (e[2] + e[3])) + ((e[4] + e[5]) + (e[6] + e[7]));
      sums += __builtin_convertvector(sum, D);
    }
  }
  double sum = 0;
  for (int i = 0; i < kLanes; ++i) sum += sums[i];
  return sum;
}

// The row's maximum, those of its blocks and the sum of its exponentials; false where there is no softmax: a NaN,
// an infinite logit, or -inf alone.
[[maybe_unused]] bool reduce_logits(const LogitRow& row, LogitSummary& summary) {
  return with_float_type(row.type, [&](auto element) {
    Blocks<decltype(element)> blocks(row.logits, row.vocab_size);
    if (!find_maxima(blocks, summary.maxima, summary.top)) return false;
    if (summary.top == kInf || summary.top == -kInf) return false;
    summary.sum = sum_exponentials(blocks, summary.top);
    return true;
  });
}

[[maybe_unused]] float logit_at(const LogitRow& row, int64_t token) {
  return with_float_type(row.type, [&](auto element) {
    using Element = decltype(element);
    return get_some<Element>((const typename Element::T*)row.logits + token, 1)[0];
  });
}

// How many logits are greater than x.
[[maybe_unused]] int64_t count_greater(const LogitRow& row, const LogitSummary& summary, float x) {
  return with_float_type(row.type, [&](auto element) {
    Blocks<decltype(element)> blocks(row.logits, row.vocab_size);
    int64_t total = 0;
    for (int64_t b = 0; b < blocks.count(); ++b) {
      if (!(summary.maxima[b] > x)) continue;
      I count = set1i(0);
      for (int v = 0; v < kBlockVectors; ++v) count -= (I)(blocks.get(b, v) > set1(x));
      for (int i = 0; i < kLanes; ++i) total += count[i];
    }
    return total;
  });
}

// The tokens whose logit is at least `bound`, in ascending order; returns how many.
[[maybe_unused]] int64_t collect_logits(const LogitRow& row, const LogitSummary& summary, float bound,
                                        RankedToken* tokens) {
  return with_float_type(row.type, [&](auto element) {
    Blocks<decltype(element)> blocks(row.logits, row.vocab_size);
    int64_t n = 0;
    for (int64_t b = 0; b < blocks.count(); ++b) {
      if (!(summary.maxima[b] >= bound)) continue;
      for (int v = 0; v < kBlockVectors; ++v) {
        F x = blocks.get(b, v);
        if (!any((I)(x >= set1(bound)))) continue;
        for (int j = 0; j < kLanes; ++j) {
          int64_t token = b * kLogitBlock + v * kLanes + j;
          if (x[j] >= bound && token < row.vocab_size) tokens[n++] = {x[j], int32_t(token)};
        }
      }
    }
    return n;
  });
}

}  // namespace
}  // namespace torchpaged
