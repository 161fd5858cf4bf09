// Checks of block ids and lengths, which every operator makes of a call's values before it reads or writes a block.
#pragma once

#include <cstdint>

namespace torchpaged {

// The blocks of a call's sequences.
struct BlockTables {
  const int32_t* ids;  // [num_seqs][width]
  int64_t stride, width, num_blocks, block_size;
};

// Throws std::invalid_argument where a sequence has more tokens than its table has room for.
void check_length(const char* op, const BlockTables& tables, int64_t sequence, int64_t seq_len);

// Throws std::invalid_argument where a block that holds one of the positions [first, last) is not one of the pool's.
// The positions are in the table: check_length.
void check_blocks(const char* op, const BlockTables& tables, int64_t sequence, int64_t first, int64_t last);

}  // namespace torchpaged
