// The thread team of team.h.
#include "team.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "parallel.h"

namespace torchpaged {
namespace {

using Clock = std::chrono::steady_clock;

thread_local bool scoped = false;
thread_local Clock::time_point scope_end{};
thread_local bool in_piece = false;

constexpr auto kScopeLasts = std::chrono::milliseconds(10);

// A helper stays awake between the loops of a step and from one step of a small model to the next: waking takes some
// 50 us. Longer spinning takes time from what else runs on the machine (evals/bench/busy_neighbours.py: 60 us lose 7 %
// of an idle machine's speed, 700 us lose 15 % beside a neighbour). A caller waits for pieces that are being computed.
constexpr auto kHelperSpins = std::chrono::microseconds(300);
constexpr auto kCallerSpins = std::chrono::microseconds(30);
constexpr int kPauses = 32;  // between two looks at the clock: some 0.5 to 1.5 us

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t), "a futex is a plain 32-bit number");

void sleep_while(std::atomic<uint32_t>& word, uint32_t value) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void wake_all(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

// Spins until done() or for `time`; true if done.
template <class Done>
bool spin(std::chrono::microseconds time, const Done& done) {
  const auto end = Clock::now() + time;
  do {
    for (int i = 0; i < kPauses; ++i) {
      if (done()) return true;
      pause_thread();
    }
  } while (Clock::now() < end);
  return done();
}

// One loop at a time. `ticket_` holds the loop's number (upper half) and how many of its pieces are unclaimed, the
// last one first: a piece is claimed by an exchange of both, so a helper that comes late can take nothing of a loop
// that has ended, and what it read of the loop is valid if its claim succeeds, as the loop does not end before the
// claimed piece is done.
class Team {
 public:
  bool run(int pieces, void (*piece)(int, void*), void* context) {
    std::unique_lock<std::mutex> owner(mutex_, std::try_to_lock);
    if (!owner.owns_lock()) return false;
    grow(pieces - 1);
    piece_.store(piece, std::memory_order_relaxed);
    context_.store(context, std::memory_order_relaxed);
    left_.store(uint32_t(pieces), std::memory_order_relaxed);
    const uint32_t number = loop_.load(std::memory_order_relaxed) + 1;
    ticket_.store(uint64_t(number) << 32 | uint32_t(pieces), std::memory_order_release);
    loop_.store(number);  // ordered with `sleepers_`: a helper that is not counted there sees the new loop
    if (sleepers_.load() > 0) wake_all(loop_);

    claim_pieces(number);
    auto done = [&] { return left_.load(std::memory_order_acquire) == 0; };
    if (!spin(kCallerSpins, done))
      for (uint32_t left; (left = left_.load(std::memory_order_acquire)) != 0;) {
        caller_sleeps_.store(true);
        if ((left = left_.load()) != 0) sleep_while(left_, left);
        caller_sleeps_.store(false, std::memory_order_relaxed);
      }
    if (std::exception_ptr error = std::exchange(error_, nullptr)) std::rethrow_exception(error);
    return true;
  }

  // Gets sleeping helpers up for loops that follow at once: waking takes longer than many a loop.
  void wake() {
    if (sleepers_.load(std::memory_order_relaxed) > 0) wake_all(loop_);
  }

 private:
  void grow(int helpers) {
    for (; helpers_ < helpers && can_grow_; ++helpers_) {
      // No signal handler of the program's runs on a helper.
      sigset_t all, before;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before);
      try {
        std::thread([this] { help(); }).detach();
      } catch (const std::system_error&) {  // a limit of threads: the caller computes what no helper does
        can_grow_ = false;
      }
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      if (!can_grow_) return;
    }
  }

  void help() {
    pthread_setname_np(pthread_self(), "torchpaged");
    for (uint32_t seen = 0;;) {
      auto changed = [&] { return loop_.load(std::memory_order_acquire) != seen; };
      if (!spin(kHelperSpins, changed)) {
        sleepers_.fetch_add(1);
        if (loop_.load() == seen) sleep_while(loop_, seen);
        sleepers_.fetch_sub(1);
        continue;
      }
      claim_pieces(seen = loop_.load(std::memory_order_acquire));
    }
  }

  void claim_pieces(uint32_t number) {
    for (uint64_t ticket = ticket_.load(std::memory_order_acquire);
         uint32_t(ticket >> 32) == number && uint32_t(ticket) > 0;) {
      auto piece = piece_.load(std::memory_order_relaxed);
      void* context = context_.load(std::memory_order_relaxed);
      if (!ticket_.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel)) continue;
      in_piece = true;
      try {
        piece(int(uint32_t(ticket)) - 1, context);
      } catch (...) {
        std::lock_guard<std::mutex> lock(error_mutex_);
        if (!error_) error_ = std::current_exception();
      }
      in_piece = false;
      if (left_.fetch_sub(1) == 1 && caller_sleeps_.load()) wake_all(left_);
      ticket = ticket_.load(std::memory_order_acquire);
    }
  }

  std::mutex mutex_, error_mutex_;
  int helpers_ = 0;
  bool can_grow_ = true;
  std::exception_ptr error_;
  std::atomic<void (*)(int, void*)> piece_{nullptr};
  std::atomic<void*> context_{nullptr};
  std::atomic<bool> caller_sleeps_{false};
  alignas(64) std::atomic<uint64_t> ticket_{0};
  alignas(64) std::atomic<uint32_t> left_{0};
  alignas(64) std::atomic<uint32_t> loop_{0};
  std::atomic<uint32_t> sleepers_{0};
};

// Never deleted: its helpers live as long as the process. A child of a fork has none of them and begins anew.
std::atomic<Team*> team{nullptr};

Team& current_team() {
  static std::once_flag once;
  std::call_once(once, [] {
    team.store(new Team);
    pthread_atfork(nullptr, nullptr, [] { team.store(new Team); });
  });
  return *team.load();
}

}  // namespace

TeamScope::TeamScope() : outer_(scoped) {
  scoped = true;
  if (num_threads() > 1) current_team().wake();
}
TeamScope::~TeamScope() {
  scoped = outer_;
  scope_end = Clock::now();
}

bool inside_team() { return in_piece; }

bool run_on_team(int pieces, void (*piece)(int, void*), void* context) {
  if (scoped) return current_team().run(pieces, piece, context);
  const auto start = Clock::now();
  if (start - scope_end >= kScopeLasts || !current_team().run(pieces, piece, context)) return false;
  scope_end += Clock::now() - start;  // what lasts is the time between loops: one over a vocabulary may take longer
  return true;
}

}  // namespace torchpaged
