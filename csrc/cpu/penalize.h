// One row of penalize_logits, for any ISA: the row's tokens are marked in sets and counts that are small enough to stay
// near the core, then the logits are copied in order, 64 at a time, and changed where these say so.
//
// Every operation is rounded on its own, so that the result is the reference's to the bit.
#pragma once

#include "logit_blocks.h"

namespace torchpaged {
namespace {

constexpr int kSetBits = 64;  // of a word of a set

// Tokens behind the prompt: not wanted; which there are; how often each is there.
enum class Made { Nothing, Set, Counts };

// Marks of a row's tokens. A token behind the prompt counts as seen without being in `seen`.
class TokenMarks {
 public:
  TokenMarks(const PenaltyRow& r, char* scratch)
      : words((r.vocab_size + kSetBits - 1) / kSetBits), seen((uint64_t*)scratch), made(seen + words),
        counts((uint8_t*)(made + words)), more((uint32_t*)(counts + words * kSetBits)) {}

  static size_t bytes(int64_t vocab_size) {
    size_t words = size_t(vocab_size + kSetBits - 1) / kSetBits;
    return words * (2 * sizeof(uint64_t) + kSetBits * (sizeof(uint8_t) + sizeof(uint32_t)));
  }

  void mark(const PenaltyRow& r, uint64_t* set, int64_t first, int64_t last) {
    memset(set, 0, size_t(words) * sizeof *set);
    each_token(r, first, last, [&](uint64_t token) { set[token / kSetBits] |= uint64_t(1) << (token % kSetBits); });
  }

  void count(const PenaltyRow& r, int64_t first, int64_t last) {
    memset(counts, 0, size_t(words) * kSetBits);
    each_token(r, first, last, [&](uint64_t token) {
      if (counts[token] == 255) carry(token);
      ++counts[token];
    });
  }

  // The counts of one vector's tokens.
  I counts_at(int64_t token) const {
    I count = load_u8(counts + token);
    return has_more ? count + (I)load((const float*)(more + token)) : count;
  }

  bool has_counts(int64_t word) const {
    uint64_t parts[kSetBits / 8], found = 0;
    memcpy(parts, counts + word * kSetBits, sizeof parts);
    for (uint64_t part : parts) found |= part;
    return found != 0;
  }

  int64_t words;
  uint64_t *seen, *made;

 private:
  template <class Body>
  static void each_token(const PenaltyRow& r, int64_t first, int64_t last, const Body& body) {
    for (int64_t i = first; i < last; ++i) {
      uint64_t token = uint32_t(r.tokens[i]);
      if (token < uint64_t(r.vocab_size)) body(token);
    }
  }

  // Half of a full byte goes where there is room; it is never 0 again.
  void carry(uint64_t token) {
    if (!has_more) memset(more, 0, size_t(words) * kSetBits * sizeof *more);
    has_more = true;
    more[token] += 128;
    counts[token] -= 128;
  }

  uint8_t* counts;
  uint32_t* more;  // nothing unless has_more
  bool has_more = false;
};

// One vector of logits, of the tokens from `token` on; `seen` and `made` have a bit for each.
template <bool kRepeats, Made kMade>
inline F penalized(F x, const PenaltyRow& r, const TokenMarks& marks, int64_t token, uint64_t seen, uint64_t made) {
  I counts = kMade == Made::Counts ? marks.counts_at(token) : set1i(0);
  if (kRepeats) {
    F scaled = select((I)(x > set1(0)), x / set1(r.repetition), x * set1(r.repetition)), plain = x;
    x = select(seen | made, scaled, plain);
    if (kMade == Made::Counts) x = select((I)(counts > 0), scaled, x);
  }
  if (kMade == Made::Set) x = select(made, x - set1(r.presence), x);
  if (kMade == Made::Counts)
    x = select((I)(counts > 0), x - (set1(r.presence) + set1(r.frequency) * float_of(counts)), x);
  return x;
}

template <class Element, bool kRepeats, Made kMade>
void copy_penalized(const PenaltyRow& r, const TokenMarks& marks) {
  auto* logits = (const typename Element::T*)r.logits;
  for (int64_t word = 0; word < marks.words; ++word) {
    int64_t first = word * kSetBits, last = least(first + kSetBits, r.vocab_size);
    uint64_t seen = kRepeats ? marks.seen[word] : 0, made = kMade == Made::Set ? marks.made[word] : 0;
    bool changes = seen | made || (kMade == Made::Counts && marks.has_counts(word));
    for (int64_t i = first; i < last; i += kLanes) {
      auto change = [&](F x) {
        return changes ? penalized<kRepeats, kMade>(x, r, marks, i, seen >> (i - first), made >> (i - first)) : x;
      };
      if (last - i >= kLanes)
        store(r.out + i, change(Element::get(logits + i)));
      else
        put_some<Float32>(r.out + i, change(get_some<Element>(logits + i, last - i)), last - i);
    }
  }
}

template <class Element, bool kRepeats>
void mark_and_copy(const PenaltyRow& r, TokenMarks& marks) {
  if (kRepeats) marks.mark(r, marks.seen, 0, r.prompt_length);
  if (r.frequency != 0) {
    marks.count(r, r.prompt_length, r.length);
    copy_penalized<Element, kRepeats, Made::Counts>(r, marks);
  } else if (kRepeats || r.presence != 0) {
    marks.mark(r, marks.made, r.prompt_length, r.length);
    copy_penalized<Element, kRepeats, Made::Set>(r, marks);
  } else {
    copy_penalized<Element, kRepeats, Made::Nothing>(r, marks);
  }
}

[[maybe_unused]] size_t penalize_scratch_bytes(int64_t vocab_size) { return TokenMarks::bytes(vocab_size); }

[[maybe_unused]] void penalize_row(const PenaltyRow& r, char* scratch) {
  TokenMarks marks(r, scratch);
  with_float_type(r.type, [&](auto element) {
    // A penalty that changes nothing is compiled out.
    if (r.repetition != 1)
      mark_and_copy<decltype(element), true>(r, marks);
    else
      mark_and_copy<decltype(element), false>(r, marks);
  });
}

}  // namespace
}  // namespace torchpaged
