// The operators' kernels by name, for calls without torch's dispatcher.
#pragma once

#include <torch/csrc/stable/library.h>

#include <cstdint>
#include <string>
#include <vector>

namespace torchpaged {

struct View;

// Takes its arguments off the stack, owns them, and puts its results there.
using BoxedKernel = void (*)(StableIValue*, uint64_t, uint64_t);

// Stands where torch's library stands when kernels are registered.
struct KernelNames {
  void impl(const char* name, BoxedKernel kernel);
};

// nullptr for a name that no binding has registered.
BoxedKernel kernel_named(const std::string& name);

// A kernel without results for replayed programs: takes views (nullptr: None) and the integers of its lists, so that no
// tensors and lists are made for a call that takes a microsecond.
using ViewKernel = void (*)(const View* const* tensors, const std::vector<int64_t>& integers);
bool register_view_kernel(const char* name, ViewKernel kernel);
ViewKernel view_kernel_named(const std::string& name);

}  // namespace torchpaged

// Registers what `function(library)` has for torch, twice (binding.cpp says why), and by name.
#define TORCHPAGED_REGISTER(function)                                  \
  STABLE_TORCH_LIBRARY_IMPL(torchpaged, CPU, m) { function(m); }       \
  STABLE_TORCH_LIBRARY_IMPL(torchpaged_cpp, CPU, m) { function(m); }   \
  [[maybe_unused]] const bool named = [] {                             \
    ::torchpaged::KernelNames names;                                   \
    function(names);                                                   \
    return true;                                                       \
  }();
