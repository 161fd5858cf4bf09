// The operators behind the binding: arguments are checked, torch is out of sight.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common.h"

namespace torchpaged {

// The program that has a name, which lives until the call lets go of it; throws std::invalid_argument where there is none.
std::shared_ptr<const ModProgram> find_program(const char* op, const char* argument, const std::string& name);

void paged_attention(const char* op, const AttentionParams& params, int64_t num_splits);

// Sets `delta` meanwhile. grad_sinks: [num_heads], or nullptr without sinks, which are given as float32.
void attention_gradient(const char* op, AttentionGradientParams& params, const float* sinks, float* grad_sinks);

struct TopkParams {
  IndexParams index;
  const int32_t* seq_lens;
  const int32_t* query_start_loc;
  int64_t num_seqs, num_tokens;
  int64_t k, granularity, initial, local;  // groups of `granularity` tokens
  int64_t tokens_per_row;                  // of the index; divides the granularity
  int32_t* out;                            // [num_tokens][num_selections][k]
};

void paged_topk(const char* op, const TopkParams& params);

struct MergeParams {
  const char *out_a, *out_b;
  const float *lse_a, *lse_b;
  int64_t out_strides[2][2], lse_strides[2][2];  // [a, b][token, head]: bytes; elements
  char* out;                                     // contiguous
  float* lse;                                    // contiguous
  DType type;
  int64_t num_tokens, num_heads, head_dim;
};

void merge_attention_states(const MergeParams& params);

// One side (keys or values) of write_kv_cache.
struct WriteSide {
  const char* rows;
  int64_t row_token_stride, row_head_stride;  // bytes
  char* cache;
  int64_t block_stride, token_stride, head_stride;  // bytes
  ScaleView scale;                                  // [] or [kv_heads]
  float* scale_cache;                               // nullptr: `scale` holds
  int64_t scale_block_stride, scale_token_stride, scale_head_stride;
  int64_t head_dim;
};

struct WriteParams {
  WriteSide sides[2];
  DType type, cache_type;
  const int64_t* slots;
  int64_t slot_stride, num_tokens, num_heads, num_blocks, block_size;
};

void write_kv_cache(const WriteParams& params);

struct GatherSide {
  CacheView cache;
  ScaleView scale;
  char* rows;  // [num_seqs, max_tokens, kv_heads, head_dim] contiguous
  int64_t head_dim;
};

struct GatherParams {
  GatherSide sides[2];
  DType cache_type;
  const int32_t* block_tables;
  int64_t block_table_stride, max_blocks;
  const int32_t* seq_lens;
  int64_t num_seqs, max_tokens, num_heads, num_blocks, block_size;
};

void gather_kv_cache(const GatherParams& params);

// One of the tensors that hold a token's row of a convolution between them.
struct RowPart {
  char* data;
  int64_t block_stride, token_stride, head_stride;  // bytes
  int64_t num_heads, head_dim;
};

// A convolution's weight [channels, width] and bias [channels] or nullptr, each with its own strides and type.
struct ConvolutionWeights {
  const char *weight, *bias;
  int64_t weight_channel_stride, weight_tap_stride, bias_stride;  // bytes
  DType weight_type, bias_type;
  int64_t channels, width;
};

// As float32 in this thread's scratch: [width][channels], the bias [channels] behind it.
float* load_convolution_weights(const ConvolutionWeights& weights);

struct ConvolutionParams {
  const char* x;
  int64_t x_stride;  // bytes
  DType type;
  ConvolutionWeights weights;
  std::vector<RowPart> parts;
  const int64_t* slots;
  int64_t slot_stride;
  const int32_t* block_tables;
  int64_t block_table_stride, max_blocks;
  const int32_t *seq_lens, *query_start_loc;
  int64_t num_seqs, num_tokens, num_blocks, block_size;
  bool silu;
  char* out;  // [num_tokens, channels] contiguous
};

void causal_conv1d(const ConvolutionParams& params);

// chunked_conv1d: as causal_conv1d, its earlier inputs in states (the last width - 1 before a boundary) and tails.
struct ChunkedConvolutionParams {
  PagedStates paged;
  const char* x;
  int64_t x_stride;  // bytes
  DType type;
  ConvolutionWeights weights;
  bool silu;
  char* out;  // [num_tokens, channels] contiguous
};

void chunked_conv1d(const ChunkedConvolutionParams& params);

// The operators of recurrent layers (recurrence.h, selective.h).
void recurrence(const char* op, const RecurrenceParams& params);
void selective_scan(const ScanParams& params);

// Blocks along the first dimension; the other sizes are the same in a source and its target.
struct BlockPool {
  char* data;
  std::vector<int64_t> sizes, strides;  // of a block: elements, bytes
  int64_t block_stride, num_blocks, element_bytes;
};

// Copies source blocks to target blocks as if all were read before any is written.
// `pairs` is [num_pairs][2] contiguous and in range.
void copy_block_pairs(const std::vector<std::pair<BlockPool, BlockPool>>& pools, const std::vector<int64_t>& pairs,
                      bool same_pool);

// A weight [out_features, in_features] of float32, float16, bfloat16 or int8 into panels (linear.h).
struct PackParams {
  const char* weight;
  int64_t row_stride;  // bytes
  DType type;
  int64_t in_features, out_features, words, panels;
  char* packed;
};

// Without where it is packed to.
PackParams packing_of(DType type, int64_t out_features, int64_t in_features, const char* weight, int64_t row_stride);

void pack_linear_weight(const PackParams& params);

// Codes [out_features][in_features] and what belongs to their groups, each contiguous, into panels (GroupedLayout).
struct PackGroupedParams {
  GroupedFormat format;
  int64_t in_features, out_features;
  const uint8_t* codes;
  int64_t row_stride;
  const char *scale, *origin, *scale_steps, *origin_steps;  // nullptr where the format has none
  char* packed;
};

// A panel: `outputs` rows of `params` from `first` on. Returns all of their codes' bits.
uint8_t pack_grouped_panel(const PackGroupedParams& params, int64_t first, int64_t outputs, char* target);

// False if a code has more bits than the format.
bool pack_grouped_weight(const PackGroupedParams& params);

// Stages around a product: rows that a worker makes for itself, and outputs that are used where they were made.
class LinearStages {
 public:
  // Panels that make one piece or none, from the first one on.
  int64_t step = 1;
  // Each panel of the first half is multiplied with the one that stands at its place in the second.
  bool paired = false;

  virtual ~LinearStages() = default;
  // The product of rows that this worker has made; what is kept of them besides, only the `first` worker writes.
  virtual LinearParams made(const LinearParams& params, bool) const { return params; }
  // Where the first row of all is written by a worker that has a block of them.
  virtual char* outputs(const LinearParams& params, const RowBlock&) const { return params.out; }
  // The panels [first, last) of `out`, and their pairs, are ready for the rows of a block.
  virtual void finish(const char*, const RowBlock&, int64_t, int64_t) const {}
};

// True if rows are few enough for each worker to make all of them; otherwise made() is not called.
bool makes_rows(const LinearParams& params);

void packed_linear(const LinearParams& params, const LinearStages& stages = {});

// Each row times the weight of its expert.
struct GroupedLinearParams {
  LinearParams rows;  // all of them; weight and scale of the first expert
  int64_t num_experts;
  const int64_t* expert_of_row;  // [num_rows]; a row of no expert becomes zeros
};

void packed_grouped_linear(const GroupedLinearParams& params);

// Throws std::invalid_argument for a slot that there is not, before anything is written.
void lora_linear_add(const LoraParams& params);

// Every tensor but the logits is contiguous: [num_rows].
struct SampleParams {
  const char* logits;
  DType type;
  int64_t row_stride;  // bytes
  int64_t num_rows, vocab_size;
  const float *temperature, *top_p, *min_p;
  const int32_t* top_k;
  const int64_t *seeds, *positions;
  int64_t* out;
  const int64_t* rows = nullptr;  // the place of each row in the columns before `positions`; null: its own
};

void sample_tokens(const SampleParams& params);

// Every tensor but the logits and the table is contiguous: [num_rows].
struct PenaltyParams {
  const char* logits;
  DType type;
  int64_t row_stride;  // bytes
  int64_t num_rows, vocab_size;
  const int32_t* tokens;  // [num_table_rows][max_tokens]
  int64_t table_stride, num_table_rows, max_tokens;
  const int64_t* rows;
  const int32_t *lengths, *prompt_lengths;
  const float *repetition, *presence, *frequency;
  float* out;  // contiguous
};

void penalize_logits(const PenaltyParams& params);

// Every tensor but logits, table, masks and prefixes is contiguous: [num_rows], [num_edits].
struct EditParams {
  const char* logits;
  DType type;
  int64_t row_stride;  // bytes
  int64_t num_rows, vocab_size;
  const int32_t* tokens;  // [num_table_rows][max_tokens]
  int64_t table_stride, num_table_rows, max_tokens;
  const int64_t* rows;
  const int32_t *lengths, *prompt_lengths;
  const uint32_t* masks;  // [num_masks][words]
  int64_t mask_stride, num_masks;
  const int32_t *mask_of_row, *starts;  // starts: [num_rows + 1]
  const int32_t* token_ids;
  const float* values;
  const int32_t *until, *prefixes;  // prefixes: [num_edits][width]
  int64_t num_edits, prefix_stride, width;
  float* out;  // contiguous
};

void edit_logits(const EditParams& params);

// Every tensor but the logits is contiguous: [num_tokens], [num_tokens, num_top].
struct LogprobParams {
  const char* logits;
  DType type;
  int64_t row_stride;  // bytes
  int64_t num_rows, vocab_size;
  const int64_t *rows, *token_ids;
  int64_t num_tokens, num_top;
  float* logprobs;
  int64_t* ranks;
  float* top_logprobs;
  int64_t* top_ids;
};

void token_logprobs(const LogprobParams& params);

}  // namespace torchpaged
