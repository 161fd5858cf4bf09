// Plain structs shared by the bindings, the planner and the kernels of every ISA: no torch, no std templates (a template
// instantiated in a unit that is compiled for AVX-512 could be linked in for all machines).
#pragma once

#include <cstddef>
#include <cstdint>

#include "activations.h"

// Functions that Python calls by name (ops/cpu.py).
#define TORCHPAGED_EXPORT extern "C" __attribute__((visibility("default")))

namespace torchpaged {

// An Exponent is a byte e of 2^(e - 128): of scales alone. Int4 is the bytes of kGroupBytes for each kGroupNumbers numbers
// of a cache's row, as ops/int4_cache.py packs them.
enum class DType : int { Float32, Float16, BFloat16, Float8E4M3, Float8E5M2, Int8, Exponent, Int4 };

constexpr int kDTypeBytes[] = {4, 2, 2, 1, 1, 1, 1, 1};
constexpr int64_t kGroupNumbers = 32, kGroupBytes = 18;

// Keys of one partition of a sequence. Partitions lie at fixed positions: a row's result is the merge, in
// ascending order, of one partial result per partition, in any thread. That makes a row's bits
// independent of how many threads shared the work.
constexpr int64_t kPartitionKeys = 512;
// Query rows (tokens x heads) that one unit of work takes through the keys together.
constexpr int kRowTile = 96;
// Upper limit of the keys that a kernel takes in one step (64 lanes of visibility fit into one word).
constexpr int kMaxTileKeys = 64;

struct CacheView {
  const char* data;
  int64_t block_stride, token_stride, head_stride;  // bytes
};

// [] and [kv_heads] scales have zero strides where they do not vary.
struct ScaleView {
  const float* data;  // nullptr: 1
  int64_t block_stride, token_stride, head_stride;  // elements
  bool per_token;
};

// Instructions of ops/score_mods.py, in the order of its table.
enum class ModOp : int32_t {
  IAdd, ISub, IMul, IDiv, IMod, IMin, IMax, IShr, IEq, ILt, ILe, And, Or, Xor, Not, FAdd, FSub, FMul, FDiv, FFloorDiv,
  FMod, FMin, FMax, FEq, FLt, FLe, Floor, Exp, Exp2, Log, Sqrt, Pow, Tanh, Sigmoid, Where, I2F, B2I, F2I, Load, Const
};

struct ModInstruction {
  int32_t op, is_bool, is_float;
  int32_t a, b, c;      // operands; the first one again where there are fewer
  int32_t first, last;  // a Load's table; a Const's bits
};

// A function of scores or masks: its values are the arguments score, b, h, q_idx and kv_idx, then the instructions'.
struct ModProgram {
  // How often a value changes; an instruction's is the union of its operands'.
  enum Rate : uint8_t { kConstant, kRow, kKey, kPair };
  static constexpr int kArguments = 5, kMaxInstructions = 64;
  struct Value {
    uint8_t rate;
    int32_t slot;  // among the values of its rate
  };
  const ModInstruction* instructions;
  const Value* values;
  const int32_t* order;   // instructions' values by rate
  const int32_t* tables;  // numbers of captured tensors; floats as bits, true as -1
  int32_t count, result;
  int32_t begins[5], slots[4];  // of each rate, in `order`; how many values it has
  bool uses_head;
};

struct AttentionParams {
  const char* query;
  int64_t query_token_stride, query_head_stride;  // bytes
  DType query_type, cache_type;
  CacheView key, value;
  ScaleView key_scale, value_scale;
  const int32_t* block_tables;
  int64_t block_table_stride;
  const int32_t* key_starts;  // where each sequence's keys begin, which lie one behind the other; nullptr: in blocks
  const int32_t* seq_lens;
  const int32_t* query_start_loc;
  int64_t num_blocks, block_size, max_blocks, num_seqs, num_tokens;
  int num_heads, num_kv_heads, group, head_dim, head_dim_v;
  float scale, softcap;
  bool causal;
  int64_t window;
  int64_t reach;  // keys from its own on that a query sees where it is not causal; 0: all
  const float* alibi_slopes;
  int64_t alibi_sequence_stride;  // elements; 0: all sequences have the same slopes
  bool mirrored_alibi;            // keys behind the query lose as much as those before it
  const float* distance_bias;  // or nullptr
  int64_t distance_bias_stride, distances;
  const ModProgram *score_mod, *mask_mod;  // or nullptr
  const char* sinks;
  DType sinks_type;
  const uint8_t* tree_mask;
  int64_t tree_row_stride, tree_column_stride, tree_width;
  char* out;
  int64_t out_token_stride, out_head_stride;  // bytes
  float* lse;                                 // [num_tokens, num_heads] or nullptr
  // Ids of the groups of `granularity` positions that each token sees, in any order; negative ones are none. A head
  // stride of 0: all KV heads see the same. nullptr: every position.
  const int32_t* selected;
  int64_t selected_token_stride, selected_head_stride, num_selected, granularity;
};

// Rows [row, row + rows) of one sequence and each of `kv_heads` KV heads, where row = token * group + head within
// the group, over the key partitions [first_partition, last_partition). Several heads go together when each has
// few rows: a cache block then is read as one piece, and memory is fastest at that.
struct AttentionUnit {
  int32_t sequence, kv_head, kv_heads, row, rows;
  int32_t first_partition, last_partition;
  // When several units share a row tile: where its partial results go (one per partition, the first being
  // that of partition `base_partition`), and how many units have yet to finish. Otherwise nullptr.
  float* partials;
  int32_t* pending;
  int32_t base_partition, num_partitions;
  // When the first partitions of several sequences lie in the same blocks, one unit takes the rows of all of them
  // through those: a head has the rows of members[0], then those of members[1], ... The state of a member's rows then
  // is the first of the member's partial results. Otherwise nullptr.
  const AttentionUnit* members;
  int32_t num_members;
};

// The derivative of attention over packed keys, of whose forward `of` has the arguments and `of.out` and `of.lse` the
// results. What is written is contiguous.
struct AttentionGradientParams {
  AttentionParams of;
  const char* grad_out;                             // of the query's type
  int64_t grad_out_token_stride, grad_out_head_stride;  // bytes
  const float* grad_lse;                            // [num_tokens, num_heads] or nullptr
  const ModProgram* slope_mod;                      // the derivative of `of.score_mod`, or nullptr
  float* delta;                                     // [num_tokens, num_heads]: grad_out . out - grad_lse
  char *grad_query, *grad_key, *grad_value;
};

// Queries over an index: rows of a paged cache, of which a token chooses by the scores of its heads.
struct IndexParams {
  const char* query;                              // [tokens][heads][dim]
  int64_t query_token_stride, query_head_stride;  // bytes
  DType query_type, cache_type;
  CacheView key;
  ScaleView key_scale;
  const int32_t* block_tables;
  int64_t block_table_stride, num_blocks, block_rows, max_blocks;
  int num_heads, group, dim;  // `group` heads for each head of the index
  const float* weights;       // [tokens][heads]: scores of a selection's heads are added up; nullptr: the largest is taken
  int num_selections;         // heads are shared out among them
  float scale;
  bool relu;
};

// Scores of the tokens [token, token + tokens) of one sequence for rows [first, last): scores[t][selection][stride],
// whose stride leaves room for a whole tile of rows at the end.
struct IndexUnit {
  int64_t sequence, token, tokens, first, last;
  float* scores;
  int64_t stride;
};

// Outputs of one panel of a packed weight, and bytes of one word of an output, but of a float16 weight, which is a word
// itself: a float32, two bfloat16, four 8-bit or eight 4-bit weights of neighbouring inputs. How the panels are laid out
// and multiplied: linear.h, linear_groups.h.
constexpr int kPanel = 32;
constexpr int kWordBytes = 4;
constexpr int64_t kPanelStep = kPanel * kWordBytes;

inline int64_t inputs_per_word(DType type) { return type == DType::Int8 ? 4 : type == DType::BFloat16 ? 2 : 1; }
// Bytes of one word of each of a panel's outputs.
inline int64_t panel_step(DType type) { return type == DType::Float16 ? kPanelStep / 2 : kPanelStep; }

// How a weight of 4 or 8 bits whose scales belong to groups of inputs is packed: ops/grouped_weights.py says what each
// number means.
enum class Origin : int { Middle, Zeros, Offsets, E2m1, Iq4, Nf4 };

// The tables that codes of 4 bits may index, as bytes with 128 added: TABLES of ops/grouped_weights.py.
constexpr uint8_t kTables[][16] = {
    {128, 129, 130, 131, 132, 134, 136, 140, 128, 127, 126, 125, 124, 122, 120, 116},
    {1, 24, 45, 63, 79, 93, 106, 118, 129, 141, 153, 166, 181, 197, 217, 241},
    {16, 50, 69, 84, 96, 107, 118, 128, 137, 146, 156, 166, 177, 191, 209, 240},
};
// nullptr: there is none.
inline const uint8_t* table_of(Origin origin) {
  return origin < Origin::E2m1 ? nullptr : kTables[int(origin) - int(Origin::E2m1)];
}

struct GroupedFormat {
  int64_t bits;  // 0: not such a weight
  int64_t group_size;
  DType scale_type;
  Origin origin;
  int64_t shared;
};

// Decodes `GroupedFormat.code` of ops/grouped_weights.py; callers check that the code is valid.
inline GroupedFormat grouped_format(int64_t code) {
  constexpr DType types[] = {DType::Float32, DType::Float16, DType::BFloat16, DType::Exponent};
  return {code & 0xff, code >> 8 & 0xff, types[code >> 16 & 3], Origin(code >> 20 & 0xf), code >> 24};
}

// Where in a panel its parts begin, each as [entries][kPanel] of its type; codes as [words][kPanel] words.
struct GroupedLayout {
  int64_t groups, scales, words;  // of a row
  int64_t scale, origin, scale_steps, origin_steps, codes, bytes;

  GroupedLayout(const GroupedFormat& f, int64_t in_features) {
    const int64_t scale_bytes = kDTypeBytes[int(f.scale_type)];
    groups = (in_features + f.group_size - 1) / f.group_size;
    scales = f.shared ? (in_features + f.shared - 1) / f.shared : groups;
    words = (in_features * f.bits + 31) / 32;
    auto lines = [](int64_t entries, int64_t size) { return (entries * kPanel * size + 63) / 64 * 64; };
    scale = 0;
    origin = scale + lines(scales, scale_bytes);
    scale_steps = origin + (f.origin == Origin::Offsets ? lines(scales, scale_bytes)
                            : f.origin == Origin::Zeros ? lines(groups, 1)
                                                        : 0);
    origin_steps = scale_steps + (f.shared ? lines(groups, 1) : 0);
    codes = origin_steps + (f.shared && f.origin == Origin::Offsets ? lines(groups, 1) : 0);
    bytes = codes + words * kPanelStep;
  }
};

// Rows of activations times a packed weight.
struct LinearParams {
  const char* input;
  DType input_type, weight_type;
  int64_t input_dim;                            // the last dimension, in_features, is contiguous
  const int64_t *input_sizes, *input_strides;   // elements
  const int64_t* row_ids;                       // of the rows in the input and `out`; nullptr: 0, 1, ..
  const char* weight;                           // [panels][words][kPanel] words
  int64_t num_rows, in_features, out_features, words, panels;
  GroupedFormat format;  // of a weight of bytes; `words` are a row's then, of four inputs each, in whole words of codes
  const char* bias;      // [out_features] or nullptr
  DType bias_type;
  const float* weight_scale;  // [out_features] of an 8-bit weight
  char* out;                  // contiguous, input's type
};

// Rows [first, first + count) are multiplied together, in groups as even as possible of at most `tile_rows`.
struct RowBlock {
  int64_t first, count;
  int groups;
  RowBlock(int64_t first, int64_t count, int tile_rows)
      : first(first), count(count), groups(int((count + tile_rows - 1) / tile_rows)) {}
  int64_t begin_of(int group) const { return count * group / groups; }
};

// One row of logits and how a token is drawn from it; `reference.sample_tokens` defines the result.
struct SampleRow {
  const char* logits;
  DType type;
  int64_t vocab_size;
  bool greedy;
  float inverse_temperature;  // finite, above 0
  int64_t top_k;              // 0: no limit
  float top_p;                // 1 or more: no limit
  float max_scaled;           // a token further below the likeliest, in units of the temperature, is dropped
  uint32_t key[2];            // of the hash that makes the noise
};

// A row of penalize_logits.
struct PenaltyRow {
  const char* logits;
  DType type;
  int64_t vocab_size;
  const int32_t* tokens;  // those of the prompt first; ids that are not in the vocabulary mean nothing
  int64_t length, prompt_length;
  float repetition, presence, frequency;
  float* out;
};

// A row of edit_logits, before single tokens are changed.
struct EditRow {
  const char* logits;
  DType type;
  int64_t vocab_size;
  const uint32_t* mask;  // a bit for each token, the first one the lowest; nullptr: all are allowed
  float* out;
};

// Logits whose maximum is kept, so that a search may leave them out.
constexpr int kLogitBlock = 128;

struct LogitRow {
  const char* logits;
  DType type;
  int64_t vocab_size;
};

// A reduced row; `maxima` has room for one number of each block.
struct LogitSummary {
  float* maxima;
  float top;
  double sum;  // of exp(logit - top)
};

struct RankedToken {
  float logit;
  int32_t id;
};

// A row of `rms_norm` and `add_rms_norm`; without a residual there is no sum.
struct NormRow {
  const char *x, *residual, *weight;
  char *sum, *out;
};

// A head of `rotary_embedding`; weight may be nullptr.
struct RotationRow {
  const char *x, *cos, *sin, *weight;
  char* out;
};

// A run of channels of a row of `causal_conv1d`: taps[k] is the input that the k-th weight is for, nullptr where there is
// none; weights[k * stride + channel], bias[channel] or nullptr.
struct ConvolutionRow {
  const char* const* taps;
  const float *weights, *bias;
  char* out;
  int64_t stride;
};

#define TORCHPAGED_NAME(name, op, value) name,
enum class Activation : int { TORCHPAGED_ACTIVATIONS(TORCHPAGED_NAME) };
#undef TORCHPAGED_NAME

// States at multiples of `chunk` tokens, the rows of the tokens since, and what a step brings: ops/recurrent_reference.py.
struct PagedStates {
  char *state, *tail;
  int64_t state_slot_stride, state_head_stride, state_row_stride;  // bytes
  int64_t tail_slot_stride, tail_row_stride;                       // bytes
  const int32_t *state_tables, *tail_tables;
  int64_t state_table_stride, tail_table_stride, state_table_width, tail_table_width;
  const int32_t *seq_lens, *query_start_loc;
  int64_t num_seqs, num_tokens, num_slots, num_tails, chunk;
};

// A row a token, of a number for each head or a vector for each.
struct TokenRows {
  const char* data;  // nullptr: there are none
  int64_t token_stride, head_stride;  // bytes
  DType type;
};

enum class Recurrence : int { Delta, Mamba2, Linear };

// gated_delta_rule; mamba2_scan, whose c, b and x are query, key and value; linear_attention.
struct RecurrenceParams {
  PagedStates paged;
  Recurrence kind;
  TokenRows query, key, value;
  TokenRows gate;  // Delta: logarithms of decays, [heads] or [heads, key_dim]; Mamba2: dt
  TokenRows beta;  // Delta
  int64_t key_heads, heads, key_dim, value_dim;
  bool channel_gates, normalize;
  float scale;
  // For each head. Linear: decay is the gate; Mamba2: decay is a; skip and time_bias may be nullptr.
  const float *decay, *skip, *time_bias;
  bool softplus;
  float min_time, max_time;
  char* out;  // [num_tokens, heads, value_dim] contiguous, value's type
};

// Heads [head, head + heads) of one sequence, which share a key: at most kHeadsTogether.
constexpr int64_t kHeadsTogether = 8;
struct RecurrenceUnit {
  int32_t sequence, key_head, head, heads;
};

struct ScanParams {
  PagedStates paged;
  TokenRows x, dt, b, c;
  const float *a, *skip, *time_bias;  // a: [channels][a_stride]; the others may be nullptr
  int64_t a_stride, channels, state_size;
  bool softplus;
  char* out;  // [num_tokens, channels] contiguous, x's type
};

// Channels [first, last) of one sequence.
struct ScanUnit {
  int64_t sequence, first, last;
};

// Rows of a product to which adapters of low rank are added: out[row] += b[slot]^T (a[slot] x[row]), for each of the `parts`
// linear layers whose outputs lie side by side.
struct LoraParams {
  char* out;
  const char *x, *a, *b;
  int64_t out_row_stride, x_row_stride;                              // bytes
  int64_t a_slot_stride, a_row_stride, b_slot_stride, b_row_stride;  // bytes
  DType type;
  const int32_t* slots;
  int64_t slot_stride, num_tokens, num_slots, in_features, rank, parts;
  const int64_t* ends;   // [parts], where each part's outputs end
  const int32_t* ranks;  // [num_slots, parts], how many of a part's ranks a slot has; nullptr: `rank`
  int64_t ranks_slot_stride, ranks_part_stride;
};

// Products with adapters wait for memory: with some 20 cache lines in flight at 150 ns each, a thread reads 10 GB/s. The
// processor's prefetchers double that for orders that they recognise: consecutive rows, or many rows in parallel.
constexpr int64_t kLine = 64;
inline void read_line(const char* line) { (void)*static_cast<const volatile char*>(line); }

// Ranks of one part that are computed together.
constexpr int64_t kLoraTile = 4;
inline int64_t lora_tiles(int64_t rank) { return (rank + kLoraTile - 1) / kLoraTile; }

// Rows with one adapter. `inner` has a[slot] x of each, a kernel's own format of at most kLoraTile floats for each tile.
struct LoraRows {
  int64_t slot, count;
  const int32_t* rows;
  const int32_t* ranks;  // [parts]
  int64_t tiles;         // of all parts
  float* inner;          // [count][tiles][kLoraTile]
};

// The linear operators' kernels.
struct LinearKernels {
  // At most so many of a RowBlock's rows make a group.
  int (*tile_rows)(const LinearParams&, int64_t rows);
  // Bytes of a block's rows as load_rows() lays them out, and of the scratch of either function.
  size_t (*block_bytes)(const LinearParams&, int64_t rows);
  size_t (*scratch_bytes)(const LinearParams&, int64_t rows);
  // Groups [first, last) of a block, interleaved word by word, and quantised for an 8-bit weight.
  void (*load_rows)(const LinearParams&, const RowBlock&, int first, int last, char* block, char* scratch);
  // A loaded block times panels [first, last).
  void (*multiply_panels)(const LinearParams&, const RowBlock&, const char* block, int64_t first, int64_t last,
                          char* scratch);
  // The tiles [first, last) of `inner`, counted through all parts; then the outputs [first, last).
  void (*lora_shrink)(const LoraParams&, const LoraRows&, int64_t first, int64_t last);
  void (*lora_expand)(const LoraParams&, const LoraRows&, int64_t first, int64_t last);
};

// The kernels of one ISA.
struct Kernels {
  const char* name;
  size_t (*attention_scratch_bytes)(const AttentionParams&);
  // Floats of one partition's partial result for `rows` rows.
  int64_t (*partial_floats)(const AttentionParams&, int rows);
  // Computes a unit; `next` (or nullptr) is the unit after it on this thread, whose first keys are prefetched.
  void (*attention)(const AttentionParams&, const AttentionUnit&, const AttentionUnit* next, char* scratch);
  // `query_len`: of the longest sequence.
  size_t (*attention_gradient_scratch_bytes)(const AttentionGradientParams&, int64_t query_len);
  // One KV head of one sequence.
  void (*attention_gradient)(const AttentionGradientParams&, int64_t sequence, int kv_head, char* scratch);
  size_t (*index_scratch_bytes)(const IndexParams&, int64_t tokens);
  void (*index_scores)(const IndexParams&, const IndexUnit&, char* scratch);
  // out[i] = a[i] * weight_a + b[i] * weight_b; a side of weight 0 is not read.
  void (*merge_row)(const char* a, float weight_a, const char* b, float weight_b, char* out, DType, int64_t n);
  float (*absmax_row)(const char* source, DType, int64_t n);
  // target[i] = source[i] / scale, rounded to nearest even and saturated.
  void (*quantise_row)(const char* source, DType, char* target, DType, float scale, int64_t n);
  void (*dequantise_row)(const char* source, DType, float* target, float scale, int64_t n);
  const LinearKernels* linear;
  size_t (*sample_scratch_bytes)(int64_t vocab_size);
  // The token, or -1 where there is none to choose.
  int64_t (*sample_row)(const SampleRow&, char* scratch);
  size_t (*penalize_scratch_bytes)(int64_t vocab_size);
  void (*penalize_row)(const PenaltyRow&, char* scratch);
  void (*copy_allowed_row)(const EditRow&);
  // False where a row has no softmax.
  bool (*reduce_logits)(const LogitRow&, LogitSummary&);
  float (*logit_at)(const LogitRow&, int64_t token);
  // How many logits are greater than a number.
  int64_t (*count_greater)(const LogitRow&, const LogitSummary&, float);
  // The tokens whose logit is at least `bound`, in ascending order, and how many they are.
  int64_t (*collect_logits)(const LogitRow&, const LogitSummary&, float bound, RankedToken*);
  void (*rms_norm_row)(const NormRow&, DType, DType weight_type, int64_t n, float eps);
  void (*rotate_row)(const RotationRow&, DType, DType table_type, DType weight_type, int64_t n, int64_t rotated,
                     float eps);
  void (*gated_row)(const char* gate, const char* up, char* out, DType, Activation, int64_t n);
  void (*convolve_row)(const ConvolutionRow&, DType, int64_t width, int64_t n, bool silu);
  size_t (*recurrence_scratch_bytes)(const RecurrenceParams&, int64_t heads);
  void (*recurrence)(const RecurrenceParams&, const RecurrenceUnit&, char* scratch);
  size_t (*scan_scratch_bytes)(const ScanParams&);
  void (*scan)(const ScanParams&, const ScanUnit&, char* scratch);
};

// Those of them that depend on how attention multiplies.
struct AttentionKernels {
  decltype(Kernels::attention_scratch_bytes) scratch_bytes;
  decltype(Kernels::partial_floats) partial;
  decltype(Kernels::attention) attend;
  decltype(Kernels::index_scratch_bytes) index_scratch_bytes;
  decltype(Kernels::index_scores) index_scores;
};

extern const Kernels kPortableKernels;
extern const LinearKernels kPortableLinear;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
extern const AttentionKernels kAvx512Bf16Attention;
extern const LinearKernels kAvx2Linear;
extern const LinearKernels kAvx512Linear;
extern const LinearKernels kAvx512VnniLinear;
extern const LinearKernels kAvx512Bf16Linear;
#elif defined(__aarch64__)
extern const Kernels kNeonKernels;
extern const LinearKernels kNeonLinear;
#endif

// The kernels chosen for this machine (or by TORCHPAGED_ISA); throws std::invalid_argument for a bad override.
const Kernels& kernels();

}  // namespace torchpaged
