// Products with weights of 4 or 8 bits whose scales belong to groups of neighbouring inputs, for any ISA.
//
// The parts of a panel lie behind each other (GroupedLayout), its scales before its codes: it is read as one stream. A
// word of codes has four inputs of an output in its bytes, or eight in its nibbles, the first four in the low ones: half
// of it is a word of bytes, as the Dots of linear.h take it. Few rows multiply what is unpacked in registers; for more
// the bytes are written down once.
//
// Each 128 inputs of a row are quantised by themselves (linear.h). Over a group of a weight the products of codes and
// activations are added up exactly; the sums of the groups in 128 inputs, each times its scale, one after the other, and
// these, times the scale of the activations, again: linear_reference.py has each rounding.
#pragma once

#include "linear.h"

namespace torchpaged {
namespace {

constexpr int64_t kMostGroups = kBlockWords / 4;  // of a block of words
// Words of a part whose codes, as bytes, stay in L1: 16 KiB.
constexpr int64_t kShortWords = 128;
// Groups of up to so many inputs end so often that a product of many rows is made of tiles of few.
constexpr int64_t kShortGroup = 32;
// Rows of such a tile: their sums of a group and of 128 inputs are in registers.
template <class Dot>
constexpr int kFewRows = Dot::kRows < 6 ? Dot::kRows : 6;

// A word of codes is a word of the rows.
template <class Integer>
struct ByteDot : Integer {
  static constexpr int kWords = 1;
};

// A word of codes is two of the rows. Of 14 rows the sums would leave no registers.
template <class Integer>
struct NibbleDot : Integer {
  static constexpr int kRows = Integer::kRows < 12 ? Integer::kRows : 12;
  static constexpr int kWords = 2;

  template <int R>
  static void add(typename Integer::Sum (&sums)[R][Integer::kVectors], const char* word, int output,
                  const uint32_t* rows) {
    I low[Integer::kVectors], high[Integer::kVectors];
    for (int v = 0; v < Integer::kVectors; ++v) {
      I words = (I)keep(load((const float*)word + output + v * kLanes));
      low[v] = words & 0x0f0f0f0f;
      high[v] = (words >> 4) & 0x0f0f0f0f;
    }
    Integer::multiply(sums, low, rows);
    Integer::multiply(sums, high, rows + R);
  }
};

// Some of a panel's groups.
struct GroupedPart {
  const char* codes;
  const float *scales, *offsets;  // [groups][kPanel]; offsets may be nullptr
  int64_t words, group_words;     // of the rows
};

// R rows times a part of a panel, on top of what `sums` [R][kPanel] holds. Inlined its sums would be in memory: GCC 12
// takes twice as long then.
template <class Dot, int R, bool kOnly>
__attribute__((noinline)) void multiply_part(const GroupedPart& part, const uint32_t* rows, const GroupScale* inputs,
                                             const GroupSum* group, float* sums, const char* ahead) {
  constexpr int V = Dot::kVectors, kStep = kOnly ? kPanelStep : 64 * Dot::kWords;  // of what lies ahead
  const GroupSum* const first_group = group;
  for (int column = 0; column < kPanel; column += V * kLanes) {
    alignas(64) float partial[R][V * kLanes];  // of 128 inputs
    const GroupScale* input = inputs;
    const float *scale = part.scales + column, *offset = part.offsets + (part.offsets ? column : 0);
    group = first_group;
    for (int64_t word = 0; word < part.words; input += R) {
      const int64_t begin = word, end = least(word + kGroupWords, part.words);
      while (word < end) {
        const int64_t start = word, last = least(word + part.group_words, end);
        typename Dot::Sum sum[R][V];
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r)
          for (int v = 0; v < V; ++v) sum[r][v] = (typename Dot::Sum)set1i(group[r].start);
        for (; word < last; word += Dot::kWords) {
          const int64_t index = word / Dot::kWords;
          for (int64_t line = index * kStep; line < (index + 1) * kStep; line += 64)
            __builtin_prefetch(ahead + line, 0, kOnly ? 3 : 2);
          Dot::template add<R>(sum, part.codes + index * kPanelStep, column, rows + word * R);
        }
        F y[R][V];
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r)
          for (int v = 0; v < V; ++v) y[r][v] = __builtin_convertvector((I)sum[r][v], F);
        F scales[V];
        for (int v = 0; v < V; ++v) scales[v] = keep(load(scale + v * kLanes));
        if (start == begin) {
#pragma GCC unroll 16
          for (int r = 0; r < R; ++r)
            for (int v = 0; v < V; ++v) y[r][v] = y[r][v] * scales[v];
        } else {
#pragma GCC unroll 16
          for (int r = 0; r < R; ++r)
            for (int v = 0; v < V; ++v) y[r][v] = fused(y[r][v], scales[v], load(partial[r] + v * kLanes));
        }
        scale += kPanel;
        if (offset) {
          for (int v = 0; v < V; ++v) scales[v] = keep(load(offset + v * kLanes));
#pragma GCC unroll 16
          for (int r = 0; r < R; ++r)
            for (int v = 0; v < V; ++v) y[r][v] = fused(set1(group[r].sum), scales[v], y[r][v]);
          offset += kPanel;
        }
        group += R;
        if (word < end) {
#pragma GCC unroll 16
          for (int r = 0; r < R; ++r)
            for (int v = 0; v < V; ++v) store(partial[r] + v * kLanes, y[r][v]);
        } else {
#pragma GCC unroll 16
          for (int r = 0; r < R; ++r)
            for (int v = 0; v < V; ++v) {
              float* target = sums + r * kPanel + column + v * kLanes;
              store(target, fused(y[r][v], set1(input[r].scale), load(target)));
            }
        }
      }
    }
  }
}

// The same address, of which a compiler does not know: what is loaded from it is not copied from another register.
template <class T>
inline T* hidden(T* address) {
  asm volatile("" : "+r"(address));
  return address;
}

// The same of few enough rows that the sums of 128 inputs stay in registers too: faster where groups are short and the
// codes come from L1. GCC copies registers unless each loop runs at least once and each sum is loaded by itself.
template <class Dot, int R>
__attribute__((noinline)) void multiply_short_groups(const GroupedPart& part, const uint32_t* rows,
                                                     const GroupScale* inputs, const GroupSum* groups, float* sums,
                                                     const char* ahead) {
  constexpr int V = Dot::kVectors, kStep = 64 * Dot::kWords;  // of what lies ahead
  for (int column = 0; column < kPanel; column += V * kLanes) {
    const char *codes = part.codes, *fetched = ahead;
    const uint32_t* row = rows;
    const GroupScale* input = inputs;
    const GroupSum* group = groups;
    const float *scale = part.scales + column, *offset = part.offsets + (part.offsets ? column : 0);
    int64_t left = part.words;
    do {
      F total[R][V];  // of 128 inputs
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r)
        for (int v = 0; v < V; ++v) total[r][v] = set1(0);
      const int64_t behind = left > kGroupWords ? left - kGroupWords : 0;
      do {
        typename Dot::Sum sum[R][V];
#pragma GCC unroll 2
        for (int v = 0; v < V; ++v) {
          const GroupSum* starts = hidden(group);
#pragma GCC unroll 16
          for (int r = 0; r < R; ++r) sum[r][v] = (typename Dot::Sum)set1i(starts[r].start);
        }
        const int64_t next = most(left - part.group_words, behind);
        do {
          for (int64_t line = 0; line < kStep; line += 64) __builtin_prefetch(fetched + line, 0, 2);
          Dot::template add<R>(sum, codes, column, row);
          codes += kPanelStep;
          fetched += kStep;
          row += R * Dot::kWords;
        } while ((left -= Dot::kWords) > next);
        F scales[V];
#pragma GCC unroll 2
        for (int v = 0; v < V; ++v) {
          scales[v] = keep(load(scale + v * kLanes));
#pragma GCC unroll 16
          for (int r = 0; r < R; ++r)
            total[r][v] = fused(__builtin_convertvector((I)sum[r][v], F), scales[v], total[r][v]);
        }
        scale += kPanel;
        if (offset) {
#pragma GCC unroll 2
          for (int v = 0; v < V; ++v) {
            scales[v] = keep(load(offset + v * kLanes));
#pragma GCC unroll 16
            for (int r = 0; r < R; ++r) total[r][v] = fused(set1(group[r].sum), scales[v], total[r][v]);
          }
          offset += kPanel;
        }
        group += R;
      } while (left > behind);
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r)
        for (int v = 0; v < V; ++v) {
          float* target = sums + r * kPanel + column + v * kLanes;
          store(target, fused(total[r][v], set1(input[r].scale), load(target)));
        }
      input += R;
    } while (left > 0);
  }
}

template <class Dot, bool kOnly, int R = Dot::kRows>
void multiply_part_of(int64_t count, const GroupedPart& part, const uint32_t* rows, const GroupScale* inputs,
                      const GroupSum* groups, float* sums, const char* ahead) {
  if (count == R) return multiply_part<Dot, R, kOnly>(part, rows, inputs, groups, sums, ahead);
  if constexpr (R > 1) multiply_part_of<Dot, kOnly, R - 1>(count, part, rows, inputs, groups, sums, ahead);
}

template <class Dot, int R = kFewRows<Dot>>
void multiply_short_groups_of(int64_t count, const GroupedPart& part, const uint32_t* rows, const GroupScale* inputs,
                              const GroupSum* groups, float* sums, const char* ahead) {
  if (count == R) return multiply_short_groups<Dot, R>(part, rows, inputs, groups, sums, ahead);
  if constexpr (R > 1) multiply_short_groups_of<Dot, R - 1>(count, part, rows, inputs, groups, sums, ahead);
}

// Of the groups [first, first + count) of a panel: what a code is multiplied with, and what is added to that if there is
// something, both [count][kPanel].
inline void expand_scales(const GroupedFormat& f, const GroupedLayout& at, const char* panel, int64_t first,
                          int64_t count, float* scales, float* offsets) {
  const int64_t together = f.shared ? f.shared / f.group_size : 1;
  with_float_type(f.scale_type, [&](auto element) {
    using Element = decltype(element);
    using T = typename Element::T;
    auto stepped = [&](int64_t values, int64_t steps, int64_t group, int i) {
      F value = Element::get((const T*)(panel + values) + group / together * kPanel + i);
      return f.shared ? value * load_i8((const int8_t*)(panel + steps) + group * kPanel + i) : value;
    };
    for (int64_t group = first; group < first + count; ++group, scales += kPanel)
      for (int i = 0; i < kPanel; i += kLanes) {
        F scale = stepped(at.scale, at.scale_steps, group, i);
        store(scales + i, scale);
        if (f.origin == Origin::Zeros) {
          I zero = load_u8((const uint8_t*)(panel + at.origin) + group * kPanel + i);
          store(offsets + (group - first) * kPanel + i, -(scale * __builtin_convertvector(zero, F)));
        } else if (f.origin == Origin::Offsets) {
          store(offsets + (group - first) * kPanel + i, stepped(at.origin, at.origin_steps, group, i));
        }
      }
  });
}

// Nibbles as bytes.
inline void expand_codes(const char* codes, int64_t words, char* bytes) {
  for (int64_t word = 0; word < words; ++word, codes += kPanelStep, bytes += 2 * kPanelStep)
    for (int i = 0; i < kPanel; i += kLanes) {
      I x = (I)load((const float*)codes + i);
      store((float*)bytes + i, (F)(x & 0x0f0f0f0f));
      store((float*)(bytes + kPanelStep) + i, (F)((x >> 4) & 0x0f0f0f0f));
    }
}

// The sums of each group's activations, [groups][rows].
inline void sum_groups(const LinearParams& p, const char* const* sources, int64_t rows, GroupSum* sums) {
  const int64_t bytes = p.words * kWordBytes;
  const int32_t middle = p.format.origin == Origin::Middle ? 1 << (p.format.bits - 1) : 0;
  for (int64_t r = 0; r < rows; ++r) {
    auto* row = (const int8_t*)sources[r];
    GroupSum* target = sums + r;
    for (int64_t begin = 0; begin < bytes; begin += p.format.group_size, target += rows) {
      int64_t end = least(begin + p.format.group_size, bytes);
      int32_t sum = 0;
      for (int64_t i = begin; i < end; ++i) sum += row[i];
      *target = {-middle * sum, float(sum)};
    }
  }
}

template <class Integer>
inline int grouped_tile_rows(const LinearParams& p) {
  const bool many = p.num_rows > NibbleDot<Integer>::kRows;
  return many && p.format.group_size <= kShortGroup ? kFewRows<Integer> : int(Integer::kRows);
}

template <class Integer>
void multiply_grouped_panels(const LinearParams& p, const RowBlock& b, const char* block, int64_t first, int64_t last,
                             char* scratch) {
  using Bytes = ByteDot<Integer>;
  using Nibbles = NibbleDot<Integer>;
  const GroupedLayout at(p.format, p.in_features);
  const int64_t group_words = p.format.group_size / 4;
  auto* words = (const uint32_t*)(block + block_header(p, b.count));
  auto* inputs = (const GroupScale*)block;
  auto* group_sums = (const GroupSum*)(block + scales_bytes(p, b.count));
  auto* sums = (float*)scratch;
  float *scales = sums + b.count * kPanel, *offsets = scales + kMostGroups * kPanel;
  char* bytes = (char*)(offsets + kMostGroups * kPanel);
  const bool nibbles = p.format.bits == 4, unpacked = nibbles && (b.groups > 1 || b.count > Nibbles::kRows);
  const bool few = b.groups > 1 && grouped_tile_rows<Integer>(p) == kFewRows<Integer>;
  const int64_t most_words = few ? kShortWords : kBlockWords;
  for (int64_t panel = first; panel < last; ++panel) {
    const char* source = p.weight + panel * at.bytes;
    memset(sums, 0, size_t(b.count * kPanel) * sizeof(float));
    for (int64_t word = 0; word < p.words; word += most_words) {
      const int64_t count = least(most_words, p.words - word), group = word / group_words;
      const char* codes = source + at.codes + (nibbles ? word / 2 : word) * kPanelStep;
      const char* behind = codes + (nibbles ? count / 2 : count) * kPanelStep;
      expand_scales(p.format, at, source, group, (count + group_words - 1) / group_words, scales, offsets);
      if (unpacked) expand_codes(codes, count / 2, bytes);
      GroupedPart part{unpacked ? bytes : codes, scales, p.format.origin == Origin::Middle ? nullptr : offsets, count,
                       group_words};
      for (int g = 0; g < b.groups; ++g) {
        const int64_t begin = b.begin_of(g), rows = b.begin_of(g + 1) - begin;
        const uint32_t* of_rows = words + begin * p.words + word * rows;
        const GroupScale* input = inputs + begin * input_groups(p) + word / kGroupWords * rows;
        const GroupSum* of_group = group_sums + begin * at.groups + group * rows;
        float* target = sums + begin * kPanel;
        if (nibbles && !unpacked)
          multiply_part_of<Nibbles, true>(rows, part, of_rows, input, of_group, target, codes + kAhead);
        else if (b.groups == 1 && !nibbles)
          multiply_part_of<Bytes, true>(rows, part, of_rows, input, of_group, target, codes + kAhead);
        else if (few)  // the first two groups fetch a half each of what follows
          multiply_short_groups_of<Bytes>(rows, part, of_rows, input, of_group, target, behind + g % 2 * count * 64);
        else
          multiply_part_of<Bytes, false>(rows, part, of_rows, input, of_group, target, behind + g % 2 * count * 64);
      }
    }
    PanelFinish finish(p, panel);
    with_float_type(p.input_type, [&](auto element) {
      for (int64_t r = 0; r < b.count; ++r) finish.row<decltype(element)>(b.first + r, sums + r * kPanel);
    });
  }
}

}  // namespace
}  // namespace torchpaged
