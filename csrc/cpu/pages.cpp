// Backs reserved memory with pages before it is written.
#include "common.h"

#include <cstdint>

// Takes the pages of `size` bytes, a byte of each `step`, while others may be writing there: what they write stays. Each
// page is a fault of its own, so that the process can map other memory meanwhile (madvise holds that up).
TORCHPAGED_EXPORT void torchpaged_take_pages(uint8_t* begin, int64_t size, int64_t step) {
  static const volatile uint8_t nothing = 0;  // an addition of a known 0 would be compiled as no write
  for (int64_t at = 0; at < size; at += step) __atomic_fetch_add(begin + at, nothing, __ATOMIC_RELAXED);
}
