// Attention over packed keys without a cache, and its derivative: arguments are checked and become those of a cache.
#include <torch/csrc/stable/library.h>

#include <cmath>

#include "arguments.h"
#include "kernel_names.h"
#include "operators.h"
#include "scalar.h"

namespace torchpaged {
namespace {

class VarlenCall {
 public:
  AttentionParams params{};

  // Takes the five tensors and the options; between them, `more` takes what else the operator has.
  VarlenCall(const char* op, Arguments& a, bool backward = false) : op_(op) {
    if (backward) {
      grad_out_handle_ = a.take();
      grad_lse_handle_ = a.take_optional();
    }
    AtenTensorHandle tensors[3], starts[2];
    for (AtenTensorHandle& handle : tensors) handle = a.take();
    if (backward) {
      out_handle_ = a.take();
      lse_handle_ = a.take();
    }
    for (AtenTensorHandle& handle : starts) handle = a.take();
    double scale = a.optional_number(NAN);
    params.causal = a.boolean();
    int64_t window = a.integer(), right = a.integer();
    double softcap = a.number();
    AtenTensorHandle slopes = a.take_optional(), sinks = a.take_optional();
    int64_t lengths[2] = {a.integer(), a.integer()};
    std::optional<std::string> score_mod = a.take_optional_string(), mask_mod = a.take_optional_string();

    query = a.view("query", tensors[0]);
    key = a.view("key", tensors[1]);
    value = a.view("value", tensors[2]);
    check_rows();
    expect_not_below("sliding_window", window, 0);
    expect_not_below("right_window", right, -1);
    if (!(softcap >= 0)) refuse(op, "softcap", "is " + std::to_string(softcap), "0 or more");
    if (std::isinf(softcap)) refuse(op, "softcap", "is inf", "a finite number");
    if (std::isinf(scale)) refuse(op, "scale", "is NaN or infinite", "a finite number, or None");
    expect_not_below("max_seqlen_q", lengths[0], 0);
    expect_not_below("max_seqlen_k", lengths[1], 0);

    AttentionParams& p = params;
    p.query = query.data<const char>();
    p.query_token_stride = query.byte_stride(0);
    p.query_head_stride = query.byte_stride(1);
    p.query_type = p.cache_type = query.kind();
    p.key = {key.data<char>(), 0, key.byte_stride(0), key.byte_stride(1)};
    p.value = {value.data<char>(), 0, value.byte_stride(0), value.byte_stride(1)};
    p.num_blocks = key.size(0);
    p.block_size = p.max_blocks = 1;
    p.num_tokens = query.size(0);
    p.num_heads = int(query.size(1));
    p.num_kv_heads = int(key.size(1));
    p.group = p.num_heads / p.num_kv_heads;
    p.head_dim = int(query.size(2));
    p.head_dim_v = int(value.size(2));
    p.scale = float(std::isnan(scale) ? 1.0 / std::sqrt(double(p.head_dim)) : scale);
    p.softcap = float(softcap);
    p.window = window;
    p.reach = right + 1;
    p.mirrored_alibi = true;
    take_starts(a.view("cu_seqlens_q", starts[0]), a.view("cu_seqlens_k", starts[1]));
    take_heads(a.optional_view("alibi_slopes", slopes), a.optional_view("sinks", sinks));
    if (score_mod) score_mod_ = find_program(op_, "score_mod", *score_mod);
    if (score_mod && backward) slope_mod_ = find_program(op_, "slope_mod", *score_mod);
    if (mask_mod) mask_mod_ = find_program(op_, "mask_mod", *mask_mod);
    p.score_mod = score_mod_.get();
    p.mask_mod = mask_mod_.get();
    if (backward) take_gradients(a);
  }

  void run(NewTensor& out, float* lse) {
    AttentionParams& p = params;
    p.out = out.data<char>();
    p.out_head_stride = p.head_dim_v * kDTypeBytes[int(p.query_type)];
    p.out_token_stride = p.num_heads * p.out_head_stride;
    p.lse = lse;
    paged_attention(op_, p, 0);
  }

  NewTensor new_out() const { return {{params.num_tokens, params.num_heads, params.head_dim_v}, query.type()}; }

  AttentionGradientParams gradient() const {
    AttentionGradientParams g{};
    g.of = params;
    g.grad_out = grad_out_.data<const char>();
    g.grad_out_token_stride = grad_out_.byte_stride(0);
    g.grad_out_head_stride = grad_out_.byte_stride(1);
    g.grad_lse = grad_lse_ ? grad_lse_.data<const float>() : nullptr;
    g.slope_mod = slope_mod_.get();
    return g;
  }

  // The sinks as float32; empty without.
  std::vector<float> wide_sinks() const {
    std::vector<float> sinks(params.sinks ? size_t(params.num_heads) : 0);
    for (size_t i = 0; i < sinks.size(); ++i) {
      if (params.sinks_type == DType::Float32) {
        sinks[i] = reinterpret_cast<const float*>(params.sinks)[i];
        continue;
      }
      uint16_t bits = reinterpret_cast<const uint16_t*>(params.sinks)[i];
      sinks[i] = params.sinks_type == DType::Float16 ? float_of_half(bits) : float_of_bf16(bits);
    }
    return sinks;
  }

  Tensor query, key, value;

 private:
  void check_rows() const {
    const TorchTypes& t = torch_types();
    query.expect_dim(3, "[num_tokens, num_heads, head_dim]");
    query.expect_type({t.float32, t.float16, t.bfloat16});
    query.expect_last_contiguous();
    key.expect_dim(3, "[num_keys, num_kv_heads, head_dim]");
    value.expect_dim(3, "[num_keys, num_kv_heads, head_dim_v]");
    for (const Tensor* each : {&key, &value}) {
      each->expect_type({query.type()});
      each->expect_last_contiguous();
    }
    key.expect_size(2, query.size(2), "head_dim of query");
    value.expect_size(0, key.size(0), "num_keys, as in key");
    value.expect_size(1, key.size(1), "num_kv_heads, as in key");
    const int64_t heads = query.size(1), kv_heads = key.size(1);
    if (kv_heads == 0 || heads == 0 || heads % kv_heads)
      query.refused("has " + std::to_string(heads) + " heads",
                    "a multiple of key's " + std::to_string(kv_heads) + " KV heads");
    if (query.size(2) == 0 || value.size(2) == 0)
      (query.size(2) == 0 ? query : value)
          .refused("has an empty dimension, shape " + (query.size(2) == 0 ? query : value).shape(), "at least one number");
  }

  void expect_not_below(const char* name, int64_t found, int64_t least) const {
    if (found < least) refuse(op_, name, "is " + std::to_string(found), std::to_string(least) + " or more");
  }

  void take_starts(const Tensor& of_queries, const Tensor& of_keys) {
    for (const Tensor* each : {&of_queries, &of_keys}) {
      each->expect_dim(1, "[num_seqs + 1]");
      each->expect_type({torch_types().int32});
      each->expect_last_contiguous();
      if (each->size(0) == 0) each->refused("has no entry", "num_seqs + 1");
    }
    of_keys.expect_size(0, of_queries.size(0), "num_seqs + 1, as in cu_seqlens_q");
    AttentionParams& p = params;
    p.num_seqs = of_queries.size(0) - 1;
    p.query_start_loc = of_queries.data<const int32_t>();
    p.key_starts = of_keys.data<const int32_t>();
    int64_t last = 0;
    for (int64_t i = 0; i < p.num_seqs; ++i) {
      const int64_t begin = p.key_starts[i], end = p.key_starts[i + 1];
      if (begin < last || end < begin || end > key.size(0))
        refuse(op_, "cu_seqlens_k", "has " + std::to_string(begin) + ", " + std::to_string(end) + " for sequence " +
                                        std::to_string(i),
               "ascending numbers up to num_keys, " + std::to_string(key.size(0)));
      lens_.push_back(int32_t(end - begin));
      last = end;
    }
    p.seq_lens = lens_.data();
  }

  void take_heads(const Tensor& slopes, const Tensor& sinks) {
    const TorchTypes& t = torch_types();
    AttentionParams& p = params;
    if (slopes) {
      if (slopes.dim() != 1) slopes.expect_dim(2, "[num_heads] or [num_seqs, num_heads]");
      slopes.expect_size(slopes.dim() - 1, p.num_heads, "num_heads");
      if (slopes.dim() == 2) slopes.expect_size(0, p.num_seqs, "num_seqs");
      slopes.expect_type({t.float32});
      slopes.expect_last_contiguous();
      p.alibi_slopes = slopes.data<const float>();
      p.alibi_sequence_stride = slopes.dim() == 2 ? slopes.stride(0) : 0;
    }
    if (sinks) {
      sinks.expect_dim(1, "[num_heads]");
      sinks.expect_size(0, p.num_heads, "num_heads");
      sinks.expect_last_contiguous();
      sinks.expect_type({t.float32, query.type()});
      p.sinks = sinks.data<const char>();
      p.sinks_type = sinks.kind();
    }
  }

  void take_gradients(Arguments& a) {
    const TorchTypes& t = torch_types();
    AttentionParams& p = params;
    grad_out_ = a.view("grad_out", grad_out_handle_);
    grad_lse_ = a.optional_view("grad_lse", grad_lse_handle_);
    Tensor out = a.view("out", out_handle_), lse = a.view("lse", lse_handle_);
    for (const Tensor* each : {&grad_out_, &out}) {
      each->expect_dim(3, "[num_tokens, num_heads, head_dim_v]");
      each->expect_type({query.type()});
      each->expect_last_contiguous();
      each->expect_size(0, p.num_tokens, "num_tokens of query");
      each->expect_size(1, p.num_heads, "num_heads of query");
      each->expect_size(2, p.head_dim_v, "head_dim_v of value");
    }
    for (const Tensor* each : {&lse, &grad_lse_}) {
      if (!*each) continue;
      each->expect_dim(2, "[num_tokens, num_heads]");
      each->expect_type({t.float32});
      each->expect_contiguous();
      each->expect_size(0, p.num_tokens, "num_tokens of query");
      each->expect_size(1, p.num_heads, "num_heads of query");
    }
    p.out = out.data<char>();
    p.out_token_stride = out.byte_stride(0);
    p.out_head_stride = out.byte_stride(1);
    p.lse = lse.data<float>();
  }

  const char* op_;
  AtenTensorHandle grad_out_handle_ = nullptr, grad_lse_handle_ = nullptr, out_handle_ = nullptr, lse_handle_ = nullptr;
  Tensor grad_out_, grad_lse_;
  std::shared_ptr<const ModProgram> score_mod_, slope_mod_, mask_mod_;
  std::vector<int32_t> lens_;
};

void boxed_varlen_attention(StableIValue* stack, uint64_t, uint64_t) {
  Arguments a("varlen_attention", stack);
  VarlenCall call("varlen_attention", a);
  NewTensor out = call.new_out();
  call.run(out, nullptr);
  stack[0] = out.release();
}

void boxed_varlen_attention_with_lse(StableIValue* stack, uint64_t, uint64_t) {
  Arguments a("varlen_attention_with_lse", stack);
  VarlenCall call("varlen_attention_with_lse", a);
  NewTensor out = call.new_out();
  NewTensor lse({call.params.num_tokens, call.params.num_heads}, torch_types().float32);
  call.run(out, lse.data<float>());
  stack[0] = out.release();
  stack[1] = lse.release();
}

void boxed_varlen_attention_backward(StableIValue* stack, uint64_t, uint64_t) {
  const char* op = "varlen_attention_backward";
  Arguments a(op, stack);
  VarlenCall call(op, a, true);
  const AttentionParams& p = call.params;
  const int32_t type = call.query.type();
  NewTensor query({p.num_tokens, p.num_heads, p.head_dim}, type);
  NewTensor key({p.num_blocks, p.num_kv_heads, p.head_dim}, type);
  NewTensor value({p.num_blocks, p.num_kv_heads, p.head_dim_v}, type);
  NewTensor sinks({p.sinks ? int64_t(p.num_heads) : 0}, torch_types().float32);
  AttentionGradientParams g = call.gradient();
  g.grad_query = query.data<char>();
  g.grad_key = key.data<char>();
  g.grad_value = value.data<char>();
  std::vector<float> given = call.wide_sinks();
  attention_gradient(op, g, given.data(), p.sinks ? sinks.data<float>() : nullptr);
  NewTensor* const results[] = {&query, &key, &value, &sinks};
  for (int i = 0; i < 4; ++i) stack[i] = results[i]->release();
}

template <class Library>
void register_kernels(Library& m) {
  m.impl("varlen_attention", boxed_varlen_attention);
  m.impl("varlen_attention_with_lse", boxed_varlen_attention_with_lse);
  m.impl("varlen_attention_backward", boxed_varlen_attention_backward);
}

TORCHPAGED_REGISTER(register_kernels)

}  // namespace
}  // namespace torchpaged
