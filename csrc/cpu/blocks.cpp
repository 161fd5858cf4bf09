// The blocks of ggml's formats, unpacked: codes of a byte each, and what their scales are made of; or packed at once, a
// panel after the other. Layouts are those of ggml-common.h; torchpaged/weights/gguf_blocks.py says the same in PyTorch,
// and tests/weights/test_gguf_blocks.py compares.
#include "operators.h"
#include "parallel.h"

#include <algorithm>
#include <cstring>

namespace torchpaged {
namespace {

struct Out {
  uint8_t* codes;
  uint16_t* scale;
  uint16_t* offset;
  uint8_t* scale_steps;
  uint8_t* offset_steps;
};

// `bytes` bytes of two codes each: of every `half` bytes first the low nibbles, then the high ones.
inline void nibbles(const uint8_t* in, uint8_t* out, int bytes, int half) {
  for (int first = 0; first < bytes; first += half, out += 2 * half)
    for (int i = 0; i < half; ++i) {
      out[i] = in[first + i] & 15;
      out[half + i] = in[first + i] >> 4;
    }
}

// `bytes` bytes of 8 / bits codes each, 32 bytes after the other: first the lowest bits of each, then the next.
// They are put on top of what is there, `shift` bits higher.
inline void crumbs(const uint8_t* in, uint8_t* out, int bytes, int bits, int shift) {
  for (int first = 0; first < bytes; first += 32)
    for (int down = 0; down < 8; down += bits, out += 32)
      for (int i = 0; i < 32; ++i) out[i] |= uint8_t((in[first + i] >> down & ((1 << bits) - 1)) << shift);
}

// The fifth bits of 32 codes, a bit each.
inline void fifths(const uint8_t* in, uint8_t* out) {
  for (int i = 0; i < 32; ++i) out[i] |= uint8_t((in[i / 8] >> (i % 8) & 1) << 4);
}

inline void add(uint8_t* out, int count, uint8_t what) {
  for (int i = 0; i < count; ++i) out[i] = uint8_t(out[i] + what);
}

inline uint16_t half(const uint8_t* in) {
  uint16_t bits;
  memcpy(&bits, in, 2);
  return bits;
}

// Eight scales and eight minima of six bits in twelve bytes.
inline void minima(const uint8_t* in, uint8_t* scales, uint8_t* least) {
  for (int i = 0; i < 4; ++i) {
    scales[i] = in[i] & 63;
    least[i] = in[4 + i] & 63;
    scales[4 + i] = uint8_t((in[8 + i] & 15) | (in[i] >> 6 << 4));
    least[4 + i] = uint8_t((in[8 + i] >> 4) | (in[4 + i] >> 6 << 4));
  }
}

constexpr uint16_t kSign = 0x8000;

void q4_0(const uint8_t* in, int64_t i, const Out& out) {
  nibbles(in + 2, out.codes + 32 * i, 16, 16);
  out.scale[i] = half(in);
}

void q4_1(const uint8_t* in, int64_t i, const Out& out) {
  nibbles(in + 4, out.codes + 32 * i, 16, 16);
  out.scale[i] = half(in);
  out.offset[i] = half(in + 2);
}

void q5_0(const uint8_t* in, int64_t i, const Out& out) {
  uint8_t* codes = out.codes + 32 * i;
  nibbles(in + 6, codes, 16, 16);
  fifths(in + 2, codes);
  add(codes, 32, 128 - 16);
  out.scale[i] = half(in);
}

void q5_1(const uint8_t* in, int64_t i, const Out& out) {
  nibbles(in + 8, out.codes + 32 * i, 16, 16);
  fifths(in + 4, out.codes + 32 * i);
  out.scale[i] = half(in);
  out.offset[i] = half(in + 2);
}

void q8_0(const uint8_t* in, int64_t i, const Out& out) {
  for (int k = 0; k < 32; ++k) out.codes[32 * i + k] = in[2 + k] ^ 128;
  out.scale[i] = half(in);
}

void q2_k(const uint8_t* in, int64_t i, const Out& out) {
  memset(out.codes + 256 * i, 0, 256);
  crumbs(in + 16, out.codes + 256 * i, 64, 2, 0);
  for (int k = 0; k < 16; ++k) {
    out.scale_steps[16 * i + k] = in[k] & 15;
    out.offset_steps[16 * i + k] = in[k] >> 4;
  }
  out.scale[i] = half(in + 80);
  out.offset[i] = half(in + 82) ^ kSign;
}

void q3_k(const uint8_t* in, int64_t i, const Out& out) {
  uint8_t *codes = out.codes + 256 * i, *steps = out.scale_steps + 16 * i;
  memset(codes, 0, 256);
  crumbs(in + 32, codes, 64, 2, 0);
  crumbs(in, codes, 32, 1, 2);
  add(codes, 256, 8 - 4);  // without its high bit a code is 4 less
  for (int k = 0; k < 16; ++k) {
    uint8_t low = k < 8 ? in[96 + k] & 15 : in[88 + k] >> 4;
    steps[k] = uint8_t((low | (in[104 + k % 4] >> (k / 4 * 2) & 3) << 4) - 32);
  }
  out.scale[i] = half(in + 108);
}

void q4_k(const uint8_t* in, int64_t i, const Out& out) {
  nibbles(in + 16, out.codes + 256 * i, 128, 32);
  minima(in + 4, out.scale_steps + 8 * i, out.offset_steps + 8 * i);
  out.scale[i] = half(in);
  out.offset[i] = half(in + 2) ^ kSign;
}

void q5_k(const uint8_t* in, int64_t i, const Out& out) {
  nibbles(in + 48, out.codes + 256 * i, 128, 32);
  crumbs(in + 16, out.codes + 256 * i, 32, 1, 4);
  minima(in + 4, out.scale_steps + 8 * i, out.offset_steps + 8 * i);
  out.scale[i] = half(in);
  out.offset[i] = half(in + 2) ^ kSign;
}

void q6_k(const uint8_t* in, int64_t i, const Out& out) {
  uint8_t* codes = out.codes + 256 * i;
  nibbles(in, codes, 128, 64);
  crumbs(in + 128, codes, 64, 2, 4);
  add(codes, 256, 128 - 32);
  memcpy(out.scale_steps + 16 * i, in + 192, 16);
  out.scale[i] = half(in + 208);
}

void iq4_nl(const uint8_t* in, int64_t i, const Out& out) {
  nibbles(in + 2, out.codes + 32 * i, 16, 16);
  out.scale[i] = half(in);
}

void iq4_xs(const uint8_t* in, int64_t i, const Out& out) {
  nibbles(in + 8, out.codes + 256 * i, 128, 16);
  uint16_t high = half(in + 2);
  for (int k = 0; k < 8; ++k) {
    uint8_t low = in[4 + k / 2] >> (k % 2 * 4) & 15;
    out.scale_steps[8 * i + k] = uint8_t((low | (high >> (2 * k) & 3) << 4) - 32);
  }
  out.scale[i] = half(in);
}

void mxfp4(const uint8_t* in, int64_t i, const Out& out) {
  nibbles(in + 1, out.codes + 32 * i, 16, 16);
  out.scale_steps[i] = in[0];  // its exponent
}

struct Format {
  int kind;  // by ggml's number
  int64_t bytes;
  void (*unpack)(const uint8_t*, int64_t, const Out&);
};

// A thread's own memory for unpacked rows of blocks, one part behind the other.
struct Scratch {
  int64_t codes, scale, offset, scale_steps, offset_steps, bytes;

  Scratch(const GroupedLayout& at, int64_t in_features) {
    int64_t end = 0;
    auto place = [&end](int64_t row_bytes) {
      int64_t begin = end;
      end += (kPanel * row_bytes + 63) / 64 * 64;
      return begin;
    };
    codes = place(in_features);
    scale = place(at.scales * 2);
    offset = place(at.scales * 2);
    scale_steps = place(at.groups);
    offset_steps = place(at.groups);
    bytes = end;
  }
};

// The panels [begin, end) of rows of blocks.
void pack_panels(const Format& format, const uint8_t* rows, int64_t row_blocks, PackGroupedParams p, int64_t begin,
                 int64_t end) {
  const GroupedLayout at(p.format, p.in_features);
  const Scratch in(at, p.in_features);
  char* scratch = thread_scratch<3>(size_t(in.bytes));
  const Out out{(uint8_t*)scratch + in.codes, (uint16_t*)(scratch + in.scale), (uint16_t*)(scratch + in.offset),
                (uint8_t*)scratch + in.scale_steps, (uint8_t*)scratch + in.offset_steps};
  const bool offsets = p.format.origin == Origin::Offsets, steps = p.format.shared != 0;
  p.codes = out.codes;
  p.row_stride = p.in_features;
  // MXFP4's scales are bytes, as steps are elsewhere.
  p.scale = scratch + (p.format.scale_type == DType::Exponent ? in.scale_steps : in.scale);
  p.origin = offsets ? scratch + in.offset : nullptr;
  p.scale_steps = steps ? scratch + in.scale_steps : nullptr;
  p.origin_steps = steps && offsets ? scratch + in.offset_steps : nullptr;
  for (int64_t panel = begin; panel < end; ++panel) {
    const int64_t first = panel * kPanel, outputs = std::min<int64_t>(kPanel, p.out_features - first);
    const uint8_t* source = rows + first * row_blocks * format.bytes;
    for (int64_t i = 0; i < outputs * row_blocks; ++i) format.unpack(source + i * format.bytes, i, out);
    pack_grouped_panel(p, 0, outputs, p.packed + panel * at.bytes);
  }
}

constexpr Format kFormats[] = {
    {2, 18, q4_0},   {3, 20, q4_1},   {6, 22, q5_0},   {7, 24, q5_1},    {8, 34, q8_0},    {10, 84, q2_k},  {11, 110, q3_k},
    {12, 144, q4_k}, {13, 176, q5_k}, {14, 210, q6_k}, {20, 18, iq4_nl}, {23, 136, iq4_xs}, {39, 17, mxfp4},
};

}  // namespace
}  // namespace torchpaged

// `count` blocks. Parts that a format has not got are not written. Returns 0; 1 for a format that is not known, 2 where
// there are no threads.
TORCHPAGED_EXPORT int torchpaged_unpack_blocks(int kind, const uint8_t* blocks, int64_t count, uint8_t* codes,
                                               uint16_t* scale, uint16_t* offset, uint8_t* scale_steps,
                                               uint8_t* offset_steps) {
  using namespace torchpaged;
  for (const Format& format : kFormats) {
    if (format.kind != kind) continue;
    Out out{codes, scale, offset, scale_steps, offset_steps};
    try {
      parallel_chunks(count, count * format.bytes, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) format.unpack(blocks + i * format.bytes, i, out);
      });
    } catch (const std::exception&) {
      return 2;
    }
    return 0;
  }
  return 1;
}

// Rows of blocks as pack_grouped_weight packs what they are unpacked to, without that in between. `format` is the code of
// a GroupedFormat that fits: float16 scales, a shared one if the format has steps, or exponents. Returns as above.
TORCHPAGED_EXPORT int torchpaged_pack_blocks(int kind, const uint8_t* rows, int64_t row_bytes, int64_t format_code,
                                             int64_t out_features, int64_t in_features, char* packed) {
  using namespace torchpaged;
  for (const Format& format : kFormats) {
    if (format.kind != kind) continue;
    PackGroupedParams p{};
    p.format = grouped_format(format_code);
    p.in_features = in_features;
    p.out_features = out_features;
    p.packed = packed;
    const int64_t panels = (out_features + kPanel - 1) / kPanel;
    try {
      parallel_chunks(panels, out_features * row_bytes, [&](int64_t begin, int64_t end) {
        pack_panels(format, rows, row_bytes / format.bytes, p, begin, end);
      });
    } catch (const std::exception&) {
      return 2;
    }
    return 0;
  }
  return 1;
}
