// The operators' kernels by name, for calls without torch's dispatcher.
#pragma once

#include <torch/csrc/stable/library.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace torchpaged {

struct View;

inline std::string library_namespace() {
  const char* asked = std::getenv("TORCHPAGED_NAMESPACE");
  return asked != nullptr && *asked != '\0' ? asked : "torchpaged";
}

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

// Registers what `function(library)` has for torch in the namespace `torchpaged` with a suffix. While the library is
// loaded the environment may name another namespace, so that several copies of it can live in a process
// (torchpaged/tools/kernels_package.py).
#define TORCHPAGED_LIBRARY(name, suffix, function)                                       \
  const ::torch::stable::detail::StableTorchLibraryInit name(                            \
      ::torch::stable::detail::StableLibrary::Kind::IMPL,                                \
      [](::torch::stable::detail::StableLibrary& m) { function(m); },                    \
      (::torchpaged::library_namespace() + suffix).c_str(), "CPU", __FILE__, __LINE__)

// Registers the operators' kernels twice (binding.cpp says why), and by name.
#define TORCHPAGED_REGISTER(function)                                  \
  TORCHPAGED_LIBRARY(library_of_operators, "", function);              \
  TORCHPAGED_LIBRARY(library_of_kernels, "_cpp", function);            \
  [[maybe_unused]] const bool named = [] {                             \
    ::torchpaged::KernelNames names;                                   \
    function(names);                                                   \
    return true;                                                       \
  }();
