// A boxed kernel's arguments: taken off the dispatcher's stack, viewed through the stable ABI, checked.
//
// Each call through the ABI costs a few nanoseconds, so a tensor's metadata is read once. TORCH_BOX of torch's stable ABI
// would generate the unboxing, but makes a call take 6 to 16 % longer.
#pragma once

#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/c/shim.h>

#include <cstring>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "common.h"

namespace torchpaged {

inline void check_abi(AOTITorchError error, const char* what) {
  if (error != 0) throw std::runtime_error(std::string("torchpaged: ") + what + " failed");
}

[[noreturn]] inline void refuse(const char* op, const std::string& argument, const std::string& found,
                                const std::string& expected) {
  throw std::invalid_argument(std::string(op) + ": " + argument + " " + found + ", expected " + expected);
}

// Torch's numbers for the dtypes, asked once.
struct TorchTypes {
  int32_t float32 = aoti_torch_dtype_float32(), float16 = aoti_torch_dtype_float16(),
          bfloat16 = aoti_torch_dtype_bfloat16(), e4m3 = aoti_torch_dtype_float8_e4m3fn(),
          e5m2 = aoti_torch_dtype_float8_e5m2(), int8 = aoti_torch_dtype_int8(), int32 = aoti_torch_dtype_int32(),
          int64 = aoti_torch_dtype_int64(), boolean = aoti_torch_dtype_bool(), uint8 = aoti_torch_dtype_uint8(), cpu = aoti_torch_device_type_cpu();
};

inline const TorchTypes& torch_types() {
  static const TorchTypes types;
  return types;
}

inline std::string type_name(int32_t type) {
  const TorchTypes& t = torch_types();
  const std::pair<int32_t, const char*> names[] = {
      {t.float32, "float32"},     {t.float16, "float16"},     {t.bfloat16, "bfloat16"},
      {t.e4m3, "float8_e4m3fn"},  {t.e5m2, "float8_e5m2"},    {t.int8, "int8"},
      {t.int32, "int32"},         {t.int64, "int64"},         {t.boolean, "bool"},
      {aoti_torch_dtype_float64(), "float64"}, {t.uint8, "uint8"},
      {aoti_torch_dtype_int16(), "int16"},
  };
  for (auto& [value, name] : names)
    if (value == type) return name;
  return "number " + std::to_string(type);
}

// Never nullptr: torch gives a tensor without elements no address, but memcpy wants one for 0 bytes too.
inline void* address_of(AtenTensorHandle handle, const char* what) {
  alignas(64) static char nowhere[64];
  void* data;
  check_abi(aoti_torch_get_data_ptr(handle, &data), what);
  return data ? data : nowhere;
}

class Tensor {
 public:
  Tensor() = default;
  Tensor(const char* op, std::string name, AtenTensorHandle handle) : op_(op), name_(std::move(name)) {
    int64_t *sizes, *strides;
    int32_t device;
    check_abi(aoti_torch_get_device_type(handle, &device), "reading a tensor's device");
    if (device != torch_types().cpu) refuse(op_, name_, "is on another device", "a tensor on the CPU");
    check_abi(aoti_torch_get_dim(handle, &dim_), "reading a tensor's dimensions");
    check_abi(aoti_torch_get_sizes(handle, &sizes), "reading a tensor's sizes");
    check_abi(aoti_torch_get_strides(handle, &strides), "reading a tensor's strides");
    check_abi(aoti_torch_get_dtype(handle, &type_), "reading a tensor's dtype");
    data_ = address_of(handle, "reading a tensor's address");
    sizes_ = sizes;
    strides_ = strides;
  }

  // Of memory on the CPU; sizes and strides belong to the caller.
  Tensor(const char* op, std::string name, void* data, int64_t dim, const int64_t* sizes, const int64_t* strides,
         int32_t type)
      : op_(op), name_(std::move(name)), data_(data), sizes_(sizes), strides_(strides), dim_(dim), type_(type) {}

  explicit operator bool() const { return op_ != nullptr; }
  int64_t dim() const { return dim_; }
  int64_t size(int64_t axis) const { return sizes_[axis]; }
  int64_t stride(int64_t axis) const { return strides_[axis]; }
  int32_t type() const { return type_; }
  template <class T>
  T* data() const {
    return static_cast<T*>(data_);
  }

  std::string shape() const {
    std::string text = "(";
    for (int64_t i = 0; i < dim_; ++i) text += (i ? ", " : "") + std::to_string(sizes_[i]);
    return text + (dim_ == 1 ? ",)" : ")");
  }

  void expect_dim(int64_t dim, const char* what) const {
    if (dim_ != dim)
      refuse(op_, name_, "has " + std::to_string(dim_) + " dimensions, shape " + shape(),
             std::to_string(dim) + ": " + what);
  }

  void expect_size(int64_t axis, int64_t size, const char* what) const {
    if (sizes_[axis] != size)
      refuse(op_, name_,
             "has size " + std::to_string(sizes_[axis]) + " in dimension " + std::to_string(axis) + ", shape " +
                 shape(),
             std::to_string(size) + " (" + what + ")");
  }

  void expect_type(std::initializer_list<int32_t> allowed) const {
    std::string names;
    for (int32_t type : allowed)
      if (type == type_) return;
    for (int32_t type : allowed) names += (names.empty() ? "" : " or ") + type_name(type);
    refuse(op_, name_, "has dtype " + type_name(type_), names);
  }

  void expect_last_contiguous() const {
    if (dim_ > 0 && sizes_[dim_ - 1] > 1 && strides_[dim_ - 1] != 1)
      refuse(op_, name_, "has stride " + std::to_string(strides_[dim_ - 1]) + " in its last dimension", "1");
  }

  // For tensors that are written: the elements of what `expand` returns share memory.
  void expect_own_elements() const {
    for (int64_t d = 0; d < dim_; ++d)
      if (sizes_[d] == 0) return;
    for (int64_t d = 0; d < dim_; ++d)
      if (sizes_[d] > 1 && strides_[d] == 0)
        refused("has stride 0 in dimension " + std::to_string(d) + ", shape " + shape(),
                "memory of its own for each element, since it is written");
  }

  void expect_contiguous() const {
    for (int64_t d = dim_ - 1, stride = 1; d >= 0; stride *= sizes_[d--])
      if (sizes_[d] > 1 && strides_[d] != stride)
        refused("has stride " + std::to_string(strides_[d]) + " in dimension " + std::to_string(d), "a contiguous tensor");
  }

  [[noreturn]] void refused(const std::string& found, const std::string& expected) const {
    refuse(op_, name_, found, expected);
  }

  // The kernels' name for a dtype that a check has let through.
  DType kind() const {
    const TorchTypes& t = torch_types();
    return type_ == t.float32   ? DType::Float32
           : type_ == t.float16 ? DType::Float16
           : type_ == t.bfloat16 ? DType::BFloat16
           : type_ == t.e4m3     ? DType::Float8E4M3
           : type_ == t.e5m2     ? DType::Float8E5M2
           : type_ == t.uint8    ? DType::Int4
                                 : DType::Int8;
  }
  int64_t byte_stride(int64_t axis) const { return strides_[axis] * kDTypeBytes[int(kind())]; }
  const int64_t* sizes() const { return sizes_; }
  const int64_t* strides() const { return strides_; }
  bool quantised() const {
    const TorchTypes& t = torch_types();
    return type_ == t.e4m3 || type_ == t.e5m2 || type_ == t.int8 || type_ == t.uint8;
  }

 private:
  const char* op_ = nullptr;
  std::string name_;
  void* data_ = nullptr;
  const int64_t *sizes_ = nullptr, *strides_ = nullptr;
  int64_t dim_ = 0;
  int32_t type_ = 0;
};

inline void check_tables(const Tensor& block_tables, const Tensor& seq_lens) {
  const TorchTypes& t = torch_types();
  block_tables.expect_dim(2, "[num_seqs, max_blocks_per_seq]");
  block_tables.expect_type({t.int32});
  block_tables.expect_last_contiguous();
  seq_lens.expect_dim(1, "[num_seqs]");
  seq_lens.expect_type({t.int32});
  seq_lens.expect_last_contiguous();
  block_tables.expect_size(0, seq_lens.size(0), "num_seqs, as in seq_lens");
}

inline void check_starts(const Tensor& query_start_loc, const Tensor& seq_lens) {
  query_start_loc.expect_dim(1, "[num_seqs + 1]");
  query_start_loc.expect_type({torch_types().int32});
  query_start_loc.expect_last_contiguous();
  query_start_loc.expect_size(0, seq_lens.size(0) + 1, "num_seqs + 1");
}

// Owns what the dispatcher put on the stack. Arguments are taken in the schema's order.
class Arguments {
 public:
  Arguments(const char* op, StableIValue* stack) : op_(op), stack_(stack) {}
  ~Arguments() {
    for (int i = 0; i < owned_; ++i) aoti_torch_delete_tensor_object(handles_[i]);
    for (AtenTensorHandle handle : list_) aoti_torch_delete_tensor_object(handle);
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  // Handles are taken before anything is checked, so that all of them are released when a check throws.
  AtenTensorHandle take() { return own(pop<AtenTensorHandle>()); }
  AtenTensorHandle take_optional() {
    auto* value = pop<StableIValue*>();
    if (!value) return nullptr;
    AtenTensorHandle handle = convert<AtenTensorHandle>(*value);
    delete value;
    return own(handle);
  }
  int64_t integer() { return pop<int64_t>(); }
  double number() { return pop<double>(); }
  bool boolean() { return pop<bool>(); }
  // NaN becomes infinite, so that a caller whose `otherwise` is NaN can tell that it was given.
  double optional_number(double otherwise) {
    auto* value = pop<StableIValue*>();
    if (!value) return otherwise;
    double result = convert<double>(*value);
    delete value;
    return result == result ? result : __builtin_inf();
  }
  std::string take_string() { return read_string(pop<StringHandle>()); }
  std::optional<std::string> take_optional_string() {
    auto* value = pop<StableIValue*>();
    if (!value) return std::nullopt;
    auto text = convert<StringHandle>(*value);
    delete value;
    return read_string(text);
  }
  const std::vector<AtenTensorHandle>& take_list() {
    auto list = pop<StableListHandle>();
    size_t size = 0;
    AOTITorchError error = torch_list_size(list, &size);
    for (size_t i = 0; error == 0 && i < size; ++i) {
      StableIValue element;
      error = torch_list_get_item(list, i, &element);
      if (error == 0) list_.push_back(convert<AtenTensorHandle>(element));
    }
    torch_delete_list(list);
    check_abi(error, "reading a list of tensors");
    return list_;
  }

  std::vector<int64_t> take_integers() {
    auto list = pop<StableListHandle>();
    size_t size = 0;
    AOTITorchError error = torch_list_size(list, &size);
    std::vector<int64_t> values(error == 0 ? size : 0);
    for (size_t i = 0; error == 0 && i < size; ++i) {
      StableIValue element;
      error = torch_list_get_item(list, i, &element);
      if (error == 0) values[i] = convert<int64_t>(element);
    }
    torch_delete_list(list);
    check_abi(error, "reading a list of integers");
    return values;
  }

  Tensor view(const char* name, AtenTensorHandle handle) const { return Tensor(op_, name, handle); }
  Tensor optional_view(const char* name, AtenTensorHandle handle) const {
    return handle ? Tensor(op_, name, handle) : Tensor();
  }

 private:
  static std::string read_string(StringHandle text) {
    size_t size = 0;
    const char* data = nullptr;
    AOTITorchError error = torch_string_length(text, &size);
    if (error == 0) error = torch_string_c_str(text, &data);
    std::string result = error == 0 ? std::string(data, size) : std::string();
    torch_delete_string(text);
    check_abi(error, "reading a string");
    return result;
  }
  template <class T>
  static T convert(StableIValue value) {
    T result;
    std::memcpy(&result, &value, sizeof(T));  // little-endian, as torch's own conversion
    return result;
  }
  template <class T>
  T pop() {
    return convert<T>(stack_[next_++]);
  }
  AtenTensorHandle own(AtenTensorHandle handle) { return handles_[owned_++] = handle; }

  const char* op_;
  StableIValue* stack_;
  int next_ = 0, owned_ = 0;
  AtenTensorHandle handles_[16];
  std::vector<AtenTensorHandle> list_;
};

// A new contiguous tensor on the CPU; released unless it is handed to the stack.
class NewTensor {
 public:
  static constexpr int64_t kMaxDim = 8;

  NewTensor(std::initializer_list<int64_t> sizes, int32_t type)
      : NewTensor(sizes.begin(), int64_t(sizes.size()), type) {}
  // Up to kMaxDim dimensions.
  NewTensor(const int64_t* sizes, int64_t dim, int32_t type) {
    int64_t strides[kMaxDim], stride = 1;
    for (int64_t d = dim - 1; d >= 0; --d) {
      strides[d] = stride;
      stride *= sizes[d] > 1 ? sizes[d] : 1;
    }
    check_abi(aoti_torch_empty_strided(dim, sizes, strides, type, torch_types().cpu, 0, &handle_),
              "allocating a result");
  }
  ~NewTensor() {
    if (handle_) aoti_torch_delete_tensor_object(handle_);
  }
  NewTensor(const NewTensor&) = delete;
  NewTensor& operator=(const NewTensor&) = delete;

  AtenTensorHandle get() const { return handle_; }
  StableIValue release() {
    StableIValue value = 0;
    std::memcpy(&value, &handle_, sizeof handle_);
    handle_ = nullptr;
    return value;
  }
  template <class T>
  T* data() const {
    return static_cast<T*>(address_of(handle_, "reading a result's address"));
  }

 private:
  AtenTensorHandle handle_ = nullptr;
};

}  // namespace torchpaged
