// The operators' kernels by name, for calls without torch's dispatcher.
#pragma once

#include <torch/csrc/stable/library.h>

#include <cstdint>
#include <string>

namespace torchpaged {

// Takes its arguments off the stack, owns them, and puts its results there.
using BoxedKernel = void (*)(StableIValue*, uint64_t, uint64_t);

// Stands where torch's library stands when kernels are registered.
struct KernelNames {
  void impl(const char* name, BoxedKernel kernel);
};

// nullptr for a name that no binding has registered.
BoxedKernel kernel_named(const std::string& name);

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
