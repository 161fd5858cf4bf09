// lora_linear_add: rows are grouped by slot, so that an adapter is read once for all of its rows, and spread over threads.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "operators.h"
#include "parallel.h"

namespace torchpaged {
namespace {

// Rows of one adapter that are computed together: inputs of 16 rows of 8,192 bfloat16 stay in the second-level cache.
constexpr int64_t kRowsTogether = 16;
// Outputs that are handed out together: whole lines, and some of them of each rank's row.
constexpr int64_t kColumns = 256;
// Blocks for each thread from which they come out even enough.
constexpr int64_t kBlocksOfThread = 4;

// One thread reads a row's adapter at 15 GB/s, and counted for each row those of eight rows at 32 (AVX2, bfloat16).
// parallel_chunks is told a quarter of these bytes, so that what takes up to some 15 microseconds stays on one thread.
constexpr int64_t kFaster = 4;

// body(rows, first, last) for all units of all blocks of rows, on threads where that pays. `bytes` are those of each row's
// adapter, added up.
template <class Body>
void share(const std::vector<LoraRows>& blocks, int64_t units, int64_t bytes, const Body& body) {
  parallel_chunks(int64_t(blocks.size()) * units, bytes / kFaster, [&](int64_t begin, int64_t end) {
    DefaultFloatMode mode;
    while (begin < end) {
      const int64_t first = begin % units, last = std::min(units, first + end - begin);
      body(blocks[size_t(begin / units)], first, last);
      begin += last - first;
    }
  });
}

}  // namespace

void lora_linear_add(const LoraParams& p) {
  // Where each slot's rows begin among the rows in the slots' order; first how many there are.
  std::vector<int32_t> next(size_t(p.num_slots)), rows(size_t(p.num_tokens));
  for (int64_t i = 0; i < p.num_tokens; ++i) {
    const int32_t slot = p.slots[i * p.slot_stride];
    if (slot >= p.num_slots)
      throw std::invalid_argument("lora_linear_add: slots has slot " + std::to_string(slot) + " at " +
                                  std::to_string(i) + ", expected less than " + std::to_string(p.num_slots));
    if (slot >= 0) ++next[size_t(slot)];
  }
  std::vector<LoraRows> blocks;
  int32_t total = 0;
  for (int64_t slot = 0; slot < p.num_slots; ++slot) {
    const int32_t count = next[size_t(slot)];
    for (int64_t first = 0; first < count; first += kRowsTogether)
      blocks.push_back({slot, std::min(kRowsTogether, count - first), rows.data() + total + first, nullptr});
    next[size_t(slot)] = total;
    total += count;
  }
  if (total == 0) return;
  for (int64_t i = 0; i < p.num_tokens; ++i)
    if (const int32_t slot = p.slots[i * p.slot_stride]; slot >= 0) rows[size_t(next[size_t(slot)]++)] = int32_t(i);

  const int64_t tiles = p.parts * lora_tiles(p), outputs = p.ends[p.parts - 1], bytes = kDTypeBytes[int(p.type)];
  auto* inner = reinterpret_cast<float*>(thread_scratch(size_t(total * tiles * kLoraTile) * sizeof(float)));
  for (LoraRows& block : blocks) block.inner = inner + (block.rows - rows.data()) * tiles * kLoraTile;
  const LinearKernels& k = *kernels().linear;
  const int64_t shrink_bytes = total * p.parts * p.rank * p.in_features * bytes;
  const int64_t expand_bytes = total * p.rank * outputs * bytes;
  // Many blocks are shared out whole: no thread waits for the others between the two products.
  if (int64_t(blocks.size()) >= kBlocksOfThread * num_threads()) {
    share(blocks, 1, shrink_bytes + expand_bytes, [&](const LoraRows& block, int64_t, int64_t) {
      k.lora_shrink(p, block, 0, tiles);
      k.lora_expand(p, block, 0, outputs);
    });
    return;
  }
  share(blocks, tiles, shrink_bytes,
        [&](const LoraRows& block, int64_t first, int64_t last) { k.lora_shrink(p, block, first, last); });
  share(blocks, (outputs + kColumns - 1) / kColumns, expand_bytes,
        [&](const LoraRows& block, int64_t first, int64_t last) {
          k.lora_expand(p, block, first * kColumns, std::min(outputs, last * kColumns));
        });
}

}  // namespace torchpaged
