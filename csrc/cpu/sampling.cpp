// sample_tokens: a row's numbers, made ready for the kernel, and rows spread over threads.
#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "operators.h"
#include "parallel.h"

namespace torchpaged {
namespace {

// The finaliser of splitmix64 (G. Steele, D. Lea, C. Flood: Fast Splittable Pseudorandom Number Generators).
uint64_t mix64(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

SampleRow sample_row_of(const SampleParams& p, int64_t i) {
  constexpr uint64_t kGolden = 0x9e3779b97f4a7c15u;
  using Limits = std::numeric_limits<float>;
  SampleRow row{};
  row.logits = p.logits + i * p.row_stride;
  row.type = p.type;
  row.vocab_size = p.vocab_size;
  const int64_t r = p.rows != nullptr ? p.rows[i] : i;
  row.greedy = !(p.temperature[r] > 0);
  row.inverse_temperature = std::clamp(1.0f / p.temperature[r], Limits::min(), Limits::max());
  row.top_k = p.top_k[r] > 0 && p.top_k[r] < p.vocab_size ? p.top_k[r] : 0;
  row.top_p = p.top_p[r];
  row.max_scaled = p.min_p[r] > 0 ? std::max(-std::log(p.min_p[r]), 0.0f) : Limits::infinity();
  uint64_t key = mix64(mix64(uint64_t(p.seeds[r]) + kGolden) + uint64_t(p.positions[i]) * kGolden);
  row.key[0] = uint32_t(key);
  row.key[1] = uint32_t(key >> 32);
  return row;
}

}  // namespace

void sample_tokens(const SampleParams& p) {
  const Kernels& k = kernels();
  // A row at a time: what a filter costs differs from row to row.
  int64_t bytes = p.num_rows * p.vocab_size * kDTypeBytes[int(p.type)];
  int workers = bytes < kWorthwhileBytes ? 1 : int(std::min<int64_t>(num_threads(), p.num_rows));
  std::atomic<int64_t> next{0};
  run_workers(workers, [&](int) {
    DefaultFloatMode mode;
    char* scratch = thread_scratch(k.sample_scratch_bytes(p.vocab_size));
    for (int64_t i; (i = next.fetch_add(1)) < p.num_rows;) p.out[i] = k.sample_row(sample_row_of(p, i), scratch);
  });
}

}  // namespace torchpaged

// Parameters and tokens of all rows: [num_rows], [num_rows][max_tokens].
struct DrawTable {
  const float* temperature;
  const int32_t* top_k;
  const float *top_p, *min_p;
  const int64_t* seeds;
  int32_t* tokens;
  int64_t num_rows, max_tokens;
};

// Draws the tokens of some rows and writes them into the table, each at its position. Returns 0; 1 where a row or
// position is not in the table, 2 where there are no threads.
TORCHPAGED_EXPORT int torchpaged_draw_tokens(const DrawTable* table, int type, const char* logits, int64_t row_stride,
                                             int64_t vocab_size, int64_t num_draws, const int64_t* rows,
                                             const int64_t* positions, int64_t* out) {
  const DrawTable& t = *table;
  for (int64_t i = 0; i < num_draws; ++i)
    if (rows[i] < 0 || rows[i] >= t.num_rows || positions[i] < 0 || positions[i] >= t.max_tokens) return 1;
  try {
    torchpaged::sample_tokens({logits, torchpaged::DType(type), row_stride, num_draws, vocab_size, t.temperature,
                               t.top_p, t.min_p, t.top_k, t.seeds, positions, out, rows});
  } catch (const std::exception&) {
    return 2;
  }
  for (int64_t i = 0; i < num_draws; ++i) t.tokens[rows[i] * t.max_tokens + positions[i]] = int32_t(out[i]);
  return 0;
}
