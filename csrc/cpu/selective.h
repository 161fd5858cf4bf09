// selective_scan for some channels of one sequence, for any ISA: a lane is a channel.
//
// The rows since the boundary are scanned once more, then the new ones: a row's bits do not depend on which are new.
#pragma once

#include "pointwise.h"
#include "products.h"
#include "states.h"

namespace torchpaged {
namespace {

[[maybe_unused]] size_t scan_scratch_bytes(const ScanParams& p) {
  int64_t padded = round_up(p.state_size, kLanes);
  return size_t(2 * padded * kLanes + 2 * p.paged.chunk * padded) * sizeof(float);
}

// rows[c][n] of `count` channels becomes target[n][c], zeros for lanes without a channel.
inline void load_channels(const char* rows, int64_t stride, int64_t count, int64_t n, float* target) {
  for (int64_t d = 0; d < n; d += kLanes) {
    F x[kLanes];
    for (int i = 0; i < kLanes; ++i)
      x[i] = i < count ? get_at<Float32>((const float*)(rows + i * stride), d, n) : set1(0);
    transpose(x);
    for (int i = 0; i < kLanes; ++i) store(target + (d + i) * kLanes, x[i]);
  }
}

inline void store_channels(const float* source, char* rows, int64_t stride, int64_t count, int64_t n) {
  for (int64_t d = 0; d < n; d += kLanes) {
    F x[kLanes];
    for (int i = 0; i < kLanes; ++i) x[i] = load(source + (d + i) * kLanes);
    transpose(x);
    for (int i = 0; i < count; ++i) put_at<Float32>((float*)(rows + i * stride), d, n, x[i]);
  }
}

class ScanRun {
 public:
  ScanRun(const ScanParams& p, const ScanUnit& unit, char* memory)
      : p_(p), unit_(unit), tokens_(p.paged, unit.sequence), padded_(round_up(p.state_size, kLanes)) {
    state_ = (float*)memory;
    a_ = state_ + padded_ * kLanes;
    b_ = a_ + padded_ * kLanes;
    c_ = b_ + p.paged.chunk * padded_;
  }

  void run() {
    if (tokens_.seq_len <= tokens_.first) return;
    for (int64_t channel = unit_.first; channel < unit_.last; channel += kLanes)
      scan(channel, least(kLanes, unit_.last - channel));
  }

 private:
  float* tail_row(char* slot, int64_t row) const { return (float*)(slot + row * p_.paged.tail_row_stride); }
  const char* of(const TokenRows& rows, int64_t token) const { return rows.data + token * rows.token_stride; }

  // All of the sequence's tokens, for `count` channels.
  void scan(int64_t channel, int64_t count) {
    const PagedStates& paged = p_.paged;
    int64_t chunk = paged.chunk, begin = tokens_.first / chunk, stride = paged.state_row_stride;
    load_channels((const char*)(p_.a + channel * p_.a_stride), p_.a_stride * int64_t(sizeof(float)), count,
                  p_.state_size, a_);
    for (int64_t n = 0; n < padded_; ++n) store(state_ + n * kLanes, set1(0));
    if (begin > 0)
      load_channels(state_at(paged, unit_.sequence, begin - 1, false) + channel * stride, stride, count, p_.state_size,
                    state_);
    for (int64_t entry = begin; entry * chunk < tokens_.seq_len; ++entry) {
      ChunkRows rows(tokens_, entry, chunk);
      char* kept = rows.begin > 0 ? tail_at(paged, unit_.sequence, entry, false) : nullptr;
      for (int64_t j = 0; j < rows.begin; ++j) repeat(tail_row(kept, j), channel, count);
      load_shared(rows);
      char* tail = tail_at(paged, unit_.sequence, entry, true);
      for (int64_t j = rows.begin; j < rows.end; ++j) step(rows, j, channel, count, tail);
      char* slot = rows.end == chunk ? state_at(paged, unit_.sequence, entry, true) : nullptr;
      if (slot) store_channels(state_, slot + channel * stride, stride, count, p_.state_size);
    }
  }

  int64_t token_of(const ChunkRows& rows, int64_t row) const {
    return tokens_.token + rows.entry * p_.paged.chunk + row - tokens_.first;
  }

  // The chunk's new b and c as floats.
  void load_shared(const ChunkRows& rows) {
    for (int64_t j = rows.begin; j < rows.end; ++j) {
      load_floats(of(p_.b, token_of(rows, j)), p_.b.type, b_ + j * padded_, p_.state_size, padded_);
      load_floats(of(p_.c, token_of(rows, j)), p_.c.type, c_ + j * padded_, p_.state_size, padded_);
    }
  }

  F advance(int64_t n, F time, F value, float b) {
    F state = fma(exp(time * load(a_ + n * kLanes)), load(state_ + n * kLanes), value * set1(b));
    store(state_ + n * kLanes, state);
    return state;
  }

  // A row that an earlier step has computed.
  void repeat(const float* row, int64_t channel, int64_t count) {
    const float *times = row + channel, *values = times + p_.channels, *b = row + 2 * p_.channels;
    F time = get_at<Float32>(times, 0, count), value = get_at<Float32>(values, 0, count);
    for (int64_t n = 0; n < p_.state_size; ++n) advance(n, time, value, b[n]);
  }

  void step(const ChunkRows& rows, int64_t row, int64_t channel, int64_t count, char* tail) {
    int64_t token = token_of(rows, row), bytes = kDTypeBytes[int(p_.x.type)];
    const float *b = b_ + row * padded_, *c = c_ + row * padded_;
    F time = vector_of(p_.dt, token, channel, count), x = vector_of(p_.x, token, channel, count);
    if (p_.time_bias) time = time + get_at<Float32>(p_.time_bias + channel, 0, count);
    if (p_.softplus) time = softplus(time);
    F value = time * x, result = set1(0);
    for (int64_t n = 0; n < p_.state_size; ++n) result = fma(advance(n, time, value, b[n]), set1(c[n]), result);
    if (p_.skip) result = fma(get_at<Float32>(p_.skip + channel, 0, count), x, result);
    char* out = p_.out + (token * p_.channels + channel) * bytes;
    with_float_type(p_.x.type, [&](auto element) {
      using Element = decltype(element);
      put_at<Element>((typename Element::T*)out, 0, count, result);
    });
    if (!tail) return;
    float* kept = tail_row(tail, row);
    put_at<Float32>(kept + channel, 0, count, time);
    put_at<Float32>(kept + p_.channels + channel, 0, count, value);
    if (channel == 0) memcpy(kept + 2 * p_.channels, b, size_t(p_.state_size) * sizeof(float));
  }

  F vector_of(const TokenRows& rows, int64_t token, int64_t channel, int64_t count) const {
    const char* source = of(rows, token) + channel * kDTypeBytes[int(rows.type)];
    return with_float_type(rows.type, [&](auto element) {
      using Element = decltype(element);
      return get_at<Element>((const typename Element::T*)source, 0, count);
    });
  }

  const ScanParams& p_;
  const ScanUnit& unit_;
  NewTokens tokens_;
  int64_t padded_;
  float *state_, *a_, *b_, *c_;
};

[[maybe_unused]] void scan(const ScanParams& p, const ScanUnit& unit, char* scratch) { ScanRun(p, unit, scratch).run(); }

}  // namespace
}  // namespace torchpaged
