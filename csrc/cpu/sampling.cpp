// sample_tokens: a row's numbers, made ready for the kernel, and rows spread over threads.
#include <algorithm>
#include <cmath>
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
  row.greedy = !(p.temperature[i] > 0);
  row.inverse_temperature = std::clamp(1.0f / p.temperature[i], Limits::min(), Limits::max());
  row.top_k = p.top_k[i] > 0 && p.top_k[i] < p.vocab_size ? p.top_k[i] : 0;
  row.top_p = p.top_p[i];
  row.max_scaled = p.min_p[i] > 0 ? std::max(-std::log(p.min_p[i]), 0.0f) : Limits::infinity();
  uint64_t key = mix64(mix64(uint64_t(p.seeds[i]) + kGolden) + uint64_t(p.positions[i]) * kGolden);
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
