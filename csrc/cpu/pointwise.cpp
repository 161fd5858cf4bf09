// The pointwise operators, spread over threads by rows.
#include "pointwise_operators.h"

#include "parallel.h"

namespace torchpaged {
namespace {

// Reading, computing and writing an element takes about as long as moving this many bytes.
constexpr int64_t kCostPerElement = 8;

template <class Body>
void each_row(const Rows& x, const Body& body) {
  int64_t count = x.count();
  parallel_chunks(count, count * x.n * kCostPerElement, [&](int64_t begin, int64_t end) {
    DefaultFloatMode mode;
    for (int64_t row = begin; row < end; ++row) body(row);
  });
}

}  // namespace

void rms_norm(const Rows& x, const Rows& residual, const Rows& weight, float eps, char* sum, char* out) {
  const Kernels& k = kernels();
  int64_t bytes = x.n * kDTypeBytes[int(x.type)];
  each_row(x, [&](int64_t row) {
    NormRow r{x.row(row), residual.data ? residual.row(row) : nullptr, weight.data,
              sum ? sum + row * bytes : nullptr, out + row * bytes};
    k.rms_norm_row(r, x.type, weight.type, x.n, eps);
  });
}

void rotary_embedding(const Rows& x, const Rows& cos, const Rows& sin, const Rows& weight, float eps, char* out) {
  const Kernels& k = kernels();
  int64_t bytes = x.n * kDTypeBytes[int(x.type)];
  each_row(x, [&](int64_t row) {
    RotationRow r{x.row(row), cos.row(row), sin.row(row), weight.data, out + row * bytes};
    k.rotate_row(r, x.type, cos.type, weight.type, x.n, cos.n, eps);
  });
}

void gated_activation(const Rows& gate, const Rows& up, Activation activation, char* out) {
  const Kernels& k = kernels();
  int64_t bytes = gate.n * kDTypeBytes[int(gate.type)];
  each_row(gate, [&](int64_t row) {
    k.gated_row(gate.row(row), up.row(row), out + row * bytes, gate.type, activation, gate.n);
  });
}

}  // namespace torchpaged
