// Products with weights of 4 or 8 bits whose scales belong to groups of neighbouring inputs, for any ISA.
//
// The parts of a panel lie behind each other (GroupedLayout), its scales before its codes: it is read as one stream. A
// word of codes has four inputs of an output in its bytes, or eight in its nibbles, the first four in the low ones: half
// of it is a word of bytes, as the Dots of linear.h take it. Few rows multiply what is unpacked in registers; for more
// the bytes are written down once.
//
// The inputs of each of the weight's groups are quantised by themselves (linear.h). Over a group the products of codes
// and activations are added up exactly; the sum, times the scale of the weight and then of the activations, is added to
// the output: linear_reference.py has each rounding. A sum is never converted: it starts at the bits of kUnits, and as
// kUnits * scale is exact for a scale of 22 bits, one fused product of scale and sum takes kUnits away again and has the
// rounding of sum * scale alone. Longer scales lose their last bits.
#pragma once

#include "linear.h"

namespace torchpaged {
namespace {

constexpr int64_t kMostGroups = kBlockWords / 4;  // of a block of words
// Words of a part whose codes, as bytes, stay in L1 while several tiles of rows read them: 16 KiB.
constexpr int64_t kShortWords = 128;
// Groups of up to so many inputs end so often that sums in memory would cost more than to unpack the codes twice: then
// no tile has more than 8 rows.
constexpr int64_t kShortGroup = 32;
// Rows that make one tile: the sums of 14 would leave no registers to unpack in.
template <class Dot>
constexpr int kMostRows = Dot::kRows < 12 ? Dot::kRows : 12;
// Rows of each tile of more: with AVX-512 their sums of a group and the totals are in registers, 28 of the 32.
template <class Dot>
constexpr int kFewRows = Dot::kRows < 7 ? Dot::kRows : 7;
// Rows whose totals are in registers beside the sums of a group.
template <class Dot>
constexpr int kHeldRows = kLanes == 16 ? kFewRows<Dot> : 2;

// Some of a panel's groups.
struct GroupedPart {
  const char* codes;
  const float *scales, *offsets;  // [groups][kPanel]; offsets may be nullptr
  int64_t words, group_words;     // of the rows
  const uint8_t* table;           // of codes in nibbles, or nullptr
};

// 16 bytes, again and again.
inline I repeated(const uint8_t* table) {
  uint8_t bytes[kLanes * kWordBytes];
  for (int i = 0; i < kLanes * kWordBytes; i += 16) memcpy(bytes + i, table, 16);
  return (I)load((const float*)bytes);
}

// The same address, of which a compiler does not know: what is loaded from it is not copied from another register.
template <class T>
inline T* hidden(T* address) {
  asm volatile("" : "+r"(address));
  return address;
}

// A word of codes is a word of the rows. add() takes R rows of a tile that has kOfTile.
template <class Integer>
struct ByteDot : Integer {
  static constexpr int kWords = 1;
  explicit ByteDot(const GroupedPart&) {}

  template <int R, int kOfTile, int V>
  static void add(typename Integer::Sum (&sums)[R][V], const char* word, int output, const uint32_t* rows) {
    Integer::template add<R, kOfTile>(sums, word, output, rows);
  }
};

// A word of codes is two of the rows.
template <class Integer>
struct NibbleDot : Integer {
  static constexpr int kWords = 2;
  explicit NibbleDot(const GroupedPart&) {}

  template <int R, int kOfTile, int V>
  static void add(typename Integer::Sum (&sums)[R][V], const char* word, int output, const uint32_t* rows) {
#pragma GCC unroll 2
    for (int high = 0; high < kWords; ++high) {
      if (kLanes == 8) word = hidden(word);  // with few registers the codes are loaded twice
      I codes[V];
      for (int v = 0; v < V; ++v)
        codes[v] = ((I)keep(load((const float*)word + output + v * kLanes)) >> 4 * high) & 0x0f0f0f0f;
      Integer::template multiply<R, kOfTile>(sums, codes, rows + high * kOfTile * Integer::kRowWords);
    }
  }
};

// The same, of codes that stand for what a table has.
template <class Integer>
struct TableDot : Integer {
  static constexpr int kWords = 2;
  const I table;
  explicit TableDot(const GroupedPart& part) : table(repeated(part.table)) {}

  template <int R, int kOfTile, int V>
  void add(typename Integer::Sum (&sums)[R][V], const char* word, int output, const uint32_t* rows) const {
    I low[V], high[V];
    for (int v = 0; v < V; ++v) {
      I words = (I)keep(load((const float*)word + output + v * kLanes));
      low[v] = look_up(table, words & 0x0f0f0f0f);
      high[v] = look_up(table, (words >> 4) & 0x0f0f0f0f);
    }
    Integer::template multiply<R, kOfTile>(sums, low, rows);
    Integer::template multiply<R, kOfTile>(sums, high, rows + kOfTile * Integer::kRowWords);
  }
};

// R rows times a part of a panel, on top of what `sums` [R][kPanel] holds; of few rows that stays in registers. Of
// more, R / kTurns at a time take a group, which leaves registers for the others' sums. Inlined the sums of a group
// would be in memory: GCC 12 takes twice as long then. It copies registers unless the inner loop runs at least once and
// each sum is loaded by itself, and computes an address anew behind a loop unless it is hidden.
template <class Dot, int R, bool kOnly, int kTurns = 1>
__attribute__((noinline)) void multiply_part(const GroupedPart& part, const uint32_t* rows, const GroupScale* inputs,
                                             float* sums, const char* ahead) {
  constexpr int V = kVectorsOf<R>, kStep = kOnly ? kPanelStep : 64 * Dot::kWords;  // of what lies ahead
  constexpr int kRows = R / kTurns;
  constexpr bool kHeld = kTurns > 1 || R <= kHeldRows<Dot>;
  static_assert(kRows * kTurns == R);
  const Dot dot(part);
  for (int column = 0; column < kPanel; column += V * kLanes, sums += V * kLanes) {
    const char *codes = part.codes, *fetched = ahead;
    const uint32_t* row = rows;
    const GroupScale* input = inputs;
    const float *scale = part.scales + column, *offset = part.offsets + (part.offsets ? column : 0);
    F total[R][V];
    if constexpr (kHeld)
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r)
        for (int v = 0; v < V; ++v) total[r][v] = keep(load(sums + r * kPanel + v * kLanes));
    for (int64_t left = part.words, count; left > 0; left -= count) {
      count = least(left, part.group_words);
      const char* word = codes;
      const uint32_t* of_rows = row;
#pragma GCC unroll 2
      for (int turn = 0; turn < kTurns; ++turn) {
        const int begin = turn * kRows;
        typename Dot::Sum sum[kRows][V];
        auto start = [&] {
#pragma GCC unroll 4
          for (int v = 0; v < V; ++v) {
            const GroupScale* starts = hidden(input);
#pragma GCC unroll 16
            for (int r = 0; r < kRows; ++r) sum[r][v] = (typename Dot::Sum)set1i(starts[begin + r].start);
          }
        };
        auto add_words = [&](auto& sums_of_words, int64_t words) {
          do {
            if (turn == 0) {
#pragma GCC unroll 2
              for (int64_t line = 0; line < kStep; line += 64) __builtin_prefetch(fetched + line, 0, kOnly ? 3 : 2);
              fetched = hidden(fetched + kStep);
            }
            dot.template add<kRows, R>(sums_of_words, word, column, of_rows);
            word = hidden(word + kPanelStep);
            of_rows = hidden(of_rows + R * Dot::kWords * Dot::kRowWords);
          } while ((words -= Dot::kWords) > 0);
        };
        word = codes;
        of_rows = row + begin;
        if constexpr (!Dot::kExactWords) {
          start();
          add_words(sum, count);
        } else {
          // Of few rows the sums of 32 bits are in registers too, else in memory.
          constexpr bool kInRegisters = kRows * V <= 6;
          float wide[kInRegisters ? 1 : kRows][V][kLanes];
          auto* held = hidden(wide);
          for (int64_t rest = count; rest > 0; rest -= Dot::kExactWords) {
            typename Dot::Sum halves[kRows][V];
#pragma GCC unroll 16
            for (int r = 0; r < kRows; ++r)
              for (int v = 0; v < V; ++v) halves[r][v] = (typename Dot::Sum)set1i(0);
            add_words(halves, least(Dot::kExactWords, rest));
            if constexpr (kInRegisters) {
              if (rest == count) start();
#pragma GCC unroll 16
              for (int r = 0; r < kRows; ++r)
                for (int v = 0; v < V; ++v) sum[r][v] = Dot::widened(sum[r][v], halves[r][v]);
            } else {
              held = hidden(held);
#pragma GCC unroll 16
              for (int r = 0; r < kRows; ++r)
                for (int v = 0; v < V; ++v) {
                  const I before = rest == count ? set1i(input[begin + r].start) : (I)load(held[r][v]);
                  store(held[r][v], (F)Dot::widened(before, halves[r][v]));
                }
            }
          }
          held = hidden(held);
          if constexpr (!kInRegisters)
#pragma GCC unroll 16
            for (int r = 0; r < kRows; ++r)
              for (int v = 0; v < V; ++v) sum[r][v] = (typename Dot::Sum)load(held[r][v]);
        }
        F y[kRows][V];
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) {
          const F by = keep(load(scale + v * kLanes)), units = keep(by * set1(-kUnits));
#pragma GCC unroll 16
          for (int r = 0; r < kRows; ++r) y[r][v] = fused((F)sum[r][v], by, units);
        }
        if (offset) {
#pragma GCC unroll 4
          for (int v = 0; v < V; ++v) {
            const F by = keep(load(offset + v * kLanes));
            const GroupScale* of = hidden(input);
#pragma GCC unroll 16
            for (int r = 0; r < kRows; ++r) y[r][v] = fused(set1(of[begin + r].sum), by, y[r][v]);
          }
        }
        float* held = hidden(sums);
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r)
          for (int v = 0; v < V; ++v) {
            const int at = begin + r;
            float* target = held + at * kPanel + v * kLanes;
            if constexpr (kHeld)
              total[at][v] = fused(y[r][v], set1(input[at].scale), total[at][v]);
            else
              store(target, fused(y[r][v], set1(input[at].scale), load(target)));
          }
      }
      codes = word;
      row = of_rows - (kTurns - 1) * kRows;
      scale += kPanel;
      if (offset) offset += kPanel;
      input += R;
    }
    if constexpr (kHeld)
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r)
        for (int v = 0; v < V; ++v) store(sums + r * kPanel + v * kLanes, total[r][v]);
  }
}

template <class Dot, bool kOnly, int R = kOnly ? kMostRows<Dot> : kFewRows<Dot>>
void multiply_part_of(int64_t count, const GroupedPart& part, const uint32_t* rows, const GroupScale* inputs,
                      float* sums, const char* ahead) {
  if (count == R) {
    // One row more than fits, as two halves: where groups end often, and products are not what takes the time.
    if constexpr (kOnly && Dot::kSingle && R == 8 && R > kFewRows<Dot>)
      if (part.group_words <= kShortGroup / 4)
        return multiply_part<Dot, R, kOnly, 2>(part, rows, inputs, sums, ahead);
    return multiply_part<Dot, R, kOnly>(part, rows, inputs, sums, ahead);
  }
  if constexpr (R > 1) multiply_part_of<Dot, kOnly, R - 1>(count, part, rows, inputs, sums, ahead);
}

// A byte e as 2^(e - 128), of which the two smallest are not normal.
struct Exponents {
  using T = uint8_t;
  static F get(const T* p) {
    I e = load_u8(p);
    return select((I)(e > 1), (F)((e - 1) << 23), (F)((e + 1) << 21));
  }
};

template <class Function>
inline void with_scale_type(DType type, Function f) {
  if (type == DType::Exponent) return f(Exponents{});
  with_float_type(type, f);
}

// Expands the scales, and the offsets if there are any, of the groups [first, first + count) of a panel, both
// [count][kPanel]. Meanwhile the lines of [ahead, end) are fetched.
inline void expand_scales(const GroupedFormat& f, const GroupedLayout& at, const char* panel, int64_t first,
                          int64_t count, float* scales, float* offsets, const char* ahead, const char* end) {
  const int64_t together = f.shared ? f.shared / f.group_size : 1;
  const int64_t lines = (end - ahead + 64 * count - 1) / (64 * count);
  with_scale_type(f.scale_type, [&](auto element) {
    using Element = decltype(element);
    using T = typename Element::T;
    auto expand = [&](int64_t values, int64_t steps, float* target, auto finish) {
      for (int64_t group = first; group < first + count; ++group, target += kPanel) {
        for (int64_t line = 0; line < lines && ahead < end; ++line, ahead += 64) __builtin_prefetch(ahead);
        const T* value = (const T*)(panel + values) + (f.shared ? group / together : group) * kPanel;
        const int8_t* step = (const int8_t*)(panel + steps) + group * kPanel;
        if (f.shared)
          for (int i = 0; i < kPanel; i += kLanes) store(target + i, finish(Element::get(value + i) * load_i8(step + i)));
        else
          for (int i = 0; i < kPanel; i += kLanes) store(target + i, finish(Element::get(value + i)));
      }
    };
    expand(at.scale, at.scale_steps, scales, [](F scale) { return (F)((I)scale & ~3); });
    if (f.origin == Origin::Zeros) {
      const uint8_t* zeros = (const uint8_t*)(panel + at.origin) + first * kPanel;
      for (int64_t i = 0; i < count * kPanel; i += kLanes)
        store(offsets + i, -(load(scales + i) * __builtin_convertvector(load_u8(zeros + i), F)));
    } else if (f.origin == Origin::Offsets) {
      expand(at.origin, at.origin_steps, offsets, [](F offset) { return offset; });
    }
  });
}

// Nibbles as bytes: themselves, or what a table has.
inline void expand_codes(const char* codes, int64_t words, const uint8_t* table, char* bytes) {
  const I held = table ? repeated(table) : set1i(0);
  for (int64_t word = 0; word < words; ++word, codes += kPanelStep, bytes += 2 * kPanelStep)
    for (int i = 0; i < kPanel; i += kLanes) {
      I x = (I)load((const float*)codes + i), low = x & 0x0f0f0f0f, high = (x >> 4) & 0x0f0f0f0f;
      store((float*)bytes + i, (F)(table ? look_up(held, low) : low));
      store((float*)(bytes + kPanelStep) + i, (F)(table ? look_up(held, high) : high));
    }
}

template <class Integer>
inline int grouped_tile_rows(const GroupedFormat& f, int64_t rows) {
  const int most = f.group_size > kShortGroup || kMostRows<Integer> < 8 ? kMostRows<Integer> : 8;
  return rows > most ? kFewRows<Integer> : most;
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
  auto* sums = (float*)scratch;
  float *scales = sums + b.count * kPanel, *offsets = scales + kMostGroups * kPanel;
  char* bytes = (char*)(offsets + kMostGroups * kPanel);
  const uint8_t* table = table_of(p.format.origin);
  const bool offset = p.format.origin == Origin::Zeros || p.format.origin == Origin::Offsets;
  const bool nibbles = p.format.bits == 4, unpacked = nibbles && b.groups > 1;
  const int64_t most_words = b.groups > 1 ? kShortWords : kBlockWords;
  for (int64_t panel = first; panel < last; ++panel) {
    const char* source = p.weight + panel * at.bytes;
    memset(sums, 0, size_t(b.count * kPanel) * sizeof(float));
    for (int64_t word = 0; word < p.words; word += most_words) {
      const int64_t count = least(most_words, p.words - word), group = word / group_words;
      const char* codes = source + at.codes + (nibbles ? word / 2 : word) * kPanelStep;
      const char* behind = codes + (nibbles ? count / 2 : count) * kPanelStep;
      // One group of rows reads on and on; what it is to have fetched next lies kAhead in front of it, scales or codes.
      const char* fetched = source + kAhead;
      expand_scales(p.format, at, source, group, (count + group_words - 1) / group_words, scales, offsets, fetched,
                    word == 0 && b.groups == 1 ? fetched + at.codes : fetched);
      if (unpacked) expand_codes(codes, count / 2, table, bytes);
      GroupedPart part{unpacked ? bytes : codes, scales, offset ? offsets : nullptr, count, group_words, table};
      for (int g = 0; g < b.groups; ++g) {
        const int64_t begin = b.begin_of(g), rows = b.begin_of(g + 1) - begin;
        const uint32_t* of_rows = words + (begin * p.words + word * rows) * Integer::kRowWords;
        const GroupScale* input = inputs + begin * at.groups + group * rows;
        float* target = sums + begin * kPanel;
        if (nibbles && !unpacked && table)
          multiply_part_of<TableDot<Integer>, true>(rows, part, of_rows, input, target, codes + kAhead);
        else if (nibbles && !unpacked)
          multiply_part_of<Nibbles, true>(rows, part, of_rows, input, target, codes + kAhead);
        else if (b.groups == 1)
          multiply_part_of<Bytes, true>(rows, part, of_rows, input, target, codes + kAhead);
        else  // the first two groups fetch a half each of what follows
          multiply_part_of<Bytes, false>(rows, part, of_rows, input, target, behind + g % 2 * count * 64);
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
