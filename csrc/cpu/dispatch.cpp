// Which ISA's kernels run: the best that the machine has, or the one that TORCHPAGED_ISA names.
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "common.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace torchpaged {
namespace {

struct Level {
  const Kernels* kernels;
  bool available;
};

#if defined(__x86_64__)
// GCC's __builtin_cpu_supports knows "f16c", that of clang 14 does not.
bool has_f16c() {
  unsigned a, b, c = 0, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

// The kernels for AVX-512 with linear operators, and attention unless it is null, of their own. Made here, not beside
// these: what is compiled for AVX-512 must not run when the library is loaded.
Kernels avx512_with(const char* name, const LinearKernels& linear, const AttentionKernels* attention) {
  Kernels all = kAvx512Kernels;
  all.name = name;
  all.linear = &linear;
  if (attention) {
    all.attention_scratch_bytes = attention->scratch_bytes;
    all.partial_floats = attention->partial;
    all.attention = attention->attend;
    all.index_scratch_bytes = attention->index_scratch_bytes;
    all.index_scores = attention->index_scores;
  }
  return all;
}

const Level* levels(int& count) {
  __builtin_cpu_init();
  static const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
  static const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  // Every machine with AVX512_BF16 but Cooper Lake has VBMI (byte permutations, for 8-bit caches), all have VNNI.
  static const bool bf16 = avx512 && __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vbmi") &&
                           __builtin_cpu_supports("avx512vnni");
  static const bool vnni = avx512 && __builtin_cpu_supports("avx512vnni");
  static const Kernels bf16_kernels = avx512_with("avx512_bf16", kAvx512Bf16Linear, &kAvx512Bf16Attention);
  static const Kernels vnni_kernels = avx512_with("avx512_vnni", kAvx512VnniLinear, nullptr);
  static const Level all[] = {
      {&bf16_kernels, bf16},
      {&vnni_kernels, vnni},
      {&kAvx512Kernels, avx512},
      {&kAvx2Kernels, avx2},
      {&kPortableKernels, true},
  };
  count = 5;
  return all;
}
#elif defined(__aarch64__)
const Level* levels(int& count) {
  static const Level all[] = {{&kNeonKernels, true}, {&kPortableKernels, true}};
  count = 2;
  return all;
}
#else
const Level* levels(int& count) {
  static const Level all[] = {{&kPortableKernels, true}};
  count = 1;
  return all;
}
#endif

std::string available_names() {
  int count = 0;
  const Level* all = levels(count);
  std::string names;
  for (int i = 0; i < count; ++i)
    if (all[i].available) names += (names.empty() ? "" : ",") + std::string(all[i].kernels->name);
  return names;
}

const Kernels* choose() {
  const char* wanted = std::getenv("TORCHPAGED_ISA");
  int count = 0;
  const Level* all = levels(count);
  for (int i = 0; i < count; ++i) {
    if (wanted && *wanted ? std::strcmp(wanted, all[i].kernels->name) == 0 && all[i].available : all[i].available)
      return all[i].kernels;
  }
  return nullptr;
}

}  // namespace

const Kernels& kernels() {
  static const Kernels* chosen = choose();
  if (!chosen)
    throw std::invalid_argument("TORCHPAGED_ISA is " + std::string(std::getenv("TORCHPAGED_ISA")) +
                                ", expected one of what this machine has: " + available_names());
  return *chosen;
}

}  // namespace torchpaged

// Read by ops/cpu.py. An empty string: TORCHPAGED_ISA names something that this machine does not have.
TORCHPAGED_EXPORT const char* torchpaged_isa() {
  try {
    return torchpaged::kernels().name;
  } catch (const std::invalid_argument&) {
    return "";
  }
}

TORCHPAGED_EXPORT const char* torchpaged_available_isas() {
  static const std::string names = torchpaged::available_names();
  return names.c_str();
}
