// Programs of ops/score_mods.py on tiles of scores: an interpreter of vectors, and one of ranges that finds out for a whole
// tile that a mask hides or shows all of it.
//
// A value is computed as often as it changes: once, for each row of a unit, for each key of a tile, or for each pair. It
// is stored with strides of 0 along what it does not depend on, so that one loop reads operands of any kind.
#pragma once

#include "attention_tile.h"

namespace torchpaged {
namespace {

// Rows that an instruction takes at once.
constexpr int kModRows = 8;
// Entries of a captured tensor that are searched for the least and largest one.
constexpr int64_t kMaxSearch = 1024;

// Vectors of a value: those of row r and vector v lie at data + r * row_stride + v * vector_stride.
struct Lanes {
  float* data;
  int64_t row_stride, vector_stride;
  F at(int r, int v) const { return load(data + r * row_stride + v * vector_stride); }
};

template <class Function>
inline void for_each(const Lanes& out, int rows, int vectors, Function f) {
  for (int r = 0; r < rows; ++r) {
    float* row = out.data + r * out.row_stride;
    if (vectors == kKeyVectors) {
#pragma GCC unroll 4
      for (int v = 0; v < kKeyVectors; ++v) store(row + v * out.vector_stride, f(r, v));
    } else {
      for (int v = 0; v < vectors; ++v) store(row + v * out.vector_stride, f(r, v));
    }
  }
}

// Lane by lane: for what processors have no vectors of.
template <class T, class Function>
inline F by_lane(F a, F b, Function f) {
  T x[kLanes], y[kLanes];
  memcpy(x, &a, sizeof x);
  memcpy(y, &b, sizeof y);
  for (int i = 0; i < kLanes; ++i) x[i] = f(x[i], y[i]);
  memcpy(&a, x, sizeof x);
  return a;
}

// Rounded towards minus infinity; 0 for a divisor of 0.
inline int64_t floor_divide(int64_t a, int64_t b) {
  if (b == 0) return 0;
  int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}
inline int64_t floor_remainder(int64_t a, int64_t b) { return b == 0 ? 0 : a - floor_divide(a, b) * b; }

// NaN where either is.
inline F choose(I first, F a, F b) { return select((I)(a == a), select(first, a, b), a); }

// As torch.remainder, and as torch.div with rounding_mode="floor": exact, also where the quotient has no digits behind the
// point left.
inline float floor_remainder(float a, float b) {
  const float rest = __builtin_fmodf(a, b);
  return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}
inline float floor_divide(float a, float b) {
  if (b == 0) return a / b;
  const float rest = __builtin_fmodf(a, b);
  float quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return __builtin_copysignf(0, a / b);
  const float whole = __builtin_floorf(quotient);
  return quotient - whole > 0.5f ? whole + 1 : whole;
}

// The values of a program for the rows of a unit and a tile of keys.
struct ModValues {
  const ModProgram* program;
  float* scratch;
  Lanes* stored;  // of each value
  int row;        // the unit's row that row 0 of a pair is

  template <class Carver>
  void carve(const ModProgram* p, Carver& c) {
    program = p;
    stored = c.template take<Lanes>(p ? ModProgram::kArguments + p->count : 0);
    int64_t floats = 0;
    for (int rate = 0; p && rate < 4; ++rate) floats += size(rate);
    scratch = c.template take<float>(floats);
  }

  // Floats of all values of a rate.
  int64_t size(int rate) const { return program->slots[rate] * size_of_one(rate); }
  static int64_t size_of_one(int rate) {
    return rate == ModProgram::kConstant ? kLanes
           : rate == ModProgram::kRow    ? kRowTile * kLanes
           : rate == ModProgram::kKey    ? kTileKeys
                                         : kModRows * kTileKeys;
  }

  void place() {
    for (int i = 0; i < ModProgram::kArguments + program->count; ++i) {
      const ModProgram::Value& v = program->values[i];
      float* base = scratch;
      for (int rate = 0; rate < v.rate; ++rate) base += size(rate);
      const bool by_key = v.rate == ModProgram::kKey || v.rate == ModProgram::kPair;
      const int64_t row_stride = v.rate == ModProgram::kPair ? kTileKeys : v.rate == ModProgram::kRow ? kLanes : 0;
      stored[i] = {base + v.slot * size_of_one(v.rate), row_stride, by_key ? kLanes : 0};
    }
  }

  Lanes lanes(int value) const {
    Lanes found = stored[value];
    if (found.vector_stride == 0) found.data += row * found.row_stride;  // of all rows of the unit
    return found;
  }
  Lanes result() const { return lanes(program->result); }

  void set_integer(int argument, int r, int32_t x) const { store(stored[argument].data + r * kLanes, (F)set1i(x)); }

  // The arguments of the unit's rows, and what depends on nothing else.
  template <class Head, class Position>
  void begin(int rows, int64_t sequence, Head head, Position position) {
    place();
    row = 0;
    for (int r = 0; r < rows; ++r) {
      set_integer(1, r, int32_t(sequence));
      set_integer(2, r, int32_t(head(r)));
      set_integer(3, r, int32_t(position(r)));
    }
    run(ModProgram::kConstant, 1, 1);
    run(ModProgram::kRow, rows, 1);
  }

  // The keys of a tile: at `places`, or from `start` on.
  void begin_tile(int64_t start, const float* places, int vectors) {
    float* keys = stored[4].data;
    for (int v = 0; v < vectors; ++v) {
      F key = places ? load(places + v * kLanes) : iota() + set1(float(v * kLanes));
      store(keys + v * kLanes, (F)(__builtin_convertvector(key, I) + set1i(places ? 0 : int32_t(start))));
    }
    run(ModProgram::kKey, 1, vectors);
  }

  // The unit's rows from `first_row` on over the tile, whose scores [rows][kTileKeys] begin at `from`.
  void run_pairs(int first_row, int rows, int vectors, float* from = nullptr) {
    row = first_row;
    stored[0].data = from;
    run(ModProgram::kPair, rows, vectors);
  }

  // Replaces the scores [rows][kTileKeys] of the rows from `first_row` on by the program's results.
  void replace_scores(int first_row, int rows, int vectors, float* of) {
    run_pairs(first_row, rows, vectors, of);
    const Lanes found = result();
    if (found.data != of) for_each({of, kTileKeys, kLanes}, rows, vectors, [&](int r, int v) { return found.at(r, v); });
  }

  // Bit j: whether the result for the unit's row and the tile's key j is true.
  void bits(int rows, int vectors, uint64_t* found) {
    for (int first = 0; first < rows; first += kModRows) {
      int count = rows - first < kModRows ? rows - first : kModRows;
      run_pairs(first, count, vectors);
      const Lanes out = result();
      for (int r = 0; r < count; ++r) {
        found[first + r] = 0;
        for (int v = 0; v < vectors; ++v) found[first + r] |= uint64_t(sign_bits((I)out.at(r, v))) << (v * kLanes);
      }
    }
  }

  void run(int rate, int rows, int vectors) const {
    for (int i = program->begins[rate]; i < program->begins[rate + 1]; ++i) {
      const int value = program->order[i];
      execute(program->instructions[value - ModProgram::kArguments], lanes(value), rows, vectors);
    }
  }

  void execute(const ModInstruction& x, const Lanes& out, int rows, int vectors) const {
    const Lanes a = lanes(x.a), b = lanes(x.b), c = lanes(x.c);
#define INTEGERS(expression) \
  return for_each(out, rows, vectors, [&](int r, int v) { \
    const I p = (I)a.at(r, v), q = (I)b.at(r, v); \
    (void)q; \
    return (F)(expression); \
  })
// Sums and products of integers wrap around, as torch's do; signed ones must not in C++.
#define WRAPPING(sign) \
  return for_each(out, rows, vectors, [&](int r, int v) { \
    typedef uint32_t U __attribute__((vector_size(sizeof(I)))); \
    return (F)((U)a.at(r, v) sign (U)b.at(r, v)); \
  })
#define FLOATS(expression) \
  return for_each(out, rows, vectors, [&](int r, int v) { \
    const F p = a.at(r, v), q = b.at(r, v); \
    (void)q; \
    return (F)(expression); \
  })
    switch (ModOp(x.op)) {
      case ModOp::IAdd: WRAPPING(+);
      case ModOp::ISub: WRAPPING(-);
      case ModOp::IMul: WRAPPING(*);
      case ModOp::IDiv: FLOATS(by_lane<int32_t>(p, q, [](int64_t m, int64_t n) { return int32_t(floor_divide(m, n)); }));
      case ModOp::IMod:
        FLOATS(by_lane<int32_t>(p, q, [](int64_t m, int64_t n) { return int32_t(floor_remainder(m, n)); }));
      case ModOp::IMin: INTEGERS(select((I)(p < q), (F)p, (F)q));
      case ModOp::IMax: INTEGERS(select((I)(p > q), (F)p, (F)q));
      case ModOp::IShr: INTEGERS(p >> (I)select((I)((q < 0) | (q > 31)), (F)set1i(31), (F)q));
      case ModOp::IEq: INTEGERS((I)(p == q));
      case ModOp::ILt: INTEGERS((I)(p < q));
      case ModOp::ILe: INTEGERS((I)(p <= q));
      case ModOp::And: INTEGERS(p & q);
      case ModOp::Or: INTEGERS(p | q);
      case ModOp::Xor: INTEGERS(p ^ q);
      case ModOp::Not: INTEGERS(~p);
      case ModOp::FAdd: FLOATS(p + q);
      case ModOp::FSub: FLOATS(p - q);
      case ModOp::FMul: FLOATS(p * q);
      case ModOp::FDiv: FLOATS(p / q);
      case ModOp::FFloorDiv: FLOATS(by_lane<float>(p, q, [](float m, float n) { return floor_divide(m, n); }));
      case ModOp::FMod: FLOATS(by_lane<float>(p, q, [](float m, float n) { return floor_remainder(m, n); }));
      case ModOp::FMin: FLOATS(choose((I)(p < q), p, q));
      case ModOp::FMax: FLOATS(choose((I)(p > q), p, q));
      case ModOp::FEq: FLOATS((I)(p == q));
      case ModOp::FLt: FLOATS((I)(p < q));
      case ModOp::FLe: FLOATS((I)(p <= q));
      case ModOp::Floor: FLOATS(by_lane<float>(p, p, [](float m, float) { return __builtin_floorf(m); }));
      case ModOp::Exp: FLOATS(exp_of_any(p));
      case ModOp::Exp2: FLOATS(exp2_of_any(p));
      case ModOp::Log: FLOATS(by_lane<float>(p, p, [](float m, float) { return __builtin_logf(m); }));
      case ModOp::Sqrt: FLOATS(by_lane<float>(p, p, [](float m, float) { return __builtin_sqrtf(m); }));
      case ModOp::Pow: FLOATS(by_lane<float>(p, q, [](float m, float n) { return __builtin_powf(m, n); }));
      case ModOp::Tanh: FLOATS(tanh(p));
      case ModOp::Sigmoid: FLOATS(set1(1.0f) / (set1(1.0f) + exp_of_any((F)-p)));
      case ModOp::Where:
        return for_each(out, rows, vectors, [&](int r, int v) { return select((I)a.at(r, v), b.at(r, v), c.at(r, v)); });
      case ModOp::I2F: INTEGERS(__builtin_convertvector(p, F));
      case ModOp::B2I: INTEGERS(p & 1);
      case ModOp::F2I: FLOATS(__builtin_convertvector(p, I));
      case ModOp::Load: {
        const int32_t* table = program->tables + x.first;
        const int32_t last = x.last - x.first - 1;
        FLOATS(by_lane<int32_t>(p, p, [&](int32_t i, int32_t) { return table[i < 0 ? 0 : i < last ? i : last]; }));
      }
      case ModOp::Const: return for_each(out, rows, vectors, [&](int, int) { return (F)set1i(x.first); });
    }
#undef INTEGERS
#undef WRAPPING
#undef FLOATS
  }
};

// --- Ranges ---

// All values of a number lie in [low, high]; a bool is 0 or 1. Nothing is known of a float that is not finite.
struct Range {
  double low, high;
  bool known;
  bool single() const { return known && low == high; }
};

enum class Verdict { None, Some, All };

constexpr Range kUnknown = {0, 0, false}, kEither = {0, 1, true};

inline Range integers(double low, double high) {
  return low >= -2147483648.0 && high <= 2147483647.0 ? Range{low, high, true} : kUnknown;
}
// Rounding keeps the order, so the rounded limits are those of the rounded results.
inline Range floats(double low, double high) {
  low = double(float(low)), high = double(float(high));
  return low - low == 0 && high - high == 0 ? Range{low, high, true} : kUnknown;
}
inline Range truth(bool always, bool never) { return always ? Range{1, 1, true} : never ? Range{0, 0, true} : kEither; }

struct RangeOf {
  explicit RangeOf(const ModProgram* p) : program(p) {}
  const ModProgram* program;
  Range ranges[ModProgram::kArguments + ModProgram::kMaxInstructions];

  // What a mask says for all pairs of rows and keys together.
  Verdict judge(int64_t sequence, double first_head, double last_head, double first_row, double last_row,
                double first_key, double last_key) {
    ranges[0] = kUnknown;
    ranges[1] = {double(sequence), double(sequence), true};
    ranges[2] = {first_head, last_head, true};
    ranges[3] = {first_row, last_row, true};
    ranges[4] = {first_key, last_key, true};
    for (int i = 0; i < program->count; ++i) ranges[ModProgram::kArguments + i] = evaluate(program->instructions[i]);
    const Range& found = ranges[program->result];
    return !found.single() ? Verdict::Some : found.low != 0 ? Verdict::All : Verdict::None;
  }

  Range evaluate(const ModInstruction& x) const {
    const Range &a = ranges[x.a], &b = ranges[x.b];
    const ModOp op = ModOp(x.op);
    if (op == ModOp::Const) return constant(x);
    if (op == ModOp::Load) return loaded(x, a);
    if (op == ModOp::Where) {
      if (a.single()) return a.low != 0 ? b : ranges[x.c];
      const Range& c = ranges[x.c];
      return b.known && c.known ? Range{b.low < c.low ? b.low : c.low, b.high > c.high ? b.high : c.high, true} : kUnknown;
    }
    if (x.is_bool && (op == ModOp::And || op == ModOp::Or)) {  // one side may decide
      const double rest = op == ModOp::And ? 0 : 1;
      if ((a.single() && a.low == rest) || (b.single() && b.low == rest)) return {rest, rest, true};
    }
    if (!a.known || !b.known) return x.is_bool ? kEither : kUnknown;
    switch (op) {
      case ModOp::IAdd: return integers(a.low + b.low, a.high + b.high);
      case ModOp::ISub: return integers(a.low - b.high, a.high - b.low);
      case ModOp::FAdd: return floats(a.low + b.low, a.high + b.high);
      case ModOp::FSub: return floats(a.low - b.high, a.high - b.low);
      case ModOp::IMul:
      case ModOp::FMul: {
        const double corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
        double low = corners[0], high = corners[0];
        for (double each : corners) low = each < low ? each : low, high = each > high ? each : high;
        return op == ModOp::IMul ? integers(low, high) : floats(low, high);
      }
      case ModOp::IDiv:
        if (!b.single() || b.low <= 0) return kUnknown;
        return {double(floor_divide(int64_t(a.low), int64_t(b.low))), double(floor_divide(int64_t(a.high), int64_t(b.low))),
                true};
      case ModOp::IMod: return b.single() && b.low > 0 ? remainder(a, b.low) : kUnknown;
      case ModOp::IMin:
      case ModOp::FMin: return {a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high, true};
      case ModOp::IMax:
      case ModOp::FMax: return {a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high, true};
      case ModOp::IShr: {
        if (!b.single() || b.low < 0 || b.low > 31) return kUnknown;
        const int64_t divisor = int64_t(1) << int64_t(b.low);
        return {double(floor_divide(int64_t(a.low), divisor)), double(floor_divide(int64_t(a.high), divisor)), true};
      }
      case ModOp::IEq:
      case ModOp::FEq: return truth(a.single() && b.single() && a.low == b.low, a.high < b.low || b.high < a.low);
      case ModOp::ILt:
      case ModOp::FLt: return truth(a.high < b.low, a.low >= b.high);
      case ModOp::ILe:
      case ModOp::FLe: return truth(a.high <= b.low, a.low > b.high);
      case ModOp::And:
        if (x.is_bool) return {a.low * b.low, a.high * b.high, true};
        // Of a number with 2^n - 1: the remainder by 2^n.
        return b.single() && b.low >= 0 && !(int64_t(b.low) & int64_t(b.low + 1)) ? remainder(a, b.low + 1) : kUnknown;
      case ModOp::Or: return x.is_bool ? truth(a.low + b.low > 0, a.high + b.high == 0) : kUnknown;
      case ModOp::Xor:
        if (!x.is_bool) return kUnknown;
        return a.single() && b.single() ? truth(a.low != b.low, a.low == b.low) : kEither;
      case ModOp::Not: return x.is_bool ? Range{1 - a.high, 1 - a.low, true} : kUnknown;
      case ModOp::Floor: return {__builtin_floor(a.low), __builtin_floor(a.high), true};
      case ModOp::I2F: return floats(a.low, a.high);
      case ModOp::B2I: return a;
      case ModOp::F2I: return integers(__builtin_trunc(a.low), __builtin_trunc(a.high));
      default: return kUnknown;  // division, exp and the like: nothing is known
    }
  }

  static Range remainder(const Range& a, double divisor) {
    const int64_t n = int64_t(divisor), low = int64_t(a.low), high = int64_t(a.high);
    if (floor_divide(low, n) != floor_divide(high, n)) return {0, divisor - 1, true};
    return {double(floor_remainder(low, n)), double(floor_remainder(high, n)), true};
  }

  static Range constant(const ModInstruction& x) {
    if (x.is_bool) return truth(x.first != 0, x.first == 0);
    if (!x.is_float) return {double(x.first), double(x.first), true};
    float number;
    memcpy(&number, &x.first, 4);
    return floats(number, number);
  }

  Range loaded(const ModInstruction& x, const Range& index) const {
    const Range nothing = x.is_bool ? kEither : kUnknown;
    if (!index.known) return nothing;
    const int64_t size = x.last - x.first;
    auto inside = [&](double i) { return i < 0 ? 0 : i < double(size - 1) ? int64_t(i) : size - 1; };
    const int64_t first = inside(index.low), last = inside(index.high);
    if (last - first >= kMaxSearch) return nothing;
    double low = 0, high = 0;
    for (int64_t i = first; i <= last; ++i) {
      const int32_t word = program->tables[x.first + i];
      float number;
      memcpy(&number, &word, 4);
      const double each = x.is_bool ? word != 0 : x.is_float ? double(number) : double(word);
      if (each - each != 0) return nothing;
      low = i == first || each < low ? each : low;
      high = i == first || each > high ? each : high;
    }
    return {low, high, true};
  }
};

}  // namespace
}  // namespace torchpaged
