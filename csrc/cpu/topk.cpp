// paged_topk: scores an index piece by piece and keeps each token's best groups, so that no row of scores is in memory whole.
//
// What is best does not depend on how the index was cut: no two groups have the same key, a score above a position.
#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "operators.h"
#include "parallel.h"
#include "scalar.h"
#include "tables.h"

namespace torchpaged {
namespace {

// Rows that are scored before their scores are read: these stay in the first-level cache.
constexpr int64_t kChunkRows = 512;
// Scores behind the last row that a kernel writes, in whole tiles.
constexpr int64_t kPadding = kMaxTileKeys;
// Rows of queries (tokens times heads) that share each load of the index, and tokens, which each keep their best.
constexpr int64_t kQueryRows = 64, kTokens = 16;
// Multiply-adds of about 10 us, below which waking threads takes longer than the work.
constexpr int64_t kWorthwhile = 200 * 1000;

// The greater, the better: by score, then the lower position. NaN is the lowest score, and -0 equals 0.
uint64_t key_of(float score, int64_t group) {
  if (score != score) score = -std::numeric_limits<float>::infinity();
  const uint32_t bits = bits_of_float(score + 0.0f);
  const uint32_t ordered = bits >> 31 ? ~bits : bits | 0x80000000;
  return uint64_t(ordered) << 32 | (0xffffffffu - uint32_t(group));
}

int32_t group_of(uint64_t key) { return int32_t(0xffffffffu - uint32_t(key)); }

// The k greatest of the keys that were added.
class Best {
 public:
  explicit Best(int64_t k) : k_(size_t(k)) {}

  void clear() {
    keys_.clear();
    bound_ = -1;
    full_ = false;
  }
  // Whether a group behind all that were added could be among the best.
  bool wants(float score) const { return !full_ || score > bound_; }
  void add(float score, int64_t group) { add(key_of(score, group)); }
  void add(uint64_t key) {
    keys_.push_back(key);
    if (keys_.size() >= 2 * k_ + kSpare) shrink();
  }
  void add(const Best& other) {
    for (uint64_t key : other.keys_) add(key);
  }
  void write(int32_t* out) {
    if (keys_.size() > k_) shrink();
    std::sort(keys_.begin(), keys_.end(), std::greater<uint64_t>());
    for (size_t i = 0; i < keys_.size(); ++i) out[i] = group_of(keys_[i]);
  }

 private:
  static constexpr size_t kSpare = 256;

  void shrink() {
    std::nth_element(keys_.begin(), keys_.begin() + int64_t(k_) - 1, keys_.end(), std::greater<uint64_t>());
    keys_.resize(k_);
    const uint32_t ordered = uint32_t(keys_.back() >> 32);
    bound_ = float_of_bits(ordered >> 31 ? ordered & 0x7fffffff : ~ordered);
    full_ = true;
  }

  size_t k_;
  std::vector<uint64_t> keys_;
  float bound_ = -1;
  bool full_ = false;
};

// Some tokens of one sequence over a part of their rows; those of all parts are joined by whichever ends last.
struct Unit {
  int64_t sequence, token, tokens, first, last;  // rows of the index, from a group's beginning on
  int64_t tile, part, parts;
};

struct Plan {
  std::vector<Unit> units;
  int64_t tiles = 0;
  int64_t cost = 0;
};

int64_t position_of(const TopkParams& p, int64_t sequence, int64_t token) {
  return p.seq_lens[sequence] - p.query_start_loc[sequence + 1] + token;
}

// Rows of the index that a token sees: those that begin up to its own position.
int64_t rows_of(const TopkParams& p, int64_t sequence, int64_t token) {
  const int64_t position = position_of(p, sequence, token);
  return position < 0 ? 0 : position / p.tokens_per_row + 1;
}

void add_units(const TopkParams& p, int64_t sequence, Plan& plan) {
  const int64_t begin = p.query_start_loc[sequence], end = p.query_start_loc[sequence + 1];
  const int64_t tokens = std::max<int64_t>(1, std::min(kTokens, kQueryRows / p.index.num_heads));
  for (int64_t token = begin; token < end; token += tokens) {
    const int64_t count = std::min(tokens, end - token), rows = rows_of(p, sequence, token + count - 1);
    if (rows == 0) continue;
    plan.units.push_back({sequence, token, count, 0, rows, plan.tiles++, 0, 1});
    plan.cost += rows * count * p.index.num_heads * p.index.dim;
  }
}

// Cuts few units into parts of whole groups, so that each thread has four.
void split_units(const TopkParams& p, int threads, Plan& plan) {
  const int64_t group = p.granularity / p.tokens_per_row;
  const int64_t wanted = (4 * threads + plan.tiles - 1) / std::max<int64_t>(1, plan.tiles);
  if (threads <= 1 || wanted <= 1) return;
  std::vector<Unit> units;
  for (const Unit& unit : plan.units) {
    const int64_t groups = (unit.last + group - 1) / group;
    const int64_t parts = std::max<int64_t>(1, std::min({wanted, groups, unit.last / kChunkRows}));
    for (int64_t i = 0; i < parts; ++i) {
      Unit part = unit;
      part.first = groups * i / parts * group;
      part.last = std::min(unit.last, groups * (i + 1) / parts * group);
      part.part = i;
      part.parts = parts;
      units.push_back(part);
    }
  }
  plan.units.swap(units);
}

// The scores of a token's rows become those of groups, one after the other.
class Groups {
 public:
  Groups(const TopkParams& p, int64_t position, Best& best)
      : size_(p.granularity / p.tokens_per_row), own_(position / p.granularity), p_(p), best_(best) {}

  // Scores of the rows [first, last), which follow those before.
  void add(const float* scores, int64_t first, int64_t last) {
    if (size_ == 1) {
      for (int64_t row = first; row < last; ++row) finish(row, scores[row - first]);
      return;
    }
    for (int64_t row = first; row < last;) {
      const int64_t group = row / size_, stop = std::min(last, (group + 1) * size_);
      if (row % size_ == 0) top_ = -std::numeric_limits<float>::infinity(), nan_ = false;
      for (; row < stop; ++row) {
        const float score = scores[row - first];
        top_ = score > top_ ? score : top_;
        nan_ |= score != score;
      }
      if (stop == (group + 1) * size_) finish(group, top());
    }
  }
  // What is left of a group whose last rows the token does not see; `last` is one behind its last row.
  void end(int64_t last) {
    if (last % size_) finish(last / size_, top());
  }

 private:
  // A group with a NaN is NaN.
  float top() const { return nan_ ? std::numeric_limits<float>::quiet_NaN() : top_; }
  void finish(int64_t group, float score) {
    if (group < p_.initial || group > own_ - p_.local)
      best_.add(std::numeric_limits<float>::infinity(), group);
    else if (best_.wants(score))
      best_.add(score, group);
  }

  int64_t size_, own_;
  float top_ = 0;  // of the group in progress
  bool nan_ = false;
  const TopkParams& p_;
  Best& best_;
};

void choose(const TopkParams& p, const Unit& unit, std::vector<float>& scores, char* scratch, Best* best) {
  const int64_t stride = kChunkRows + kPadding, selections = p.index.num_selections;
  scores.resize(size_t(unit.tokens * selections * stride));
  std::vector<Groups> groups;
  groups.reserve(size_t(unit.tokens * selections));
  for (int64_t i = 0; i < unit.tokens * selections; ++i) {
    best[i].clear();
    groups.emplace_back(p, position_of(p, unit.sequence, unit.token + i / selections), best[i]);
  }
  for (int64_t first = unit.first; first < unit.last; first += kChunkRows) {
    const int64_t last = std::min(unit.last, first + kChunkRows);
    kernels().index_scores(p.index, {unit.sequence, unit.token, unit.tokens, first, last, scores.data(), stride}, scratch);
    for (int64_t i = 0; i < unit.tokens * selections; ++i) {
      const int64_t seen = rows_of(p, unit.sequence, unit.token + i / selections);
      if (first < seen) groups[size_t(i)].add(scores.data() + i * stride, first, std::min(last, seen));
    }
  }
  for (int64_t i = 0; i < unit.tokens * selections; ++i) {
    const int64_t seen = rows_of(p, unit.sequence, unit.token + i / selections);
    if (unit.first < seen && seen <= unit.last) groups[size_t(i)].end(seen);
  }
}

void check(const char* op, const TopkParams& p, int64_t sequence, int64_t row) {
  const int64_t first = p.query_start_loc[sequence], last = p.query_start_loc[sequence + 1];
  if (first < row || last < first || last > p.num_tokens)
    throw std::invalid_argument(std::string(op) + ": query_start_loc has " + std::to_string(first) + ", " +
                                std::to_string(last) + " for sequence " + std::to_string(sequence) +
                                ", expected ascending numbers up to num_tokens, " + std::to_string(p.num_tokens));
  if (p.seq_lens[sequence] == 0 || first == last) return;
  const BlockTables tables{p.index.block_tables, p.index.block_table_stride, p.index.max_blocks, p.index.num_blocks,
                           p.index.block_rows * p.tokens_per_row};
  check_length(op, tables, sequence, p.seq_lens[sequence]);
  check_blocks(op, tables, sequence, 0, p.seq_lens[sequence]);
}

}  // namespace

void paged_topk(const char* op, const TopkParams& p) {
  Plan plan;
  for (int64_t i = 0, row = 0; i < p.num_seqs; row = p.query_start_loc[++i]) check(op, p, i, row);
  const int64_t selections = p.index.num_selections;
  std::fill_n(p.out, p.num_tokens * selections * p.k, -1);
  for (int64_t i = 0; i < p.num_seqs; ++i)
    if (p.seq_lens[i] > 0) add_units(p, i, plan);
  if (plan.units.empty()) return;
  const int threads = plan.cost < kWorthwhile ? 1 : num_threads();
  split_units(p, threads, plan);
  // Parts of a tile leave what they found to the last of them.
  std::vector<std::vector<std::vector<Best>>> found(size_t(plan.tiles));
  std::vector<std::atomic<int64_t>> pending(size_t(plan.tiles));
  for (const Unit& unit : plan.units) {
    if (unit.part == 0 && unit.parts > 1) found[size_t(unit.tile)].resize(size_t(unit.parts));
    pending[size_t(unit.tile)] = unit.parts;
  }
  int64_t most_tokens = 0;
  for (const Unit& unit : plan.units) most_tokens = std::max(most_tokens, unit.tokens);
  const size_t scratch_bytes = kernels().index_scratch_bytes(p.index, most_tokens);
  std::atomic<size_t> taken{0};
  run_workers(std::min<int>(threads, int(plan.units.size())), [&](int) {
    DefaultFloatMode mode;
    char* scratch = thread_scratch(scratch_bytes);
    std::vector<float> scores;
    std::vector<Best> best(size_t(most_tokens * selections), Best(p.k));
    for (size_t next; (next = taken.fetch_add(1)) < plan.units.size();) {
      const Unit& unit = plan.units[next];
      const int64_t count = unit.tokens * selections;
      choose(p, unit, scores, scratch, best.data());
      if (unit.parts > 1) {
        std::vector<std::vector<Best>>& parts = found[size_t(unit.tile)];
        parts[size_t(unit.part)].assign(best.begin(), best.begin() + count);
        if (pending[size_t(unit.tile)].fetch_sub(1) > 1) continue;
        for (int64_t i = 0; i < count; ++i) best[size_t(i)].clear();
        for (const std::vector<Best>& part : parts)
          for (int64_t i = 0; i < count; ++i) best[size_t(i)].add(part[size_t(i)]);
        parts.clear();
      }
      for (int64_t i = 0; i < count; ++i) best[size_t(i)].write(p.out + (unit.token * selections + i) * p.k);
    }
  });
}

}  // namespace torchpaged
