// One row of sample_tokens, for any ISA, in distances below the row's maximum: d = max - logit, 0 or more, so that
// its bits as an integer are in order too.
//
// The vocabulary is read in blocks whose maxima are kept: they say which blocks can hold one of the k likeliest
// tokens, and which cannot hold the winner even with the largest noise there is. The two logarithms of the noise are
// computed for blocks only that pass a bound made of a token's hash.
#pragma once

#include "logit_blocks.h"

namespace torchpaged {
namespace {

typedef uint32_t U __attribute__((vector_size(kLanes * 4)));

constexpr int kBins = 1024;
// The hash has 31 bits that count: -log of the smallest uniform number is 32 log 2.
constexpr float kMaxNoise = 22.2f;
// Distances in units of the temperature at which weights are too small to be told apart: e^-40 of the largest.
constexpr float kFarthest = 40.0f;

// x = (1 + r) * 2^e, with r from sqrt(1/2) - 1 to sqrt(2) - 1, of a positive normal x.
inline void split(F x, F& r, F& e) {
  const int32_t root = 0x3f3504f3;  // sqrt(1/2)
  I bits = (I)x - root;
  e = float_of(bits >> 23);
  r = (F)((bits & 0x7fffff) + root) - set1(1.0f);
}

// log((1 + r) * 2^e) by Cephes' logf (S. Moshier).
inline F log_of_parts(F r, F e) {
  F z = r * r;
  F p = set1(7.0376836292e-2f);
  p = fma(p, r, set1(-1.1514610310e-1f));
  p = fma(p, r, set1(1.1676998740e-1f));
  p = fma(p, r, set1(-1.2420140846e-1f));
  p = fma(p, r, set1(1.4249322787e-1f));
  p = fma(p, r, set1(-1.6668057665e-1f));
  p = fma(p, r, set1(2.0000714765e-1f));
  p = fma(p, r, set1(-2.4999993993e-1f));
  p = fma(p, r, set1(3.3333331174e-1f));
  F y = fma(e, set1(-2.12194440e-4f), p * r * z);
  y = fma(z, set1(-0.5f), y);
  return fma(e, set1(0.693359375f), r + y);
}

// C. Wellons' lowbias32.
inline U mix32(U x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

// A uniform number in (0, 1], fine near 0, of a token.
inline F uniform(U token, U key0, U key1) {
  U hash = mix32(mix32(token ^ key0) ^ key1);
  return fma(float_of((I)(hash >> 1)), set1(0x1p-31f), set1(0x1p-32f));
}

// -log(-log(1 - v)): log1p without cancellation, since for a small v the parts of 1 - v are known exactly.
inline F gumbel(F v) {
  v = -max((F)-v, set1(-(1.0f - 0x1p-24f)));
  F r, e;
  split(set1(1.0f) - v, r, e);
  I small = (I)(v < set1(0.25f));
  split(-log_of_parts(select(small, (F)-v, r), select(small, set1(0.0f), e)), r, e);
  return -log_of_parts(r, e);
}

// At least gumbel(v): -log(-log(1 - v)) < -log(v), and a float's bits interpolate its logarithm from below.
inline F gumbel_bound(F v) { return fma(float_of((I)v), set1(-0x1.62e43p-24f), set1(88.0297f + 1e-3f)); }

// The weights that thresholds are found with: tokens that count 1 each ...
struct CountWeight {
  double target;
  F of(F) const { return set1(1.0f); }
  double goal(double) const { return target; }
};

// ... or their probabilities, as far as they are within the limit.
struct MassWeight {
  float inverse_temperature, limit;
  double share;
  F of(F d) const {
    return select((I)(d <= set1(limit)), exp((F) - (d * set1(inverse_temperature))), set1(0.0f));
  }
  double goal(double total) const { return share * total; }
};

// Distances to bins, in order: evenly spaced ones; or equally many integers of the range of their bits.
struct EvenBins {
  float per_unit;
  I of(F d) const {
    F place = d * set1(per_unit);
    return __builtin_convertvector((F)-max((F)-place, set1(-(kBins - 1.0f))), I);
  }
};

struct BitBins {
  int32_t first;
  int shift;
  I of(F d) const { return ((I)d - first) >> shift; }
};

template <class Weight, class Bins>
inline double histogram(const float* distances, int64_t n, const Weight& weight, const Bins& bins, double* sums) {
  // Two tables: neighbours in one bin need not wait for each other.
  double tables[2][kBins] = {};
  double total = 0;
  for (int64_t i = 0; i < n; i += kLanes) {
    int64_t count = n - i < kLanes ? n - i : kLanes;
    F d = count == kLanes ? load(distances + i) : get_some<Float32>(distances + i, count);
    float weights[kLanes];
    int32_t places[kLanes];
    store(weights, weight.of(d));
    I place = bins.of(d);
    memcpy(places, &place, sizeof place);
    for (int64_t j = 0; j < count; ++j) tables[j & 1][places[j]] += weights[j];
  }
  for (int b = 0; b < kBins; ++b) total += sums[b] = tables[0][b] + tables[1][b];
  return total;
}

// Those of one bin, in `kept`, which may be `distances`.
template <class Bins>
inline int64_t take_bin(const float* distances, int64_t n, const Bins& bins, int bin, float* kept) {
  int64_t m = 0;
  for (int64_t i = 0; i < n; i += kLanes) {
    int64_t count = n - i < kLanes ? n - i : kLanes;
    F d = count == kLanes ? load(distances + i) : get_some<Float32>(distances + i, count);
    I inside = (I)(bins.of(d) == set1i(bin));
    if (!any(inside)) continue;
    for (int64_t j = 0; j < count; ++j)
      if (inside[j]) kept[m++] = d[j];
  }
  return m;
}

// The first bin in which `sum` reaches the goal; `sum` is then what lies before it. -1 if none does.
inline int bin_of_goal(const double* sums, double goal, double& sum) {
  for (int b = 0; b < kBins; ++b) {
    if (sum + sums[b] >= goal) return b;
    sum += sums[b];
  }
  return -1;
}

// Returns the smallest distance d such that the weights of all distances up to d reach the weight's goal; infinity if
// the sum of all is smaller. One of the distances is 0. It is a radix select: only the bin with the answer is refined.
template <class Weight>
inline float select_distance(const float* distances, int64_t n, const Weight& weight, float per_unit, float* list) {
  double sums[kBins], sum = 0;
  EvenBins even{per_unit};
  double goal = weight.goal(histogram(distances, n, weight, even, sums));
  int bin = bin_of_goal(sums, goal, sum);
  if (bin < 0) return kInf;
  n = take_bin(distances, n, even, bin, list);
  for (;;) {
    int32_t first = INT32_MAX, last = 0;
    for (int64_t i = 0; i < n; ++i) {
      int32_t bits = int32_t(bits_of_float(list[i]));
      first = bits < first ? bits : first;
      last = bits > last ? bits : last;
    }
    if (first == last) return float_of_bits(uint32_t(first));
    BitBins bits{first, 0};
    while ((last - first) >> bits.shift >= kBins) ++bits.shift;
    histogram(list, n, weight, bits, sums);
    bin = bin_of_goal(sums, goal, sum);
    // Sums in another order: the last token may fall short of the goal by a rounding.
    if (bin < 0) bin = (last - first) >> bits.shift;
    n = take_bin(list, n, bits, bin, list);
  }
}

template <class Element>
class RowSampler {
 public:
  RowSampler(const SampleRow& row, float* scratch)
      : row_(row), blocks_(row.logits, row.vocab_size), maxima_(scratch), distances_(maxima_ + blocks_.count()),
        list_(distances_ + row.vocab_size) {
    for (int i = 0; i < kLanes; ++i) lanes_[i] = uint32_t(i);
  }

  int64_t token() {
    if (!find_maxima(blocks_, maxima_, top_) || top_ == -kInf) return -1;
    first_ = 0;
    while (maxima_[first_] != top_) ++first_;
    if (row_.greedy || top_ == kInf) return first_token();
    find_limit();
    draw(first_);
    for (int64_t b = 0; b < blocks_.count(); ++b) {
      float d = top_ - maxima_[b], scaled = d * row_.inverse_temperature;
      if (d <= limit_ && scaled <= row_.max_scaled && kMaxNoise - scaled >= best_ && promising(b)) draw(b);
    }
    return best_token_;
  }

 private:
  int64_t first_token() const {
    for (int v = 0;; ++v) {
      F x = blocks_.get(first_, v);
      for (int j = 0; j < kLanes; ++j)
        if (x[j] == top_) return first_ * kLogitBlock + v * kLanes + j;
    }
  }

  // Distances up to `bound` of blocks that have one.
  int64_t collect(float bound) {
    int64_t n = 0;
    for (int64_t b = 0; b < blocks_.count(); ++b) {
      if (!(top_ - maxima_[b] <= bound)) continue;
      for (int v = 0; v < kBlockVectors; ++v) {
        F d = set1(top_) - blocks_.get(b, v);
        I inside = (I)(d <= set1(bound));
        if (!any(inside)) continue;
        for (int j = 0; j < kLanes; ++j)
          if (inside[j]) distances_[n++] = d[j];
      }
    }
    return n;
  }

  // Every finite distance: -inf is no token to choose.
  int64_t collect_all() {
    int64_t n = 0;
    for (int64_t b = 0; b < blocks_.count(); ++b) {
      bool whole = (b + 1) * kLogitBlock <= row_.vocab_size;
      for (int v = 0; v < kBlockVectors; ++v) {
        F d = set1(top_) - blocks_.get(b, v);
        if (whole) {
          store(distances_ + n, d);
          n += kLanes;
        } else {
          for (int j = 0; j < kLanes; ++j)
            if (d[j] < kInf) distances_[n++] = d[j];
        }
      }
    }
    return n;
  }

  // The largest distance that top-k and then top-p keep.
  void find_limit() {
    limit_ = __FLT_MAX__;
    bool by_mass = row_.top_p < 1.0f;
    if (!row_.top_k && !by_mass) return;
    float per_unit = row_.inverse_temperature * (kBins / kFarthest);
    per_unit = per_unit < __FLT_MAX__ ? per_unit : __FLT_MAX__;
    int64_t n;
    if (row_.top_k && row_.top_k <= blocks_.count()) {
      // k blocks have a token at least as likely as the k-th of their maxima.
      for (int64_t b = 0; b < blocks_.count(); ++b) distances_[b] = top_ - maxima_[b];
      CountWeight count{double(row_.top_k)};
      lower_limit(select_distance(distances_, blocks_.count(), count, per_unit, list_));
      n = collect(limit_);
    } else {
      n = collect_all();
    }
    if (row_.top_k && n > row_.top_k)
      lower_limit(select_distance(distances_, n, CountWeight{double(row_.top_k)}, per_unit, list_));
    if (by_mass) {
      MassWeight mass{row_.inverse_temperature, limit_, row_.top_p};
      lower_limit(select_distance(distances_, n, mass, per_unit, list_));
    }
  }

  void lower_limit(float d) { limit_ = d < limit_ ? d : limit_; }

  U tokens(int64_t block, int vector) const {
    return lanes_ + uint32_t(block * kLogitBlock + vector * kLanes);
  }

  F noise(int64_t block, int vector) const {
    U key0 = (U)set1i(int32_t(row_.key[0])), key1 = (U)set1i(int32_t(row_.key[1]));
    return uniform(tokens(block, vector), key0, key1);
  }

  // True if a token of the block may beat the best one so far.
  bool promising(int64_t block) const {
    F bound = set1(-kInf), scale = set1(-row_.inverse_temperature), top = set1(top_);
    for (int v = 0; v < kBlockVectors; ++v)
      bound = max(bound, fma(top - blocks_.get(block, v), scale, gumbel_bound(noise(block, v))));
    return any_greater(bound, set1(best_));
  }

  void draw(int64_t block) {
    for (int v = 0; v < kBlockVectors; ++v) {
      F d = set1(top_) - blocks_.get(block, v), scaled = d * set1(row_.inverse_temperature);
      I kept = (I)(d <= set1(limit_)) & (I)(scaled <= set1(row_.max_scaled));
      if (!any(kept)) continue;
      F value = gumbel(noise(block, v)) - scaled;
      for (int j = 0; j < kLanes; ++j) {
        int64_t token = block * kLogitBlock + v * kLanes + j;
        if (!kept[j] || !(value[j] > best_ || (value[j] == best_ && token < best_token_))) continue;
        best_ = value[j];
        best_token_ = token;
      }
    }
  }

  const SampleRow& row_;
  Blocks<Element> blocks_;
  float *maxima_, *distances_, *list_;
  U lanes_;
  float top_ = 0, limit_ = 0, best_ = -kInf;
  int64_t first_ = 0, best_token_ = -1;
};

[[maybe_unused]] size_t sample_scratch_bytes(int64_t vocab_size) {
  int64_t blocks = (vocab_size + kLogitBlock - 1) / kLogitBlock;
  return size_t(blocks + 2 * vocab_size) * sizeof(float);
}

[[maybe_unused]] int64_t sample_row(const SampleRow& row, char* scratch) {
  return with_float_type(row.type, [&](auto element) {
    return RowSampler<decltype(element)>(row, (float*)scratch).token();
  });
}

}  // namespace
}  // namespace torchpaged
