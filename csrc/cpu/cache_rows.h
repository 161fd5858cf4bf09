// Numbers of a cache's rows as vectors of floats: of kLanes keys one number each, or of one value many. Both have the
// numbers that row_at() has.
#pragma once

#include "vec_math.h"

namespace torchpaged {
namespace {

// Bytes of a row of `n` numbers.
template <class Element>
inline int64_t row_bytes(Element, int64_t n) {
  return n * int64_t(sizeof(typename Element::T));
}
inline int64_t row_bytes(Int4, int64_t n) { return n / kGroupNumbers * kGroupBytes; }

// Prefetches a row into the second-level cache. A tile's keys and values are 32 KiB: beside the tile in progress, the
// first level would evict them before they are used (Zen 4, from memory: 18 GB/s that way, 29 GB/s this way).
template <int kLevel = 2>
inline void prefetch_row(const char* row, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(row + i, 0, kLevel);
}

// Prefetches rows of the next tile while this tile is computed: one row for each `whole` numbers. Whole rows in order
// form a stream that the CPU's own prefetcher recognises (Zen 4, one thread behind 32,768 tokens: 16.7 GB/s; 9.1 if eight
// rows are fetched line by line in turn).
struct RowsAhead {
  const char* const* row;
  const char* const* last;
  int64_t bytes, whole, due = 0;

  void pass(int64_t numbers) {
    for (due += numbers; due >= whole; due -= whole)
      if (row < last) prefetch_row(*row++, bytes);
  }
};

// Numbers [d, d + kNumbers) of kLanes keys, transposed.
template <class Element>
struct KeyPiece {
  static constexpr int64_t kSize = sizeof(typename Element::T);
  static constexpr int kPerWord = int(4 / kSize), kNumbers = 4 * kPerWord;
  F words[4];

  KeyPiece(const char* const* rows, int64_t d) { load_words(rows, d * kSize, words); }
  F number(int i) const { return Element::of_word((I)words[i / kPerWord], i % kPerWord); }
};

// Converting halves of a word would take more instructions than neighbouring numbers do.
template <>
struct KeyPiece<Float16> {
  static constexpr int64_t kSize = 2;
  static constexpr int kNumbers = kLanes;
  F numbers[kLanes];

  KeyPiece(const char* const* rows, int64_t d) {
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) numbers[i] = load_half((const uint16_t*)rows[i] + d);
    transpose(numbers);
  }
  F number(int i) const { return numbers[i]; }
};

// Converts codes of 4 bits to (code - 8) * scale without an integer conversion. A code in bits [kAt, kAt + 4) of the
// mantissa is the float 2^(23 - kAt) + code. One fused multiply-add with `origin` = -(2^(23 - kAt) + 8) * scale gives the
// result, exactly; `origin` is exact, too, for kAt of 8 or more.
template <int kAt>
struct Codes {
  F origin;

  explicit Codes(F scale) : origin(scale * set1(-float((1 << (23 - kAt)) + 8))) {}

  F number(I bits, F scale) const {
    return fused((F)((bits & (15 << kAt)) | ((150 - kAt) << 23)), scale, origin);
  }
};

template <>
struct KeyPiece<Int4> {
  static constexpr int64_t kSize = 1;
  static constexpr int kNumbers = kGroupNumbers;
  F words[4], scale;
  Codes<8> low;
  Codes<12> middle;
  Codes<16> high;

  KeyPiece(const char* const* rows, int64_t d)
      : scale(load_halves(rows, d / kGroupNumbers * kGroupBytes)), low(scale), middle(scale), high(scale) {
    load_words(rows, d / kGroupNumbers * kGroupBytes + 2, words);
  }

  // Byte i % 16 of the codes, its low bits for the first half.
  F number(int i) const {
    const int bit = i % 4 * 8 + i / 16 * 4;
    const I word = (I)words[i % 16 / 4];
    if (bit == 0) return low.number(word << 8, scale);
    if (bit == 4) return middle.number(word << 8, scale);
    if (bit == 8) return low.number(word, scale);
    if (bit == 12) return middle.number(word, scale);
    if (bit == 16) return high.number(word, scale);
    if (bit == 20) return low.number(word >> 12, scale);
    if (bit == 24) return middle.number(word >> 12, scale);
    return high.number(word >> 12, scale);
  }
};

// Calls use(i, number i of the keys) for the numbers of a piece in turn.
template <class Piece, class Use>
inline void each_number(const Piece& piece, Use use) {
#pragma GCC unroll 32
  for (int i = 0; i < Piece::kNumbers; ++i) use(i, piece.number(i));
}

// The same for rows of `n` numbers, in which the piece at d is not whole.
template <class Piece, class Use>
inline void each_last_number(const char* const* rows, int64_t d, int64_t n, Use use) {
  char padded[kLanes][Piece::kNumbers * Piece::kSize] = {};
  const char* pieces[kLanes];
  for (int i = 0; i < kLanes; ++i) {
    memcpy(padded[i], rows[i] + d * Piece::kSize, size_t((n - d) * Piece::kSize));
    pieces[i] = padded[i];
  }
  const Piece piece(pieces, 0);
  F numbers[Piece::kNumbers];
#pragma GCC unroll 16
  for (int i = 0; i < Piece::kNumbers; ++i) numbers[i] = piece.number(i);
  for (int i = 0; i < n - d; ++i) use(i, numbers[i]);
}

// N vectors of a value's numbers from d on.
template <int N, class Element>
inline void value_at(Element, const char* row, int64_t d, F (&x)[N]) {
#pragma GCC unroll 8
  for (int i = 0; i < N; ++i) x[i] = Element::get((const typename Element::T*)row + d + i * kLanes);
}

// Sixteen neighbouring numbers are the low or the high bits of a group's codes.
template <int N>
inline void value_at(Int4, const char* row, int64_t d, F (&x)[N]) {
  constexpr int kHalf = 16 / kLanes;
  constexpr bool kWhole = N % (2 * kHalf) == 0;  // then d is a group's first number
  if constexpr (N % kHalf != 0) {
    for (int i = 0; i < N; ++i) x[i] = Int4::get(row, d + i * kLanes);
  } else {
#pragma GCC unroll 8
    for (int i = 0; i < N; i += kHalf) {
      const char* group = row + (kWhole ? d / kGroupNumbers + i * kLanes / kGroupNumbers
                                        : (d + i * kLanes) / kGroupNumbers) * kGroupBytes;
      const bool second = kWhole ? i / kHalf % 2 : (d + i * kLanes) % kGroupNumbers != 0;
      uint16_t half;
      memcpy(&half, group, 2);
      const F scale = broadcast_half(half);
      const Codes<8> low(scale);
      const Codes<12> high(scale);
#pragma GCC unroll 4
      for (int v = 0; v < kHalf; ++v) {
        const I codes = spread_bytes((const uint8_t*)group + 2, v);
        if (kWhole)
          x[i + v] = second ? high.number(codes, scale) : low.number(codes, scale);
        else
          x[i + v] = low.number(codes >> (second ? 4 : 0), scale);
      }
    }
  }
}

}  // namespace
}  // namespace torchpaged
