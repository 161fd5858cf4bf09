// Pages of memory: backs reserved memory before it is written, maps files of weights and moves them to 2 MiB pages.
#include "common.h"

#include <cstdint>
#include <cstring>

#include <sys/mman.h>

namespace {

constexpr int64_t kHugePage = int64_t{1} << 21;

uint8_t* aligned(uint8_t* address) {
  const auto number = reinterpret_cast<uintptr_t>(address);
  return address + (-number & (kHugePage - 1));
}

// Reserves `size` bytes, a multiple of 2 MiB, that begin at such a border; null where there is no room.
uint8_t* reserve(int64_t size, int protection) {
  void* whole = mmap(nullptr, size + kHugePage, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (whole == MAP_FAILED) return nullptr;
  auto* first = static_cast<uint8_t*>(whole);
  uint8_t* begin = aligned(first);
  if (begin > first) munmap(first, begin - first);
  munmap(begin + size, first + kHugePage - begin);
  return begin;
}

}  // namespace

// Takes the pages of `size` bytes, a byte of each `step`, while others may be writing there: what they write stays. Each
// page is a fault of its own, so that the process can map other memory meanwhile (madvise holds that up).
TORCHPAGED_EXPORT void torchpaged_take_pages(uint8_t* begin, int64_t size, int64_t step) {
  static const volatile uint8_t nothing = 0;  // an addition of a known 0 would be compiled as no write
  for (int64_t at = 0; at < size; at += step) __atomic_fetch_add(begin + at, nothing, __ATOMIC_RELAXED);
}

// Maps the first `size` bytes of a file, a multiple of 2 MiB, at a border of 2 MiB. Null where that fails.
TORCHPAGED_EXPORT void* torchpaged_map_file(int file, int64_t size) {
  uint8_t* begin = reserve(size, PROT_NONE);
  if (begin == nullptr) return nullptr;
  if (mmap(begin, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED) {
    munmap(begin, size);
    return nullptr;
  }
  return begin;
}

TORCHPAGED_EXPORT void torchpaged_unmap(void* begin, int64_t size) { munmap(begin, size); }

// Replaces `size` bytes of a mapped file, both multiples of 2 MiB, by 2 MiB pages with the same contents, while others
// read them and nobody writes. Returns the number of bytes that were moved.
TORCHPAGED_EXPORT int64_t torchpaged_move_to_huge_pages(uint8_t* begin, int64_t size) {
#ifdef __linux__
  uint8_t* staging = reserve(size, PROT_READ | PROT_WRITE);
  if (staging == nullptr) return 0;
  int64_t at = 0;
  if (madvise(staging, size, MADV_HUGEPAGE) == 0) {
    for (; at < size; at += kHugePage) {
      std::memcpy(staging + at, begin + at, kHugePage);
      // The system swaps the pages under the address at once: a reader finds the old page or the new one.
      void* moved = mremap(staging + at, kHugePage, kHugePage, MREMAP_MAYMOVE | MREMAP_FIXED, begin + at);
      if (moved == MAP_FAILED) break;
    }
  }
  if (at < size) munmap(staging + at, size - at);
  return at;
#else
  return 0;
#endif
}

// A checksum of `size` bytes, a multiple of 64, in which every change of a single word shows. Not for secrets.
TORCHPAGED_EXPORT uint64_t torchpaged_checksum(const uint8_t* begin, int64_t size) {
  constexpr int kLanes = 8;  // one multiplication in flight per lane
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;
  uint64_t lanes[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = kOdd * (2 * lane + 1);
  for (int64_t at = 0; at < size; at += 8 * kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      uint64_t word;
      std::memcpy(&word, begin + at + 8 * lane, 8);
      lanes[lane] = (lanes[lane] ^ word) * kOdd;
    }
  }
  uint64_t sum = static_cast<uint64_t>(size);
  for (const uint64_t lane : lanes) sum = (sum ^ lane ^ (lane >> 29)) * kOdd;
  return sum ^ (sum >> 32);
}
