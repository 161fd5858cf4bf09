// Where a sequence's states and rows lie, for any ISA; how they are walked: ops/recurrent_reference.py.
#pragma once

#include "common.h"
#include "scalar.h"

namespace torchpaged {
namespace {

// A sequence's new tokens: positions [first, seq_len), whose rows are those from `token` on in the packed batch.
struct NewTokens {
  int64_t first, seq_len, token;

  NewTokens(const PagedStates& p, int64_t sequence) {
    int64_t begin = most(p.query_start_loc[sequence], 0);
    int64_t end = least(p.query_start_loc[sequence + 1], p.num_tokens);
    seq_len = most(p.seq_lens[sequence], 0);
    first = most(seq_len - most(end - begin, 0), 0);  // rows before position 0 belong to no sequence
    token = end - (seq_len - first);
  }
};

// The slot that a table names; 0, the null slot, behind its width and for what the pool does not have.
inline int64_t slot_of(const int32_t* table, int64_t entry, int64_t width, int64_t num_slots) {
  int64_t slot = entry < width ? table[entry] : 0;
  return slot > 0 && slot < num_slots ? slot : 0;
}

// nullptr for the null slot, where `writable` asks for a place to keep something.
inline char* state_at(const PagedStates& p, int64_t sequence, int64_t entry, bool writable) {
  int64_t slot = slot_of(p.state_tables + sequence * p.state_table_stride, entry, p.state_table_width, p.num_slots);
  return writable && slot == 0 ? nullptr : p.state + slot * p.state_slot_stride;
}

inline char* tail_at(const PagedStates& p, int64_t sequence, int64_t entry, bool writable) {
  int64_t slot = slot_of(p.tail_tables + sequence * p.tail_table_stride, entry, p.tail_table_width, p.num_tails);
  return writable && slot == 0 ? nullptr : p.tail + slot * p.tail_slot_stride;
}

// The rows [begin, end) of the chunk that a step computes.
struct ChunkRows {
  int64_t entry, begin, end;
  ChunkRows(const NewTokens& tokens, int64_t entry, int64_t chunk)
      : entry(entry),
        begin(most(tokens.first - entry * chunk, 0)),
        end(least(tokens.seq_len - entry * chunk, chunk)) {}
};

}  // namespace
}  // namespace torchpaged
