// The operators on rows of logits but sample_tokens, spread over threads by rows.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "operators.h"
#include "parallel.h"

namespace torchpaged {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// worker(i, scratch) for i in [0, count), one at a time: what a row costs differs from row to row.
template <class Body>
void each_row(int64_t count, int64_t bytes, size_t scratch_bytes, const Body& body) {
  int workers = bytes < kWorthwhileBytes ? 1 : int(std::min<int64_t>(num_threads(), count));
  std::atomic<int64_t> next{0};
  run_workers(workers, [&](int) {
    DefaultFloatMode mode;
    char* scratch = thread_scratch(scratch_bytes);
    for (int64_t i; (i = next.fetch_add(1)) < count;) body(i, scratch);
  });
}

PenaltyRow penalty_row_of(const PenaltyParams& p, int64_t i) {
  PenaltyRow row{};
  row.logits = p.logits + i * p.row_stride;
  row.type = p.type;
  row.vocab_size = p.vocab_size;
  row.out = p.out + i * p.vocab_size;
  bool known = p.rows[i] >= 0 && p.rows[i] < p.num_table_rows;
  row.tokens = known ? p.tokens + p.rows[i] * p.table_stride : nullptr;
  row.length = known ? std::clamp<int64_t>(p.lengths[i], 0, p.max_tokens) : 0;
  row.prompt_length = std::clamp<int64_t>(p.prompt_lengths[i], 0, row.length);
  row.repetition = p.repetition[i];
  row.presence = p.presence[i];
  row.frequency = p.frequency[i];
  return row;
}

// True if an edit's prefix matches the row's last tokens, all of them behind its prompt.
bool follows(const EditParams& p, const int32_t* tokens, int64_t length, int64_t prompt_length, int64_t edit) {
  const int32_t* prefix = p.prefixes + edit * p.prefix_stride;
  for (int64_t j = 0; j < p.width; ++j) {
    if (prefix[j] < 0) continue;
    int64_t place = length - p.width + j;
    if (place < prompt_length || place < 0 || place >= p.max_tokens || tokens[place] != prefix[j]) return false;
  }
  return true;
}

void edit_row(const EditParams& p, int64_t i) {
  EditRow row{p.logits + i * p.row_stride, p.type, p.vocab_size, nullptr, p.out + i * p.vocab_size};
  int64_t mask = p.mask_of_row[i];
  if (mask >= 0 && mask < p.num_masks) row.mask = p.masks + mask * p.mask_stride;
  kernels().copy_allowed_row(row);
  bool known = p.rows[i] >= 0 && p.rows[i] < p.num_table_rows;
  const int32_t* tokens = known ? p.tokens + p.rows[i] * p.table_stride : nullptr;
  int64_t last = std::min<int64_t>(p.starts[i + 1], p.num_edits);
  for (int64_t edit = std::max<int64_t>(p.starts[i], 0); edit < last; ++edit) {
    int64_t token = p.token_ids[edit];
    if (token < 0 || token >= p.vocab_size || p.lengths[i] >= p.until[edit]) continue;
    // A row that is not in the table has no token that could stand before.
    int64_t length = known ? p.lengths[i] : INT64_MIN / 2;
    if (follows(p, tokens, length, p.prompt_lengths[i], edit)) row.out[token] += p.values[edit];
  }
}

// One row of token_logprobs: its softmax, and what tokens ask of it.
class RowLogprobs {
 public:
  RowLogprobs(const LogitRow& row, int64_t num_top, char* scratch)
      : row_(row), num_top_(num_top), blocks_((row.vocab_size + kLogitBlock - 1) / kLogitBlock) {
    summary_.maxima = reinterpret_cast<float*>(scratch);
    bounds_ = summary_.maxima + blocks_;
    tokens_ = reinterpret_cast<RankedToken*>(bounds_ + blocks_ + blocks_ % 2);
    defined_ = k_.reduce_logits(row_, summary_);
    log_sum_ = std::log(summary_.sum);
    if (defined_ && num_top_ > 0) find_top();
  }

  static size_t scratch_bytes(int64_t vocab_size) {
    int64_t blocks = (vocab_size + kLogitBlock - 1) / kLogitBlock;
    return size_t(3 * blocks + 1) * sizeof(float) + size_t(vocab_size) * sizeof(RankedToken);
  }

  void token(int64_t id, float& logprob, int64_t& rank) const {
    logprob = kNan;
    rank = 0;
    if (!defined_ || id < 0 || id >= row_.vocab_size) return;
    float logit = k_.logit_at(row_, id);
    logprob = logprob_of(logit);
    rank = 1 + k_.count_greater(row_, summary_, logit);
  }

  void top(float* logprobs, int64_t* ids) const {
    for (int64_t i = 0; i < num_top_; ++i) {
      logprobs[i] = defined_ ? logprob_of(tokens_[i].logit) : kNan;
      ids[i] = defined_ ? tokens_[i].id : -1;
    }
  }

 private:
  // In float64 up to the result.
  float logprob_of(float logit) const { return float(double(logit) - double(summary_.top) - log_sum_); }

  void find_top() {
    // So many blocks have a token at least as likely as the last of their maxima.
    float bound = -std::numeric_limits<float>::infinity();
    if (num_top_ <= blocks_) {
      std::copy(summary_.maxima, summary_.maxima + blocks_, bounds_);
      std::nth_element(bounds_, bounds_ + num_top_ - 1, bounds_ + blocks_, std::greater<float>());
      bound = bounds_[num_top_ - 1];
    }
    int64_t count = k_.collect_logits(row_, summary_, bound, tokens_);
    std::partial_sort(tokens_, tokens_ + num_top_, tokens_ + count, [](const RankedToken& a, const RankedToken& b) {
      return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
    });
  }

  const Kernels& k_ = kernels();
  const LogitRow& row_;
  int64_t num_top_, blocks_;
  LogitSummary summary_{};
  float* bounds_;
  RankedToken* tokens_;
  bool defined_;
  double log_sum_;
};

}  // namespace

void penalize_logits(const PenaltyParams& p) {
  const Kernels& k = kernels();
  each_row(p.num_rows, p.num_rows * p.vocab_size * int64_t(sizeof(float)), k.penalize_scratch_bytes(p.vocab_size),
           [&](int64_t i, char* scratch) { k.penalize_row(penalty_row_of(p, i), scratch); });
}

void edit_logits(const EditParams& p) {
  each_row(p.num_rows, p.num_rows * p.vocab_size * int64_t(sizeof(float)), 0,
           [&](int64_t i, char*) { edit_row(p, i); });
}

void token_logprobs(const LogprobParams& p) {
  // Tokens that name the same row in succession share its reduction.
  std::vector<int64_t> firsts;
  for (int64_t i = 0; i < p.num_tokens; ++i)
    if (i == 0 || p.rows[i] != p.rows[i - 1]) firsts.push_back(i);
  int64_t runs = int64_t(firsts.size());
  firsts.push_back(p.num_tokens);
  auto work = [&](int64_t run, char* scratch) {
    int64_t first = firsts[run], last = firsts[run + 1], index = p.rows[first];
    if (index < 0 || index >= p.num_rows) {
      std::fill(p.logprobs + first, p.logprobs + last, kNan);
      std::fill(p.ranks + first, p.ranks + last, 0);
      std::fill(p.top_logprobs + first * p.num_top, p.top_logprobs + last * p.num_top, kNan);
      std::fill(p.top_ids + first * p.num_top, p.top_ids + last * p.num_top, -1);
      return;
    }
    LogitRow row{p.logits + index * p.row_stride, p.type, p.vocab_size};
    RowLogprobs logprobs(row, p.num_top, scratch);
    for (int64_t i = first; i < last; ++i) {
      logprobs.token(p.token_ids[i], p.logprobs[i], p.ranks[i]);
      logprobs.top(p.top_logprobs + i * p.num_top, p.top_ids + i * p.num_top);
    }
  };
  each_row(runs, runs * p.vocab_size * kDTypeBytes[int(p.type)], RowLogprobs::scratch_bytes(p.vocab_size), work);
}

}  // namespace torchpaged
