// The stages of a fused product: each works on what its own thread has in its caches.
#include "fused_linear.h"

#include "parallel.h"

namespace torchpaged {
namespace {

// Purposes of a thread's memory beside those of linear.cpp.
enum Purpose { kNormed = 4, kSums, kOutputs };

int64_t bytes_of(const LinearParams& p) { return kDTypeBytes[int(p.input_type)]; }

class Stages : public LinearStages {
 public:
  explicit Stages(const FusedLinear& params)
      : f_(params), sizes_{params.product.num_rows, params.product.in_features}, strides_{params.product.in_features, 1} {
    paired = f_.gated;
    if (f_.query_heads) step = f_.head_dim / kPanel;
  }

  LinearParams made(const LinearParams& params, bool first) const override {
    if (!f_.norm_weight.data) return params;
    const size_t row = size_t(params.in_features * bytes_of(params)), all = row * size_t(params.num_rows);
    char* normed = thread_scratch<kNormed>(all);
    char* sum = !f_.residual.data ? nullptr : first ? f_.sum : thread_scratch<kSums>(all);
    for (int64_t i = 0; i < params.num_rows; ++i) {
      const size_t at = size_t(i) * row;
      NormRow r{f_.x.row(i), sum ? f_.residual.row(i) : nullptr, f_.norm_weight.data, sum ? sum + at : nullptr,
                normed + at};
      kernels().rms_norm_row(r, params.input_type, f_.norm_weight.type, params.in_features, f_.norm_eps);
    }
    return of_rows(params, normed);
  }

  char* outputs(const LinearParams& params, const RowBlock& rows) const override {
    if (!f_.gated) return params.out;
    const int64_t row = params.out_features * bytes_of(params);
    return thread_scratch<kOutputs>(size_t(rows.count * row)) - rows.first * row;
  }

  void finish(const char* out, const RowBlock& rows, int64_t first, int64_t last) const override {
    for (int64_t row = rows.first; row < rows.first + rows.count; ++row) {
      if (f_.gated) gate(out, row, first * kPanel, last * kPanel);
      if (f_.query_heads) rotate(out, row, first / step, (last + step - 1) / step);
    }
  }

  // The same product of contiguous rows that lie elsewhere.
  LinearParams of_rows(const LinearParams& params, const char* rows) const {
    LinearParams made = params;
    made.input = rows;
    made.input_dim = 2;
    made.input_sizes = sizes_;
    made.input_strides = strides_;
    return made;
  }

 private:
  void gate(const char* out, int64_t row, int64_t begin, int64_t end) const {
    const LinearParams& p = f_.product;
    const int64_t bytes = bytes_of(p), half = p.out_features / 2;
    const char* gates = out + (row * p.out_features + begin) * bytes;
    kernels().gated_row(gates, gates + half * bytes, f_.gated_out + (row * half + begin) * bytes, p.input_type,
                        f_.activation, end - begin);
  }

  void rotate(const char* out, int64_t row, int64_t begin, int64_t end) const {
    const LinearParams& p = f_.product;
    const int64_t head_bytes = f_.head_dim * bytes_of(p);
    for (int64_t head = begin; head < end && head < f_.query_heads + f_.key_heads; ++head) {
      const bool key = head >= f_.query_heads;
      const int64_t at = key ? row * f_.key_heads + head - f_.query_heads : row * f_.query_heads + head;
      RotationRow r{out + row * p.out_features * bytes_of(p) + head * head_bytes, f_.cos[key].row(at),
                    f_.sin[key].row(at), f_.weight[key].data, (key ? f_.key : f_.query) + at * head_bytes};
      kernels().rotate_row(r, p.input_type, f_.cos[key].type, f_.weight[key].type, f_.head_dim, f_.cos[key].n, f_.eps);
    }
  }

  const FusedLinear& f_;
  const int64_t sizes_[2], strides_[2];
};

// The product of rows that are normed for all workers at once.
FusedLinear normed(const FusedLinear& params, const Stages& stages) {
  rms_norm(params.x, params.residual, params.norm_weight, params.norm_eps, params.sum, params.normed);
  FusedLinear f = params;
  f.product = stages.of_rows(params.product, params.normed);
  f.norm_weight = {};
  f.normed = nullptr;
  return f;
}

}  // namespace

void fused_linear(const FusedLinear& f) {
  const Stages stages(f);
  if (f.normed) return fused_linear(normed(f, stages));
  packed_linear(f.product, stages);
}

}  // namespace torchpaged
