// Ranks of one machine: processes that share a segment of memory. Sums and concatenations of their tensors as operators
// of `torchpaged_ranks` (ops/collectives.py defines their schemas), and messages from rank 0 to all others.
//
// A sum adds the ranks in ascending order, in float32, so that all ranks get the same bits, whatever the rows beside.
#include <torch/csrc/stable/library.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <mutex>

#include <sched.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

#include "arguments.h"
#include "kernel_names.h"
#include "scalar.h"

namespace torchpaged {
namespace {

constexpr int kMostRanks = 64;
constexpr int64_t kSlots = 16, kSlotBytes = 1 << 16, kBufferBytes = 1 << 20;
constexpr int64_t kTickNanoseconds = 100'000'000;
constexpr int kSpins = 2000;  // about 50 us: less than two switches of the scheduler
// Results of a wait. A rank that was given up is in `Segment::failed`.
constexpr int kReached = 0, kFailed = -1, kTimedOut = -2, kOrphaned = -3;

using Word = std::atomic<uint32_t>;
static_assert(Word::is_always_lock_free, "words are shared by processes");

// A counter that others wait for.
struct alignas(64) Counter {
  Word value, waiters;
};

struct RankState {
  Counter arrived;  // collectives that the rank has entered: its part lies in its buffer
  Counter read;     // pieces of messages that it has read
  Word pid;
};

struct Slot {
  uint32_t bytes, more;
  char data[kSlotBytes];
};

// Lies in zeroed memory. Behind it: two buffers of kBufferBytes for each rank, used in turn.
struct Segment {
  Word failed;  // 1 + the rank that was given up; 0: none
  Counter posted;
  RankState ranks[kMostRanks];
  Slot slots[kSlots];
};

void sleep_until_changed(Word& word, uint32_t value) {
  const timespec tick{0, kTickNanoseconds};
#ifdef __linux__
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &tick, nullptr, 0);
#else
  const timespec moment{0, 50'000};
  for (int64_t slept = 0; slept < kTickNanoseconds && word.load() == value; slept += moment.tv_nsec)
    nanosleep(&moment, nullptr);
#endif
}

void advance(Counter& counter) {
  counter.value.fetch_add(1, std::memory_order_seq_cst);
#ifdef __linux__
  if (counter.waiters.load(std::memory_order_seq_cst))
    syscall(SYS_futex, &counter.value, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
#endif
}

class Group {
 public:
  Group(void* memory, int rank, int world, pid_t parent)
      : segment_(static_cast<Segment*>(memory)), rank_(rank), world_(world), parent_(parent) {
    own().pid.store(uint32_t(getpid()));
  }

  int rank() const { return rank_; }
  int world() const { return world_; }
  Segment& segment() { return *segment_; }
  // Ticks that a rank may be behind this one in a collective; negative: without limit.
  std::atomic<int64_t> limit{-1};

  void give_up(int rank) {
    uint32_t none = 0;
    segment_->failed.compare_exchange_strong(none, uint32_t(1 + rank));
  }

  // Waits until a rank's counter has reached a value. Only ticks that this process has waited through are counted, so
  // that a pause of the whole machine, or of all ranks, is no fault of the other rank.
  int wait(Counter& counter, uint32_t target, int awaited, int64_t ticks) {
    const auto reached = [&] { return int32_t(counter.value.load(std::memory_order_acquire) - target) >= 0; };
    for (int i = 0; i < kSpins; ++i) {
      if (reached()) return kReached;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    for (int64_t tick = 0;; ++tick) {
      counter.waiters.fetch_add(1, std::memory_order_seq_cst);
      const uint32_t seen = counter.value.load(std::memory_order_seq_cst);
      if (int32_t(seen - target) < 0) sleep_until_changed(counter.value, seen);
      counter.waiters.fetch_sub(1, std::memory_order_seq_cst);
      if (reached()) return kReached;
      if (segment_->failed.load()) return kFailed;
      if (parent_ && getppid() != parent_) return kOrphaned;
      if (kill(pid_t(segment_->ranks[awaited].pid.load()), 0) != 0 && errno == ESRCH) {
        give_up(awaited);
        return kFailed;
      }
      if (ticks >= 0 && tick >= ticks) {
        give_up(awaited);
        return kTimedOut;
      }
    }
  }

  // Copies `bytes` from `own` to where all ranks read them, and calls `use(data of each rank, offset, count)`, piece by
  // piece. One wait a piece: a buffer is written again only when all ranks have left the piece before, since they have
  // entered the one after it.
  template <class Use>
  void exchange(const char* own_data, int64_t bytes, Use use) {
    for (int64_t begin = 0; begin < bytes; begin += kBufferBytes) {
      const int64_t count = least(kBufferBytes, bytes - begin);
      const uint32_t sequence = ++sequence_;
      memcpy(buffer(rank_, sequence), own_data + begin, size_t(count));
      advance(own().arrived);
      const char* parts[kMostRanks];
      for (int r = 0; r < world_; ++r) {
        if (r != rank_) require(wait(segment_->ranks[r].arrived, sequence, r, limit.load()), r);
        parts[r] = buffer(r, sequence);
      }
      use(parts, begin, count);
    }
  }

  // Appends a piece to the messages. Only rank 0 posts.
  int post(const char* data, uint32_t bytes, bool more) {
    const uint32_t number = segment_->posted.value.load() + 1;
    for (int r = 1; r < world_; ++r)
      if (int status = wait(segment_->ranks[r].read, number - uint32_t(kSlots), r, limit.load())) return status;
    Slot& slot = segment_->slots[number % kSlots];
    slot.bytes = bytes;
    slot.more = more;
    memcpy(slot.data, data, bytes);
    advance(segment_->posted);
    return kReached;
  }

  // Copies the next piece to `data`, which has kSlotBytes. Returns its bytes, with kSlotBytes + 1 added if more follow.
  int64_t receive(char* data) {
    if (int status = wait(segment_->posted, messages_ + 1, 0, -1)) return status;
    const Slot& slot = segment_->slots[++messages_ % kSlots];
    const int64_t bytes = slot.bytes + (slot.more ? kSlotBytes + 1 : 0);
    memcpy(data, slot.data, slot.bytes);
    advance(own().read);
    return bytes;
  }

 private:
  RankState& own() { return segment_->ranks[rank_]; }
  char* buffer(int rank, uint32_t sequence) {
    return reinterpret_cast<char*>(segment_ + 1) + (2 * rank + int(sequence & 1)) * kBufferBytes;
  }
  void require(int status, int rank) {
    if (status == kReached) return;
    const std::string name = "rank " + std::to_string(status == kFailed ? int(segment_->failed.load()) - 1 : rank);
    throw std::runtime_error("torchpaged: " + (status == kOrphaned  ? "the process that started this rank has ended"
                                               : status == kTimedOut ? name + " has not come to a sum of all ranks"
                                                                     : name + " has failed or ended"));
  }

  Segment* segment_;
  const int rank_, world_;
  const pid_t parent_;  // 0: not checked
  uint32_t sequence_ = 0, messages_ = 0;
};

// Groups by number, never destroyed: a thread may still wait in one.
struct Groups {
  std::mutex mutex;
  std::vector<Group*> groups;
};

Groups& groups() {
  static Groups* all = new Groups;
  return *all;
}

Group& group_at(int64_t number) {
  std::lock_guard<std::mutex> lock(groups().mutex);
  if (number < 0 || size_t(number) >= groups().groups.size())
    throw std::invalid_argument("torchpaged: there is no group of ranks " + std::to_string(number));
  return *groups().groups[size_t(number)];
}

template <class T, class Load, class Store>
void add_parts(const char* const* parts, int world, char* out, int64_t bytes, Load load, Store store) {
  constexpr int64_t kAtOnce = 1024;
  float sums[kAtOnce];
  const int64_t numel = bytes / int64_t(sizeof(T));
  for (int64_t begin = 0; begin < numel; begin += kAtOnce) {
    const int64_t count = least(kAtOnce, numel - begin);
    for (int64_t i = 0; i < count; ++i) sums[i] = load(reinterpret_cast<const T*>(parts[0])[begin + i]);
    for (int r = 1; r < world; ++r) {
      const T* part = reinterpret_cast<const T*>(parts[r]) + begin;
      for (int64_t i = 0; i < count; ++i) sums[i] += load(part[i]);
    }
    T* to = reinterpret_cast<T*>(out) + begin;
    for (int64_t i = 0; i < count; ++i) to[i] = store(sums[i]);
  }
}

int64_t num_bytes(const Tensor& x, int64_t itemsize) {
  int64_t bytes = itemsize;
  for (int64_t d = 0; d < x.dim(); ++d) bytes *= x.size(d);
  return bytes;
}

// all_reduce(Tensor x, int group) -> Tensor
void boxed_all_reduce(StableIValue* stack, uint64_t, uint64_t) {
  const char* op = "all_reduce";
  const TorchTypes& t = torch_types();
  Arguments a(op, stack);
  AtenTensorHandle handle = a.take();
  Group& group = group_at(a.integer());
  Tensor x = a.view("x", handle);
  x.expect_type({t.float32, t.float16, t.bfloat16});
  x.expect_contiguous();
  NewTensor out(x.sizes(), x.dim(), x.type());
  char* to = out.data<char>();
  group.exchange(x.data<const char>(), num_bytes(x, kDTypeBytes[int(x.kind())]),
                 [&](const char* const* parts, int64_t begin, int64_t count) {
                   if (x.type() == t.float32)
                     add_parts<float>(parts, group.world(), to + begin, count, [](float v) { return v; },
                                      [](float v) { return v; });
                   else if (x.type() == t.bfloat16)
                     add_parts<uint16_t>(parts, group.world(), to + begin, count, float_of_bf16, bf16_of_float);
                   else
                     add_parts<uint16_t>(parts, group.world(), to + begin, count, float_of_half, half_of_float);
                 });
  stack[0] = out.release();
}

// all_gather(Tensor x, int group) -> Tensor: side by side in the last dimension
void boxed_all_gather(StableIValue* stack, uint64_t, uint64_t) {
  const char* op = "all_gather";
  const TorchTypes& t = torch_types();
  Arguments a(op, stack);
  AtenTensorHandle handle = a.take();
  Group& group = group_at(a.integer());
  Tensor x = a.view("x", handle);
  x.expect_type({t.float32, t.float16, t.bfloat16, t.int64});
  x.expect_contiguous();
  if (x.dim() < 1 || x.dim() > NewTensor::kMaxDim) x.refused("has shape " + x.shape(), "1 to 8 dimensions");
  int64_t sizes[NewTensor::kMaxDim];
  for (int64_t d = 0; d < x.dim(); ++d) sizes[d] = x.size(d);
  sizes[x.dim() - 1] *= group.world();
  NewTensor out(sizes, x.dim(), x.type());
  const int64_t itemsize = x.type() == t.int64 ? 8 : kDTypeBytes[int(x.kind())];
  const int64_t width = x.size(x.dim() - 1) * itemsize;
  char* to = out.data<char>();
  group.exchange(x.data<const char>(), num_bytes(x, itemsize),
                 [&](const char* const* parts, int64_t begin, int64_t count) {
                   for (int64_t at = begin; at < begin + count;) {
                     const int64_t row = at / width, column = at % width;
                     const int64_t run = least(width - column, begin + count - at);
                     for (int r = 0; r < group.world(); ++r)
                       memcpy(to + (row * group.world() + r) * width + column, parts[r] + (at - begin), size_t(run));
                     at += run;
                   }
                 });
  stack[0] = out.release();
}

void register_ranks(torch::stable::detail::StableLibrary& m) {
  m.impl("all_reduce", boxed_all_reduce);
  m.impl("all_gather", boxed_all_gather);
}
TORCHPAGED_LIBRARY(library, "_ranks", register_ranks);

}  // namespace
}  // namespace torchpaged

#define TORCHPAGED_EXPORT extern "C" __attribute__((visibility("default")))

using torchpaged::group_at;

// Bytes of a segment for so many ranks; 0: too many.
TORCHPAGED_EXPORT int64_t torchpaged_ranks_bytes(int world) {
  if (world > torchpaged::kMostRanks) return 0;
  return int64_t(sizeof(torchpaged::Segment)) + 2 * world * torchpaged::kBufferBytes;
}

TORCHPAGED_EXPORT int64_t torchpaged_ranks_slot_bytes() { return torchpaged::kSlotBytes; }

// Joins a segment, which stays mapped as long as the process runs. Returns the group's number in this process.
TORCHPAGED_EXPORT int64_t torchpaged_ranks_join(void* memory, int rank, int world, int parent) {
  auto* group = new torchpaged::Group(memory, rank, world, pid_t(parent));
  std::lock_guard<std::mutex> lock(torchpaged::groups().mutex);
  torchpaged::groups().groups.push_back(group);
  return int64_t(torchpaged::groups().groups.size()) - 1;
}

TORCHPAGED_EXPORT void torchpaged_ranks_limit(int64_t group, int64_t ticks) { group_at(group).limit.store(ticks); }

TORCHPAGED_EXPORT void torchpaged_ranks_give_up(int64_t group, int rank) { group_at(group).give_up(rank); }

// The rank that was given up; -1: none.
TORCHPAGED_EXPORT int torchpaged_ranks_failed(int64_t group) {
  return int(group_at(group).segment().failed.load()) - 1;
}

TORCHPAGED_EXPORT int torchpaged_ranks_post(int64_t group, const char* data, int64_t bytes, int more) {
  return group_at(group).post(data, uint32_t(bytes), more != 0);
}

TORCHPAGED_EXPORT int64_t torchpaged_ranks_receive(int64_t group, char* data) { return group_at(group).receive(data); }
