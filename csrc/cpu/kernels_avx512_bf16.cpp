// The kernels for AVX-512 with BF16: bfloat16 queries multiply as bfloat16, the others as float32.
#include "vec_avx512.h"

#include "engine_bf16.h"
#include "kernel_table.h"

namespace torchpaged {
namespace {

// Over bfloat16 and 8-bit caches alike. Numbers of 4 bits times their scales are not exact in bfloat16.
bool in_bf16(const AttentionParams& p) { return p.query_type == DType::BFloat16 && p.cache_type != DType::Int4; }

size_t scratch_bytes(const AttentionParams& p) {
  return in_bf16(p) ? attention_scratch_bytes<Bf16Engine>(p) : attention_scratch_bytes<FloatEngine>(p);
}

int64_t partial(const AttentionParams& p, int rows) {
  return in_bf16(p) ? partial_floats<Bf16Engine>(p, rows) : partial_floats<FloatEngine>(p, rows);
}

void attend(const AttentionParams& p, const AttentionUnit& unit, const AttentionUnit* next, char* scratch) {
  if (in_bf16(p))
    attention<Bf16Engine>(p, unit, next, scratch);
  else
    attention<FloatEngine>(p, unit, next, scratch);
}

size_t index_bytes(const IndexParams& p, int64_t tokens) {
  return p.query_type == DType::BFloat16 ? index_scratch_bytes<Bf16Engine>(p, tokens)
                                         : index_scratch_bytes<FloatEngine>(p, tokens);
}

void score(const IndexParams& p, const IndexUnit& unit, char* scratch) {
  if (p.query_type == DType::BFloat16)
    index_scores<Bf16Engine>(p, unit, scratch);
  else
    index_scores<FloatEngine>(p, unit, scratch);
}

}  // namespace

const Kernels kAvx512Bf16Kernels = kernel_table(
    "avx512_bf16", {scratch_bytes, partial, attend, index_bytes, score}, &kAvx512Bf16Linear);

}  // namespace torchpaged
