// Pointwise kernels, a row at a time, for any ISA: norms, rotation, gated activations.
//
// All arithmetic is in float32 and rounded once, where a result is stored. A row's bits do not depend on its neighbours.
#pragma once

#include "vec_math.h"

namespace torchpaged {
namespace {

// The elements [d, d + kLanes) of a row of n, zeros behind its end.
template <class Element>
inline F get_at(const typename Element::T* row, int64_t d, int64_t n) {
  return d + kLanes <= n ? Element::get(row + d) : get_some<Element>(row + d, n - d);
}

template <class Element>
inline void put_at(typename Element::T* row, int64_t d, int64_t n, F x) {
  if (d + kLanes <= n)
    Element::put(row + d, x);
  else
    put_some<Element>(row + d, x, n - d);
}

// 1 / sqrt(mean(x^2) + eps), given the lanes' sums of squares.
inline float inverse_rms(F squares, int64_t n, float eps) {
  return 1.0f / __builtin_sqrtf(reduce_add(squares) / float(n) + eps);
}

// sum = x + residual where there is a residual, else x; out = sum / rms(sum) * weight.
[[maybe_unused]] void rms_norm_row(const NormRow& r, DType type, DType weight_type, int64_t n, float eps) {
  with_float_type(type, [&](auto element) {
    using Element = decltype(element);
    using T = typename Element::T;
    auto *x = (const T*)r.x, *residual = (const T*)r.residual;
    auto *sum = (T*)r.sum, *out = (T*)r.out;
    F squares = set1(0);
    for (int64_t d = 0; d < n; d += kLanes) {
      F value = get_at<Element>(x, d, n);
      if (residual) {
        put_at<Element>(sum, d, n, value + get_at<Element>(residual, d, n));
        value = get_at<Element>(sum, d, n);  // as rounded: the norm is of what the next layer sees
      }
      squares = fma(value, value, squares);
    }
    const T* source = residual ? sum : x;
    F scale = set1(inverse_rms(squares, n, eps));
    auto finish = [&](auto weight_element) {
      using Weight = decltype(weight_element);
      auto* weight = (const typename Weight::T*)r.weight;
      for (int64_t d = 0; d < n; d += kLanes)
        put_at<Element>(out, d, n, get_at<Element>(source, d, n) * scale * get_at<Weight>(weight, d, n));
    };
    with_float_type(weight_type, finish);
  });
}

// out[i] = x[i] cos[i] - x[i + h] sin[i], out[i + h] = x[i + h] cos[i + h] + x[i] sin[i + h] in the first 2h elements,
// a copy in the others; of x / rms(x) * weight where there is a weight, whose norm is over all n.
[[maybe_unused]] void rotate_row(const RotationRow& r, DType type, DType table_type, DType weight_type, int64_t n,
                                 int64_t rotated, float eps) {
  with_float_type(type, [&](auto element) {
    using Element = decltype(element);
    using T = typename Element::T;
    auto* x = (const T*)r.x;
    auto* out = (T*)r.out;
    int64_t half = rotated / 2;
    F scale = set1(1);
    if (r.weight) {
      F squares = set1(0);
      for (int64_t d = 0; d < n; d += kLanes) {
        F value = get_at<Element>(x, d, n);
        squares = fma(value, value, squares);
      }
      scale = set1(inverse_rms(squares, n, eps));
    }
    with_float_type(weight_type, [&](auto weight_element) {
      using Weight = decltype(weight_element);
      auto* weight = (const typename Weight::T*)r.weight;
      auto value = [&](int64_t d, int64_t end) {
        F plain = get_at<Element>(x, d, end);
        return weight ? plain * scale * get_at<Weight>(weight, d, end) : plain;
      };
      with_float_type(table_type, [&](auto table_element) {
        using Table = decltype(table_element);
        auto *cos = (const typename Table::T*)r.cos, *sin = (const typename Table::T*)r.sin;
        for (int64_t d = 0; d < half; d += kLanes) {
          F first = value(d, half), second = value(half + d, rotated);
          F low = first * get_at<Table>(cos, d, half) - second * get_at<Table>(sin, d, half);
          F high = second * get_at<Table>(cos, half + d, rotated) + first * get_at<Table>(sin, half + d, rotated);
          put_at<Element>(out, d, half, low);
          put_at<Element>(out, half + d, rotated, high);
        }
      });
      for (int64_t d = rotated; d < n; d += kLanes) put_at<Element>(out, d, n, value(d, n));
    });
  });
}

inline F silu(F x) { return x / (set1(1) + exp((F)-max(set1(-88), x))); }

inline F gelu_tanh(F x) {
  F inner = set1(0.7978845608028654f) * fma(set1(0.044715f) * x * x, x, x);
  return set1(0.5f) * x * (set1(1) + tanh(inner));
}

// body(activation as a function): the branch is outside of the loop over vectors, in which it would cost some percent.
template <class Body>
inline void with_activation(Activation activation, const Body& body) {
  switch (activation) {
#define TORCHPAGED_CASE(name, op, value) \
  case Activation::name:                 \
    return body([](F x) { return value; });
    TORCHPAGED_ACTIVATIONS(TORCHPAGED_CASE)
#undef TORCHPAGED_CASE
  }
}

// out = activation(gate) * up. Without `flatten` GCC 12 leaves calls in the loops, which cost a quarter.
[[maybe_unused, gnu::flatten]] void gated_row(const char* gate, const char* up, char* out, DType type,
                                              Activation activation, int64_t n) {
  with_float_type(type, [&](auto element) {
    using Element = decltype(element);
    using T = typename Element::T;
    with_activation(activation, [&](auto activated) {
      for (int64_t d = 0; d < n; d += kLanes) {
        F active = activated(get_at<Element>((const T*)gate, d, n));
        put_at<Element>((T*)out, d, n, active * get_at<Element>((const T*)up, d, n));
      }
    });
  });
}

}  // namespace
}  // namespace torchpaged
