// The CPU kernels without torch and without Python, for machines that are emulated: prints what each operator gives.
//
// One line an operator and type: a name and its numbers. Inputs come of a small generator, the same everywhere, so that
// two instruction sets can be compared. torch's threads are stood in for at the end.
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "../../csrc/cpu/operators.h"
#include "../../csrc/cpu/parallel.h"
#include "../../csrc/cpu/scalar.h"

using namespace torchpaged;

namespace {

uint32_t state = 1;
float uniform() {  // from -1 to 1
  state = state * 1664525u + 1013904223u;
  return float(state >> 8) / float(1 << 23) - 1;
}

using Bytes = std::vector<char>;

void put(Bytes& bytes, size_t i, DType type, float x) {
  if (type == DType::Float32) reinterpret_cast<float*>(bytes.data())[i] = x;
  if (type == DType::Float16) reinterpret_cast<uint16_t*>(bytes.data())[i] = half_of_float(x);
  if (type == DType::BFloat16) reinterpret_cast<uint16_t*>(bytes.data())[i] = bf16_of_float(x);
  if (type == DType::Int8) reinterpret_cast<int8_t*>(bytes.data())[i] = int8_t(x * 127);
}

float get(const Bytes& bytes, size_t i, DType type) {
  if (type == DType::Float32) return reinterpret_cast<const float*>(bytes.data())[i];
  if (type == DType::Float16) return float_of_half(reinterpret_cast<const uint16_t*>(bytes.data())[i]);
  return float_of_bf16(reinterpret_cast<const uint16_t*>(bytes.data())[i]);
}

Bytes rows(size_t count, DType type) {
  Bytes bytes(count * size_t(kDTypeBytes[int(type)]));
  for (size_t i = 0; i < count; ++i) put(bytes, i, type, uniform());
  return bytes;
}

void show(const char* name, DType type, const Bytes& bytes, DType of) {
  std::printf("%s-%d", name, int(type));
  for (size_t i = 0; i < bytes.size() / size_t(kDTypeBytes[int(of)]); ++i) std::printf(" %.9g", double(get(bytes, i, of)));
  std::printf("\n");
}

constexpr int64_t kBlocks = 64, kBlockSize = 16, kKvHeads = 2, kHeads = 6, kDim = 40;
constexpr int64_t kCacheSize = kBlocks * kBlockSize * kKvHeads * kDim;

// Two sequences: a decode step behind 599 tokens, which is two partitions, and a prefill of 21.
void attend(DType type, DType cache_type, bool all) {
  const int64_t bytes = kDTypeBytes[int(type)], cache_bytes = kDTypeBytes[int(cache_type)];
  const int64_t lens[] = {600, 21}, tokens = 22;
  const int32_t starts[] = {0, 1, 22}, seq_lens[] = {600, 21};
  std::vector<int32_t> tables(2 * 38, 0);
  for (int i = 0; i < 38; ++i) tables[size_t(i)] = (i * 7 + 3) % 61 + 1;
  for (int i = 0; i < 2; ++i) tables[size_t(38 + i)] = 62 + i;
  std::vector<char> caches[2] = {Bytes(size_t(kCacheSize * cache_bytes), char(0x7f)), Bytes(size_t(kCacheSize * cache_bytes), char(0x7f))};
  std::vector<float> scales[2] = {std::vector<float>(size_t(kBlocks * kBlockSize * kKvHeads), 1), std::vector<float>(size_t(kBlocks * kBlockSize * kKvHeads), 1)};
  const bool quantised = cache_bytes == 1;
  for (int sequence = 0; sequence < 2; ++sequence) {
    const int64_t count = lens[sequence];
    Bytes keys = rows(size_t(count * kKvHeads * kDim), type), values = rows(size_t(count * kKvHeads * kDim), type);
    std::vector<int64_t> slots;
    for (int64_t i = 0; i < count; ++i)
      slots.push_back(tables[size_t(sequence * 38 + i / kBlockSize)] * kBlockSize + i % kBlockSize);
    WriteParams w{};
    for (int side = 0; side < 2; ++side)
      w.sides[side] = {(side ? values : keys).data(), kKvHeads * kDim * bytes, kDim * bytes, caches[side].data(),
                       kBlockSize * kKvHeads * kDim * cache_bytes, kKvHeads * kDim * cache_bytes, kDim * cache_bytes,
                       {nullptr, 0, 0, 0, false}, quantised ? scales[side].data() : nullptr, kBlockSize * kKvHeads, kKvHeads, 1, kDim};
    w.type = type, w.cache_type = cache_type, w.slots = slots.data(), w.slot_stride = 1;
    w.num_tokens = count, w.num_heads = kKvHeads, w.num_blocks = kBlocks, w.block_size = kBlockSize;
    write_kv_cache(w);
  }
  Bytes query = rows(size_t(tokens * kHeads * kDim), type), out(size_t(tokens * kHeads * kDim * bytes));
  std::vector<float> slopes, sinks, lse(size_t(tokens * kHeads));
  for (int h = 0; h < kHeads; ++h) slopes.push_back(0.01f * float(h + 1)), sinks.push_back(0.3f * float(h));
  AttentionParams p{};
  p.query = query.data(), p.query_token_stride = kHeads * kDim * bytes, p.query_head_stride = kDim * bytes;
  p.query_type = type, p.cache_type = cache_type;
  for (int side = 0; side < 2; ++side) {
    CacheView view{caches[side].data(), kBlockSize * kKvHeads * kDim * cache_bytes, kKvHeads * kDim * cache_bytes, kDim * cache_bytes};
    ScaleView scale{quantised ? scales[side].data() : nullptr, kBlockSize * kKvHeads, kKvHeads, 1, quantised};
    (side ? p.value : p.key) = view, (side ? p.value_scale : p.key_scale) = scale;
  }
  p.block_tables = tables.data(), p.block_table_stride = 38, p.seq_lens = seq_lens, p.query_start_loc = starts;
  p.num_blocks = kBlocks, p.block_size = kBlockSize, p.max_blocks = 38, p.num_seqs = 2, p.num_tokens = tokens;
  p.num_heads = kHeads, p.num_kv_heads = kKvHeads, p.group = kHeads / kKvHeads, p.head_dim = p.head_dim_v = kDim;
  p.scale = 0.5f, p.causal = true;
  if (all) p.softcap = 5, p.window = 550, p.alibi_slopes = slopes.data(), p.sinks = (const char*)sinks.data(), p.sinks_type = DType::Float32;
  p.out = out.data(), p.out_token_stride = kHeads * kDim * bytes, p.out_head_stride = kDim * bytes, p.lse = lse.data();
  paged_attention("paged_attention", p, 0);
  show(all ? "attention-all" : "attention", DType(int(cache_type) * 10 + int(type)), out, type);
  // Every third position of the last tokens, from the end on, and one twice.
  std::vector<int32_t> selected;
  for (int64_t token = 0; token < tokens; ++token)
    for (int32_t i = 0; i < 40; ++i) selected.push_back(token == 0 ? 599 - 3 * (i % 39) : i < 7 ? 18 - 3 * i : -1);
  p.selected = selected.data(), p.selected_token_stride = p.num_selected = 40, p.granularity = 1;
  Bytes sparse(out.size());
  p.out = sparse.data();
  std::vector<float> sparse_lse(lse.size());
  p.lse = sparse_lse.data();
  paged_attention("paged_sparse_attention", p, 0);
  show(all ? "sparse-all" : "sparse", DType(int(cache_type) * 10 + int(type)), sparse, type);
  Bytes sums(reinterpret_cast<char*>(lse.data()), reinterpret_cast<char*>(lse.data() + lse.size()));
  show(all ? "lse-all" : "lse", DType(int(cache_type) * 10 + int(type)), sums, DType::Float32);
}

// Rows of 270 numbers times a weight of 45 outputs, which is a panel and a part of one. With a weight of 8 bits every
// instruction set gives the same bits.
void multiply(DType weight_type, DType type, int64_t count) {
  constexpr int64_t in = 270, out_features = 45;
  Bytes weight = rows(size_t(in * out_features), weight_type), input = rows(size_t(in * count), type);
  std::vector<float> scale;
  for (int i = 0; i < out_features; ++i) scale.push_back(0.01f * float(i + 1));
  PackParams pack{};
  const int64_t per_word = inputs_per_word(weight_type);
  pack.weight = weight.data(), pack.row_stride = in * kDTypeBytes[int(weight_type)], pack.type = weight_type;
  pack.in_features = in, pack.out_features = out_features, pack.words = (in + per_word - 1) / per_word;
  pack.panels = (out_features + kPanel - 1) / kPanel;
  Bytes packed(size_t(pack.panels * pack.words * panel_step(weight_type)) + 64), out(size_t(count * out_features * kDTypeBytes[int(type)]));
  pack.packed = packed.data();
  pack_linear_weight(pack);
  const int64_t sizes[] = {count}, strides[] = {in};
  LinearParams p{};
  p.input = input.data(), p.input_type = type, p.weight_type = weight_type, p.input_dim = 2, p.input_sizes = sizes;
  p.input_strides = strides, p.weight = packed.data(), p.num_rows = count, p.in_features = in, p.out_features = out_features;
  p.words = pack.words, p.panels = pack.panels, p.out = out.data();
  p.weight_scale = weight_type == DType::Int8 ? scale.data() : nullptr;
  packed_linear(p);
  std::printf("linear-%d-of-%d%d", int(count), int(weight_type), int(type));
  show("", weight_type == DType::Int8 ? DType(9) : type, out, type);
}

// Rows times a weight in groups, of 45 outputs; where no scales are shared the last group of the 150 inputs is not full.
// Every instruction set gives these very bits, which a 9 says in the name.
void multiply_groups(int number, const GroupedFormat& format, int64_t count) {
  constexpr int64_t out_features = 45;
  const int64_t in = format.shared ? 512 : 150;
  PackGroupedParams pack{};
  pack.format = format;
  const GroupedLayout at(format, in);
  const float top = float(1 << format.bits) - 0.01f, share = format.shared ? 32 : 1;
  std::vector<uint8_t> codes, zeros;
  for (int64_t i = 0; i < in * out_features; ++i) codes.push_back(uint8_t((uniform() + 1) / 2 * top));
  Bytes parts[2], steps[2];  // of scales and of offsets
  for (int64_t i = 0; i < at.groups * out_features; ++i) {
    zeros.push_back(uint8_t((uniform() + 1) / 2 * top));
    for (Bytes& each : steps) each.push_back(char(int8_t(uniform() * 31.9f)));
  }
  for (Bytes& each : parts) {
    each.resize(size_t(at.scales * out_features * kDTypeBytes[int(format.scale_type)]));
    for (int64_t i = 0; i < at.scales * out_features; ++i) {
      if (format.scale_type == DType::Exponent)
        each[size_t(i)] = char(120 + i % 5);
      else
        put(each, size_t(i), format.scale_type, (0.01f + 0.005f * uniform()) / share);
    }
  }
  const bool offsets = format.origin == Origin::Offsets;
  Bytes packed(size_t((out_features + kPanel - 1) / kPanel * at.bytes) + 64), out(size_t(count * out_features * 4));
  pack.in_features = in, pack.out_features = out_features, pack.codes = codes.data(), pack.row_stride = in;
  pack.scale = parts[0].data(), pack.packed = packed.data();
  pack.origin = offsets                           ? parts[1].data()
                : format.origin == Origin::Zeros ? reinterpret_cast<const char*>(zeros.data())
                                                 : nullptr;
  pack.scale_steps = format.shared ? steps[0].data() : nullptr;
  pack.origin_steps = format.shared && offsets ? steps[1].data() : nullptr;
  pack_grouped_weight(pack);
  Bytes input = rows(size_t(in * count), DType::Float32);
  const int64_t sizes[] = {count}, strides[] = {in};
  LinearParams p{};
  p.input = input.data(), p.input_type = DType::Float32, p.weight_type = DType::Int8, p.format = format;
  p.input_dim = 2, p.input_sizes = sizes, p.input_strides = strides, p.weight = packed.data(), p.num_rows = count;
  p.in_features = in, p.out_features = out_features, p.words = at.words * 8 / format.bits, p.out = out.data();
  p.panels = (out_features + kPanel - 1) / kPanel;
  packed_linear(p);
  std::printf("groups-%d-of-%d", int(count), number);
  show("", DType(9), out, DType::Float32);
}

// Five rows of 70 numbers, of which one has no adapter, and joined layers of 45 and 20 outputs with adapters of up to rank 6.
void adapt(DType type) {
  constexpr int64_t count = 5, in = 70, rank = 6, outputs = 65;
  const int64_t bytes = kDTypeBytes[int(type)], ends[] = {45, outputs};
  Bytes out = rows(count * outputs, type), x = rows(count * in, type), b = rows(3 * rank * outputs, type);
  Bytes a = rows(3 * 2 * rank * in, type);
  const int32_t slots[] = {2, 0, -1, 2, 2}, ranks[] = {6, 3, 9, 9, 5, 6};
  LoraParams p{};
  p.out = out.data(), p.x = x.data(), p.a = a.data(), p.b = b.data();
  p.out_row_stride = outputs * bytes, p.x_row_stride = p.a_row_stride = in * bytes, p.b_row_stride = outputs * bytes;
  p.a_slot_stride = 2 * rank * p.a_row_stride, p.b_slot_stride = rank * p.b_row_stride;
  p.type = type, p.slots = slots, p.slot_stride = 1, p.num_tokens = count, p.num_slots = 3;
  p.in_features = in, p.rank = rank, p.parts = 2, p.ends = ends;
  p.ranks = ranks, p.ranks_slot_stride = 2, p.ranks_part_stride = 1;
  lora_linear_add(p);
  show("adapters", type, out, type);
}

// The best of 600 rows of an index of 40 numbers for a token with four heads, weighted, and for each of four heads alone,
// in groups.
void choose(DType type, bool groups) {
  constexpr int64_t count = 600, dim = 40, heads = 4, size = 16, k = 9;
  const int64_t bytes = kDTypeBytes[int(type)];
  std::vector<int32_t> table;
  for (int32_t i = 0; i < 38; ++i) table.push_back((i * 7 + 3) % 38);
  Bytes index = rows(38 * size * dim, type), query = rows(heads * dim, type);
  std::vector<float> weights{1, -0.5f, 2, 0.25f};
  const int32_t starts[] = {0, 1}, seq_lens[] = {count};
  std::vector<int32_t> out(heads * k, -1);
  TopkParams p{};
  IndexParams& x = p.index;
  x.query = query.data(), x.query_token_stride = heads * dim * bytes, x.query_head_stride = dim * bytes;
  x.query_type = x.cache_type = type, x.key = {index.data(), size * dim * bytes, dim * bytes, dim * bytes};
  x.block_tables = table.data(), x.block_table_stride = x.max_blocks = x.num_blocks = 38, x.block_rows = size;
  x.num_heads = x.group = heads, x.dim = dim, x.num_selections = groups ? heads : 1;
  x.weights = groups ? nullptr : weights.data(), x.scale = 0.5f, x.relu = !groups;
  p.seq_lens = seq_lens, p.query_start_loc = starts, p.num_seqs = p.num_tokens = 1;
  p.k = k, p.granularity = groups ? 8 : 1, p.local = groups, p.tokens_per_row = 1, p.out = out.data();
  paged_topk("paged_topk", p);
  std::printf(groups ? "best-groups-%d" : "best-%d", int(type));
  for (int32_t each : out) std::printf(" %d", each);
  std::printf("\n");
}

void by_row(DType type) {
  constexpr int64_t n = 51;
  const Kernels& k = kernels();
  Bytes x = rows(n, type), weight = rows(n, type), other = rows(n, type), out(x.size());
  k.rms_norm_row({x.data(), nullptr, weight.data(), nullptr, out.data()}, type, type, n, 1e-6f);
  show("norm", type, out, type);
  k.gated_row(x.data(), other.data(), out.data(), type, Activation::Silu, n);
  show("silu", type, out, type);
  k.gated_row(x.data(), other.data(), out.data(), type, Activation::GeluTanh, n);
  show("gelu", type, out, type);
}

void draw() {
  constexpr int64_t count = 5, vocab = 1000;
  Bytes logits = rows(count * vocab, DType::Float32);
  std::vector<float> temperature{0, 1, 0.7f, 2, 1}, top_p{1, 1, 0.9f, 0.5f, 1}, min_p{0, 0, 0, 0.1f, 0};
  std::vector<int32_t> top_k{0, 0, 40, 0, 3};
  std::vector<int64_t> seeds{1, 2, 3, 4, 5}, positions{9, 8, 7, 6, 5}, out(count);
  sample_tokens({logits.data(), DType::Float32, vocab * 4, count, vocab, temperature.data(), top_p.data(), min_p.data(),
                 top_k.data(), seeds.data(), positions.data(), out.data()});
  std::printf("tokens");
  for (int64_t each : out) std::printf(" %lld", static_cast<long long>(each));
  std::printf("\n");
}

constexpr int64_t kCounts[] = {1, 2, 3, 6, 7, 8, 12, 13, 14, 29, 70, 130};
// Those of FORMS in test_grouped_weights.py.
constexpr GroupedFormat kFormats[] = {
    {4, 32, DType::Float16, Origin::Middle, 0},    {4, 32, DType::Float16, Origin::Offsets, 0},
    {8, 32, DType::Float16, Origin::Middle, 0},    {4, 32, DType::Float16, Origin::Offsets, 256},
    {8, 16, DType::Float16, Origin::Middle, 256},  {4, 128, DType::Float16, Origin::Zeros, 0},
    {8, 64, DType::BFloat16, Origin::Zeros, 0},    {4, 16, DType::Float32, Origin::Middle, 256},
    {4, 32, DType::Float16, Origin::Iq4, 0},       {4, 32, DType::Float16, Origin::Iq4, 256},
    {4, 32, DType::Exponent, Origin::E2m1, 0},     {4, 64, DType::Float32, Origin::Nf4, 0},
    {4, 128, DType::Float32, Origin::Middle, 0},   {4, 128, DType::BFloat16, Origin::Offsets, 0},
};

uint32_t threads = 1;

}  // namespace

// An argument: how many threads, of the library's own team.
int main(int, char** arguments) {
  if (arguments[1]) threads = uint32_t(std::atoi(arguments[1]));
  TeamScope scope;
  std::printf("isa %s\n", kernels().name);
  const DType floats[] = {DType::Float32, DType::Float16, DType::BFloat16};
  for (DType type : floats) {
    for (DType cache : {type, DType::Int8, DType::Float8E4M3, DType::Float8E5M2})
      for (bool all : {false, true}) attend(type, cache, all);
    for (int64_t count : kCounts)
      for (DType weight : {type, DType::Int8}) multiply(weight, type, count);
    adapt(type);
    for (bool groups : {false, true}) choose(type, groups);
    by_row(type);
  }
  for (int64_t count : kCounts)
    for (int i = 0; i < int(std::size(kFormats)); ++i) multiply_groups(i, kFormats[i], count);
  draw();
}

#ifdef ONLY_PORTABLE  // instead of dispatch.cpp
namespace torchpaged {
const Kernels& kernels() { return kPortableKernels; }
}  // namespace torchpaged
#endif

// Of torch, what csrc/cpu/parallel.h calls.
extern "C" AOTITorchError torch_get_num_threads(uint32_t* number) {
  *number = threads;
  return 0;
}
extern "C" AOTITorchError torch_parallel_for(int64_t begin, int64_t end, int64_t, ParallelFunc body, void* context) {
  body(begin, end, context);
  return 0;
}
