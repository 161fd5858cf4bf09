// Torch's own threads, and scratch memory that each of them keeps.
#pragma once

#include <torch/csrc/stable/c/shim.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <stdexcept>

#include "team.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace torchpaged {

// The floating-point mode that results are defined in: round to nearest, subnormal numbers kept. The caller's
// mode (torch.set_flush_denormal) holds for its own thread only, so bits would depend on who ran a row.
class DefaultFloatMode {
 public:
  DefaultFloatMode() : saved_(mode()) { set_mode(kDefault); }
  ~DefaultFloatMode() { set_mode(saved_); }
  DefaultFloatMode(const DefaultFloatMode&) = delete;
  DefaultFloatMode& operator=(const DefaultFloatMode&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr uint64_t kDefault = 0x1f80;
  static uint64_t mode() { return _mm_getcsr(); }
  static void set_mode(uint64_t mode) { _mm_setcsr(unsigned(mode)); }
#elif defined(__aarch64__)
  static constexpr uint64_t kDefault = 0;
  static uint64_t mode() {
    uint64_t mode;
    asm volatile("mrs %0, fpcr" : "=r"(mode) : : "memory");
    return mode;
  }
  static void set_mode(uint64_t mode) { asm volatile("msr fpcr, %0" : : "r"(mode) : "memory"); }
#else  // torch.set_flush_denormal knows no other machines
  static constexpr uint64_t kDefault = 0;
  static uint64_t mode() { return 0; }
  static void set_mode(uint64_t) {}
#endif

  uint64_t saved_;
};

// A moment of a loop that waits for another thread.
inline void pause_thread() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// At least `bytes` of this thread's memory, aligned to a cache line, valid until the thread asks for the same
// purpose again.
template <int kPurpose = 0>
char* thread_scratch(size_t bytes) {
  struct Buffer {
    void* data = nullptr;
    size_t size = 0;
    ~Buffer() { std::free(data); }
  };
  static thread_local Buffer buffer;
  if (buffer.size < bytes) {
    std::free(buffer.data);
    buffer.size = 0;
    buffer.data = nullptr;
    if (posix_memalign(&buffer.data, 64, bytes) != 0) throw std::bad_alloc();
    buffer.size = bytes;
  }
  return static_cast<char*>(buffer.data);
}

inline int num_threads() {
  uint32_t threads = 1;
  if (torch_get_num_threads(&threads) != 0) throw std::runtime_error("torchpaged: torch_get_num_threads failed");
  return static_cast<int>(threads);
}

// Calls worker(i) for i in [0, workers), on as many threads as are free. One thread may run several in turn, so a worker
// may wait only for work that another worker has begun. Inside a parallel loop all run on this thread.
template <class Worker>
void run_workers(int workers, const Worker& worker) {
  auto call = [](int64_t begin, int64_t end, void* context) {
    for (int64_t i = begin; i < end; ++i) (*static_cast<const Worker*>(context))(static_cast<int>(i));
  };
  if (workers <= 1) {
    worker(0);
    return;
  }
  void* context = const_cast<void*>(static_cast<const void*>(&worker));
  if (inside_team()) return call(0, workers, context);
  if (run_on_team(workers, [](int i, void* of) { (*static_cast<const Worker*>(of))(i); }, context)) return;
  if (torch_parallel_for(0, workers, 1, call, context) != 0)
    throw std::runtime_error("torchpaged: torch_parallel_for failed");
}

// Bytes to move, or work of the same cost, from which waking the threads pays.
constexpr int64_t kWorthwhileBytes = 128 * 1024;

// body(begin, end) over [0, count) in chunks handed out as threads become free; in one piece when the whole
// is not worth waking them (`cost`: bytes moved, or as much work as moving them).
template <class Body>
void parallel_chunks(int64_t count, int64_t cost, const Body& body) {
  int threads = cost < kWorthwhileBytes ? 1 : num_threads();
  if (threads <= 1 || count <= 1) {
    if (count > 0) body(int64_t(0), count);
    return;
  }
  int64_t chunk = (count + 4 * threads - 1) / (4 * threads);
  std::atomic<int64_t> next{0};
  run_workers(threads, [&](int) {
    for (int64_t begin; (begin = next.fetch_add(chunk)) < count;)
      body(begin, begin + chunk < count ? begin + chunk : count);
  });
}

}  // namespace torchpaged
