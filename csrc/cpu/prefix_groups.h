// Finds sequences of a step whose block tables begin with the same blocks, so that attention reads those once.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "common.h"

namespace torchpaged {

// Sequences of as many query rows each, all of which see every key of the first `partitions` partitions, in the same
// blocks.
struct PrefixGroup {
  std::vector<int32_t> sequences;
  int64_t partitions;
};

class PrefixGroups {
 public:
  const std::vector<PrefixGroup>& find(const AttentionParams& p) {
    groups_.clear();
    if (p.num_seqs < 2 || p.window > 0 || p.selected || p.key_starts || p.score_mod || p.mask_mod) return groups_;
    candidates_.clear();
    for (int64_t i = 0; i < p.num_seqs; ++i) {
      int64_t query_len = p.query_start_loc[i + 1] - p.query_start_loc[i];
      // Half a row tile has room for two.
      if (query_len == 0 || query_len * p.group > kRowTile / 2 || context(p, i) < kPartitionKeys) continue;
      candidates_.push_back({table(p, i), context(p, i), query_len, int32_t(i), 0});
    }
    // Neighbours share the first partition then, or nothing that is worth a look.
    const int64_t first_blocks = (kPartitionKeys + p.block_size - 1) / p.block_size;
    auto order = [&](const Candidate& a, const Candidate& b) {
      if (a.query_len != b.query_len) return a.query_len < b.query_len ? -1 : 1;
      return std::memcmp(a.table, b.table, size_t(first_blocks) * 4);
    };
    std::sort(candidates_.begin(), candidates_.end(), [&](const Candidate& a, const Candidate& b) {
      int sign = order(a, b);
      return sign ? sign < 0 : a.sequence < b.sequence;
    });
    for (auto begin = candidates_.begin(); begin != candidates_.end();) {
      auto end = begin + 1;
      while (end != candidates_.end() && order(*begin, *end) == 0) ++end;
      while (end - begin > 1) begin = take_group(p, begin, end);
      begin = end;
    }
    return groups_;
  }

 private:
  struct Candidate {
    const int32_t* table;
    int64_t context, query_len;
    int32_t sequence;
    int64_t partitions;  // shared with the first one of its run
  };
  using Run = std::vector<Candidate>::iterator;

  static int64_t context(const AttentionParams& p, int64_t i) {
    return p.seq_lens[i] - (p.query_start_loc[i + 1] - p.query_start_loc[i]);
  }
  static const int32_t* table(const AttentionParams& p, int64_t i) { return p.block_tables + i * p.block_table_stride; }

  // Groups the first of a run with those that save most reads together; returns where the others begin.
  Run take_group(const AttentionParams& p, Run begin, Run end) {
    for (Run other = begin; other != end; ++other) {
      int64_t keys = std::min(begin->context, other->context), blocks = (keys + p.block_size - 1) / p.block_size;
      int64_t same = std::mismatch(begin->table, begin->table + blocks, other->table).first - begin->table;
      other->partitions = std::min(same * p.block_size, keys) / kPartitionKeys;
    }
    std::stable_sort(begin + 1, end, [](const Candidate& a, const Candidate& b) { return a.partitions > b.partitions; });
    Run last = begin + 1;
    for (Run other = last; other != end; ++other)
      if ((other - begin) * other->partitions >= (last - begin) * last->partitions) last = other;
    PrefixGroup group{{}, last->partitions};
    for (Run member = begin; member <= last; ++member) group.sequences.push_back(member->sequence);
    groups_.push_back(std::move(group));
    return last + 1;
  }

  std::vector<Candidate> candidates_;
  std::vector<PrefixGroup> groups_;
};

}  // namespace torchpaged
