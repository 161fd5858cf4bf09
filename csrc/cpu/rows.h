// The cache operators' work on one row, for any ISA: merge, absolute maximum, quantise, dequantise.
#pragma once

#include "vec_math.h"

namespace torchpaged {
namespace {

[[maybe_unused]] void merge_rows(const char* a, float weight_a, const char* b, float weight_b, char* out, DType type,
                                 int64_t n) {
  with_float_type(type, [&](auto element) {
    using Element = decltype(element);
    using T = typename Element::T;
    // A side that saw nothing may hold anything: it is dropped, not multiplied by 0.
    auto part = [](const char* source, float weight, int64_t d, int64_t count) {
      if (weight == 0) return set1(0);
      auto* row = (const T*)source + d;
      return (count == kLanes ? Element::get(row) : get_some<Element>(row, count)) * set1(weight);
    };
    for (int64_t d = 0; d < n; d += kLanes) {
      int64_t count = n - d < kLanes ? n - d : kLanes;
      F x = part(a, weight_a, d, count) + part(b, weight_b, d, count);
      if (count == kLanes)
        Element::put((T*)out + d, x);
      else
        put_some<Element>((T*)out + d, x, count);
    }
  });
}

// NaN where there is one.
template <class Element>
float absmax(const typename Element::T* row, int64_t n) {
  F top = set1(0), nan_probe = set1(0);
  for (int64_t d = 0; d < n; d += kLanes) {
    F x = d + kLanes <= n ? Element::get(row + d) : get_some<Element>(row + d, n - d);
    top = max(top, (F)((I)x & 0x7fffffff));
    nan_probe = select((I)(x == x), nan_probe, x);
  }
  return reduce_max(top) + reduce_add(nan_probe);
}

[[maybe_unused]] float absmax_row(const char* source, DType type, int64_t n) {
  return with_float_type(type, [&](auto element) {
    using Element = decltype(element);
    return absmax<Element>((const typename Element::T*)source, n);
  });
}

inline float saturated(float x, float limit) { return x > limit ? limit : x < -limit ? -limit : x; }

// A group of numbers as ops/int4_cache.py packs it.
inline void pack_group(const float* x, char* target) {
  float low = x[0], high = x[0], odd = 0;
  for (int i = 0; i < kGroupNumbers; ++i) {
    low = x[i] < low ? x[i] : low;
    high = x[i] > high ? x[i] : high;
    if (x[i] != x[i]) odd = x[i];
  }
  const float top = odd != odd ? odd : high >= -low ? high : low;
  const uint16_t half = half_of_float(top * -0.125f);
  memcpy(target, &half, 2);
  const F scale = set1(float_of_half(half));
  uint8_t codes[kGroupNumbers];
  for (int64_t d = 0; d < kGroupNumbers; d += kLanes) {
    F y = round_nearest(load(x + d) / scale);
    for (int i = 0; i < kLanes; ++i) codes[d + i] = uint8_t(8 + (y[i] != y[i] ? 0 : int(saturated(y[i], 8))));
  }
  for (int i = 0; i < 16; ++i) {
    const int first = codes[i] > 15 ? 15 : codes[i], second = codes[i + 16] > 15 ? 15 : codes[i + 16];
    target[2 + i] = char(first | second << 4);
  }
}

[[maybe_unused]] void quantise_row(const char* source, DType type, char* target, DType target_type, float scale,
                                   int64_t n) {
  with_float_type(type, [&](auto element) {
    using Element = decltype(element);
    auto* row = (const typename Element::T*)source;
    if (target_type == DType::Int4) {
      for (int64_t d = 0; d < n; d += kGroupNumbers, target += kGroupBytes) {
        float x[kGroupNumbers];
        for (int64_t i = 0; i < kGroupNumbers; i += kLanes) store(x + i, Element::get(row + d + i));
        pack_group(x, target);
      }
      return;
    }
    for (int64_t d = 0; d < n; d += kLanes) {
      int64_t count = n - d < kLanes ? n - d : kLanes;
      float x[kLanes];
      uint8_t bytes[kLanes];
      store(x, (count == kLanes ? Element::get(row + d) : get_some<Element>(row + d, count)) / set1(scale));
      if (target_type == DType::Int8) {
        F y = round_nearest(max(set1(-127), load(x)));
        y = (F)-max(set1(-127), (F)-y);
        for (int i = 0; i < kLanes; ++i) bytes[i] = uint8_t(int8_t(y[i] == y[i] ? int(y[i]) : 0));
      } else if (target_type == DType::Float8E4M3) {
        for (int i = 0; i < kLanes; ++i) bytes[i] = e4m3_of_float(saturated(x[i], 448.0f));
      } else {
        for (int i = 0; i < kLanes; ++i) bytes[i] = e5m2_of_float(saturated(x[i], 57344.0f));
      }
      for (int64_t i = 0; i < count; ++i) target[d + i] = char(bytes[i]);
    }
  });
}

[[maybe_unused]] void dequantise_row(const char* source, DType type, float* target, float scale, int64_t n) {
  with_cache_type(type, [&](auto element) {
    for (int64_t d = 0; d < n; d += kLanes) {
      F x = row_at(element, source, d, n) * set1(scale);
      if (d + kLanes <= n)
        store(target + d, x);
      else
        put_some<Float32>(target + d, x, n - d);
    }
  });
}

}  // namespace
}  // namespace torchpaged
