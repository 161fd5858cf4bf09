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
// Rows that are worth unpacking an adapter's outputs once for all of them, and up to how many ranks. Rows of some layers are
// a multiple of 4 KiB apart, so that ranks push each other out of the first-level cache.
constexpr int64_t kUnpackedFor = 4, kUnpackedRanks = 64;

// Numbers of an adapter, of inputs and of outputs, kWidth at once as one vector of float32.
template <class Element>
struct LoraFloats {
  using T = typename Element::T;
  using V = F;
  static constexpr int64_t kWidth = kLanes;
  static V get(const T* p) { return keep(Element::get(p)); }
  static V get_floats(const float* p) { return keep(load(p)); }
  static void put_floats(float* p, V x) { store(p, x); }
  static void put(T* p, V x) { Element::put(p, x); }
  static V zeros() { return set1(0); }
  static F dot(F sum, V a, V x) { return fma(a, x, sum); }
  static V add(V sum, F factor, V values) { return fma(factor, values, sum); }
  static V add(V a, V b) { return a + b; }
};

// bfloat16 as two vectors, of the numbers at even and at odd places: widening them in order takes a shuffle.
struct LoraHalves {
  using T = uint16_t;
  struct V {
    F even, odd;
  };
  static constexpr int64_t kWidth = 2 * kLanes;
  static constexpr int32_t kOdd = int32_t(0xffff0000);
  static V get(const T* p) {
    const I pairs = (I)keep(load((const float*)p));
    return {keep((F)(pairs << 16)), keep((F)(pairs & set1i(kOdd)))};
  }
  static V get_floats(const float* p) { return {keep(load(p)), keep(load(p + kLanes))}; }
  static void put_floats(float* p, V x) {
    store(p, x.even);
    store(p + kLanes, x.odd);
  }
  // A NaN stays one: its lower half is 0, as it comes from a bfloat16 or from the processor.
  static I rounded(F x) {
    const I bits = (I)x;
    return bits + 0x7fff + ((bits >> 16) & 1);
  }
  static void put(T* p, V x) {
    store((float*)p, (F)(((rounded(x.even) >> 16) & 0xffff) | (rounded(x.odd) & set1i(kOdd))));
  }
  static V zeros() { return {set1(0), set1(0)}; }
  static F dot(F sum, V a, V x) { return fma(a.odd, x.odd, fma(a.even, x.even, sum)); }
  static V add(V sum, F factor, V values) { return {fma(factor, values.even, sum.even), fma(factor, values.odd, sum.odd)}; }
  static V add(V a, V b) { return {a.even + b.even, a.odd + b.odd}; }
};

// The first n < kWidth numbers, zeros behind them; never reads past them.
template <class Numbers>
inline typename Numbers::V get_first(const typename Numbers::T* p, int64_t n) {
  typename Numbers::T padded[Numbers::kWidth] = {};
  memcpy(padded, p, size_t(n) * sizeof *p);
  return Numbers::get(padded);
}

template <class Numbers>
inline void put_first(typename Numbers::T* p, typename Numbers::V x, int64_t n) {
  typename Numbers::T padded[Numbers::kWidth];
  Numbers::put(padded, x);
  memcpy(p, padded, size_t(n) * sizeof *p);
}

// The sums of a tile become what expand() reads: floats, rounded to the type.
template <class Element>
struct RoundedTile {
  static void finish(const float* sums, float* inner) {
    float padded[kLanes] = {};
    memcpy(padded, sums, kLoraTile * sizeof(float));
    typename Element::T stored[kLanes];
    Element::put(stored, load(padded));
    store(padded, Element::get(stored));
    memcpy(inner, padded, kLoraTile * sizeof(float));
  }
};

// sums[r][c] = a[c] x[r], of R rows and C of an adapter.
template <class Numbers, int R, int C>
inline void shrink_rows(const typename Numbers::T* const* a, const typename Numbers::T* const* x, int64_t n,
                        float (*sums)[C]) {
  using T = typename Numbers::T;
  for (int64_t first = 0; first < n; first += kLoraInputs) {
    const int64_t last = least(n, first + kLoraInputs);
    F sum[R][C];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
      for (int c = 0; c < C; ++c) sum[r][c] = set1(0);
    auto add = [&](auto get) {
      typename Numbers::V row[R];
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) row[r] = get(x[r]);
#pragma GCC unroll 8
      for (int c = 0; c < C; ++c) {
        const typename Numbers::V weights = get(a[c]);
#pragma GCC unroll 4
        for (int r = 0; r < R; ++r) sum[r][c] = Numbers::dot(sum[r][c], weights, row[r]);
      }
    };
    int64_t d = first;
    for (; d + Numbers::kWidth <= last; d += Numbers::kWidth) add([&](const T* p) { return Numbers::get(p + d); });
    if (d < last) add([&](const T* p) { return get_first<Numbers>(p + d, last - d); });
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
      for (int c = 0; c < C; ++c) {
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

// kTiles tiles from `tile` on, of one part.
template <class Numbers, class Tile, int kTiles>
struct ShrinkTiles {
  using T = typename Numbers::T;
  static constexpr int C = kTiles * int(kLoraTile);
  const LoraParams& p;
  const LoraRows& b;
  const T* a[C];
  int64_t tile, valid;

  template <int R>
  void operator()(int64_t row) const {
    const T* x[R];
    for (int r = 0; r < R; ++r) x[r] = (const T*)(p.x + b.rows[row + r] * p.x_row_stride);
    float sums[R][C];
    shrink_rows<Numbers, R, C>(a, x, p.in_features, sums);
    for (int r = 0; r < R; ++r) {
      for (int64_t c = valid; c < C; ++c) sums[r][c] = 0;
      for (int t = 0; t < kTiles; ++t)
        Tile::finish(sums[r] + t * kLoraTile, b.inner + ((row + r) * b.tiles + tile + t) * kLoraTile);
    }
  }
};

template <class Numbers, class Tile, int kTiles>
inline ShrinkTiles<Numbers, Tile, kTiles> tiles_of(const LoraParams& p, const LoraRows& b, int64_t part, int64_t rank,
                                                   int64_t tile) {
  const int64_t valid = least(kTiles * kLoraTile, b.ranks[part] - rank);
  ShrinkTiles<Numbers, Tile, kTiles> rows{p, b, {}, tile, valid};
  const char* a = p.a + b.slot * p.a_slot_stride + (part * p.rank + rank) * p.a_row_stride;
  // The last row stands in for those that the rank has not; what it gives there is dropped.
  for (int64_t c = 0; c < rows.C; ++c)
    rows.a[c] = (const typename Numbers::T*)(a + least(c, valid - 1) * p.a_row_stride);
  return rows;
}

template <class Numbers, class Tile>
inline void shrink_with(const LoraParams& p, const LoraRows& b, int64_t first, int64_t last) {
  int64_t before = 0;
  for (int64_t part = 0; part < p.parts; before += lora_tiles(b.ranks[part++])) {
    const int64_t end = least(last, before + lora_tiles(b.ranks[part]));
    for (int64_t tiles; first < end; first += tiles) {
      // A row alone has few sums: those of two tiles hide the latency of the multiply-adds.
      tiles = b.count == 1 && end - first >= 2 ? 2 : 1;
      const int64_t rank = (first - before) * kLoraTile;
      if (tiles == 2)
        tiles_of<Numbers, Tile, 2>(p, b, part, rank, first).template operator()<1>(0);
      else
        each_rows(b.count, tiles_of<Numbers, Tile, 1>(p, b, part, rank, first));
    }
  }
}

// Rows of outputs from `out_offset` bytes on, which `weights` [rank] and the ranks of `inner` from `inner_offset` on belong
// to.
struct ExpandRows {
  const LoraParams& p;
  const LoraRows& b;
  const char* weights;
  int64_t rank, out_offset, inner_offset;

  char* out(int64_t row) const { return p.out + b.rows[row] * p.out_row_stride + out_offset; }
  const float* inner(int64_t row) const { return b.inner + row * b.tiles * kLoraTile + inner_offset; }
};

// N vectors of outputs, or the first `n` outputs of one. kUnpacked: `weights` are N vectors of float32 for each rank.
template <class Numbers, int N, bool kWhole, bool kUnpacked = false>
struct ExpandNumbers : ExpandRows {
  using T = typename Numbers::T;
  using V = typename Numbers::V;
  int64_t n;

  V get(const T* place) const { return kWhole ? Numbers::get(place) : get_first<Numbers>(place, n); }

  template <int R>
  void operator()(int64_t row) const {
    const float* in[R];
    V sum[R][N];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      in[r] = inner(row + r);
#pragma GCC unroll 8
      for (int v = 0; v < N; ++v) sum[r][v] = Numbers::zeros();
    }
    const char* place = weights;
    const int64_t step = kUnpacked ? N * Numbers::kWidth * int64_t(sizeof(float)) : p.b_row_stride;
    for (int64_t k = 0; k < rank; ++k, place += step) {
      F factor[R];
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) factor[r] = keep(set1(in[r][k]));
#pragma GCC unroll 8
      for (int v = 0; v < N; ++v) {
        const V values = kUnpacked ? Numbers::get_floats((const float*)place + v * Numbers::kWidth)
                                   : get((const T*)place + v * Numbers::kWidth);
#pragma GCC unroll 4
        for (int r = 0; r < R; ++r) sum[r][v] = Numbers::add(sum[r][v], factor[r], values);
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
      for (int v = 0; v < N; ++v) {
        T* target = (T*)out(row + r) + v * Numbers::kWidth;
        const V value = Numbers::add(get(target), sum[r][v]);
        if (kWhole)
          Numbers::put(target, value);
        else
          put_first<Numbers>(target, value, n);
      }
  }
};

// f(rows, n) for the runs of at most `step` outputs that make [first, last), each of one part.
template <class Function>
inline void each_columns(const LoraParams& p, const LoraRows& b, int64_t first, int64_t last, int64_t step,
                         const Function& f) {
  const int64_t bytes = kDTypeBytes[int(p.type)];
  const char* weights = p.b + b.slot * p.b_slot_stride;
  for (int64_t part = 0, column = first, inner = 0; column < last; inner += lora_tiles(b.ranks[part++]) * kLoraTile) {
    const int64_t end = least(last, p.ends[part]);
    if (b.ranks[part] == 0 && column < end) column = end;
    for (int64_t n; column < end; column += n) {
      n = least(step, end - column);
      f(ExpandRows{p, b, weights + column * bytes, b.ranks[part], column * bytes, inner}, n);
    }
  }
}

// N vectors of outputs of all rows.
template <class Numbers, int N>
__attribute__((noinline)) void expand_unpacked(const ExpandRows& packed) {
  ExpandNumbers<Numbers, N, true, true> rows{packed, 0};
  float unpacked[kUnpackedRanks * N * Numbers::kWidth], *place = unpacked;
  for (int64_t k = 0; k < packed.rank; ++k)
#pragma GCC unroll 4
    for (int v = 0; v < N; ++v, place += Numbers::kWidth)
      Numbers::put_floats(
          place, Numbers::get((const typename Numbers::T*)(packed.weights + k * packed.p.b_row_stride) + v * Numbers::kWidth));
  rows.weights = (const char*)unpacked;
  each_rows(packed.b.count, rows);
}

template <class Numbers>
inline void expand_with(const LoraParams& p, const LoraRows& b, int64_t first, int64_t last) {
  constexpr int64_t kWidth = Numbers::kWidth, kVectors = kLoraVectors * kLanes / kWidth;
  each_columns(p, b, first, last, 2 * kVectors * kWidth, [&](ExpandRows rows, int64_t n) {
    auto advance = [&](int64_t by) {
      n -= by;
      rows.weights += by * int64_t(sizeof(typename Numbers::T));
      rows.out_offset += by * int64_t(sizeof(typename Numbers::T));
    };
    if (b.count >= kUnpackedFor && rows.rank <= kUnpackedRanks)
      for (; n >= kVectors * kWidth; advance(kVectors * kWidth)) expand_unpacked<Numbers, int(kVectors)>(rows);
    if (b.count == 1 && n == 2 * kVectors * kWidth)
      return ExpandNumbers<Numbers, int(2 * kVectors), true>{rows, n}.template operator()<1>(0);
    for (; n >= kVectors * kWidth; advance(kVectors * kWidth))
      each_rows(b.count, ExpandNumbers<Numbers, int(kVectors), true>{rows, n});
    for (; n >= kWidth; advance(kWidth)) each_rows(b.count, ExpandNumbers<Numbers, 1, true>{rows, n});
    if (n) each_rows(b.count, ExpandNumbers<Numbers, 1, false>{rows, n});
  });
}

// f(numbers, element): how a type is computed in float32.
template <class Function>
inline void with_lora_numbers(DType type, const Function& f) {
  if (type == DType::BFloat16) return f(LoraHalves{}, BFloat16{});
  if (type == DType::Float16) return f(LoraFloats<Float16>{}, Float16{});
  f(LoraFloats<Float32>{}, Float32{});
}

struct FloatLora {
  static void shrink(const LoraParams& p, const LoraRows& b, int64_t first, int64_t last) {
    with_lora_numbers(p.type, [&](auto numbers, auto element) {
      shrink_with<decltype(numbers), RoundedTile<decltype(element)>>(p, b, first, last);
    });
  }
  static void expand(const LoraParams& p, const LoraRows& b, int64_t first, int64_t last) {
    with_lora_numbers(p.type, [&](auto numbers, auto) { expand_with<decltype(numbers)>(p, b, first, last); });
  }
};

}  // namespace
}  // namespace torchpaged
