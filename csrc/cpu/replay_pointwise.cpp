// Arithmetic of replay.h over views: each number is rounded once, so it is the same as torch's. (torch's square roots
// of float32 are not.)
#include "replay.h"
#include "scalar.h"

namespace torchpaged {
namespace {

constexpr int64_t kChunk = 256;

struct Types {
  int32_t float32, float16, bfloat16, float64, int64, int32, boolean;
};

const Types& types() {
  static const Types all = {aoti_torch_dtype_float32(),  aoti_torch_dtype_float16(), aoti_torch_dtype_bfloat16(),
                            aoti_torch_dtype_float64(),  aoti_torch_dtype_int64(),   aoti_torch_dtype_int32(),
                            aoti_torch_dtype_bool()};
  return all;
}

template <class T, class From, class Convert>
void load_as(T* target, const char* data, int64_t stride, int64_t n, Convert convert) {
  auto* source = reinterpret_cast<const From*>(data);
  if (stride == 1)
    for (int64_t i = 0; i < n; ++i) target[i] = convert(source[i]);
  else
    for (int64_t i = 0; i < n; ++i) target[i] = convert(source[i * stride]);
}

// n numbers of `data`, `stride` elements apart.
template <class T>
void load(T* target, const char* data, int64_t stride, int32_t type, int64_t n) {
  const Types& t = types();
  if (type == t.float32)
    load_as<T, float>(target, data, stride, n, [](float x) { return T(x); });
  else if (type == t.bfloat16)
    load_as<T, uint16_t>(target, data, stride, n, [](uint16_t x) { return T(float_of_bf16(x)); });
  else if (type == t.float16)
    load_as<T, uint16_t>(target, data, stride, n, [](uint16_t x) { return T(float_of_half(x)); });
  else if (type == t.int64)
    load_as<T, int64_t>(target, data, stride, n, [](int64_t x) { return T(x); });
  else if (type == t.int32)
    load_as<T, int32_t>(target, data, stride, n, [](int32_t x) { return T(x); });
  else if (type == t.boolean)
    load_as<T, uint8_t>(target, data, stride, n, [](uint8_t x) { return T(x != 0); });
  else if (type == t.float64)
    load_as<T, double>(target, data, stride, n, [](double x) { return T(x); });
  else
    throw std::runtime_error("torchpaged: replay reads no tensor of " + type_name(type));
}

template <class To, class T, class Convert>
void store_as(char* data, int64_t stride, const T* source, int64_t n, Convert convert) {
  auto* target = reinterpret_cast<To*>(data);
  if (stride == 1)
    for (int64_t i = 0; i < n; ++i) target[i] = convert(source[i]);
  else
    for (int64_t i = 0; i < n; ++i) target[i * stride] = convert(source[i]);
}

template <class T>
void store(char* data, int64_t stride, int32_t type, const T* source, int64_t n) {
  const Types& t = types();
  if (type == t.float32)
    store_as<float>(data, stride, source, n, [](T x) { return float(x); });
  else if (type == t.bfloat16)
    store_as<uint16_t>(data, stride, source, n, [](T x) { return bf16_of_float(float(x)); });
  else if (type == t.float16)
    store_as<uint16_t>(data, stride, source, n, [](T x) { return half_of_float(float(x)); });
  else if (type == t.int64)
    store_as<int64_t>(data, stride, source, n, [](T x) { return int64_t(x); });
  else if (type == t.int32)
    store_as<int32_t>(data, stride, source, n, [](T x) { return int32_t(x); });
  else if (type == t.boolean)
    store_as<uint8_t>(data, stride, source, n, [](T x) { return uint8_t(x != 0); });
  else
    throw std::runtime_error("torchpaged: replay writes no tensor of " + type_name(type));
}

template <class T, class F>
void each(T* out, const T* a, const T* b, int64_t n, F f) {
  for (int64_t i = 0; i < n; ++i) out[i] = f(a[i], b[i]);
}

template <class T>
void compute(Arithmetic arithmetic, T* out, const T* a, const T* b, const T* c, int64_t n) {
  switch (arithmetic) {
    case Arithmetic::Convert: return each(out, a, a, n, [](T x, T) { return x; });
    case Arithmetic::Add: return each(out, a, b, n, [](T x, T y) { return x + y; });
    case Arithmetic::Subtract: return each(out, a, b, n, [](T x, T y) { return x - y; });
    case Arithmetic::Multiply: return each(out, a, b, n, [](T x, T y) { return x * y; });
    case Arithmetic::Divide: return each(out, a, b, n, [](T x, T y) { return x / y; });
    case Arithmetic::Negate: return each(out, a, a, n, [](T x, T) { return -x; });
    case Arithmetic::Reciprocal: return each(out, a, a, n, [](T x, T) { return T(1) / x; });
    case Arithmetic::Greater: return each(out, a, b, n, [](T x, T y) { return T(x > y); });
    case Arithmetic::GreaterEqual: return each(out, a, b, n, [](T x, T y) { return T(x >= y); });
    case Arithmetic::Less: return each(out, a, b, n, [](T x, T y) { return T(x < y); });
    case Arithmetic::LessEqual: return each(out, a, b, n, [](T x, T y) { return T(x <= y); });
    case Arithmetic::Equal: return each(out, a, b, n, [](T x, T y) { return T(x == y); });
    case Arithmetic::NotEqual: return each(out, a, b, n, [](T x, T y) { return T(x != y); });
    case Arithmetic::AtLeast: return each(out, a, b, n, [](T x, T y) { return x < y ? y : x; });  // NaN stays
    case Arithmetic::AtMost: return each(out, a, b, n, [](T x, T y) { return x > y ? y : x; });
    case Arithmetic::Where:
      for (int64_t i = 0; i < n; ++i) out[i] = a[i] != 0 ? b[i] : c[i];
      return;
  }
}

constexpr int kMaxInputs = 3;

// One line along the last dimension.
struct Line {
  char* target;
  int64_t target_stride;
  const char* inputs[kMaxInputs];
  int64_t strides[kMaxInputs];
};

template <class T>
void compute_line(Arithmetic arithmetic, const Line& line, const View& target, const View* inputs, int count, int64_t n) {
  T buffers[kMaxInputs][kChunk], out[kChunk];
  for (int64_t begin = 0; begin < n; begin += kChunk) {
    int64_t some = least(kChunk, n - begin);
    for (int i = 0; i < count; ++i)
      if (line.strides[i] != 0 || begin == 0)
        load(buffers[i], line.inputs[i] + begin * line.strides[i] * inputs[i].bytes, line.strides[i], inputs[i].type,
             line.strides[i] ? some : least(kChunk, n));
    compute(arithmetic, out, buffers[0], buffers[1], buffers[2], some);
    store(line.target + begin * line.target_stride * target.bytes, line.target_stride, target.type, out, some);
  }
}

// Elements of any type, as they are.
template <class Bits>
void copy_as(const Line& line, int64_t n) {
  auto* target = reinterpret_cast<Bits*>(line.target);
  auto* source = reinterpret_cast<const Bits*>(line.inputs[0]);
  for (int64_t i = 0; i < n; ++i) target[i * line.target_stride] = source[i * line.strides[0]];
}

void copy_line(const Line& line, int32_t bytes, int64_t n) {
  if (line.target_stride == 1 && line.strides[0] == 1) {
    memcpy(line.target, line.inputs[0], size_t(n * bytes));
    return;
  }
  struct Pair {
    uint64_t parts[2];
  };
  switch (bytes) {
    case 1: return copy_as<uint8_t>(line, n);
    case 2: return copy_as<uint16_t>(line, n);
    case 4: return copy_as<uint32_t>(line, n);
    case 8: return copy_as<uint64_t>(line, n);
    default: return copy_as<Pair>(line, n);
  }
}

}  // namespace

void pointwise(Arithmetic arithmetic, const View& target, const View* inputs, int count) {
  const Types& t = types();
  if (target.count() == 0) return;
  bool plain = arithmetic == Arithmetic::Convert && target.type == inputs[0].type;
  bool wide = false;
  for (int i = 0; i < count; ++i)
    wide |= inputs[i].type == t.int64 || inputs[i].type == t.int32 || inputs[i].type == t.float64;
  // Strides of the inputs along the target's dimensions: 0 where they are broadcast.
  int64_t strides[kMaxInputs][kMaxDim] = {};
  for (int i = 0; i < count; ++i)
    for (int64_t d = 0; d < inputs[i].dim; ++d)
      if (inputs[i].sizes[d] != 1) strides[i][d + target.dim - inputs[i].dim] = inputs[i].strides[d];
  int64_t last = target.dim - 1, n = target.dim ? target.sizes[last] : 1;
  int64_t place[kMaxDim] = {};
  for (bool more = true; more;) {
    Line line{target.data, target.dim ? target.strides[last] : 1, {}, {}};
    for (int64_t d = 0; d < last; ++d) line.target += place[d] * target.strides[d] * target.bytes;
    for (int i = 0; i < count; ++i) {
      line.inputs[i] = inputs[i].data;
      for (int64_t d = 0; d < last; ++d) line.inputs[i] += place[d] * strides[i][d] * inputs[i].bytes;
      line.strides[i] = target.dim ? strides[i][last] : 0;
    }
    if (plain)
      copy_line(line, target.bytes, n);
    else if (wide)
      compute_line<double>(arithmetic, line, target, inputs, count, n);
    else
      compute_line<float>(arithmetic, line, target, inputs, count, n);
    more = false;
    for (int64_t d = last - 1; d >= 0 && !more; --d) {
      more = ++place[d] < target.sizes[d];
      if (!more) place[d] = 0;
    }
  }
}

}  // namespace torchpaged
