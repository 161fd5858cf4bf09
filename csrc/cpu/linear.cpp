// The linear operators: a weight into panels, and products spread over threads.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <vector>

#include "operators.h"
#include "parallel.h"
#include "shares.h"

namespace torchpaged {
namespace {

// A block of rows stays in the second-level cache (1 MiB on Zen 5, 2 MiB on Sapphire Rapids) beside the weights
// that stream past it; with fewer rows than this the weights would stream too fast.
constexpr int64_t kBlockBytes = 384 * 1024;
constexpr int64_t kFewestRows = 56;
// Pieces of the weight a thread when all threads work on one block: a thread that is held up loses only its own.
constexpr int64_t kPieces = 8;
// Bytes of a weight that a thread asks for before its first product.
constexpr int64_t kFetched = 8192;
// Bytes that are moved in the time that it takes to quantise one.
constexpr int64_t kQuantising = 8;
// Bytes that are moved in the time that it takes to pack one.
constexpr int64_t kPacking = 4;
// Bytes of a row that are asked for before they are packed.
constexpr int64_t kPackedAhead = 256;
// Bytes of weight below which threads are not worth waking.
constexpr int64_t kWorthwhile = 128 * 1024;

typedef uint32_t Word4 __attribute__((vector_size(16)));

// 16 words of each of a panel's outputs, none of which ends before, by word and then by output.
void pack_block(const char* weight, int64_t row_stride, uint32_t offset, uint32_t* target) {
  for (int64_t i = 0; i < kPanel; i += 4) {
    const char* rows = weight + i * row_stride;
    for (int64_t j = 0; j < 4; ++j) __builtin_prefetch(rows + j * row_stride + kPackedAhead);
    for (int64_t w = 0; w < 16; w += 4) {
      Word4 r[4];
      for (int64_t j = 0; j < 4; ++j) std::memcpy(&r[j], rows + j * row_stride + w * 4, sizeof r[j]);
      const Word4 a = __builtin_shuffle(r[0], r[1], Word4{0, 4, 1, 5}), b = __builtin_shuffle(r[2], r[3], Word4{0, 4, 1, 5}),
                  c = __builtin_shuffle(r[0], r[1], Word4{2, 6, 3, 7}), d = __builtin_shuffle(r[2], r[3], Word4{2, 6, 3, 7});
      r[0] = __builtin_shuffle(a, b, Word4{0, 1, 4, 5});
      r[1] = __builtin_shuffle(a, b, Word4{2, 3, 6, 7});
      r[2] = __builtin_shuffle(c, d, Word4{0, 1, 4, 5});
      r[3] = __builtin_shuffle(c, d, Word4{2, 3, 6, 7});
      for (int64_t j = 0; j < 4; ++j) {
        r[j] ^= offset;
        std::memcpy(target + (w + j) * kPanel + i, &r[j], sizeof r[j]);
      }
    }
  }
}

// A panel's words of the unsigned type `Word`, each `offset` by some bits; zeros behind a weight's end.
template <class Word>
void pack_panel(const PackParams& p, int64_t panel, Word offset) {
  constexpr int64_t kLine = 64 / sizeof(Word);
  const int64_t row_bytes = p.in_features * kDTypeBytes[int(p.type)];
  auto* target = reinterpret_cast<Word*>(p.packed) + panel * p.words * kPanel;
  for (int64_t word = 0; word < p.words; word += kLine) {
    int64_t count = std::min(kLine, p.words - word), begin = word * int64_t(sizeof(Word));
    if constexpr (sizeof(Word) == 4)
      if (begin + 64 <= row_bytes && (panel + 1) * kPanel <= p.out_features) {
        pack_block(p.weight + panel * kPanel * p.row_stride + begin, p.row_stride, offset, target + word * kPanel);
        continue;
      }
    for (int64_t i = 0; i < kPanel; ++i) {
      Word line[kLine] = {};
      int64_t output = panel * kPanel + i;
      if (output < p.out_features)
        std::memcpy(line, p.weight + output * p.row_stride + begin,
                    size_t(std::min<int64_t>(row_bytes - begin, sizeof line)));
      for (int64_t w = 0; w < count; ++w) target[(word + w) * kPanel + i] = Word(line[w] ^ offset);
    }
  }
}

int64_t weight_bytes_of(const LinearParams& p) {
  if (p.format.bits) return p.panels * GroupedLayout(p.format, p.in_features).bytes;
  return p.panels * p.words * panel_step(p.weight_type);
}

// Rows of a block that stays near the core.
int64_t most_rows_of(int64_t row_bytes) { return std::max(kFewestRows, kBlockBytes / row_bytes); }

// Purposes of a thread's memory.
enum Purpose { kScratch, kBlock };

// Each of a few workers loads the rows of the only block itself, if there are more than one would load in no time and
// fewer than are worth sharing out: what one has written another would have to fetch line by line, and a line that two
// cores have is written in up to 30 ns.
constexpr int64_t kFewRows = 2, kOwnRows = 32;
constexpr int kFewWorkers = 4;

bool loads_own(int64_t rows, int threads) {
  return threads > 1 && threads <= kFewWorkers && rows > kFewRows && rows <= kOwnRows;
}

int threads_of(const LinearParams& p) { return weight_bytes_of(p) * p.num_rows < kWorthwhile ? 1 : num_threads(); }

// How the product is cut: blocks of rows, each times `pieces` of the panels.
struct Cut {
  int64_t blocks, pieces;

  // `units` are of panels that stay together.
  Cut(const LinearParams& p, int64_t row_bytes, int threads, int64_t units) {
    int64_t most_rows = most_rows_of(row_bytes);
    blocks = (p.num_rows + most_rows - 1) / most_rows;
    pieces = 1;
    if (threads == 1) return;
    // As many blocks as threads share evenly, unless that makes them too small.
    int64_t even = (blocks + threads - 1) / threads * threads;
    if (p.num_rows / even >= kFewestRows / 2)
      blocks = even;
    else
      pieces = std::min((kPieces * threads + blocks - 1) / blocks, units);
  }
};

int64_t block_bytes_of_row(const LinearParams& p) { return int64_t(kernels().linear->block_bytes(p, 1)); }

void fetch(const char* weight) {
  for (int64_t line = 0; line < kFetched; line += 64) __builtin_prefetch(weight + line);
}

}  // namespace

PackParams packing_of(DType type, int64_t out_features, int64_t in_features, const char* weight, int64_t row_stride) {
  const int64_t per_word = inputs_per_word(type);
  return {weight,
          row_stride,
          type,
          in_features,
          out_features,
          (in_features + per_word - 1) / per_word,
          (out_features + kPanel - 1) / kPanel,
          nullptr};
}

void pack_linear_weight(const PackParams& p) {
  int64_t bytes = p.panels * p.words * panel_step(p.type);
  parallel_chunks(p.panels, bytes, [&](int64_t begin, int64_t end) {
    for (int64_t panel = begin; panel < end; ++panel) {
      if (p.type == DType::Float16)
        pack_panel<uint16_t>(p, panel, 0);
      else
        pack_panel<uint32_t>(p, panel, p.type == DType::Int8 ? 0x80808080 : 0);
    }
  });
}

// A weight of a DType as pack_linear_weight gives it, in memory that there is already. Returns 0; 1 if there was
// no memory for its threads.
TORCHPAGED_EXPORT int torchpaged_pack_weight(int type, const char* weight, int64_t row_stride, int64_t out_features,
                                             int64_t in_features, char* packed) try {
  PackParams p = packing_of(DType(type), out_features, in_features, weight, row_stride);
  p.packed = packed;
  pack_linear_weight(p);
  return 0;
} catch (const std::exception&) {
  return 1;
}

namespace {

// A part of a panel: `size` bytes of each of `entries` of its outputs.
struct PanelPart {
  const char* source;
  int64_t row_stride, size, entries;
};

// [entries][kPanel] values; zeros for outputs that there are not.
void pack_part(const PanelPart& part, int64_t first, int64_t outputs, char* target) {
  for (int64_t i = 0; i < outputs; ++i) {
    const char* row = part.source + (first + i) * part.row_stride;
    for (int64_t e = 0; e < part.entries; ++e)
      std::memcpy(target + (e * kPanel + i) * part.size, row + e * part.size, size_t(part.size));
  }
}

// The words of an output. Returns all of its codes' bits.
template <int kBits>
uint8_t pack_codes(const uint8_t* codes, int64_t in_features, char* target) {
  constexpr int64_t kInputs = 32 / kBits;
  uint64_t found = 0;
  for (int64_t first = 0; first < in_features; first += kInputs, target += kPanelStep) {
    uint64_t inputs = 0;
    if (first + kInputs <= in_features)
      std::memcpy(&inputs, codes + first, kInputs);
    else
      std::memcpy(&inputs, codes + first, size_t(in_features - first));
    found |= inputs;
    // The first four inputs are the low half.
    uint32_t word = kBits == 8 ? uint32_t(inputs) : uint32_t(inputs) | uint32_t(inputs >> 32) << 4;
    std::memcpy(target, &word, sizeof word);
  }
  uint8_t bits = 0;
  for (int i = 0; i < 8; ++i) bits |= uint8_t(found >> 8 * i);
  return bits;
}

}  // namespace

uint8_t pack_grouped_panel(const PackGroupedParams& p, int64_t first, int64_t outputs, char* target) {
  const GroupedLayout at(p.format, p.in_features);
  const int64_t scale_bytes = kDTypeBytes[int(p.format.scale_type)];
  std::memset(target, 0, size_t(at.bytes));
  pack_part({p.scale, at.scales * scale_bytes, scale_bytes, at.scales}, first, outputs, target + at.scale);
  if (p.format.origin == Origin::Offsets)
    pack_part({p.origin, at.scales * scale_bytes, scale_bytes, at.scales}, first, outputs, target + at.origin);
  else if (p.origin)
    pack_part({p.origin, at.groups, 1, at.groups}, first, outputs, target + at.origin);
  if (p.scale_steps) pack_part({p.scale_steps, at.groups, 1, at.groups}, first, outputs, target + at.scale_steps);
  if (p.origin_steps) pack_part({p.origin_steps, at.groups, 1, at.groups}, first, outputs, target + at.origin_steps);
  uint8_t found = 0;
  for (int64_t i = 0; i < outputs; ++i) {
    const uint8_t* codes = p.codes + (first + i) * p.row_stride;
    char* words = target + at.codes + i * kWordBytes;
    found |= p.format.bits == 8 ? pack_codes<8>(codes, p.in_features, words) : pack_codes<4>(codes, p.in_features, words);
  }
  return found;
}

bool pack_grouped_weight(const PackGroupedParams& p) {
  const GroupedLayout at(p.format, p.in_features);
  const int64_t panels = (p.out_features + kPanel - 1) / kPanel;
  std::atomic<uint8_t> found{0};
  parallel_chunks(panels, panels * at.bytes * kPacking, [&](int64_t begin, int64_t end) {
    for (int64_t panel = begin; panel < end; ++panel) {
      const int64_t first = panel * kPanel, outputs = std::min<int64_t>(kPanel, p.out_features - first);
      found |= pack_grouped_panel(p, first, outputs, p.packed + panel * at.bytes);
    }
  });
  return found >> p.format.bits == 0;
}

bool makes_rows(const LinearParams& p) {
  const int threads = threads_of(p);
  const bool few = threads == 1 || p.num_rows <= kFewRows || loads_own(p.num_rows, threads);
  return few && Cut(p, block_bytes_of_row(p), threads, p.panels).blocks == 1;
}

void packed_linear(const LinearParams& p, const LinearStages& stages) {
  if (p.num_rows == 0) return;
  const LinearKernels& k = *kernels().linear;
  const int threads = threads_of(p);
  // Where panels are paired these are the first ones of each pair.
  const int64_t panels = stages.paired ? p.panels / 2 : p.panels, units = (panels + stages.step - 1) / stages.step;
  const Cut cut(p, block_bytes_of_row(p), threads, units);
  int64_t most_rows = (p.num_rows + cut.blocks - 1) / cut.blocks;
  size_t block_bytes = k.block_bytes(p, most_rows), scratch_bytes = k.scratch_bytes(p, most_rows);
  const int tile_rows = k.tile_rows(p, most_rows);
  auto block_at = [&](int64_t index) {
    int64_t first = p.num_rows * index / cut.blocks;
    return RowBlock(first, p.num_rows * (index + 1) / cut.blocks - first, tile_rows);
  };
  auto panel_at = [&](int64_t piece) { return std::min(panels, units * piece / cut.pieces * stages.step); };

  // One block is loaded once for all, or once by each thread; of several, each thread loads those that it multiplies.
  const bool own = cut.blocks == 1 && loads_own(p.num_rows, threads);
  char* shared = nullptr;
  if (cut.blocks == 1 && !own) {
    RowBlock block = block_at(0);
    fetch(p.weight);
    const LinearParams made = stages.made(p, true);
    shared = thread_scratch<kBlock>(block_bytes);
    int64_t cost = int64_t(block_bytes) * (p.weight_type == DType::Int8 ? kQuantising : 1);
    parallel_chunks(block.groups, cost, [&](int64_t begin, int64_t end) {
      DefaultFloatMode mode;
      k.load_rows(made, block, int(begin), int(end), shared, thread_scratch<kScratch>(scratch_bytes));
    });
  }
  const int64_t panel_bytes = weight_bytes_of(p) / p.panels;
  Shares shares(cut.blocks * cut.pieces, threads);
  run_workers(threads, [&](int worker) {
    DefaultFloatMode mode;
    char* scratch = thread_scratch<kScratch>(scratch_bytes);
    char* rows = shared ? shared : thread_scratch<kBlock>(block_bytes);
    LinearParams mine = p;
    int64_t loaded = shared ? 0 : -1, behind = -1;
    if (own) {
      if (int64_t unit = shares.following(worker); unit >= 0) fetch(p.weight + panel_at(behind = unit) * panel_bytes);
      const RowBlock block = block_at(loaded = 0);
      k.load_rows(stages.made(p, worker == 0), block, 0, block.groups, rows, scratch);
    }
    for (int64_t unit; (unit = shares.next(worker)) >= 0; behind = unit + 1) {
      int64_t index = unit / cut.pieces, piece = unit % cut.pieces;
      int64_t first = panel_at(piece), last = panel_at(piece + 1);
      if (unit != behind) fetch(p.weight + first * panel_bytes);
      RowBlock block = block_at(index);
      if (index != loaded) k.load_rows(p, block, 0, block.groups, rows, scratch);
      loaded = index;
      mine.out = stages.outputs(p, block);
      k.multiply_panels(mine, block, rows, first, last, scratch);
      if (stages.paired) k.multiply_panels(mine, block, rows, first + panels, last + panels, scratch);
      stages.finish(mine.out, block, first, last);
    }
  });
}

namespace {

// Rows of one expert that are multiplied together: `first` counts among the rows in the experts' order.
struct ExpertBlock {
  int64_t expert, first, count;
};

// The rows of every expert, as blocks of at most `most_rows`, and their ids in that order; rows of no expert are left
// out.
std::vector<ExpertBlock> sort_rows(const GroupedLinearParams& g, int64_t most_rows, std::vector<int64_t>& row_ids) {
  std::vector<int64_t> next(size_t(g.num_experts) + 1);  // first how many rows each expert has
  auto each_row = [&](auto body) {
    for (int64_t i = 0; i < g.rows.num_rows; ++i)
      if (int64_t expert = g.expert_of_row[i]; expert >= 0 && expert < g.num_experts) body(i, expert);
  };
  each_row([&](int64_t, int64_t expert) { ++next[size_t(expert)]; });
  std::vector<ExpertBlock> blocks;
  int64_t total = 0;
  for (int64_t e = 0; e < g.num_experts; ++e) {
    int64_t rows = next[size_t(e)], parts = (rows + most_rows - 1) / most_rows;
    for (int64_t i = 0; i < parts; ++i) {
      int64_t begin = rows * i / parts;
      blocks.push_back({e, total + begin, rows * (i + 1) / parts - begin});
    }
    next[size_t(e)] = total;
    total += rows;
  }
  row_ids.resize(size_t(total));
  each_row([&](int64_t i, int64_t expert) { row_ids[size_t(next[size_t(expert)]++)] = i; });
  return blocks;
}

}  // namespace

void packed_grouped_linear(const GroupedLinearParams& g) {
  const LinearKernels& k = *kernels().linear;
  LinearParams p = g.rows;
  const int64_t weight_bytes = weight_bytes_of(p), out_bytes = p.out_features * kDTypeBytes[int(p.input_type)];
  for (int64_t i = 0; i < p.num_rows; ++i)
    if (g.expert_of_row[i] < 0 || g.expert_of_row[i] >= g.num_experts)
      std::memset(p.out + i * out_bytes, 0, size_t(out_bytes));
  std::vector<int64_t> row_ids;
  const auto blocks = sort_rows(g, most_rows_of(int64_t(k.block_bytes(p, 1))), row_ids);
  if (blocks.empty()) return;
  p.row_ids = row_ids.data();
  int64_t most_rows = 0;
  for (const ExpertBlock& block : blocks) most_rows = std::max(most_rows, block.count);
  const size_t block_bytes = k.block_bytes(p, most_rows), scratch_bytes = k.scratch_bytes(p, most_rows);

  // Few experts are shared by all threads, many go round.
  int threads = weight_bytes * int64_t(row_ids.size()) < kWorthwhile ? 1 : num_threads();
  const int64_t count = int64_t(blocks.size()), panel_bytes = weight_bytes / p.panels;
  const int64_t pieces = threads == 1 ? 1 : std::min((kPieces * threads + count - 1) / count, p.panels);
  Shares shares(count * pieces, threads);
  auto weight_of = [&](int64_t unit) {
    const char* weight = p.weight + blocks[size_t(unit / pieces)].expert * weight_bytes;
    return weight + p.panels * (unit % pieces) / pieces * panel_bytes;
  };
  run_workers(threads, [&](int worker) {
    DefaultFloatMode mode;
    char* scratch = thread_scratch<kScratch>(scratch_bytes);
    char* rows = thread_scratch<kBlock>(block_bytes);
    LinearParams mine = p;
    int64_t loaded = -1;
    if (int64_t unit = shares.following(worker); unit >= 0) fetch(weight_of(unit));
    for (int64_t unit; (unit = shares.next(worker)) >= 0;) {
      int64_t index = unit / pieces, piece = unit % pieces;
      const ExpertBlock& expert_block = blocks[size_t(index)];
      RowBlock block(expert_block.first, expert_block.count, k.tile_rows(p, expert_block.count));
      mine.weight = p.weight + expert_block.expert * weight_bytes;
      if (p.weight_scale) mine.weight_scale = p.weight_scale + expert_block.expert * p.out_features;
      if (index != loaded) k.load_rows(mine, block, 0, block.groups, rows, scratch);
      loaded = index;
      // A product reads ahead of itself, but not from one expert to another.
      if (int64_t other = shares.following(worker); other >= 0 && piece + 1 == pieces) fetch(weight_of(other));
      k.multiply_panels(mine, block, rows, p.panels * piece / pieces, p.panels * (piece + 1) / pieces, scratch);
    }
  });
}

}  // namespace torchpaged
