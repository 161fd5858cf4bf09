// Units of work that threads share.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace torchpaged {

// Units of work in their order: neighbours for each worker, whose reading goes on from one to the next; who is done
// takes those that others have not begun.
class Shares {
 public:
  Shares(int64_t units, int workers) : units_(units), shares_(size_t(workers)) {
    for (int i = 0; i < workers; ++i) {
      shares_[size_t(i)].next = begin_of(i);
      shares_[size_t(i)].end = begin_of(i + 1);
    }
  }

  // Where a worker's own share begins.
  int64_t begin_of(int worker) const { return units_ * worker / int64_t(shares_.size()); }

  // The one that a worker's own share has next, or -1.
  int64_t following(int worker) const {
    const Share& share = shares_[size_t(worker)];
    const int64_t unit = share.next.load(std::memory_order_relaxed);
    return unit < share.end ? unit : -1;
  }

  // The next one, or -1.
  int64_t next(int worker) {
    for (size_t i = 0; i < shares_.size(); ++i) {
      Share& share = shares_[(size_t(worker) + i) % shares_.size()];
      if (share.next.load(std::memory_order_relaxed) >= share.end) continue;
      if (int64_t unit = share.next.fetch_add(1); unit < share.end) return unit;
    }
    return -1;
  }

 private:
  struct alignas(64) Share {
    std::atomic<int64_t> next;
    int64_t end;
  };
  int64_t units_;
  std::vector<Share> shares_;
};

}  // namespace torchpaged
