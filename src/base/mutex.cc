#include "base/mutex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

namespace base {
namespace {
long futex(std::atomic<uint32_t>* word, int op, uint32_t value) {
  return syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, 0);
}
}  // namespace

void RawMutex::lock_slow() {
  while (state_.exchange(2, std::memory_order_acquire) != 0) futex(&state_, FUTEX_WAIT, 2);
}

void RawMutex::wake_one() { futex(&state_, FUTEX_WAKE, 1); }

#ifdef DRYDOCK_DEBUG
namespace {
thread_local uint64_t t_held_ranks = 0;  // bit r: this OS thread holds a mutex of rank r
}

void rank_acquired(LockRank rank) {
  uint64_t bit = uint64_t{1} << static_cast<unsigned>(rank);
  if (t_held_ranks >= bit) {
    unsigned highest = 63u - static_cast<unsigned>(__builtin_clzll(t_held_ranks));
    std::fprintf(stderr, "lock rank %u taken while rank %u is held\n", static_cast<unsigned>(rank), highest);
    CHECK_MSG(t_held_ranks < bit, "locks are taken in increasing rank");
  }
  t_held_ranks |= bit;
}

void rank_released(LockRank rank) { t_held_ranks &= ~(uint64_t{1} << static_cast<unsigned>(rank)); }

bool holds_any_mutex() { return t_held_ranks != 0; }
#endif

}  // namespace base
