#include "nt/machine/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <boost/context/detail/fcontext.hpp>

#include "base/check.h"
#include "base/sanitizer.h"
#include "nt/mm/address_space.h"

namespace nt {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

// The first function on a new stack: records the context it came from, then runs the entry, which never returns.
struct FiberEntry {
  struct Switch {
    Fiber* from;
    Fiber* to;
  };

  NO_SANITIZE_THREAD static void arrived(transfer_t transfer) {
    auto* change = static_cast<Switch*>(transfer.data);
    change->from->context_ = transfer.fctx;
  }

  NO_SANITIZE_THREAD static void start(transfer_t transfer) {
    Fiber* self = static_cast<Switch*>(transfer.data)->to;
    arrived(transfer);
#if DRYDOCK_ASAN
    Fiber* from = static_cast<Switch*>(transfer.data)->from;
    const void* bottom = nullptr;
    size_t bytes = 0;
    __sanitizer_finish_switch_fiber(nullptr, &bottom, &bytes);
    from->stack_ = {reinterpret_cast<uintptr_t>(bottom), reinterpret_cast<uintptr_t>(bottom) + bytes};
#endif
    self->entry_(self->arg_);
    CHECK_MSG(false, "a fiber's entry returned");
  }

  NO_SANITIZE_THREAD static void change(Fiber& from, Fiber& to) {
    Switch change{&from, &to};
#if DRYDOCK_ASAN
    __sanitizer_start_switch_fiber(&from.asan_fake_stack_, reinterpret_cast<void*>(to.stack_.lo),
                                   to.stack_.hi - to.stack_.lo);
#endif
#if DRYDOCK_TSAN
    from.unwatched_ = base::t_unwatched;
    base::t_unwatched = to.unwatched_;
    __tsan_switch_to_fiber(to.tsan_fiber_, __tsan_switch_to_fiber_no_sync);
#endif
    transfer_t back = jump_fcontext(to.context_, &change);
    arrived(back);
#if DRYDOCK_ASAN
    __sanitizer_finish_switch_fiber(from.asan_fake_stack_, nullptr, nullptr);
#endif
  }
};

NO_SANITIZE_THREAD Fiber::~Fiber() {
#if DRYDOCK_TSAN
  if (!owns_tsan_fiber_) return;
  // TSan refuses to end a fiber that was abandoned while it was not watched, so it is watched again first.
  void* self = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(tsan_fiber_, __tsan_switch_to_fiber_no_sync);
  for (; unwatched_ > 0; --unwatched_) __tsan_ignore_thread_end();
  __tsan_switch_to_fiber(self, __tsan_switch_to_fiber_no_sync);
  __tsan_destroy_fiber(tsan_fiber_);
#endif
}

void Fiber::adopt_current() {
#if DRYDOCK_TSAN
  tsan_fiber_ = __tsan_get_current_fiber();
#endif
}

void Fiber::prepare(base::StackBounds stack, Entry entry, void* arg) {
  stack_ = stack;
  entry_ = entry;
  arg_ = arg;
  base::unpoison(reinterpret_cast<void*>(stack.lo), stack.hi - stack.lo);
  context_ = make_fcontext(reinterpret_cast<void*>(stack.hi), stack.hi - stack.lo, &FiberEntry::start);
#if DRYDOCK_TSAN
  tsan_fiber_ = __tsan_create_fiber(0);
  owns_tsan_fiber_ = true;
#endif
}

NO_SANITIZE_THREAD void Fiber::switch_to(Fiber& from, Fiber& to) { FiberEntry::change(from, to); }

StackArena& StackArena::instance() {
  static StackArena arena;
  return arena;
}

StackArena::StackArena() { reserve(kStackArena, PROT_READ | PROT_WRITE); }

base::StackBounds StackArena::take() {
  size_t slot;
  if (!free_.empty()) {
    slot = free_.back();
    free_.pop_back();
  } else {
    slot = used_++;
    CHECK_MSG(used_ * kStackBytes <= kStackArena.bytes, "more threads than the stack arena has room for");
  }
  uintptr_t lo = kStackArena.base + slot * kStackBytes;
  static const size_t page = static_cast<size_t>(getpagesize());
  if (slot >= prepared_) {
    CHECK(mprotect(reinterpret_cast<void*>(lo), page, PROT_NONE) == 0);
    prepared_ = slot + 1;
  }
  return {lo + page, lo + kStackBytes};
}

void StackArena::give_back(base::StackBounds stack) { free_.push_back((stack.lo - kStackArena.base) / kStackBytes); }

void StackArena::rewind() {
  free_.clear();
  used_ = 0;
}

}  // namespace nt
