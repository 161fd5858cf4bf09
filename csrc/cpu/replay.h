// A list of operators that runs in one call, which torchpaged/compiler/program.py makes of a recorded forward.
//
// A register holds a tensor or a view of one. Views are sizes and strides here and become torch's tensors only where an
// operator takes one. torchpaged's operators are called directly, others through torch's dispatcher. Arithmetic that is
// rounded once, so that every implementation has the same bits, is done here.
#pragma once

#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "arguments.h"
#include "kernel_names.h"

namespace torchpaged {

constexpr int64_t kMaxDim = 8;

template <class T>
inline StableIValue boxed(T value) {
  StableIValue result = 0;
  std::memcpy(&result, &value, sizeof value);
  return result;
}

template <class T>
inline T unboxed(StableIValue value) {
  T result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

// The contents of a register.
struct View {
  AtenTensorHandle handle = nullptr;  // of the tensor that this is a view of; of the tensor itself where `whole`
  char* data = nullptr;               // of the first element
  int64_t offset = 0;                 // of the first element from that tensor's, in elements
  int64_t dim = 0;
  int64_t sizes[kMaxDim], strides[kMaxDim];
  int32_t type = 0;
  int32_t bytes = 0;  // of an element
  bool whole = false, owned = false;

  static View of(AtenTensorHandle handle);
  int64_t count() const;
  bool contiguous() const;
  // A tensor of torch's, which the caller owns.
  AtenTensorHandle tensor() const;
};

inline void contiguous_strides(View& view) {
  int64_t stride = 1;
  for (int64_t d = view.dim - 1; d >= 0; --d) {
    view.strides[d] = stride;
    stride *= view.sizes[d] > 1 ? view.sizes[d] : 1;
  }
}

// A number that is known when the program is made, or a multiple of one of a step's numbers.
struct Number {
  int64_t value;
  int64_t symbol;  // -1: none
};

enum class Argument : int64_t { None, Tensor, OptionalTensor, Int, Double, Bool, OptionalDouble, OptionalInt, Tensors, Ints, OptionalBool, OptionalInts, OptionalTensors, String };

struct Operand {
  Argument kind;
  std::vector<Number> numbers;  // of Int and Ints; what the bits of the others are; registers of tensors
  std::string text = {};        // of String
};

enum class Opcode : int64_t { Call, Reshape, Slice, Select, Permute, Expand, Unsqueeze, Squeeze, Pointwise, CopyInto, Cat };

// The functions of Pointwise, which computes in float32, or in float64 on integers.
enum class Arithmetic : int64_t { Convert, Add, Subtract, Multiply, Divide, Negate, Reciprocal, Greater, GreaterEqual, Less, LessEqual, Equal, NotEqual, Where, AtLeast, AtMost };

struct Input {
  bool is_number;
  int64_t reg;
  double number;
};

struct Instruction {
  Opcode opcode;
  std::vector<int64_t> results, last_uses;  // registers; owned ones are released behind it
  // Call
  std::string name, overload;
  BoxedKernel kernel = nullptr;
  ViewKernel view_kernel = nullptr;  // instead of `kernel`
  std::vector<Operand> operands;
  // Views: of the source, along an axis, with sizes, axes or (start, end, step). Pointwise: 1 for a result without gaps
  // in the order of its axes.
  int64_t source = 0, axis = 0;
  std::vector<Number> numbers;
  // Pointwise, CopyInto and Cat
  Arithmetic arithmetic = Arithmetic::Convert;
  int32_t type = 0;
  std::vector<Input> inputs;
};

class Program {
 public:
  // `code` as torchpaged/compiler/program.py writes it; the first registers are `constants`, whose handles the program owns.
  Program(const int64_t* code, int64_t size, const std::vector<std::string>& names, std::vector<AtenTensorHandle> constants);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // The result for a step's tensors and numbers. One run at a time.
  AtenTensorHandle run(const std::vector<AtenTensorHandle>& inputs, const std::vector<int64_t>& numbers);

 private:
  void step(const Instruction& instruction);
  void call(const Instruction& instruction);
  bool is_small(const Instruction& each) const;
  void call_torch(const Instruction& instruction, StableIValue* stack);
  void view(const Instruction& instruction);
  void compute(const Instruction& instruction);
  void concatenate(const Instruction& instruction);
  void release(int64_t reg);
  View& put(int64_t reg, AtenTensorHandle handle);
  static View empty(const int64_t* sizes, int64_t dim, int32_t type);
  static View allocated(const View& view, int32_t type);
  static View materialised(const View& source);
  View reshaped(const View& view, const std::vector<Number>& sizes) const;
  int64_t value(const Number& number) const;

  std::mutex mutex_;
  std::vector<AtenTensorHandle> constants_;
  std::vector<Instruction> instructions_;
  std::vector<View> registers_;
  std::vector<int64_t> symbols_;
  int64_t first_input_ = 0, num_inputs_ = 0, result_ = 0;
};

// target = arithmetic of the inputs, which are broadcast to its sizes.
void pointwise(Arithmetic arithmetic, const View& target, const View* inputs, int count);

}  // namespace torchpaged
