// Plans paged attention: cuts a batch into units of work of similar cost and hands them to threads.
#include <algorithm>
#include <cmath>
#include <limits>
#include <cstring>

#include "operators.h"
#include "parallel.h"
#include "prefix_groups.h"
#include "tables.h"

namespace torchpaged {
namespace {

// The keys that a row tile sees, as partitions [first, last), and roughly what they cost: a key takes about
// as long to load as to be multiplied with kLoadRows rows (measured, bf16, head_dim 128).
struct Span {
  int64_t first_partition = 0, last_partition = 0, cost = 0;
};
constexpr int64_t kLoadRows = 8;
// Below this cost (about 10 us) waking threads takes longer than the work.
constexpr int64_t kWorthwhile = 8192;
// A hint to split is followed for so many tiles; more keep every thread busy as they are, and their partial
// results would fill the memory.
constexpr size_t kMaxSplitTiles = 256;

// One behind the last key that the token at a position sees.
int64_t last_key(const AttentionParams& p, int64_t seq_len, int64_t position) {
  if ((p.causal || p.tree_mask) && position < 0) return 0;
  if (p.causal && !p.tree_mask) return std::min(position + 1, seq_len);
  return p.reach > 0 ? std::max<int64_t>(0, std::min(position + p.reach, seq_len)) : seq_len;
}

int64_t first_key(const AttentionParams& p, int64_t position) {
  return p.window > 0 ? std::max<int64_t>(0, position - p.window + 1) : 0;
}

Span span_of(const AttentionParams& p, int64_t seq_len, int64_t query_len, int64_t first_token, int64_t last_token,
             int64_t rows) {
  int64_t context = seq_len - query_len;
  int64_t last = last_key(p, seq_len, context + last_token), first = first_key(p, context + first_token);
  if (first >= last) return {};
  if (p.selected) {  // ranks: as many as there may be
    first = 0;
    last = std::min(last, p.num_selected * p.granularity);
    if (last == 0) return {};
  }
  Span s;
  s.first_partition = first / kPartitionKeys;
  s.last_partition = (last + kPartitionKeys - 1) / kPartitionKeys;
  s.cost = (last - first) * (kLoadRows + rows) * (p.head_dim + p.head_dim_v) / 256;
  return s;
}

struct Plan {
  struct Tile {
    AttentionUnit unit;
    int64_t cost;
    int64_t members;     // where those of a unit with members begin in `members`
    int64_t member;      // its own place there, or -1
    int32_t handed_on;   // units that write the first of its partial results
  };
  std::vector<Tile> tiles;
  std::vector<AttentionUnit> units;
  std::vector<AttentionUnit> members;  // of tiles that take several sequences through the same blocks
  PrefixGroups prefixes;
  std::vector<bool> grouped;  // sequences of which `prefixes` has found others
  std::vector<float> partials;
  std::vector<int32_t> pending;
  int64_t cost = 0;
};

void zero_rows(const AttentionParams& p, int64_t first, int64_t last) {
  size_t bytes = size_t(p.head_dim_v) * kDTypeBytes[int(p.query_type)];
  for (int64_t token = first; token < last; ++token) {
    for (int head = 0; head < p.num_heads; ++head) {
      std::memset(p.out + token * p.out_token_stride + head * p.out_head_stride, 0, bytes);
      if (p.lse) p.lse[token * p.num_heads + head] = -std::numeric_limits<float>::infinity();
    }
  }
}

// How many KV heads of a sequence go into one unit: all that fit, but no more than leaves four units a thread.
int heads_together(const AttentionParams& p, int64_t rows, int64_t partitions, int threads) {
  int heads = p.num_kv_heads;
  for (; heads > 1; --heads) {
    if (p.num_kv_heads % heads == 0 && heads * rows <= kRowTile &&
        (threads <= 1 || partitions * (p.num_kv_heads / heads) >= 4 * threads))
      break;
  }
  return heads;
}

void add_tiles(const AttentionParams& p, int sequence, int64_t partitions, int threads, Plan& plan) {
  int64_t seq_len = p.seq_lens[sequence];
  int64_t query_len = p.query_start_loc[sequence + 1] - p.query_start_loc[sequence];
  int64_t rows = query_len * p.group;
  // Rows that see the same selected keys are those of one token, and of one KV head where each has its own.
  int64_t together = p.selected ? p.group : rows;
  const bool apart = (p.selected && p.selected_head_stride) || (p.mask_mod && p.mask_mod->uses_head);
  int heads = apart ? 1 : heads_together(p, together, partitions, threads);
  for (int head = 0; head < p.num_kv_heads; head += heads) {
    for (int64_t row = 0, count; row < rows; row += count) {
      count = std::min<int64_t>(kRowTile, together - row % together);
      Span s = span_of(p, seq_len, query_len, row / p.group, (row + count - 1) / p.group, count);
      AttentionUnit unit{};
      unit.sequence = sequence;
      unit.kv_head = head;
      unit.kv_heads = heads;
      unit.row = int32_t(row);
      unit.rows = int32_t(count);
      unit.first_partition = int32_t(s.first_partition);
      unit.last_partition = int32_t(s.last_partition);
      plan.tiles.push_back({unit, s.cost * heads, 0, -1, 0});
      plan.cost += s.cost * heads;
    }
  }
}

// Tiles of sequences that share their first partitions: of those for rows of several sequences, and of the rest for each.
void add_group(const AttentionParams& p, const PrefixGroup& group, int64_t partitions, int threads, Plan& plan) {
  const int count = int(group.sequences.size()), first = group.sequences[0];
  const int rows = (p.query_start_loc[first + 1] - p.query_start_loc[first]) * p.group;
  const int heads = heads_together(p, rows, partitions, threads);
  const int tiles = (count * rows + kRowTile / rows * rows - 1) / (kRowTile / rows * rows);
  const int most_rows = (count + tiles - 1) / tiles * rows;
  int together = heads;  // KV heads of a tile of several sequences
  while (heads % together != 0 || together * most_rows > kRowTile) --together;
  for (int head = 0; head < p.num_kv_heads; head += heads) {
    const int64_t base = int64_t(plan.members.size());
    for (int sequence : group.sequences) {
      int64_t query_len = rows / p.group;
      Span s = span_of(p, p.seq_lens[sequence], query_len, 0, query_len - 1, rows);
      AttentionUnit unit{};
      unit.sequence = sequence;
      unit.kv_head = head;
      unit.kv_heads = heads;
      unit.rows = rows;
      unit.first_partition = int32_t(group.partitions);
      unit.last_partition = int32_t(s.last_partition);
      int64_t cost = s.cost * heads * (s.last_partition - group.partitions) / s.last_partition;
      plan.tiles.push_back({unit, cost, 0, int64_t(plan.members.size()), heads / together});
      plan.cost += cost;
      plan.members.push_back(unit);
    }
    for (int part = head; part < head + heads; part += together) {
      for (int tile = 0; tile < tiles; ++tile) {
        const int begin = count * tile / tiles, end = count * (tile + 1) / tiles;
        AttentionUnit unit{};
        unit.sequence = group.sequences[size_t(begin)];
        unit.kv_head = part;
        unit.kv_heads = together;
        unit.rows = (end - begin) * rows;
        unit.last_partition = int32_t(group.partitions);
        unit.num_members = end - begin;
        int64_t cost = group.partitions * kPartitionKeys * (kLoadRows + unit.rows) * (p.head_dim + p.head_dim_v) / 256;
        plan.tiles.push_back({unit, cost * together, base + begin, -1, 0});
        plan.cost += cost * together;
      }
    }
  }
}

int64_t split_count(const Plan::Tile& tile, const Plan& plan, int threads, int64_t num_splits) {
  int64_t partitions = tile.unit.last_partition - tile.unit.first_partition;
  if (partitions <= 1) return 1;
  if (num_splits > 0) return plan.tiles.size() > kMaxSplitTiles ? 1 : std::min(num_splits, partitions);
  // Four units a thread leave at most an eighth of the time unbalanced.
  if (threads <= 1) return 1;
  int64_t target = plan.cost / (4 * threads) + 1;
  return std::min((tile.cost + target - 1) / target, partitions);
}

// Splits the tiles that are too large for an even share, and gives tiles with several writers memory for partial results.
void make_units(const AttentionParams& p, const Kernels& k, int threads, int64_t num_splits, Plan& plan) {
  // Largest first: the small ones fill the gaps at the end.
  if (threads > 1)
    std::stable_sort(plan.tiles.begin(), plan.tiles.end(),
                     [](const Plan::Tile& a, const Plan::Tile& b) { return a.cost > b.cost; });
  // A tile's own partitions, and one that stands for those that others take it through.
  auto parts = [](const Plan::Tile& tile) {
    return tile.unit.last_partition - tile.unit.first_partition + (tile.handed_on > 0);
  };
  int64_t floats = 0, groups = 0;
  for (const Plan::Tile& tile : plan.tiles) {
    if (split_count(tile, plan, threads, num_splits) == 1 && !tile.handed_on) continue;
    floats += parts(tile) * k.partial_floats(p, tile.unit.rows * tile.unit.kv_heads);
    ++groups;
  }
  if (plan.partials.size() < size_t(floats)) plan.partials.resize(size_t(floats));
  plan.pending.resize(size_t(groups));
  floats = groups = 0;
  for (const Plan::Tile& tile : plan.tiles) {
    int64_t splits = split_count(tile, plan, threads, num_splits);
    AttentionUnit unit = tile.unit;
    if (unit.num_members) unit.members = plan.members.data() + tile.members;
    if (splits == 1 && !tile.handed_on) {
      plan.units.push_back(unit);
      continue;
    }
    int64_t first = unit.first_partition, partitions = unit.last_partition - first;
    unit.partials = plan.partials.data() + floats;
    unit.pending = plan.pending.data() + groups;
    unit.base_partition = int32_t(first - (tile.handed_on > 0));
    unit.num_partitions = int32_t(parts(tile));
    *unit.pending = int32_t(splits) + tile.handed_on;
    if (tile.member >= 0) plan.members[size_t(tile.member)] = unit;
    for (int64_t i = 0; i < splits; ++i) {
      unit.first_partition = int32_t(first + partitions * i / splits);
      unit.last_partition = int32_t(first + partitions * (i + 1) / splits);
      plan.units.push_back(unit);
    }
    floats += parts(tile) * k.partial_floats(p, unit.rows * unit.kv_heads);
    ++groups;
  }
}

void run_units(const AttentionParams& p, const Kernels& k, int threads, const std::vector<AttentionUnit>& units) {
  size_t scratch_bytes = k.attention_scratch_bytes(p);
  std::atomic<size_t> taken{0};
  run_workers(std::min<int>(threads, int(units.size())), [&](int) {
    DefaultFloatMode mode;
    char* scratch = thread_scratch(scratch_bytes);
    size_t current = taken.fetch_add(1);
    while (current < units.size()) {
      size_t next = taken.fetch_add(1);
      k.attention(p, units[current], next < units.size() ? &units[next] : nullptr, scratch);
      current = next;
    }
  });
}

// Throws for selected groups that the sequence has not, and for blocks of seen ones that there are not.
void check_selected(const char* op, const AttentionParams& p, const BlockTables& tables, int64_t sequence) {
  const int64_t seq_len = p.seq_lens[sequence], groups = (seq_len + p.granularity - 1) / p.granularity;
  const int64_t begin = p.query_start_loc[sequence], end = p.query_start_loc[sequence + 1];
  for (int64_t token = begin; token < end; ++token) {
    const int64_t position = seq_len - end + token;
    const int64_t first = first_key(p, position), last = last_key(p, seq_len, position);
    for (int head = 0; head < (p.selected_head_stride ? p.num_kv_heads : 1); ++head) {
      const int32_t* ids = p.selected + token * p.selected_token_stride + head * p.selected_head_stride;
      for (int64_t i = 0; i < p.num_selected; ++i) {
        if (ids[i] < 0) continue;
        if (ids[i] >= groups)
          throw std::invalid_argument(std::string(op) + ": selected has " + std::to_string(ids[i]) + " for token " +
                                      std::to_string(token) + ", expected less than " + std::to_string(groups) +
                                      ", the groups of " + std::to_string(p.granularity) + " of its sequence's " +
                                      std::to_string(seq_len) + " tokens");
        const int64_t from = ids[i] * p.granularity;
        check_blocks(op, tables, sequence, std::max(first, from), std::min(last, from + p.granularity));
      }
    }
  }
}

// Throws for row ranges that are none, and for blocks that a row would read and that there are not; returns an upper
// bound of the partitions of all sequences together.
int64_t check_sequences(const char* op, const AttentionParams& p) {
  const BlockTables tables{p.block_tables, p.block_table_stride, p.max_blocks, p.num_blocks, p.block_size};
  int64_t row = 0, partitions = 0;
  for (int64_t i = 0; i < p.num_seqs; ++i) {
    int64_t first = p.query_start_loc[i], last = p.query_start_loc[i + 1];
    if (first < row || last < first || last > p.num_tokens)
      throw std::invalid_argument(std::string(op) + (p.key_starts ? ": cu_seqlens_q has " : ": query_start_loc has ") +
                                  std::to_string(first) + ", " +
                                  std::to_string(last) + " for sequence " + std::to_string(i) +
                                  ", expected ascending numbers up to num_tokens, " + std::to_string(p.num_tokens));
    row = last;
    if (p.seq_lens[i] == 0 || first == last) continue;
    if (p.key_starts) {  // their differences, which are never negative
      partitions += (p.seq_lens[i] + kPartitionKeys - 1) / kPartitionKeys;
      continue;
    }
    check_length(op, tables, i, p.seq_lens[i]);
    if (p.selected) {
      check_selected(op, p, tables, i);
      int64_t keys = std::min<int64_t>(p.seq_lens[i], p.num_selected * p.granularity);
      partitions += (last - first) * ((keys + kPartitionKeys - 1) / kPartitionKeys);
      continue;
    }
    check_blocks(op, tables, i, first_key(p, p.seq_lens[i] - (last - first)), p.seq_lens[i]);
    partitions += (p.seq_lens[i] + kPartitionKeys - 1) / kPartitionKeys;
  }
  return partitions;
}

// The gradient of each row's log-sum-exp with respect to its sink, added up: -exp(sink - lse) * delta.
void add_sinks(const AttentionGradientParams& g, const float* sinks, float* grad_sinks) {
  const AttentionParams& p = g.of;
  std::vector<double> sums(size_t(p.num_heads), 0.0);
  for (int64_t i = 0; i < p.num_seqs; ++i) {
    if (p.seq_lens[i] <= 0) continue;
    for (int64_t token = p.query_start_loc[i]; token < p.query_start_loc[i + 1]; ++token)
      for (int head = 0; head < p.num_heads; ++head) {
        const int64_t place = token * p.num_heads + head;
        if (p.lse[place] > -std::numeric_limits<float>::infinity())
          sums[size_t(head)] -= std::exp(double(sinks[head]) - double(p.lse[place])) * double(g.delta[place]);
      }
  }
  for (int head = 0; head < p.num_heads; ++head) grad_sinks[head] = float(sums[size_t(head)]);
}

}  // namespace

void attention_gradient(const char* op, AttentionGradientParams& g, const float* sinks, float* grad_sinks) {
  const AttentionParams& p = g.of;
  const Kernels& k = kernels();
  check_sequences(op, p);
  struct Unit {
    int64_t cost;
    int32_t sequence, kv_head;
  };
  std::vector<Unit> units;
  std::vector<float> delta(size_t(p.num_tokens * p.num_heads), 0.0f);
  g.delta = delta.data();
  int64_t longest = 0, cost = 0;
  // What belongs to no sequence, or sees or is seen by nothing, has a gradient of 0.
  const size_t query_bytes = size_t(p.num_tokens * p.num_heads * p.head_dim) * kDTypeBytes[int(p.query_type)];
  if (query_bytes) std::memset(g.grad_query, 0, query_bytes);
  const size_t key_heads = size_t(p.num_blocks * p.num_kv_heads) * kDTypeBytes[int(p.cache_type)];
  if (key_heads) std::memset(g.grad_key, 0, key_heads * size_t(p.head_dim));
  if (key_heads) std::memset(g.grad_value, 0, key_heads * size_t(p.head_dim_v));
  for (int64_t i = 0; i < p.num_seqs; ++i) {
    const int64_t rows = p.query_start_loc[i + 1] - p.query_start_loc[i];
    if (rows <= 0 || p.seq_lens[i] <= 0) continue;
    const Span s = span_of(p, p.seq_lens[i], rows, 0, rows - 1, rows * p.group);
    for (int head = 0; head < p.num_kv_heads; ++head) units.push_back({s.cost, int32_t(i), head});
    longest = std::max(longest, rows);
    cost += s.cost * p.num_kv_heads;
  }
  std::stable_sort(units.begin(), units.end(), [](const Unit& a, const Unit& b) { return a.cost > b.cost; });
  const size_t scratch_bytes = k.attention_gradient_scratch_bytes(g, longest);
  std::atomic<size_t> taken{0};
  run_workers(std::min<int>(cost < kWorthwhile ? 1 : num_threads(), int(units.size())), [&](int) {
    DefaultFloatMode mode;
    char* scratch = thread_scratch(scratch_bytes);
    for (size_t i; (i = taken.fetch_add(1)) < units.size();)
      k.attention_gradient(g, units[i].sequence, units[i].kv_head, scratch);
  });
  if (grad_sinks) add_sinks(g, sinks, grad_sinks);
}

void paged_attention(const char* op, const AttentionParams& p, int64_t num_splits) {
  const Kernels& k = kernels();
  static thread_local Plan plan;
  plan.tiles.clear();
  plan.units.clear();
  plan.members.clear();
  plan.cost = 0;
  int64_t partitions = check_sequences(op, p);
  int threads = num_threads();
  const std::vector<PrefixGroup>& prefixes = plan.prefixes.find(p);
  plan.grouped.assign(prefixes.empty() ? 0 : size_t(p.num_seqs), false);
  for (const PrefixGroup& group : prefixes) {
    add_group(p, group, partitions, threads, plan);
    for (int32_t sequence : group.sequences) plan.grouped[size_t(sequence)] = true;
  }
  int64_t row = 0;
  for (int64_t i = 0; i < p.num_seqs; ++i) {
    int64_t first = p.query_start_loc[i], last = p.query_start_loc[i + 1];
    if (first == last) continue;
    bool empty = p.seq_lens[i] <= 0;
    zero_rows(p, row, empty ? last : first);
    if (!empty && (plan.grouped.empty() || !plan.grouped[size_t(i)])) add_tiles(p, int(i), partitions, threads, plan);
    row = last;
  }
  zero_rows(p, row, p.num_tokens);
  if (plan.tiles.empty()) return;
  if (plan.cost < kWorthwhile) threads = 1;
  make_units(p, k, threads, num_splits, plan);
  run_units(p, k, threads, plan.units);
}

}  // namespace torchpaged
