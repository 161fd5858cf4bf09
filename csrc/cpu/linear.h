// Rows of activations times a packed weight, for any ISA.
//
// A weight [out_features, in_features] is packed into panels of kPanel outputs. A panel holds one word (a float32, a
// float16, two bfloat16 or four 8-bit weights of neighbouring inputs) of each of its outputs, then the next word of
// each: a product reads the weight as one sequential stream, which is what memory is fastest at. Weights of 8 bits are
// kept as w + 128: VNNI multiplies unsigned bytes by signed ones, and a sum starts at -128 times the sum of the
// activations. These have a scale for each 128 of a row, or for each group of a weight in groups: one large activation,
// as the gated ones have, would leave the others few bits.
//
// An output is a sum of parts, each of kPartWords words from the first input to the last, added up in their order,
// for any number of rows and threads: so a row's bits do not depend on the other rows. One sum of
// thousands of float32 products would lose two to seven times as much to rounding as a BLAS does. With an 8-bit weight
// the parts are 128 inputs, exact, and scaled before they are added.
//
// A Dot says how a row's inputs are multiplied with the same word of many outputs: FloatDot and IntegerDot here, those
// of AVX512_BF16 in dot_avx512.h. For each word of a weight it takes kRowWords words of a row.
#pragma once

#include "rows.h"

namespace torchpaged {
namespace {

// Words of a panel that all groups of rows are multiplied with before the next ones: 64 KiB, to stay in L2.
constexpr int64_t kBlockWords = 512;
// How far a single group's reading of the weight runs ahead, in bytes.
constexpr int64_t kAhead = 8192;
// A weight that a few rows are multiplied with is fetched into the first-level cache, as fast as it comes. More rows
// take about as long as memory does: what is on its way to the first level would keep them from their own words, so it
// goes to the second (bfloat16 from memory on two chiplets of Zen 4: 8 rows 36 and 46 GB/s, one row 49 and 42).
constexpr int kFetchedFirst = 4;
constexpr int fetch_level(int rows) { return rows > kFetchedFirst ? 2 : 3; }
// An 8-bit weight is kept as w + kWeightOffset.
constexpr int kWeightOffset = 128;
// Inputs of a quantised row that share a scale beside a weight without groups, and their words.
constexpr int64_t kGroupInputs = 128;
constexpr int64_t kGroupWords = kGroupInputs / 4;
// An int32 sum that starts at this number's bits is, read as a float, the number and the sum, exactly while that is
// below 2^22: no group of 128 inputs comes to more.
constexpr float kUnits = 0x1.8p23f;
constexpr int32_t kUnitsBits = 0x4b400000;
// Inputs whose largest magnitude is not above this are taken as zeros: 127 / magnitude has to be finite.
constexpr float kSmallestMagnitude = 0x1p-100f;

// A group of a quantised row's activations: scale * byte, what the sum of its products starts at, the sum of the bytes.
struct GroupScale {
  float scale;
  int32_t start;
  float sum;
};

// Vectors of outputs that R rows are multiplied with at once. A sum's products wait for each other: few rows take more.
template <int R>
constexpr int kVectorsOf = kLanes < 16 && R <= 2 ? 4 : 2;

// One input of a word, of the outputs from `output` on.
template <class Element>
struct SingleWeights {
  static constexpr int kInputs = 1;
  static constexpr int64_t kPartWords = 128;
  static constexpr int64_t kStep = kPanel * int64_t(sizeof(typename Element::T));
  static F get(const char* word, int, int output) { return Element::get((const typename Element::T*)word + output); }
};

struct PairsOfBFloat16 {
  static constexpr int kInputs = 2;
  static constexpr int64_t kPartWords = kBlockWords;  // what is rounded to 8 bits at its end asks for no more
  static constexpr int64_t kStep = kPanelStep;
  static F get(const char* word, int input, int output) {
    I pairs = (I)load((const float*)word + output);
    return (F)(input ? pairs & int32_t(0xffff0000) : pairs << 16);
  }
};

// In float32, with rows of float32.
template <class Weights>
struct FloatDot {
  using Sum = F;
  static constexpr bool kScaled = false;
  // kRows x 2 sums, two vectors of weights and an input: 31 of 32 registers, 13 or 15 of 16, where pairs have a mask and
  // the vector that it is taken from; without an FMA a product more.
  static constexpr int kRows = kLanes == 16 ? 14 : kLanes == 8 ? 7 - Weights::kInputs : 4;
  static constexpr int kRowWords = Weights::kInputs;
  static constexpr int64_t kPartWords = Weights::kPartWords;
  static constexpr int64_t kStep = Weights::kStep;

  template <int R, int V>
  static void add(F (&sums)[R][V], const char* word, int output, const uint32_t* rows) {
#pragma GCC unroll 2
    for (int i = 0; i < kRowWords; ++i) {
      F weights[V];
      for (int v = 0; v < V; ++v) weights[v] = keep(Weights::get(word, i, output + v * kLanes));
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) {
        F x = keep((F)set1i(int32_t(rows[i * R + r])));
        for (int v = 0; v < V; ++v) sums[r][v] = add_product(sums[r][v], x, weights[v]);
      }
    }
  }
};

using PairsDot = FloatDot<PairsOfBFloat16>;

// In pairs of 16 bits: a word of a weight is its even inputs and its odd ones, and a row has a word for each.
struct IntegerDot {
  using Sum = I;
  using OfNibbles = IntegerDot;  // for codes of 4 bits
  static constexpr bool kScaled = true;
  static constexpr bool kSingle = false;  // whether a word's product is one instruction
  static constexpr int64_t kExactWords = 0;  // whose sum fits 16 bits; 0: sums have 32
  static constexpr int kRows = kLanes == 4 ? 2 : 6;
  static constexpr int kRowWords = 2;
  static constexpr int64_t kPartWords = kGroupWords;
  static constexpr int64_t kStep = kPanelStep;

  // R rows of a tile that has kOfTile.
  template <int R, int kOfTile = R, int V>
  static void add(I (&sums)[R][V], const char* word, int output, const uint32_t* rows) {
    I words[V];
    for (int v = 0; v < V; ++v) words[v] = (I)load((const float*)word + output + v * kLanes);
    multiply<R, kOfTile>(sums, words, rows);
  }

  template <int R, int kOfTile, int V>
  static void multiply(I (&sums)[R][V], const I (&words)[V], const uint32_t* rows) {
#pragma GCC unroll 2
    for (int odd = 0; odd < kRowWords; ++odd) {
      F halves[V];
      for (int v = 0; v < V; ++v) halves[v] = keep((F)((words[v] >> 8 * odd) & 0x00ff00ff));
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) {
        const I row = (I)keep((F)set1i(int32_t(rows[odd * kOfTile + r])));
        for (int v = 0; v < V; ++v) sums[r][v] = add_halves(sums[r][v], (I)halves[v], row);
      }
    }
  }
};

// R rows times the `count` words of a part of a panel, on top of what `sums` [R][kPanel] holds unless these are the first words.
// Quantised rows have `scales` [groups of inputs][R].
// The only group fetches the lines of a step's weights that lie `ahead`; of several groups each fetches one line.
template <class Dot, int R, bool kOnly>
void multiply_words(int64_t count, const uint32_t* rows, const GroupScale* scales, const char* weight, float* sums,
                    bool first, const char* ahead) {
  constexpr int V = kVectorsOf<R>, kLevel = fetch_level(R);
  for (int column = 0; column < kPanel; column += V * kLanes) {
    // This has the product's own type, since GCC keeps vectors that are cast at each step in memory.
    typename Dot::Sum sum[R][V];
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r)
      for (int v = 0; v < V; ++v)
        if constexpr (Dot::kScaled)
          sum[r][v] = (typename Dot::Sum)set1i(scales[r].start);
        else
          sum[r][v] = (typename Dot::Sum)set1(0);
    for (int64_t k = 0; k < count; ++k) {
      if (kOnly) {
        for (int64_t line = 0; line < Dot::kStep; line += 64)
          __builtin_prefetch(ahead + k * Dot::kStep + line, 0, kLevel);
      } else {
        __builtin_prefetch(ahead + k * 64, 0, 2);
      }
      Dot::template add<R>(sum, weight + k * Dot::kStep, column, rows + k * R * Dot::kRowWords);
    }
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r)
      for (int v = 0; v < V; ++v) {
        float* target = sums + r * kPanel + column + v * kLanes;
        F before = first ? set1(0) : load(target);
        if constexpr (Dot::kScaled)
          store(target, fused(__builtin_convertvector((I)sum[r][v], F), set1(scales[r].scale), before));
        else
          store(target, before + (F)sum[r][v]);
      }
  }
}

template <class Dot, int R, bool kOnly>
void multiply_rows(int64_t count, const uint32_t* rows, const GroupScale* scales, const char* weight, float* sums,
                   bool first, const char* ahead) {
  constexpr int64_t kStep = kOnly ? Dot::kStep : 64;  // of what lies ahead
  for (int64_t k = 0; k < count; k += Dot::kPartWords, scales += R, first = false)
    multiply_words<Dot, R, kOnly>(least(Dot::kPartWords, count - k), rows + k * R * Dot::kRowWords, scales,
                                  weight + k * Dot::kStep, sums, first, ahead + k * kStep);
}

template <class Dot, bool kOnly, int R = Dot::kRows>
void multiply_group(int64_t rows, int64_t count, const uint32_t* words, const GroupScale* scales, const char* weight,
                    float* sums, bool first, const char* ahead) {
  if (rows == R) return multiply_rows<Dot, R, kOnly>(count, words, scales, weight, sums, first, ahead);
  if constexpr (R > 1) multiply_group<Dot, kOnly, R - 1>(rows, count, words, scales, weight, sums, first, ahead);
}

inline int64_t row_id(const LinearParams& p, int64_t row) { return p.row_ids ? p.row_ids[row] : row; }

// The sums of a panel become outputs: rescaled, with the bias, in the input's type.
struct PanelFinish {
  const LinearParams& p;
  int64_t first, count;  // outputs
  float bias[kPanel] = {}, scale[kPanel] = {};

  PanelFinish(const LinearParams& params, int64_t panel)
      : p(params), first(panel * kPanel), count(least(kPanel, params.out_features - panel * kPanel)) {
    if (p.bias)
      with_float_type(p.bias_type, [&](auto element) {
        using T = typename decltype(element)::T;
        for (int64_t i = 0; i < count; i += kLanes)
          store(bias + i, get_some<decltype(element)>((const T*)p.bias + first + i, least(kLanes, count - i)));
      });
    if (p.weight_scale)
      for (int64_t i = 0; i < count; ++i) scale[i] = p.weight_scale[first + i];
  }

  template <class Element>
  void row(int64_t index, const float* sums) const {
    auto* out = (typename Element::T*)p.out + row_id(p, index) * p.out_features + first;
    for (int64_t i = 0; i < count; i += kLanes) {
      F x = load(sums + i);
      if (p.weight_scale) x = x * load(scale + i);
      if (p.bias) x = x + load(bias + i);
      if (i + kLanes <= count)
        Element::put(out + i, x);
      else
        put_some<Element>(out + i, x, count - i);
    }
  }
};

// Inputs of a quantised row that share a scale. A block of words is a multiple.
inline int64_t group_inputs(const LinearParams& p) { return p.format.bits ? p.format.group_size : kGroupInputs; }
inline int64_t input_groups(const LinearParams& p) { return (p.in_features + group_inputs(p) - 1) / group_inputs(p); }

// The code of a quantised weight that is 0, where it is the same for all.
inline int32_t middle_code(const LinearParams& p) {
  if (!p.format.bits || table_of(p.format.origin)) return kWeightOffset;
  return p.format.origin == Origin::Middle ? 1 << (p.format.bits - 1) : 0;
}

// A block in memory: of quantised rows their scales, group by group of rows [groups of inputs][rows of the group]; then
// so their words, [words of a row][rows of the group].
inline int64_t block_header(const LinearParams& p, int64_t rows) {
  return p.weight_type == DType::Int8 ? round_up(rows * input_groups(p) * int64_t(sizeof(GroupScale)), 64) : 0;
}

// f(the Dot of a weight in groups).
template <class Integer, class Function>
inline auto with_integer(const LinearParams& p, Function f) {
  if (p.format.bits == 4 && !table_of(p.format.origin)) return f(typename Integer::OfNibbles{});
  return f(Integer{});
}

// f(the Dot of the type of a weight without groups).
template <class Pairs, class Integer, class Function>
inline auto with_dot(const LinearParams& p, Function f) {
  switch (p.weight_type) {
    case DType::Int8: return f(Integer{});
    case DType::BFloat16: return f(Pairs{});
    case DType::Float16: return f(FloatDot<SingleWeights<Float16>>{});
    default: return f(FloatDot<SingleWeights<Float32>>{});
  }
}

template <class Pairs, class Integer>
inline int64_t row_words(const LinearParams& p) {
  auto words = [&](auto dot) { return p.words * dot.kRowWords; };
  return p.format.bits ? with_integer<Integer>(p, words) : with_dot<Pairs, Integer>(p, words);
}

template <class Pairs, class Integer>
size_t linear_block_bytes(const LinearParams& p, int64_t rows) {
  return size_t(block_header(p, rows) + rows * row_words<Pairs, Integer>(p) * kWordBytes + 64);
}

// Bytes that linear_groups.h needs beside the sums of a panel.
constexpr int64_t kGroupedScratch = kBlockWords * kPanelStep + 2 * kBlockWords / 4 * kPanel * int64_t(sizeof(float)) + 64;

template <class Pairs, class Integer>
size_t linear_scratch_bytes(const LinearParams& p, int64_t rows) {
  // The sums of one panel, and of weights in groups a part of one; a group of rows that are converted or quantised.
  int64_t group = kLanes * round_up(row_words<Pairs, Integer>(p) * kWordBytes, 64);
  int64_t panel = rows * kPanel * int64_t(sizeof(float)) + (p.format.bits ? kGroupedScratch : 0);
  return size_t(most(panel, group) + 64);
}

template <class Dot>
void multiply_panels_with(const LinearParams& p, const RowBlock& b, const char* block, int64_t first, int64_t last,
                          char* scratch) {
  auto* words = (const uint32_t*)(block + block_header(p, b.count));
  auto* scales = (const GroupScale*)block;
  auto* sums = (float*)scratch;
  for (int64_t panel = first; panel < last; ++panel) {
    for (int64_t word = 0; word < p.words; word += kBlockWords) {
      int64_t count = least(kBlockWords, p.words - word);
      const char* weight = p.weight + (panel * p.words + word) * Dot::kStep;
      for (int g = 0; g < b.groups; ++g) {
        int64_t begin = b.begin_of(g), rows = b.begin_of(g + 1) - begin;
        const uint32_t* group = words + (begin * p.words + word * rows) * Dot::kRowWords;
        const GroupScale* scale = scales + begin * input_groups(p) + word / kGroupWords * rows;
        if (b.groups == 1)
          multiply_group<Dot, true>(rows, count, group, scale, weight, sums, word == 0, weight + kAhead);
        else  // the first two groups fetch a half each of what follows
          multiply_group<Dot, false>(rows, count, group, scale, weight, sums + begin * kPanel, word == 0,
                                     weight + count * (g % 2 ? Dot::kStep + 64 : Dot::kStep));
      }
    }
    PanelFinish finish(p, panel);
    with_float_type(p.input_type, [&](auto element) {
      for (int64_t r = 0; r < b.count; ++r)
        finish.row<decltype(element)>(b.first + r, sums + r * kPanel);
    });
  }
}

inline const char* input_row(const LinearParams& p, int64_t index) {
  int64_t row = row_id(p, index), offset = 0;
  for (int64_t d = p.input_dim - 2; d >= 0; --d) {
    offset += row % p.input_sizes[d] * p.input_strides[d];
    row /= p.input_sizes[d];
  }
  return p.input + offset * kDTypeBytes[int(p.input_type)];
}

// target[word][row] = source of the row [word], for rows <= kLanes.
inline void interleave(const char* const* sources, int64_t rows, int64_t words, uint32_t* target) {
  if (rows == 1) {
    memcpy(target, sources[0], size_t(words) * kWordBytes);
    return;
  }
  int64_t word = 0;
  // A vector of one word of every row runs past the rows; the next one puts that right, but for the last.
  for (; word + 2 * kLanes <= words; word += kLanes) {
    F x[kLanes];
    for (int64_t r = 0; r < kLanes; ++r) x[r] = load((const float*)sources[r < rows ? r : 0] + word);
    transpose(x);
    for (int i = 0; i < kLanes; ++i) store((float*)target + (word + i) * rows, x[i]);
  }
  for (; word < words; ++word)
    for (int64_t r = 0; r < rows; ++r) memcpy(target + word * rows + r, sources[r] + word * kWordBytes, kWordBytes);
}

// Inputs as bytes, symmetric around 0: round(x * inverse). Returns their sum.
template <class Element>
F quantise_vectors(const typename Element::T* inputs, int64_t n, F inverse, int8_t* target) {
  typedef int8_t Bytes __attribute__((vector_size(kLanes)));
  F sum = set1(0);
  for (int64_t d = 0; d < n; d += kLanes) {
    int64_t count = least(kLanes, n - d);
    F y = round_nearest((count == kLanes ? Element::get(inputs + d) : get_some<Element>(inputs + d, count)) * inverse);
    Bytes narrow = __builtin_convertvector(__builtin_convertvector(y, I), Bytes);
    sum = sum + y;  // exact
    if (count == kLanes)
      memcpy(target + d, &narrow, kLanes);
    else
      memcpy(target + d, &narrow, size_t(count));
  }
  return sum;
}

// A group's inputs: round(x * 127 / largest magnitude).
template <class Element>
GroupScale quantise_inputs(const typename Element::T* inputs, int64_t n, int8_t* target) {
  float top = absmax<Element>(inputs, n);
  if (!(top > kSmallestMagnitude && top < __builtin_inff())) {
    memset(target, 0, size_t(n));
    return {top <= kSmallestMagnitude ? 0.0f : __builtin_nanf(""), 0, 0};
  }
  return {top / 127.0f, 0, reduce_add(quantise_vectors<Element>(inputs, n, set1(127.0f / top), target))};
}

// Combines the numbers of each vector x[i] into one number, and returns these as one vector.
template <class Combine>
F fold(F (&x)[kLanes], Combine combine) {
  transpose(x);
#pragma GCC unroll 4
  for (int half = kLanes / 2; half; half /= 2)
    for (int i = 0; i < half; ++i) x[i] = combine(x[i], x[i + half]);
  return x[0];
}

// The same of several groups of `size`, at most kLanes: their scales and sums are found side by side.
template <class Element>
void quantise_groups(const typename Element::T* inputs, int64_t groups, int64_t size, int8_t* target,
                     GroupScale* scales) {
  F x[kLanes];
  for (int64_t i = 0; i < kLanes; ++i) {
    const auto* group = inputs + (i < groups ? i : 0) * size;
    I top = set1i(0);  // a NaN's bits are above all
    for (int64_t d = 0; d < size; d += kLanes) {
      I magnitude = (I)Element::get(group + d) & 0x7fffffff;
      top = magnitude > top ? magnitude : top;
    }
    x[i] = (F)top;
  }
  const F top = fold(x, [](F a, F b) { return (F)((I)a > (I)b ? (I)a : (I)b); });
  I good = (I)(top > set1(kSmallestMagnitude)) & (I)(top < set1(__builtin_inff()));
  if (any(~good)) {
    for (int64_t i = 0; i < groups; ++i)
      scales[i] = quantise_inputs<Element>(inputs + i * size, size, target + i * size);
    return;
  }
  float inverse[kLanes], scale[kLanes], sum[kLanes];
  store(inverse, set1(127.0f) / top);
  for (int64_t i = 0; i < kLanes; ++i)
    x[i] = i >= groups ? set1(0)
                       : quantise_vectors<Element>(inputs + i * size, size, set1(inverse[i]), target + i * size);
  store(scale, top / set1(127.0f));
  store(sum, fold(x, [](F a, F b) { return a + b; }));
  for (int64_t i = 0; i < groups; ++i) scales[i] = {scale[i], 0, sum[i]};
}

// target[r] = the row sources[r] in float32, zeros behind its inputs.
template <class Element>
void convert_inputs(const LinearParams& p, const char** sources, int64_t rows, int64_t words, char* scratch) {
  int64_t stride = round_up(words * kWordBytes, 64);
  for (int64_t r = 0; r < rows; ++r) {
    auto* source = (const typename Element::T*)sources[r];
    auto* target = (float*)(scratch + r * stride);
    for (int64_t d = 0; d < p.in_features; d += kLanes) {
      int64_t count = least(kLanes, p.in_features - d);
      if (count == kLanes)
        store(target + d, Element::get(source + d));
      else
        put_some<Float32>(target + d, get_some<Element>(source + d, count), count);
    }
    for (int64_t d = p.in_features; d < words; ++d) target[d] = 0;
    sources[r] = (const char*)target;
  }
}

// A row's bytes, `words` words of them that lie behind as many free ones, as pairs of 16 bits: of each word the even inputs
// and then the odd ones.
inline void widen_row(uint32_t* row, int64_t words) {
  typedef int16_t Halves __attribute__((vector_size(kLanes * kWordBytes)));
  I low, high;  // the order in which the lanes of two vectors alternate
  for (int i = 0; i < kLanes; ++i) {
    low[i] = i / 2 + i % 2 * kLanes;
    high[i] = low[i] + kLanes / 2;
  }
  int64_t word = 0;
  for (; word + kLanes <= words; word += kLanes) {
    const Halves bytes = (Halves)load((const float*)row + words + word);
    const I even = (I)((bytes << 8) >> 8), odd = (I)(bytes >> 8);
    store((float*)row + 2 * word, (F)__builtin_shuffle(even, odd, low));
    store((float*)row + 2 * word + kLanes, (F)__builtin_shuffle(even, odd, high));
  }
  auto halves = [](uint32_t a, uint32_t b) {
    return uint32_t(uint16_t(int8_t(a))) | uint32_t(uint16_t(int8_t(b))) << 16;
  };
  for (; word < words; ++word) {
    const uint32_t bytes = row[words + word];
    row[2 * word] = halves(bytes, bytes >> 16);
    row[2 * word + 1] = halves(bytes >> 8, bytes >> 24);
  }
}

// The rows sources[r] as bytes, or as pairs of 16 bits if a word of them is two; their scales [groups of inputs][rows].
inline void quantise_rows(const LinearParams& p, const char** sources, int64_t rows, int row_words,
                          GroupScale* scales, char* scratch) {
  const int64_t bytes = p.words * kWordBytes, stride = round_up(bytes * row_words, 64), size = group_inputs(p);
  const int32_t first = p.format.bits ? kUnitsBits : 0, middle = middle_code(p);
  for (int64_t r = 0; r < rows; ++r) {
    char* target = scratch + r * stride;
    auto* quantised = (int8_t*)target + bytes * (row_words - 1);
    memset(quantised + p.in_features, 0, size_t(bytes - p.in_features));
    with_float_type(p.input_type, [&](auto element) {
      using Element = decltype(element);
      auto* row = (const typename Element::T*)sources[r];
      GroupScale found[kLanes];
      for (int64_t d = 0, i = 0; d < p.in_features;) {
        int64_t groups = least(kLanes, (p.in_features - d) / size);
        if (groups) {
          quantise_groups<Element>(row + d, groups, size, quantised + d, found);
        } else {
          groups = 1;
          found[0] = quantise_inputs<Element>(row + d, p.in_features - d, quantised + d);
        }
        for (int64_t g = 0; g < groups; ++g, ++i, d += size)
          scales[i * rows + r] = {found[g].scale, first - middle * int32_t(found[g].sum), found[g].sum};
      }
    });
    if (row_words == 2) widen_row((uint32_t*)target, p.words);
    sources[r] = target;
  }
}

}  // namespace
}  // namespace torchpaged
