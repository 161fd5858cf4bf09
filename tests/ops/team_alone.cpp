// Loops of the thread team without torch: each piece once, errors, loops inside loops, two callers, a fork, and pauses
// long enough for helpers and callers to fall asleep. Ends with status 0, or says what went wrong.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../../csrc/cpu/parallel.h"

using namespace torchpaged;

extern "C" AOTITorchError torch_get_num_threads(uint32_t* threads) {
  *threads = 3;
  return 0;
}

extern "C" AOTITorchError torch_parallel_for(int64_t begin, int64_t end, int64_t, ParallelFunc body, void* context) {
  body(begin, end, context);
  return 0;
}

namespace {

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "failed: %s\n", what);
  std::_Exit(1);
}

void busy(int microseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  while (std::chrono::steady_clock::now() < end) {
  }
}

void loops(int count, unsigned seed) {
  TeamScope scope;
  std::mt19937 random(seed);
  for (int n = 0; n < count; ++n) {
    const int pieces = 1 + int(random() % 7);
    std::vector<int> calls(size_t(pieces), 0), inner(size_t(pieces), 0);
    const int work = int(random() % 4) ? 0 : int(random() % 200), bad = random() % 8 ? -1 : int(random() % pieces);
    auto body = [&](int i) {
      ++calls[size_t(i)];
      run_workers(2, [&](int) { ++inner[size_t(i)]; });
      busy(work);
      if (i == bad) throw std::runtime_error("piece " + std::to_string(i));
    };
    auto piece = [](int i, void* context) { (*static_cast<decltype(body)*>(context))(i); };
    try {
      while (!run_on_team(pieces, piece, &body)) std::this_thread::yield();  // the other caller has it
      expect(bad < 0, "an exception of a piece reaches the caller");
    } catch (const std::runtime_error& error) {
      expect(error.what() == "piece " + std::to_string(bad), "the exception is the piece's own");
    }
    for (int i = 0; i < pieces; ++i) {
      expect(calls[size_t(i)] == 1, "each piece runs once");
      expect(inner[size_t(i)] == 2, "a loop inside a piece runs whole");
    }
    if (random() % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
  }
}

}  // namespace

int main(int, char** arguments) {
  const int count = std::atoi(arguments[1]);
  expect(!run_on_team(2, nullptr, nullptr), "nothing runs on the team outside of a scope");
  loops(count, 1);
  std::thread other(loops, count, 2);
  loops(count, 3);
  other.join();
  if (!std::strcmp(arguments[2], "fork")) {
    pid_t child = fork();
    if (child == 0) {
      loops(count / 10, 4);
      std::_Exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    expect(status == 0, "a child of a fork has a team of its own");
  }
  loops(count / 10, 5);
  auto slow = [](int, void*) { busy(8000); };
  for (int n = 0; n < 3; ++n) expect(run_on_team(2, slow, nullptr), "the time of its loops does not end a scope");
  busy(15000);
  expect(!run_on_team(2, slow, nullptr), "a scope has ended after a time without loops");
  return 0;
}
