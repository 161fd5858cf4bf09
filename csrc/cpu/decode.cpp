// Inputs of a decode step, which computes one token of each sequence (torchpaged/execution/decode_batch.py).
#include <algorithm>
#include <cstring>

#include "common.h"

namespace {

// A group of layers: its block tables [num_rows][num_columns], and where the step's tables and slots go. Layers that
// read no slots have none.
struct DecodeGroup {
  const int32_t* tables;
  int64_t num_columns, block_size;
  int32_t* step_tables;
  int64_t* slots;
};

// Numbers and addresses that are the same in all steps. `rows` and `positions` are read, what follows them is written.
struct DecodePlan {
  const int32_t* tokens;  // [num_rows][max_tokens]
  int64_t num_rows, max_tokens;
  const int64_t *rows, *positions;
  int64_t *input_ids, *lengths;
  int32_t* seq_lens;
  int64_t num_groups;
  DecodeGroup groups[1];
};

}  // namespace

// Makes the inputs of `count` sequences. Returns the longest length; -1 where a row or position is out of range.
TORCHPAGED_EXPORT int64_t torchpaged_decode_inputs(const DecodePlan* plan, int64_t count) {
  const DecodePlan& p = *plan;
  int64_t longest = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = p.rows[i], position = p.positions[i];
    if (row < 0 || row >= p.num_rows || position < 0 || position >= p.max_tokens) return -1;
    p.input_ids[i] = std::max(p.tokens[row * p.max_tokens + position], 0);  // -1 is a failed draw
    p.lengths[i] = position + 1;
    p.seq_lens[i] = int32_t(position + 1);
    longest = std::max(longest, position + 1);
  }
  for (int64_t g = 0; g < p.num_groups; ++g) {
    const DecodeGroup& group = p.groups[g];
    const int64_t width = (longest + group.block_size - 1) / group.block_size;
    if (width > group.num_columns) return -1;
    for (int64_t i = 0; i < count; ++i) {
      const int32_t* table = group.tables + p.rows[i] * group.num_columns;
      std::memcpy(group.step_tables + i * group.num_columns, table, size_t(width) * sizeof(int32_t));
      if (group.slots != nullptr)
        group.slots[i] =
            table[p.positions[i] / group.block_size] * group.block_size + p.positions[i] % group.block_size;
    }
  }
  return longest;
}
