// The linear operators' kernels of an ISA, of the ways to multiply that it has.
#pragma once

#include "linear_groups.h"
#include "lora.h"

namespace torchpaged {
namespace {

template <class Pairs, class Integer>
int linear_tile_rows(const LinearParams& p, int64_t rows) {
  if (p.format.bits)
    return with_integer<Integer>(p, [&](auto dot) { return grouped_tile_rows<decltype(dot)>(p.format, rows); });
  return with_dot<Pairs, Integer>(p, [](auto dot) { return int(dot.kRows); });
}

template <class Pairs, class Integer>
void load_linear_rows(const LinearParams& p, const RowBlock& b, int first, int last, char* block, char* scratch) {
  auto* blocks = (uint32_t*)(block + block_header(p, b.count));
  const int64_t words = row_words<Pairs, Integer>(p);
  for (int g = first; g < last; ++g) {
    int64_t begin = b.begin_of(g), rows = b.begin_of(g + 1) - begin;
    uint32_t* target = blocks + begin * words;
    const char* sources[kLanes];
    for (int64_t r = 0; r < rows; ++r) sources[r] = input_row(p, b.first + begin + r);
    if (p.weight_type == DType::BFloat16 && Pairs::kRowWords == 1) {  // as they are
      int64_t whole = p.in_features / 2;
      interleave(sources, rows, whole, target);
      for (int64_t r = 0; whole < words && r < rows; ++r)
        target[whole * rows + r] = ((const uint16_t*)sources[r])[2 * whole];
      continue;
    }
    if (p.weight_type == DType::Int8) {
      quantise_rows(p, sources, rows, int(words / p.words), (GroupScale*)block + begin * input_groups(p), scratch);
    } else if (p.weight_type != DType::Float32) {
      with_float_type(p.input_type,
                      [&](auto element) { convert_inputs<decltype(element)>(p, sources, rows, words, scratch); });
    }
    interleave(sources, rows, words, target);
  }
}

template <class Pairs, class Integer>
void multiply_panels(const LinearParams& p, const RowBlock& b, const char* block, int64_t first, int64_t last,
                     char* scratch) {
  if (p.format.bits)
    return with_integer<Integer>(
        p, [&](auto dot) { multiply_grouped_panels<decltype(dot)>(p, b, block, first, last, scratch); });
  with_dot<Pairs, Integer>(p, [&](auto dot) {
    static_assert(dot.kRows <= kLanes);
    multiply_panels_with<decltype(dot)>(p, b, block, first, last, scratch);
  });
}

// The linear operators' kernels for these ways to multiply pairs of bfloat16, 8-bit weights and adapters.
template <class Pairs, class Integer, class Lora = FloatLora>
constexpr LinearKernels kLinearKernels = {
    linear_tile_rows<Pairs, Integer>,
    linear_block_bytes<Pairs, Integer>,
    linear_scratch_bytes<Pairs, Integer>,
    load_linear_rows<Pairs, Integer>,
    multiply_panels<Pairs, Integer>,
    Lora::shrink,
    Lora::expand,
};

}  // namespace
}  // namespace torchpaged
