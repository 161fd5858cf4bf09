// lora_linear_add: rows are grouped by slot, so that an adapter is read once for all of its rows, and spread over threads.
#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "operators.h"
#include "parallel.h"
#include "shares.h"

namespace torchpaged {
namespace {

// Rows of one adapter that are computed together: inputs of 16 rows of 8,192 bfloat16 stay in the second-level cache.
constexpr int64_t kRowsTogether = 16;
// Outputs that are handed out together: whole lines of each rank's row.
constexpr int64_t kColumns = 128;
// Blocks for each thread from which they come out even enough.
constexpr int64_t kBlocksOfThread = 4;
// Bytes of adapters up to which one thread alone is faster. Two read cold memory hardly faster than one, and agreeing takes
// them 1 to 4 microseconds, by how far apart their cores are.
constexpr int64_t kOneThread = 96 * 1024;
// Rows whose products take as long as reading their adapter.
constexpr int64_t kRowsOfRead = 4;

// What the tiles [first, last) of a block read.
void fetch_tiles(const LoraParams& p, const LoraRows& b, int64_t first, int64_t last) {
  const int64_t bytes = p.in_features * kDTypeBytes[int(p.type)];
  const char* part_rows = p.a + b.slot * p.a_slot_stride;
  for (int64_t part = 0; part < p.parts && last > 0; ++part, part_rows += p.rank * p.a_row_stride) {
    const int64_t end = std::min<int64_t>(last * kLoraTile, b.ranks[part]);
    for (int64_t rank = std::max<int64_t>(first, 0) * kLoraTile; rank < end; ++rank)
      for (int64_t at = 0; at < bytes; at += kLine) read_line(part_rows + rank * p.a_row_stride + at);
    first -= lora_tiles(b.ranks[part]);
    last -= lora_tiles(b.ranks[part]);
  }
}

// What the outputs [first, last) of a block read.
void fetch_columns(const LoraParams& p, const LoraRows& b, int64_t first, int64_t last) {
  const int64_t bytes = kDTypeBytes[int(p.type)];
  const char* columns = p.b + b.slot * p.b_slot_stride;
  for (int64_t part = 0; part < p.parts; first = std::max(first, p.ends[part++]))
    for (int64_t at = first * bytes; at < std::min(last, p.ends[part]) * bytes; at += kLine)
      for (int64_t rank = 0; rank < b.ranks[part]; ++rank) read_line(columns + rank * p.b_row_stride + at);
}

[[noreturn]] void refuse(const char* argument, const std::string& value, const std::string& expected) {
  throw std::invalid_argument(std::string("lora_linear_add: ") + argument + " has " + value + ", expected " + expected);
}

// The rows of a call that have an adapter, slot by slot.
class Work {
 public:
  explicit Work(const LoraParams& params) : p(params) {}

  // False if there are none.
  bool group() {
    bool any = false;
    for (int64_t i = 0; i < p.num_tokens; ++i) {
      const int32_t slot = slot_of(i);
      if (slot >= p.num_slots)
        refuse("slots", "slot " + std::to_string(slot) + " at " + std::to_string(i),
               "less than " + std::to_string(p.num_slots));
      any |= slot >= 0;
    }
    if (!any) return false;
    next_.resize(size_t(p.num_slots));
    rows_.resize(size_t(p.num_tokens));
    ranks_.resize(size_t(p.num_slots * p.parts));
    for (int64_t i = 0; i < p.num_tokens; ++i)
      if (slot_of(i) >= 0) ++next_[size_t(slot_of(i))];
    int32_t total = 0;
    for (int64_t slot = 0; slot < p.num_slots; ++slot) {
      const int32_t count = next_[size_t(slot)];
      if (count) add(slot, count, rows_.data() + total);
      next_[size_t(slot)] = total;
      total += count;
    }
    for (int64_t i = 0; i < p.num_tokens; ++i)
      if (slot_of(i) >= 0) rows_[size_t(next_[size_t(slot_of(i))]++)] = int32_t(i);
    auto* inner = reinterpret_cast<float*>(thread_scratch(size_t(inner_) * sizeof(float)));
    for (LoraRows& block : blocks) {
      block.inner = inner;
      inner += block.count * block.tiles * kLoraTile;
    }
    return !blocks.empty();
  }

  const LoraParams& p;
  std::vector<LoraRows> blocks;
  int64_t tiles = 0, cost = 0;  // of all blocks

 private:
  int32_t slot_of(int64_t row) const { return p.slots[row * p.slot_stride]; }

  void add(int64_t slot, int32_t count, const int32_t* rows) {
    int32_t* ranks = ranks_.data() + slot * p.parts;
    int64_t tiles_of_row = 0, numbers = 0;
    for (int64_t part = 0; part < p.parts; ++part) {
      ranks[part] = p.ranks ? p.ranks[slot * p.ranks_slot_stride + part * p.ranks_part_stride] : int32_t(p.rank);
      if (ranks[part] < 0 || ranks[part] > p.rank)
        refuse("ranks", "rank " + std::to_string(ranks[part]) + " for slot " + std::to_string(slot),
               "from 0 to " + std::to_string(p.rank));
      tiles_of_row += lora_tiles(ranks[part]);
      numbers += ranks[part] * (p.in_features + p.ends[part] - (part ? p.ends[part - 1] : 0));
    }
    if (!numbers) return;
    const int64_t bytes = numbers * kDTypeBytes[int(p.type)];
    for (int32_t first = 0; first < count; first += kRowsTogether) {
      const int64_t together = std::min<int64_t>(kRowsTogether, count - first);
      blocks.push_back({slot, together, rows + first, ranks, tiles_of_row, nullptr});
      tiles += tiles_of_row;
      inner_ += together * tiles_of_row * kLoraTile;
      cost += bytes + bytes * (together - 1) / kRowsOfRead;
    }
  }

  std::vector<int32_t> next_, rows_, ranks_;
  int64_t inner_ = 0;
};

}  // namespace

void lora_linear_add(const LoraParams& p) {
  Work work(p);
  if (!work.group()) return;
  const LinearKernels& k = *kernels().linear;
  const std::vector<LoraRows>& blocks = work.blocks;
  const int64_t count = int64_t(blocks.size()), outputs = p.ends[p.parts - 1];
  const int threads = work.cost <= kOneThread ? 1 : num_threads();
  // Many blocks are shared out whole: no thread waits for the others between the two products.
  if (threads == 1 || count >= kBlocksOfThread * threads) {
    Shares shares(count, threads);
    run_workers(threads, [&](int worker) {
      DefaultFloatMode mode;
      for (int64_t unit, slot = -1; (unit = shares.next(worker)) >= 0;) {
        const LoraRows& block = blocks[size_t(unit)];
        if (block.slot != slot) fetch_tiles(p, block, 0, block.tiles);
        k.lora_shrink(p, block, 0, block.tiles);
        if (block.slot != slot) fetch_columns(p, block, 0, outputs);
        k.lora_expand(p, block, 0, outputs);
        slot = block.slot;
      }
    });
    return;
  }
  const int64_t pieces = (outputs + kColumns - 1) / kColumns;
  Shares shrinks(work.tiles, threads), expands(count * pieces, threads);
  std::atomic<int64_t> left{work.tiles};
  run_workers(threads, [&](int worker) {
    DefaultFloatMode mode;
    int64_t done = 0;
    for (int64_t tile; (tile = shrinks.next(worker)) >= 0; ++done) {
      auto block = blocks.begin();
      for (; tile >= block->tiles; ++block) tile -= block->tiles;
      fetch_tiles(p, *block, tile, tile + 1);
      k.lora_shrink(p, *block, tile, tile + 1);
    }
    left.fetch_sub(done, std::memory_order_release);
    auto each_piece = [&](int64_t piece, auto f) {
      const int64_t first = piece % pieces * kColumns;
      f(p, blocks[size_t(piece / pieces)], first, std::min(outputs, first + kColumns));
    };
    for (int64_t piece = expands.begin_of(worker); piece < expands.begin_of(worker + 1); ++piece)
      each_piece(piece, fetch_columns);
    // Tiles that are left are being computed by the other threads.
    while (left.load(std::memory_order_acquire) > 0) pause_thread();
    for (int64_t piece; (piece = expands.next(worker)) >= 0;) each_piece(piece, k.lora_expand);
  });
}

}  // namespace torchpaged
