// The operators of recurrent layers: their work in units of a sequence and some of its heads or channels, over threads.
#include <algorithm>
#include <cstring>
#include <vector>

#include "operators.h"
#include "parallel.h"
#include "states.h"

namespace torchpaged {
namespace {

[[noreturn]] void refuse_slot(const char* op, const char* table, int64_t slot, int64_t sequence, int64_t entry,
                              const std::string& expected) {
  throw std::invalid_argument(std::string(op) + ": " + table + " has slot " + std::to_string(slot) + " for sequence " +
                              std::to_string(sequence) + " at entry " + std::to_string(entry) + ", expected " + expected);
}

// One sequence's entries of a table.
struct Entries {
  const char* name;
  const int32_t* slots;
  int64_t width, read, end, num_slots;  // read: the entry that the first token reads, or -1

  // True if the step keeps anything in these slots.
  bool keeps(int64_t begin) const {
    for (int64_t k = begin; k < std::min(end, width); ++k)
      if (slots[k] != 0) return true;
    return false;
  }
};

// Checks the entry that is read, and all from there on. The null slot may be read in a dry run.
void check_entries(const char* op, int64_t sequence, const Entries& entries, bool dry) {
  const auto& [name, table, width, read, end, slots] = entries;
  if (read >= width && !dry)
    throw std::invalid_argument(std::string(op) + ": " + name + " has " + std::to_string(width) +
                                " entries for sequence " + std::to_string(sequence) + ", expected more than " +
                                std::to_string(read) + ": its first token reads that entry");
  auto range = [slots = slots](const char* from) { return from + std::to_string(slots - 1) + ", the slots of the cache"; };
  if (read >= 0 && read < width && table[read] == 0 && !dry)
    refuse_slot(op, name, 0, sequence, read, range("1 to ") + ": its first token reads that slot");
  for (int64_t k = std::max<int64_t>(read, 0); k < std::min(end, width); ++k)
    if (table[k] < 0 || table[k] >= slots) refuse_slot(op, name, table[k], sequence, k, range("0 to "));
}

void check_slots(const char* op, const PagedStates& p) {
  for (int64_t i = 0; i < p.num_seqs; ++i) {
    NewTokens tokens(p, i);
    if (tokens.first >= tokens.seq_len) continue;
    int64_t begin = tokens.first / p.chunk, end = (tokens.seq_len + p.chunk - 1) / p.chunk;
    Entries states{"state_tables", p.state_tables + i * p.state_table_stride, p.state_table_width, begin - 1, end,
                   p.num_slots};
    Entries tails{"tail_tables", p.tail_tables + i * p.tail_table_stride, p.tail_table_width,
                  tokens.first % p.chunk ? begin : -1, end, p.num_tails};
    // A sequence that keeps nothing, as in an engine's timed steps: what it is given does not matter.
    bool dry = !states.keeps(begin) && !tails.keeps(begin);
    check_entries(op, i, states, dry);
    check_entries(op, i, tails, dry);
  }
}

// The sequence of each token, -1 for padding.
std::vector<int32_t> owners(const PagedStates& p) {
  std::vector<int32_t> owner(size_t(p.num_tokens), -1);
  for (int64_t i = 0; i < p.num_seqs; ++i) {
    NewTokens tokens(p, i);
    for (int64_t t = 0; t < tokens.seq_len - tokens.first; ++t) owner[size_t(tokens.token + t)] = int32_t(i);
  }
  return owner;
}

void clear_padding(const PagedStates& p, char* out, int64_t row_bytes) {
  std::vector<int32_t> owner = owners(p);
  for (int64_t token = 0; token < p.num_tokens; ++token)
    if (owner[size_t(token)] < 0) std::memset(out + token * row_bytes, 0, size_t(row_bytes));
}

// Where the inputs of a convolution lie: one of the step's rows, the tail's, or the state's of the chunk where it began.
class Inputs {
 public:
  Inputs(const ChunkedConvolutionParams& p, int64_t sequence) : p_(p), tokens_(p.paged, sequence) {
    const PagedStates& paged = p.paged;
    int64_t begin = tokens_.first / paged.chunk;
    boundary_ = begin * paged.chunk;
    state_ = begin > 0 ? state_at(paged, sequence, begin - 1, false) : nullptr;
    tail_ = tokens_.first > boundary_ ? tail_at(paged, sequence, begin, false) : nullptr;
  }

  const NewTokens& tokens() const { return tokens_; }

  // nullptr before position 0.
  const char* at(int64_t position) const {
    if (position < 0) return nullptr;
    if (position >= tokens_.first) return p_.x + (tokens_.token + position - tokens_.first) * p_.x_stride;
    if (position >= boundary_) return tail_ + (position - boundary_) * p_.paged.tail_row_stride;
    return state_ + (position - boundary_ + p_.weights.width - 1) * p_.paged.state_row_stride;
  }

 private:
  const ChunkedConvolutionParams& p_;
  NewTokens tokens_;
  int64_t boundary_;
  const char *state_, *tail_;
};

// The row into its tail, and at a boundary the last inputs into the state.
void keep_inputs(const ChunkedConvolutionParams& p, const Inputs& inputs, int64_t sequence, int64_t position) {
  const PagedStates& paged = p.paged;
  int64_t entry = position / paged.chunk, place = position % paged.chunk;
  size_t bytes = size_t(p.weights.channels * kDTypeBytes[int(p.type)]);
  if (char* tail = tail_at(paged, sequence, entry, true))
    std::memcpy(tail + place * paged.tail_row_stride, inputs.at(position), bytes);
  char* state = place == paged.chunk - 1 ? state_at(paged, sequence, entry, true) : nullptr;
  for (int64_t i = 0; state && i < p.weights.width - 1; ++i) {
    const char* input = inputs.at(position - (p.weights.width - 2) + i);
    char* row = state + i * paged.state_row_stride;
    if (input)
      std::memcpy(row, input, bytes);
    else
      std::memset(row, 0, bytes);
  }
}

// More units than threads, so that they end together; the fewest that share a key, which is loaded for each of them.
int64_t heads_together(const RecurrenceParams& p) {
  int64_t group = p.heads / p.key_heads, units = p.paged.num_seqs * p.key_heads, parts = 1;
  auto heads = [&] { return (group + parts - 1) / parts; };
  while (heads() > 1 && (heads() > kHeadsTogether || units * parts < 4 * num_threads())) ++parts;
  return heads();
}

}  // namespace

void chunked_conv1d(const ChunkedConvolutionParams& p) {
  check_slots("chunked_conv1d", p.paged);
  const Kernels& k = kernels();
  const float* weights = load_convolution_weights(p.weights);
  const float* bias = p.weights.bias ? weights + p.weights.width * p.weights.channels : nullptr;
  int64_t width = p.weights.width, row_bytes = p.weights.channels * kDTypeBytes[int(p.type)];
  std::vector<int32_t> owner = owners(p.paged);
  parallel_chunks(p.paged.num_tokens, p.paged.num_tokens * row_bytes * (width + 1), [&](int64_t begin, int64_t end) {
    DefaultFloatMode mode;
    std::vector<const char*> taps((size_t(width)));
    for (int64_t token = begin; token < end; ++token) {
      char* out = p.out + token * row_bytes;
      int32_t sequence = owner[size_t(token)];
      if (sequence < 0) {
        std::memset(out, 0, size_t(row_bytes));
        continue;
      }
      Inputs inputs(p, sequence);
      int64_t position = inputs.tokens().first + token - inputs.tokens().token;
      for (int64_t tap = 0; tap < width; ++tap) taps[size_t(tap)] = inputs.at(position - (width - 1 - tap));
      k.convolve_row({taps.data(), weights, bias, out, p.weights.channels}, p.type, width, p.weights.channels, p.silu);
      keep_inputs(p, inputs, sequence, position);
    }
  });
}

void recurrence(const char* op, const RecurrenceParams& p) {
  check_slots(op, p.paged);
  const Kernels& k = kernels();
  clear_padding(p.paged, p.out, p.heads * p.value_dim * kDTypeBytes[int(p.value.type)]);
  std::vector<RecurrenceUnit> units;
  int64_t together = heads_together(p), group = p.heads / p.key_heads;
  for (int64_t i = 0; i < p.paged.num_seqs; ++i)
    for (int64_t key = 0; key < p.key_heads; ++key)
      for (int64_t first = 0; first < group; first += together)
        units.push_back({int32_t(i), int32_t(key), int32_t(key * group + first),
                         int32_t(std::min(together, group - first))});
  int64_t count = int64_t(units.size()), bytes = together * p.key_dim * p.value_dim * int64_t(sizeof(float));
  size_t scratch = k.recurrence_scratch_bytes(p, together);
  auto run = [&](int64_t begin, int64_t end) {
    DefaultFloatMode mode;
    for (int64_t i = begin; i < end; ++i) k.recurrence(p, units[size_t(i)], thread_scratch<2>(scratch));
  };
  if (p.paged.num_tokens > p.paged.num_seqs) return parallel_chunks(count, count * bytes, run);
  // In a decode all units cost the same, and each prefetches for the next one: a thread takes neighbours.
  int threads = count * bytes < kWorthwhileBytes ? 1 : int(std::min<int64_t>(num_threads(), count));
  run_workers(threads, [&](int i) { run(count * i / threads, count * (i + 1) / threads); });
}

void selective_scan(const ScanParams& p) {
  check_slots("selective_scan", p.paged);
  const Kernels& k = kernels();
  clear_padding(p.paged, p.out, p.channels * kDTypeBytes[int(p.x.type)]);
  constexpr int64_t kTogether = 128;  // channels, a multiple of any ISA's lanes
  int64_t parts = (p.channels + kTogether - 1) / kTogether, count = p.paged.num_seqs * parts;
  parallel_chunks(count, count * kTogether * p.state_size * 16, [&](int64_t begin, int64_t end) {
    DefaultFloatMode mode;
    char* scratch = thread_scratch<2>(k.scan_scratch_bytes(p));
    for (int64_t i = begin; i < end; ++i) {
      int64_t first = i % parts * kTogether;
      k.scan(p, {i / parts, first, std::min(first + kTogether, p.channels)}, scratch);
    }
  });
}

}  // namespace torchpaged
