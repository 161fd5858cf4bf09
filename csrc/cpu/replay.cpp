// Programs of replay.h: read from their code, and run.
#include "replay.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "one_thread.h"
#include "parallel.h"
#include "scalar.h"

namespace torchpaged {
namespace {

// Torch's grain: it computes sums of fewer numbers on one thread itself, so that OneThread changes no bits. A cosine of
// so many takes some 0.05 ms, less than waking threads and their spinning cost.
constexpr int64_t kTorchGrain = 1 << 15;
// Rows of a table that one thread looks up.
constexpr int64_t kFewRows = 256;

std::unordered_map<std::string, BoxedKernel>& kernel_table() {
  static std::unordered_map<std::string, BoxedKernel> table;
  return table;
}

std::unordered_map<std::string, ViewKernel>& view_kernel_table() {
  static std::unordered_map<std::string, ViewKernel> table;
  return table;
}

// Boxes the value of an optional argument; the callee deletes it.
StableIValue present(StableIValue value) { return boxed(new StableIValue(value)); }

int32_t bytes_of(int32_t type) {
  static const std::map<int32_t, int32_t> bytes = {
      {aoti_torch_dtype_float64(), 8},   {aoti_torch_dtype_int64(), 8},      {aoti_torch_dtype_float32(), 4},
      {aoti_torch_dtype_int32(), 4},     {aoti_torch_dtype_float16(), 2},    {aoti_torch_dtype_bfloat16(), 2},
      {aoti_torch_dtype_int16(), 2},     {aoti_torch_dtype_uint16(), 2},     {aoti_torch_dtype_uint32(), 4},
      {aoti_torch_dtype_uint64(), 8},    {aoti_torch_dtype_complex32(), 4},  {aoti_torch_dtype_complex64(), 8},
      {aoti_torch_dtype_complex128(), 16}};
  auto found = bytes.find(type);
  return found == bytes.end() ? 1 : found->second;
}

// Reads a program's code, number by number.
class Reader {
 public:
  Reader(const int64_t* code, int64_t size) : next_(code), end_(code + size) {}
  bool done() const { return next_ == end_; }
  int64_t integer() {
    if (next_ == end_) throw std::invalid_argument("torchpaged: a replayed program ends in the middle");
    return *next_++;
  }
  double number() { return unboxed<double>(StableIValue(integer())); }
  Number symbolic() {
    int64_t value = integer();
    return {value, integer()};
  }
  std::vector<int64_t> integers() {
    std::vector<int64_t> all(static_cast<size_t>(integer()));
    for (int64_t& each : all) each = integer();
    return all;
  }
  std::vector<Number> symbolics() {
    std::vector<Number> all(static_cast<size_t>(integer()));
    for (Number& each : all) each = symbolic();
    return all;
  }

 private:
  const int64_t *next_, *end_;
};

Operand read_operand(Reader& code, const std::vector<std::string>& names) {
  Operand operand{Argument(code.integer()), {}};
  switch (operand.kind) {
    case Argument::None: break;
    case Argument::Int:
    case Argument::OptionalInt: operand.numbers.push_back(code.symbolic()); break;
    case Argument::Ints:
    case Argument::OptionalInts: operand.numbers = code.symbolics(); break;
    case Argument::Tensors:
    case Argument::OptionalTensors:
      for (int64_t reg : code.integers()) operand.numbers.push_back({reg, -1});
      break;
    case Argument::String: operand.text = names.at(size_t(code.integer())); break;
    default: operand.numbers.push_back({code.integer(), -1});
  }
  return operand;
}

Instruction read_instruction(Reader& code, const std::vector<std::string>& names) {
  Instruction each;
  each.opcode = Opcode(code.integer());
  each.results = code.integers();
  each.last_uses = code.integers();
  if (each.opcode == Opcode::Call) {
    each.name = names.at(size_t(code.integer()));
    each.overload = names.at(size_t(code.integer()));
    if (code.integer()) {
      size_t colons = each.name.find("::");
      const std::string name = each.name.substr(colons + 2) + (each.overload.empty() ? "" : "." + each.overload);
      each.kernel = kernel_named(name);
      each.view_kernel = view_kernel_named(name);
      if (!each.kernel) throw std::invalid_argument("torchpaged: there is no kernel of the name " + each.name);
    }
    each.operands.resize(size_t(code.integer()));
    for (Operand& operand : each.operands) operand = read_operand(code, names);
    return each;
  }
  if (each.opcode == Opcode::Pointwise || each.opcode == Opcode::CopyInto || each.opcode == Opcode::Cat) {
    each.arithmetic = Arithmetic(code.integer());
    each.type = int32_t(code.integer());
    each.axis = code.integer();
    each.inputs.resize(size_t(code.integer()));
    for (Input& input : each.inputs) {
      input.is_number = code.integer() != 0;
      input.reg = input.is_number ? -1 : code.integer();
      input.number = input.is_number ? code.number() : 0;
    }
    return each;
  }
  each.source = code.integer();
  each.axis = code.integer();
  each.numbers = code.symbolics();
  return each;
}

}  // namespace

void KernelNames::impl(const char* name, BoxedKernel kernel) { kernel_table()[name] = kernel; }

BoxedKernel kernel_named(const std::string& name) {
  auto found = kernel_table().find(name);
  return found == kernel_table().end() ? nullptr : found->second;
}

bool register_view_kernel(const char* name, ViewKernel kernel) { return view_kernel_table().emplace(name, kernel).second; }

ViewKernel view_kernel_named(const std::string& name) {
  auto found = view_kernel_table().find(name);
  return found == view_kernel_table().end() ? nullptr : found->second;
}

View View::of(AtenTensorHandle handle) {
  View view;
  int64_t *sizes, *strides;
  check_abi(aoti_torch_get_dim(handle, &view.dim), "reading a tensor's dimensions");
  if (view.dim > kMaxDim) throw std::invalid_argument("torchpaged: replay of a tensor of more than 8 dimensions");
  check_abi(aoti_torch_get_sizes(handle, &sizes), "reading a tensor's sizes");
  check_abi(aoti_torch_get_strides(handle, &strides), "reading a tensor's strides");
  check_abi(aoti_torch_get_dtype(handle, &view.type), "reading a tensor's dtype");
  std::copy(sizes, sizes + view.dim, view.sizes);
  std::copy(strides, strides + view.dim, view.strides);
  view.handle = handle;
  view.bytes = bytes_of(view.type);
  view.data = static_cast<char*>(address_of(handle, "reading a tensor's address"));
  view.whole = true;
  return view;
}

int64_t View::count() const {
  int64_t result = 1;
  for (int64_t d = 0; d < dim; ++d) result *= sizes[d];
  return result;
}

bool View::contiguous() const {
  for (int64_t d = dim - 1, stride = 1; d >= 0; stride *= sizes[d--])
    if (sizes[d] > 1 && strides[d] != stride) return false;
  return true;
}

AtenTensorHandle View::tensor() const {
  AtenTensorHandle result;
  if (whole)
    check_abi(aoti_torch_new_tensor_handle(handle, &result), "naming a tensor once more");
  else
    check_abi(aoti_torch__reinterpret_tensor(handle, dim, sizes, strides, offset, &result), "viewing a tensor");
  return result;
}

Program::Program(const int64_t* code, int64_t size, const std::vector<std::string>& names,
                 std::vector<AtenTensorHandle> constants)
    : constants_(std::move(constants)) {
  Reader reader(code, size);
  int64_t registers = reader.integer();
  num_inputs_ = reader.integer();
  result_ = reader.integer();
  first_input_ = int64_t(constants_.size());
  while (!reader.done()) instructions_.push_back(read_instruction(reader, names));
  registers_.resize(size_t(registers));
  for (size_t i = 0; i < constants_.size(); ++i) registers_.at(i) = View::of(constants_[i]);
}

Program::~Program() {
  for (AtenTensorHandle handle : constants_) aoti_torch_delete_tensor_object(handle);
}

AtenTensorHandle Program::run(const std::vector<AtenTensorHandle>& inputs, const std::vector<int64_t>& numbers) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (int64_t(inputs.size()) != num_inputs_)
    throw std::invalid_argument("torchpaged: replay takes " + std::to_string(num_inputs_) + " tensors, not " +
                                std::to_string(inputs.size()));
  // Tensors that are still held when an operator throws are released too.
  struct Cleared {
    Program& program;
    ~Cleared() {
      for (size_t i = size_t(program.first_input_); i < program.registers_.size(); ++i) program.release(int64_t(i));
    }
  } cleared{*this};
  DefaultFloatMode mode;
  TeamScope team;
  symbols_ = numbers;
  for (size_t i = 0; i < inputs.size(); ++i) registers_[size_t(first_input_) + i] = View::of(inputs[i]);
  for (const Instruction& each : instructions_) {
    step(each);
    for (int64_t reg : each.last_uses) release(reg);
  }
  return registers_.at(size_t(result_)).tensor();
}

void Program::step(const Instruction& each) {
  switch (each.opcode) {
    case Opcode::Call: return call(each);
    case Opcode::Pointwise:
    case Opcode::CopyInto: return compute(each);
    case Opcode::Cat: return concatenate(each);
    default: return view(each);
  }
}

int64_t Program::value(const Number& number) const {
  return number.symbol < 0 ? number.value : number.value * symbols_[size_t(number.symbol)];
}

void Program::release(int64_t reg) {
  View& view = registers_[size_t(reg)];
  if (view.owned) aoti_torch_delete_tensor_object(view.handle);
  view.owned = false;
  view.handle = nullptr;
}

View& Program::put(int64_t reg, AtenTensorHandle handle) {
  View view;
  try {
    view = View::of(handle);
  } catch (...) {
    aoti_torch_delete_tensor_object(handle);
    throw;
  }
  view.owned = true;
  release(reg);
  return registers_[size_t(reg)] = view;
}

// Whether one thread computes what torch does here in little time and with the same bits: functions of one small tensor,
// such as cos and exp, and few rows of a table.
bool Program::is_small(const Instruction& each) const {
  auto count = [&](size_t operand) {
    const std::vector<Number>& numbers = each.operands[operand].numbers;
    return numbers.empty() || numbers[0].value < 0 ? int64_t(0) : registers_[size_t(numbers[0].value)].count();
  };
  if (each.operands.size() == 1) return each.operands[0].kind == Argument::Tensor && count(0) < kTorchGrain;
  if (each.name == "aten::index" || each.name == "aten::embedding") return count(1) < kFewRows;
  return each.name == "aten::index_select" && count(2) < kFewRows;
}

void Program::call_torch(const Instruction& each, StableIValue* stack) {
  std::optional<OneThread> one;
  if (is_small(each)) one.emplace();
  if (torch_call_dispatcher(each.name.c_str(), each.overload.c_str(), stack, TORCH_ABI_VERSION) != 0)
    throw std::runtime_error("torchpaged: " + each.name + " failed in a replayed forward");
}

void Program::call(const Instruction& each) {
  constexpr size_t kMost = 40;
  if (each.operands.size() > kMost) throw std::invalid_argument("torchpaged: replay of an operator of too many arguments");
  if (each.view_kernel) {
    const View* views[kMost];
    size_t count = 0;
    std::vector<int64_t> integers;
    for (const Operand& operand : each.operands) {
      if (operand.kind == Argument::Ints)
        for (const Number& number : operand.numbers) integers.push_back(value(number));
      else
        views[count++] = operand.kind == Argument::None ? nullptr : &registers_[size_t(operand.numbers[0].value)];
    }
    return each.view_kernel(views, integers);
  }
  StableIValue stack[kMost];
  size_t place = 0;
  for (const Operand& operand : each.operands) {
    StableIValue& slot = stack[place++];
    auto only = [&] { return operand.numbers[0]; };
    auto tensor = [&](int64_t reg) { return boxed(registers_[size_t(reg)].tensor()); };
    switch (operand.kind) {
      case Argument::None: slot = boxed<StableIValue*>(nullptr); break;
      case Argument::Tensor: slot = tensor(only().value); break;
      case Argument::OptionalTensor: slot = present(tensor(only().value)); break;
      case Argument::Int: slot = boxed(value(only())); break;
      case Argument::OptionalInt: slot = present(boxed(value(only()))); break;
      case Argument::Double: slot = StableIValue(only().value); break;
      case Argument::OptionalDouble: slot = present(StableIValue(only().value)); break;
      case Argument::Bool: slot = boxed(only().value != 0); break;
      case Argument::OptionalBool: slot = present(boxed(only().value != 0)); break;
      case Argument::String: {
        StringHandle text;
        check_abi(torch_new_string_handle(operand.text.data(), operand.text.size(), &text), "making a string");
        slot = boxed(text);
        break;
      }
      case Argument::Tensors:
      case Argument::Ints:
      case Argument::OptionalInts:
      case Argument::OptionalTensors: {
        StableListHandle list;
        check_abi(torch_new_list_reserve_size(operand.numbers.size(), &list), "making a list");
        for (const Number& number : operand.numbers) {
          StableIValue element;
          if (operand.kind == Argument::Tensors)
            element = tensor(number.value);
          else if (operand.kind == Argument::OptionalTensors)
            element = number.value < 0 ? boxed<StableIValue*>(nullptr) : present(tensor(number.value));
          else
            element = boxed(value(number));
          check_abi(torch_list_push_back(list, element), "filling a list");
        }
        slot = operand.kind == Argument::OptionalInts ? present(boxed(list)) : boxed(list);
      }
    }
  }
  if (each.kernel)
    each.kernel(stack, each.operands.size(), each.results.size());
  else
    call_torch(each, stack);
  for (size_t i = 0; i < each.results.size(); ++i) put(each.results[i], unboxed<AtenTensorHandle>(stack[i]));
}

View Program::empty(const int64_t* sizes, int64_t dim, int32_t type) {
  View view;
  view.dim = dim;
  std::copy(sizes, sizes + dim, view.sizes);
  contiguous_strides(view);
  return allocated(view, type);
}

// A new tensor of a view's sizes and strides, owned.
View Program::allocated(const View& view, int32_t type) {
  AtenTensorHandle handle;
  check_abi(aoti_torch_empty_strided(view.dim, view.sizes, view.strides, type, torch_types().cpu, 0, &handle),
            "allocating a result");
  View result = View::of(handle);
  result.owned = true;
  return result;
}

// 1 if torch puts dimension `a` of a result inside dimension `b`, -1 if outside, 0 where no input decides.
int inside(const View& result, const View* inputs, size_t count, int64_t a, int64_t b) {
  for (size_t i = 0; i < count; ++i) {
    const View& input = inputs[i];
    auto stride_of = [&](int64_t d) {
      const int64_t from = d - (result.dim - input.dim);
      return from < 0 || (input.sizes[from] == 1 && result.sizes[d] != 1) ? 0 : input.strides[from];
    };
    const int64_t first = stride_of(a), second = stride_of(b);
    if (first == 0 || second == 0) continue;
    if (first != second) return first < second ? 1 : -1;
    if (result.sizes[a] > result.sizes[b]) return -1;
  }
  return 0;
}

// Dense strides in the order that torch's TensorIterator::reorder_dimensions finds in the inputs.
void order_strides(View& view, const View* inputs, size_t count) {
  int64_t axes[kMaxDim];  // the innermost first
  for (int64_t d = 0; d < view.dim; ++d) axes[d] = view.dim - 1 - d;
  for (int64_t i = 1; i < view.dim; ++i) {
    int64_t moved = i;
    for (int64_t other = i - 1; other >= 0; --other) {
      const int order = inside(view, inputs, count, axes[other], axes[moved]);
      if (order > 0) break;
      if (order < 0) std::swap(axes[other], axes[moved]), moved = other;
    }
  }
  int64_t stride = 1;
  for (int64_t i = 0; i < view.dim; ++i) {
    view.strides[axes[i]] = stride;
    stride *= most(1, view.sizes[axes[i]]);
  }
}

// A contiguous copy, owned.
View Program::materialised(const View& source) {
  View copy = empty(source.sizes, source.dim, source.type);
  pointwise(Arithmetic::Convert, copy, &source, 1);
  return copy;
}

void Program::compute(const Instruction& each) {
  constexpr size_t kMost = 3;
  View inputs[kMost];
  double numbers[kMost];
  static const int32_t float64 = aoti_torch_dtype_float64();
  static const int32_t float32 = aoti_torch_dtype_float32();
  size_t count = std::min(each.inputs.size(), kMost);
  float narrow[kMost];
  bool wide = false;
  for (size_t i = 0; i < count; ++i)
    if (!each.inputs[i].is_number) {
      inputs[i] = registers_[size_t(each.inputs[i].reg)];
      wide |= inputs[i].type == aoti_torch_dtype_int64() || inputs[i].type == aoti_torch_dtype_int32();
    }
  for (size_t i = 0; i < count; ++i)
    if (each.inputs[i].is_number) {
      numbers[i] = each.inputs[i].number, narrow[i] = float(numbers[i]);
      inputs[i].data = wide ? reinterpret_cast<char*>(&numbers[i]) : reinterpret_cast<char*>(&narrow[i]);
      inputs[i].type = wide ? float64 : float32;
      inputs[i].bytes = wide ? 8 : 4;
    }
  if (each.opcode == Opcode::CopyInto) return pointwise(Arithmetic::Convert, inputs[0], inputs + 1, 1);
  int64_t sizes[kMaxDim], dim = 0;
  for (size_t i = 0; i < count; ++i) dim = most(dim, inputs[i].dim);
  for (int64_t d = 0; d < dim; ++d) {
    sizes[d] = 1;
    for (size_t i = 0; i < count; ++i) {
      int64_t from = d - (dim - inputs[i].dim);
      if (from >= 0 && inputs[i].sizes[from] != 1) sizes[d] = inputs[i].sizes[from];
    }
  }
  View shape;
  shape.dim = dim;
  std::copy(sizes, sizes + dim, shape.sizes);
  contiguous_strides(shape);
  const bool keeps_order = each.axis == 0;
  if (keeps_order) order_strides(shape, inputs, count);
  View out = allocated(shape, each.type);
  int64_t reg = each.results[0];
  release(reg);
  registers_[size_t(reg)] = out;  // before what can throw
  pointwise(each.arithmetic, out, inputs, int(count));
}

void Program::concatenate(const Instruction& each) {
  const View& first = registers_[size_t(each.inputs[0].reg)];
  int64_t sizes[kMaxDim];
  std::copy(first.sizes, first.sizes + first.dim, sizes);
  sizes[each.axis] = 0;
  for (const Input& input : each.inputs) sizes[each.axis] += registers_[size_t(input.reg)].sizes[each.axis];
  View out = empty(sizes, first.dim, each.type), part = out;
  for (const Input& input : each.inputs) {
    const View& source = registers_[size_t(input.reg)];
    part.sizes[each.axis] = source.sizes[each.axis];
    pointwise(Arithmetic::Convert, part, &source, 1);
    part.data += source.sizes[each.axis] * part.strides[each.axis] * part.bytes;
  }
  int64_t reg = each.results[0];
  release(reg);
  registers_[size_t(reg)] = out;
}

}  // namespace torchpaged
