// One row of edit_logits, for any ISA: a float32 copy of its logits, -inf where a mask does not allow the token.
#pragma once

#include "logit_blocks.h"

namespace torchpaged {
namespace {

constexpr int kMaskBits = 32;  // of a word of a mask

template <class Element>
void copy_allowed(const EditRow& r) {
  auto* logits = (const typename Element::T*)r.logits;
  const F none = set1(-kInf);
  for (int64_t first = 0; first < r.vocab_size; first += kMaskBits) {
    uint32_t allowed = r.mask ? r.mask[first / kMaskBits] : ~uint32_t(0);
    int64_t last = least(first + kMaskBits, r.vocab_size);
    for (int64_t i = first; i < last; i += kLanes) {
      uint64_t bits = allowed >> (i - first);
      if (last - i >= kLanes)  // a word of no token is not read
        store(r.out + i, allowed ? select(bits, Element::get(logits + i), none) : none);
      else
        put_some<Float32>(r.out + i, select(bits, get_some<Element>(logits + i, last - i), none), last - i);
    }
  }
}

[[maybe_unused]] void copy_allowed_row(const EditRow& r) {
  with_float_type(r.type, [&](auto element) { copy_allowed<decltype(element)>(r); });
}

}  // namespace
}  // namespace torchpaged
