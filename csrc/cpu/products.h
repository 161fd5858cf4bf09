// Products of float32 rows, for any ISA: what a recurrent layer is made of.
#pragma once

#include "vec_math.h"

namespace torchpaged {
namespace {

// out[r] = init[r] * init_scale[r] + sum over k of weights[r][k] * values[k], added in the order of k. `init` may be `out`,
// or nullptr for zeros; `init_scale` nullptr for ones. Columns are whole vectors. A row's bits do not depend on the other
// rows. A sum may be split over several calls, each with `init` = the last call's `out`, and has the same bits.
struct Product {
  const float* weights;
  int64_t weight_stride;
  const float* values;
  int64_t value_stride, steps;
  float* out;
  int64_t out_stride;
  const float* init;
  int64_t init_stride;
  const float* init_scale;
  int64_t ahead;  // bytes from the values to what is worth reading next; 0: nothing
};

// Asks for a line: into the second cache, which can wait for more of them at once than the first.
inline void read_soon(const void* place) { __builtin_prefetch(place, 0, 2); }

template <int R, int N>
inline void product_tile(const Product& p, int64_t row, int64_t column) {
  F sum[R][N];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) {
      if (!p.init) {
        sum[r][n] = set1(0);
        continue;
      }
      F start = load(p.init + (row + r) * p.init_stride + column + n * kLanes);
      sum[r][n] = p.init_scale ? start * set1(p.init_scale[row + r]) : start;
    }
  const float *weights = p.weights + row * p.weight_stride, *values = p.values + column;
  for (int64_t k = 0; k < p.steps; ++k, values += p.value_stride) {
    F value[N];
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) {
      value[n] = keep(load(values + n * kLanes));
      if (R <= 2 && p.ahead) read_soon((const char*)(values + n * kLanes) + p.ahead);
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      F weight = set1(weights[r * p.weight_stride + k]);
#pragma GCC unroll 8
      for (int n = 0; n < N; ++n) sum[r][n] = fma(weight, value[n], sum[r][n]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) store(p.out + (row + r) * p.out_stride + column + n * kLanes, sum[r][n]);
}

// The rows [row, rows) of N vectors of columns, R rows at a time, then two, then one.
template <int R, int N>
inline int64_t product_rows(const Product& p, int64_t row, int64_t rows, int64_t column) {
  for (; row + R <= rows; row += R) product_tile<R, N>(p, row, column);
  return row;
}

template <int R, int N>
inline void product_columns(const Product& p, int64_t row, int64_t rows, int64_t column, int64_t columns) {
  for (; column + N * kLanes <= columns; column += N * kLanes) product_rows<R, N>(p, row, rows, column);
  if constexpr (N > 1) product_columns<R, N / 2>(p, row, rows, column, columns);
}

// Few rows need many columns to hide the latency of the multiply-adds, as far as the registers go.
template <int R>
constexpr int kProductVectors = kLanes == 16 ? (R <= 2 ? 8 : 4) : (R == 1 ? 8 : 4);

inline void multiply(const Product& p, int64_t rows, int64_t columns) {
  constexpr int R = kRowBlock;
  int64_t many = rows / R * R, two = many + (rows - many) / 2 * 2;
  if (many) product_columns<R, kProductVectors<R>>(p, 0, many, 0, columns);
  if (R > 2 && two > many) product_columns<2, kProductVectors<2>>(p, many, two, 0, columns);
  if (rows > two) product_columns<1, kProductVectors<1>>(p, two, rows, 0, columns);
}

// n elements as floats, zeros behind them up to `padded`.
inline void load_floats(const char* source, DType type, float* target, int64_t n, int64_t padded) {
  with_float_type(type, [&](auto element) {
    using Element = decltype(element);
    auto* row = (const typename Element::T*)source;
    int64_t d = 0;
    for (; d + kLanes <= n; d += kLanes) store(target + d, Element::get(row + d));
    for (; d < padded; d += kLanes) store(target + d, d < n ? get_some<Element>(row + d, n - d) : set1(0));
  });
}

inline float load_float(const char* source, DType type) {
  return with_float_type(type, [&](auto element) {
    using Element = decltype(element);
    return get_some<Element>((const typename Element::T*)source, 1)[0];
  });
}

inline void store_floats(const float* source, char* target, DType type, int64_t n) {
  with_float_type(type, [&](auto element) {
    using Element = decltype(element);
    auto* row = (typename Element::T*)target;
    int64_t d = 0;
    for (; d + kLanes <= n; d += kLanes) Element::put(row + d, load(source + d));
    if (d < n) put_some<Element>(row + d, load(source + d), n - d);
  });
}

// rows[j][d] becomes target[d][j] for j below `count` and d below n; target's rows lie `stride` apart, and there are whole
// vectors of them. What comes after `count` is zeros up to a whole vector. Reads the next rows ahead, and of the first
// `ahead` rows what lies behind them.
inline void transpose_rows(const float* const* rows, int64_t count, int64_t n, float* target, int64_t stride,
                           int64_t ahead) {
  for (int64_t j = 0; j < count; j += kLanes)
    for (int64_t d = 0; d < n; d += kLanes) {
      F x[kLanes];
      for (int i = 0; i < kLanes; ++i) {
        bool there = j + i < count;
        x[i] = !there ? set1(0) : d + kLanes <= n ? load(rows[j + i] + d) : get_some<Float32>(rows[j + i] + d, n - d);
        if (j + i < ahead) read_soon(rows[j + i] + n + d);
      }
      transpose(x);
      for (int i = 0; i < kLanes; ++i) store(target + (d + i) * stride + j, x[i]);
    }
}

}  // namespace
}  // namespace torchpaged
