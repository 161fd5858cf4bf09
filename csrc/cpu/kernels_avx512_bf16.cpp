// Attention for AVX-512 with BF16: bfloat16 queries multiply as bfloat16, the others take AVX-512's kernels.
#include "vec_avx512.h"

#include "engine_bf16.h"
#include "index_scores.h"

namespace torchpaged {
namespace {

// Over bfloat16 and 8-bit caches alike. Numbers of 4 bits times their scales are not exact in bfloat16.
bool in_bf16(const AttentionParams& p) { return p.query_type == DType::BFloat16 && p.cache_type != DType::Int4; }

size_t scratch_bytes(const AttentionParams& p) {
  return in_bf16(p) ? attention_scratch_bytes<Bf16Engine>(p) : kAvx512Kernels.attention_scratch_bytes(p);
}

int64_t partial(const AttentionParams& p, int rows) {
  return in_bf16(p) ? partial_floats<Bf16Engine>(p, rows) : kAvx512Kernels.partial_floats(p, rows);
}

void attend(const AttentionParams& p, const AttentionUnit& unit, const AttentionUnit* next, char* scratch) {
  if (in_bf16(p))
    attention<Bf16Engine>(p, unit, next, scratch);
  else
    kAvx512Kernels.attention(p, unit, next, scratch);
}

size_t index_bytes(const IndexParams& p, int64_t tokens) {
  return p.query_type == DType::BFloat16 ? index_scratch_bytes<Bf16Engine>(p, tokens)
                                         : kAvx512Kernels.index_scratch_bytes(p, tokens);
}

void score(const IndexParams& p, const IndexUnit& unit, char* scratch) {
  if (p.query_type == DType::BFloat16)
    index_scores<Bf16Engine>(p, unit, scratch);
  else
    kAvx512Kernels.index_scores(p, unit, scratch);
}

}  // namespace

const AttentionKernels kAvx512Bf16Attention = {scratch_bytes, partial, attend, index_bytes, score};

}  // namespace torchpaged
