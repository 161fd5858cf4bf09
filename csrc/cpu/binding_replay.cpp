// Programs of replay.h as operators of `torchpaged_replay`; torchpaged/compiler/program.py defines their schemas.
#include <map>
#include <memory>

#include "replay.h"

namespace torchpaged {
namespace {

// Programs by number; one that runs while it is dropped ends first.
class Programs {
 public:
  int64_t add(std::shared_ptr<Program> program) {
    std::lock_guard<std::mutex> lock(mutex_);
    programs_[++last_] = std::move(program);
    return last_;
  }
  std::shared_ptr<Program> at(int64_t number) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = programs_.find(number);
    if (found == programs_.end()) throw std::invalid_argument("torchpaged: there is no program " + std::to_string(number));
    return found->second;
  }
  void drop(int64_t number) {
    std::shared_ptr<Program> last;  // freed outside of the lock
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = programs_.find(number);
    if (found == programs_.end()) return;
    last = std::move(found->second);
    programs_.erase(found);
  }
  static Programs& all() {
    static Programs* programs = new Programs;  // never destroyed: torch may be gone by then
    return *programs;
  }

 private:
  std::mutex mutex_;
  std::map<int64_t, std::shared_ptr<Program>> programs_;
  int64_t last_ = 0;
};

class List {
 public:
  explicit List(StableIValue value) : list_(unboxed<StableListHandle>(value)) {}
  ~List() { torch_delete_list(list_); }
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  std::vector<StableIValue> values() const {
    size_t size = 0;
    check_abi(torch_list_size(list_, &size), "reading a list");
    std::vector<StableIValue> all(size);
    for (size_t i = 0; i < size; ++i) check_abi(torch_list_get_item(list_, i, &all[i]), "reading a list");
    return all;
  }

 private:
  StableListHandle list_;
};

// A list's tensors, owned unless they are handed on.
struct Tensors {
  std::vector<AtenTensorHandle> handles;
  explicit Tensors(const List& list) {
    for (StableIValue value : list.values()) handles.push_back(unboxed<AtenTensorHandle>(value));
  }
  ~Tensors() {
    for (AtenTensorHandle handle : handles) aoti_torch_delete_tensor_object(handle);
  }
  Tensors(const Tensors&) = delete;
  Tensors& operator=(const Tensors&) = delete;
};

// load(Tensor code, str names, Tensor[] constants) -> int
void boxed_load(StableIValue* stack, uint64_t, uint64_t) {
  struct Owned {
    AtenTensorHandle code;
    StringHandle names;
    ~Owned() {
      aoti_torch_delete_tensor_object(code);
      torch_delete_string(names);
    }
  } owned{unboxed<AtenTensorHandle>(stack[0]), unboxed<StringHandle>(stack[1])};
  List list(stack[2]);
  Tensors constants(list);
  View code = View::of(owned.code);
  const char* text;
  check_abi(torch_string_c_str(owned.names, &text), "reading a string");
  std::vector<std::string> names(1);
  for (; *text; ++text)
    if (*text == '\n')
      names.emplace_back();
    else
      names.back() += *text;
  auto program =
      std::make_shared<Program>(reinterpret_cast<const int64_t*>(code.data), code.count(), names, constants.handles);
  constants.handles.clear();  // the program owns them from here on; an exception above leaves them to be released here
  stack[0] = boxed(Programs::all().add(std::move(program)));
}

// run(int program, Tensor[] inputs, int[] numbers) -> Tensor
void boxed_run(StableIValue* stack, uint64_t, uint64_t) {
  List inputs(stack[1]), numbers(stack[2]);
  Tensors tensors(inputs);
  std::vector<int64_t> values;
  for (StableIValue value : numbers.values()) values.push_back(unboxed<int64_t>(value));
  stack[0] = boxed(Programs::all().at(unboxed<int64_t>(stack[0]))->run(tensors.handles, values));
}

// drop(Tensor any, int program) -> ()
void boxed_drop(StableIValue* stack, uint64_t, uint64_t) {
  aoti_torch_delete_tensor_object(unboxed<AtenTensorHandle>(stack[0]));
  Programs::all().drop(unboxed<int64_t>(stack[1]));
}

void register_replay(torch::stable::detail::StableLibrary& m) {
  m.impl("load", boxed_load);
  m.impl("run", boxed_run);
  m.impl("drop", boxed_drop);
}
TORCHPAGED_LIBRARY(library, "_replay", register_replay);

}  // namespace
}  // namespace torchpaged
