// A row of a causal convolution, for any ISA.
#pragma once

#include "pointwise.h"

namespace torchpaged {
namespace {

// out = bias + sum over taps of tap * weight, in the taps' order; the SiLU of it where that is asked for. Each channel
// is a lane of its own, so its bits do not depend on where in a row it stands.
[[maybe_unused]] void convolve_row(const ConvolutionRow& r, DType type, int64_t width, int64_t n, bool silu_of_it) {
  with_float_type(type, [&](auto element) {
    using Element = decltype(element);
    using T = typename Element::T;
    for (int64_t d = 0; d < n; d += kLanes) {
      F sum = r.bias ? get_at<Float32>(r.bias, d, n) : set1(0);
      for (int64_t k = 0; k < width; ++k)
        if (auto* tap = (const T*)r.taps[k])
          sum = fma(get_at<Element>(tap, d, n), get_at<Float32>(r.weights + k * r.stride, d, n), sum);
      put_at<Element>((T*)r.out, d, n, silu_of_it ? silu(sum) : sum);
    }
  });
}

}  // namespace
}  // namespace torchpaged
