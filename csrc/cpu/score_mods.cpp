// The programs of ops/score_mods.py by name, and by the key that stays one program's when another takes its name.
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "operators.h"

namespace torchpaged {
namespace {

struct Stored {
  ModProgram program{};
  std::vector<ModInstruction> instructions;
  std::vector<ModProgram::Value> values;
  std::vector<int32_t> order, tables;
};

struct Programs {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const Stored>> by_name;  // "score_mod alibi"
};

Programs& programs() {
  static Programs* all = new Programs;  // for threads that outlive main()
  return *all;
}

// Gives each value a place among those that change as often.
void lay_out(Stored& s) {
  ModProgram& p = s.program;
  auto add = [&](uint8_t rate) { s.values.push_back({rate, p.slots[rate]++}); };
  for (uint8_t rate : {ModProgram::kPair, ModProgram::kRow, ModProgram::kRow, ModProgram::kRow, ModProgram::kKey}) add(rate);
  for (const ModInstruction& x : s.instructions) {
    int rate = ModProgram::kConstant;
    if (ModOp(x.op) != ModOp::Const)
      for (int32_t operand : {x.a, x.b, x.c}) rate |= s.values[size_t(operand)].rate;
    add(uint8_t(rate));
  }
  for (int rate = 0; rate < 4; ++rate) {
    p.begins[rate] = int32_t(s.order.size());
    for (size_t i = 0; i < s.instructions.size(); ++i)
      if (s.values[ModProgram::kArguments + i].rate == rate) s.order.push_back(int32_t(ModProgram::kArguments + i));
  }
  p.begins[4] = int32_t(s.order.size());
}

}  // namespace

std::shared_ptr<const ModProgram> find_program(const char* op, const char* argument, const std::string& name) {
  Programs& all = programs();
  const std::lock_guard<std::mutex> lock(all.mutex);
  auto found = all.by_name.find(std::string(argument) + " " + name);
  if (found == all.by_name.end())
    throw std::invalid_argument(std::string(op) + ": " + argument + " is '" + name + "', expected a name that register_" +
                                argument + " was given");
  return {found->second, &found->second->program};
}

}  // namespace torchpaged

TORCHPAGED_EXPORT void torchpaged_register_program(const char* argument, const char* name, const char* key,
                                                   const int32_t* words, int64_t count, int64_t result,
                                                   const int32_t* tables, int64_t size) {
  using namespace torchpaged;
  auto stored = std::make_shared<Stored>();
  constexpr int64_t kWords = sizeof(ModInstruction) / sizeof(int32_t);
  for (int64_t i = 0; i < count; i += kWords)
    stored->instructions.push_back({words[i], words[i + 1], words[i + 2], words[i + 3], words[i + 4], words[i + 5],
                                    words[i + 6], words[i + 7]});
  stored->tables.assign(tables, tables + size);
  lay_out(*stored);
  ModProgram& p = stored->program;
  p.instructions = stored->instructions.data();
  p.values = stored->values.data();
  p.order = stored->order.data();
  p.tables = stored->tables.data();
  p.count = int32_t(stored->instructions.size());
  p.result = int32_t(result);
  for (const ModInstruction& x : stored->instructions)
    for (int32_t operand : {x.a, x.b, x.c}) p.uses_head = p.uses_head || operand == 2;
  Programs& all = programs();
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (const char* each : {name, key}) all.by_name[std::string(argument) + " " + each] = stored;
}

// Takes a program's key from it; one that has no name either goes with the last call that uses it.
TORCHPAGED_EXPORT void torchpaged_forget_program(const char* argument, const char* key) {
  using namespace torchpaged;
  Programs& all = programs();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.by_name.erase(std::string(argument) + " " + key);
}
