// The checks cost about a nanosecond for eight blocks, where the attention over one of them takes a hundred.
#include "tables.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace torchpaged {
namespace {

[[noreturn]] void refuse_length(const char* op, const BlockTables& t, int64_t sequence, int64_t seq_len) {
  const std::string found = std::string(op) + ": seq_lens has " + std::to_string(seq_len) + " for sequence " +
                            std::to_string(sequence);
  if (seq_len < 0) throw std::invalid_argument(found + ", expected 0 or more");
  throw std::invalid_argument(found + ", expected at most " + std::to_string(t.width * t.block_size) +
                              ": block_tables has " + std::to_string(t.width) + " blocks of " +
                              std::to_string(t.block_size) + " tokens for it");
}

[[noreturn]] void refuse_block(const char* op, const BlockTables& t, int64_t sequence, int64_t entry) {
  throw std::invalid_argument(std::string(op) + ": block_tables has block " +
                              std::to_string(t.ids[sequence * t.stride + entry]) + " for sequence " +
                              std::to_string(sequence) + " at entry " + std::to_string(entry) + ", expected 0 to " +
                              std::to_string(t.num_blocks - 1) + ", the blocks of the cache");
}

}  // namespace

void check_length(const char* op, const BlockTables& t, int64_t sequence, int64_t seq_len) {
  // One comparison: as an unsigned number a negative length is too long.
  if (uint64_t(seq_len) > uint64_t(t.width * t.block_size)) refuse_length(op, t, sequence, seq_len);
}

void check_blocks(const char* op, const BlockTables& t, int64_t sequence, int64_t first, int64_t last) {
  if (first >= last) return;
  const int32_t* ids = t.ids + sequence * t.stride;
  int64_t begin = first / t.block_size, end = (last - 1) / t.block_size + 1;
  // The sign of an id, or of the largest one less it, is set where it is out of range: no branch, so this is vectorised.
  const uint32_t largest = uint32_t(std::min<int64_t>(t.num_blocks - 1, INT32_MAX));
  uint32_t signs = 0;
  for (int64_t i = begin; i < end; ++i) signs |= uint32_t(ids[i]) | (largest - uint32_t(ids[i]));
  if (signs >> 31 == 0) return;
  while (ids[begin] >= 0 && ids[begin] < t.num_blocks) ++begin;
  refuse_block(op, t, sequence, begin);
}

}  // namespace torchpaged
