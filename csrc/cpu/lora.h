// Adapters of low rank, added to rows of outputs, for any ISA.
//
// A row's sums are taken in an order of their own: products with the inputs run through the lanes of a vector, which are
// added up after kLoraInputs; products with the ranks are added one rank after the other. So a row's bits do not depend on
// the rows beside it, which only share what is read of the adapter.
#pragma once

#include "vec_math.h"

namespace torchpaged {
namespace {

// Rows that share each load of an adapter: kLoraRows x 4 accumulators of 16 registers with AVX2, of 32 with others.
constexpr int kLoraRows = kRowBlock < 4 ? kRowBlock : 4;
// Inputs whose products are summed up in lanes. One sum of thousands in float32 loses more to rounding than a BLAS does.
constexpr int64_t kLoraInputs = 1024;
// Vectors of outputs that are computed together: a row alone needs some to hide the latency of the multiply-adds.
constexpr int kLoraVectors = 4;

// How inputs of a row and an adapter's row are multiplied: kInputs at once, as vectors of float32.
template <class Element>
struct LoraFloats {
  using T = typename Element::T;
  static constexpr int64_t kInputs = kLanes;
  static F get(const T* p) { return Element::get(p); }
  static F get_first(const T* p, int64_t n) { return get_some<Element>(p, n); }
  static F add(F sum, F a, F x) { return fma(a, x, sum); }
  // The sums of a tile become what expand() reads: floats, rounded to the type.
  static void finish(const float* sums, float* inner) {
    float padded[kLanes] = {};
    memcpy(padded, sums, kLoraTile * sizeof(float));
    T stored[kLanes];
    Element::put(stored, load(padded));
    store(padded, Element::get(stored));
    memcpy(inner, padded, kLoraTile * sizeof(float));
  }
};

// sums[r][c] = a[c] x[r], of R rows.
template <class Inputs, int R>
inline void shrink_tile(const typename Inputs::T* const* a, const typename Inputs::T* const* x, int64_t n,
                        float (*sums)[kLoraTile]) {
  for (int64_t first = 0; first < n; first += kLoraInputs) {
    const int64_t last = least(n, first + kLoraInputs);
    F sum[R][kLoraTile];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
      for (int c = 0; c < kLoraTile; ++c) sum[r][c] = set1(0);
    auto add = [&](auto get) {
      F row[R];
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) row[r] = keep(get(x[r]));
#pragma GCC unroll 4
      for (int c = 0; c < kLoraTile; ++c) {
        F weights = keep(get(a[c]));
#pragma GCC unroll 4
        for (int r = 0; r < R; ++r) sum[r][c] = Inputs::add(sum[r][c], weights, row[r]);
      }
    };
    int64_t d = first;
    for (; d + Inputs::kInputs <= last; d += Inputs::kInputs)
      add([&](const typename Inputs::T* p) { return Inputs::get(p + d); });
    if (d < last) add([&](const typename Inputs::T* p) { return Inputs::get_first(p + d, last - d); });
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
      for (int c = 0; c < kLoraTile; ++c) {
        const float part = reduce_add(sum[r][c]);
        sums[r][c] = first ? sums[r][c] + part : part;
      }
  }
}

// f(row, a constant) for rows [0, rows): as many at a time as the constant says.
template <int R = kLoraRows, class Function>
inline void each_rows(int64_t rows, const Function& f, int64_t row = 0) {
  for (; row + R <= rows; row += R) f.template operator()<R>(row);
  if constexpr (R > 1) each_rows<R / 2>(rows, f, row);
}

template <class Inputs>
struct ShrinkRows {
  using T = typename Inputs::T;
  const LoraParams& p;
  const LoraRows& b;
  const T* a[kLoraTile];
  int64_t tile, valid;

  template <int R>
  void operator()(int64_t row) const {
    const int64_t stride = p.parts * lora_tiles(p) * kLoraTile;
    const T* x[R];
    for (int r = 0; r < R; ++r) x[r] = (const T*)(p.x + b.rows[row + r] * p.x_row_stride);
    float sums[R][kLoraTile];
    shrink_tile<Inputs, R>(a, x, p.in_features, sums);
    for (int r = 0; r < R; ++r) {
      for (int64_t c = valid; c < kLoraTile; ++c) sums[r][c] = 0;
      Inputs::finish(sums[r], b.inner + (row + r) * stride + tile * kLoraTile);
    }
  }
};

template <class Inputs>
inline void shrink_with(const LoraParams& p, const LoraRows& b, int64_t first, int64_t last) {
  const int64_t tiles = lora_tiles(p);
  for (int64_t tile = first; tile < last; ++tile) {
    const int64_t rank = tile % tiles * kLoraTile, valid = least(kLoraTile, p.rank - rank);
    ShrinkRows<Inputs> rows{p, b, {}, tile, valid};
    const char* a = p.a + b.slot * p.a_slot_stride + (tile / tiles * p.rank + rank) * p.a_row_stride;
    // The last row stands in for those that the rank has not; what it gives there is dropped.
    for (int64_t c = 0; c < kLoraTile; ++c)
      rows.a[c] = (const typename Inputs::T*)(a + least(c, valid - 1) * p.a_row_stride);
    each_rows(b.count, rows);
  }
}

// Rows of outputs from `out_offset` bytes on, which `b` [rank] and the ranks of `inner` from `inner_offset` on belong to.
struct ExpandRows {
  const LoraParams& p;
  const LoraRows& b;
  const char* weights;
  int64_t out_offset, inner_offset;

  char* out(int64_t row) const { return p.out + b.rows[row] * p.out_row_stride + out_offset; }
  const float* inner(int64_t row) const {
    return b.inner + row * p.parts * lora_tiles(p) * kLoraTile + inner_offset;
  }
};

// N vectors of outputs, or the first `n` outputs of one.
template <class Element, int N, bool kWhole>
struct ExpandFloats : ExpandRows {
  using T = typename Element::T;
  int64_t n;

  F get(const T* place) const { return kWhole ? Element::get(place) : get_some<Element>(place, n); }

  template <int R>
  void operator()(int64_t row) const {
    const float* in[R];
    F sum[R][N];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      in[r] = inner(row + r);
#pragma GCC unroll 4
      for (int v = 0; v < N; ++v) sum[r][v] = set1(0);
    }
    const char* rank = weights;
    for (int64_t k = 0; k < p.rank; ++k, rank += p.b_row_stride) {
      if (kWhole) __builtin_prefetch(rank + 2 * N * sizeof(T) * kLanes);
      F factor[R];
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) factor[r] = keep(set1(in[r][k]));
#pragma GCC unroll 4
      for (int v = 0; v < N; ++v) {
        F values = keep(get((const T*)rank + v * kLanes));
#pragma GCC unroll 4
        for (int r = 0; r < R; ++r) sum[r][v] = fma(factor[r], values, sum[r][v]);
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < N; ++v) {
        T* target = (T*)out(row + r) + v * kLanes;
        F value = get(target) + sum[r][v];
        if (kWhole)
          Element::put(target, value);
        else
          put_some<Element>(target, value, n);
      }
  }
};

// f(rows, n) for the runs of at most `step` outputs that make [first, last), each of one part.
template <class Function>
inline void each_columns(const LoraParams& p, const LoraRows& b, int64_t first, int64_t last, int64_t step,
                         const Function& f) {
  const int64_t bytes = kDTypeBytes[int(p.type)];
  const char* weights = p.b + b.slot * p.b_slot_stride;
  for (int64_t part = 0, column = first; column < last; ++part) {
    const int64_t end = least(last, p.ends[part]), inner = part * lora_tiles(p) * kLoraTile;
    for (int64_t n; column < end; column += n) {
      n = least(step, end - column);
      f(ExpandRows{p, b, weights + column * bytes, column * bytes, inner}, n);
    }
  }
}

template <class Element>
inline void expand_with(const LoraParams& p, const LoraRows& b, int64_t first, int64_t last) {
  each_columns(p, b, first, last, kLoraVectors * kLanes, [&](ExpandRows rows, int64_t n) {
    if (n == kLoraVectors * kLanes) return each_rows(b.count, ExpandFloats<Element, kLoraVectors, true>{rows, n});
    for (; n > 0; n -= kLanes) {
      if (n >= kLanes)
        each_rows(b.count, ExpandFloats<Element, 1, true>{rows, n});
      else
        each_rows(b.count, ExpandFloats<Element, 1, false>{rows, n});
      rows.weights += kLanes * sizeof(typename Element::T);
      rows.out_offset += kLanes * int64_t(sizeof(typename Element::T));
    }
  });
}

// In float32, whatever the type.
struct FloatLora {
  static void shrink(const LoraParams& p, const LoraRows& b, int64_t first, int64_t last) {
    with_float_type(p.type, [&](auto element) { shrink_with<LoraFloats<decltype(element)>>(p, b, first, last); });
  }
  static void expand(const LoraParams& p, const LoraRows& b, int64_t first, int64_t last) {
    with_float_type(p.type, [&](auto element) { expand_with<decltype(element)>(p, b, first, last); });
  }
};

}  // namespace
}  // namespace torchpaged
