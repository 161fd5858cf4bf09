// causal_conv1d: this step's rows into their slots, then the convolution, both spread over threads by tokens.
#include <algorithm>
#include <cstring>
#include <vector>

#include "operators.h"
#include "parallel.h"
#include "tables.h"

namespace torchpaged {

float* load_convolution_weights(const ConvolutionWeights& w) {
  DefaultFloatMode mode;
  auto* weights = reinterpret_cast<float*>(thread_scratch(size_t((w.width + 1) * w.channels) * sizeof(float)));
  int64_t element = kDTypeBytes[int(w.weight_type)];
  float* target = weights;
  bool in_one_piece = w.weight_tap_stride == element && w.weight_channel_stride == w.width * element;
  if (in_one_piece) {  // as models have it: thousands of channels, a few taps
    auto* rows = reinterpret_cast<float*>(thread_scratch<2>(size_t(w.width * w.channels) * sizeof(float)));
    kernels().dequantise_row(w.weight, w.weight_type, rows, 1.0f, w.width * w.channels);
    for (int64_t tap = 0; tap < w.width; ++tap)
      for (int64_t c = 0; c < w.channels; ++c) *target++ = rows[c * w.width + tap];
  }
  std::vector<char> column(size_t(w.channels) * 4);
  auto load = [&](const char* source, DType type, int64_t stride) {
    size_t bytes = size_t(kDTypeBytes[int(type)]);
    for (int64_t c = 0; c < w.channels; ++c) std::memcpy(column.data() + size_t(c) * bytes, source + c * stride, bytes);
    kernels().dequantise_row(column.data(), type, target, 1.0f, w.channels);
    target += w.channels;
  };
  for (int64_t tap = 0; !in_one_piece && tap < w.width; ++tap)
    load(w.weight + tap * w.weight_tap_stride, w.weight_type, w.weight_channel_stride);
  if (w.bias) load(w.bias, w.bias_type, w.bias_stride);
  return weights;
}

namespace {

// body(first channel, channels, the segment's place in a block's first row, its block and token strides) for each run
// of channels that lies in one piece.
template <class Body>
void each_segment(const ConvolutionParams& p, const Body& body) {
  int64_t first = 0;
  for (const RowPart& part : p.parts)
    for (int64_t head = 0; head < part.num_heads && first < p.weights.channels; ++head, first += part.head_dim)
      body(first, std::min(part.head_dim, p.weights.channels - first), part, part.data + head * part.head_stride);
}

void write_row(const ConvolutionParams& p, int64_t token) {
  int64_t slot = p.slots[token * p.slot_stride];
  if (slot < 0) return;
  int64_t block = slot / p.block_size, offset = slot % p.block_size, bytes = kDTypeBytes[int(p.type)];
  const char* row = p.x + token * p.x_stride;
  each_segment(p, [&](int64_t first, int64_t n, const RowPart& part, char* place) {
    std::memcpy(place + block * part.block_stride + offset * part.token_stride, row + first * bytes, size_t(n * bytes));
  });
}

// The row of `token`, whose sequence's rows of this step begin with `begin`, at position `first`.
void convolve(const ConvolutionParams& p, const Kernels& k, const float* weights, int64_t token, int64_t sequence,
              int64_t begin, int64_t first, const char** taps) {
  int64_t bytes = kDTypeBytes[int(p.type)], position = first + token - begin;
  char* out = p.out + token * p.weights.channels * bytes;
  const float* bias = p.weights.bias ? weights + p.weights.width * p.weights.channels : nullptr;
  bool all_new = true;
  for (int64_t tap = 0; tap < p.weights.width; ++tap) {
    int64_t back = p.weights.width - 1 - tap;
    taps[tap] = position - back >= std::max<int64_t>(first, 0) ? p.x + (token - back) * p.x_stride : nullptr;
    all_new &= taps[tap] || position < back;
  }
  if (all_new)
    return k.convolve_row({taps, weights, bias, out, p.weights.channels}, p.type, p.weights.width, p.weights.channels,
                          p.silu);
  const char** places = taps + p.weights.width;  // the same taps, of one segment
  each_segment(p, [&](int64_t from, int64_t n, const RowPart& part, const char* place) {
    for (int64_t tap = 0; tap < p.weights.width; ++tap) {
      int64_t at = position - (p.weights.width - 1 - tap);
      places[tap] = taps[tap] ? taps[tap] + from * bytes : nullptr;
      if (taps[tap] || at < 0) continue;
      int64_t logical = std::min(at / p.block_size, p.max_blocks - 1);
      int64_t block = p.block_tables[sequence * p.block_table_stride + logical];
      block = std::clamp<int64_t>(block, 0, p.num_blocks - 1);
      places[tap] = place + block * part.block_stride + at % p.block_size * part.token_stride;
    }
    ConvolutionRow row{places, weights + from, bias ? bias + from : nullptr, out + from * bytes, p.weights.channels};
    k.convolve_row(row, p.type, p.weights.width, n, p.silu);
  });
}

void check_values(const ConvolutionParams& p) {
  int64_t limit = p.num_blocks * p.block_size;
  for (int64_t i = 0; i < p.num_tokens; ++i) {
    int64_t slot = p.slots[i * p.slot_stride];
    if (slot >= limit)
      throw std::invalid_argument("causal_conv1d: slot_mapping has slot " + std::to_string(slot) + " at " +
                                  std::to_string(i) + ", expected less than " + std::to_string(limit));
  }
  const BlockTables tables{p.block_tables, p.block_table_stride, p.max_blocks, p.num_blocks, p.block_size};
  for (int64_t i = 0; p.weights.width > 1 && i < p.num_seqs; ++i) {
    // The inputs before this step's first row; without one nothing is looked up.
    int64_t rows = p.query_start_loc[i + 1] - p.query_start_loc[i], first = p.seq_lens[i] - rows;
    if (rows <= 0 || (first <= 0 && p.seq_lens[i] >= 0)) continue;
    check_length("causal_conv1d", tables, i, p.seq_lens[i]);
    check_blocks("causal_conv1d", tables, i, std::max<int64_t>(0, first - p.weights.width + 1), first);
  }
}

}  // namespace

void causal_conv1d(const ConvolutionParams& p) {
  check_values(p);
  const Kernels& k = kernels();
  int64_t row_bytes = p.weights.channels * kDTypeBytes[int(p.type)];
  // All of them before anything is read: a sequence may read what another one of this step has written.
  parallel_chunks(p.num_tokens, p.num_tokens * row_bytes, [&](int64_t begin, int64_t end) {
    for (int64_t token = begin; token < end; ++token) write_row(p, token);
  });
  std::vector<int32_t> owner(size_t(p.num_tokens), -1);
  for (int64_t i = 0; i < p.num_seqs; ++i) {
    int64_t begin = std::max<int64_t>(p.query_start_loc[i], 0);
    int64_t end = std::min<int64_t>(p.query_start_loc[i + 1], p.num_tokens);
    if (p.seq_lens[i] <= 0) continue;
    begin = std::max(begin, end - p.seq_lens[i]);  // rows before position 0 belong to no sequence
    for (int64_t token = begin; token < end; ++token) owner[size_t(token)] = int32_t(i);
  }
  const float* weights = load_convolution_weights(p.weights);
  parallel_chunks(p.num_tokens, p.num_tokens * row_bytes * (p.weights.width + 1), [&](int64_t begin, int64_t end) {
    DefaultFloatMode mode;
    std::vector<const char*> taps(size_t(2 * p.weights.width));
    for (int64_t token = begin; token < end; ++token) {
      int64_t i = owner[size_t(token)];
      if (i < 0) {
        std::memset(p.out + token * row_bytes, 0, size_t(row_bytes));
        continue;
      }
      int64_t stop = p.query_start_loc[i + 1], start = std::max<int64_t>(p.query_start_loc[i], stop - p.seq_lens[i]);
      convolve(p, k, weights, token, i, start, p.seq_lens[i] - (stop - start), taps.data());
    }
  });
}

}  // namespace torchpaged
