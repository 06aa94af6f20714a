#pragma once

#include <cstdint>

namespace nt {

class Machine;

// Closes the small blocks of paged pool to the driver while the current thread is at DISPATCH_LEVEL or above: their
// pages have no access rights then, and the driver's access is a fault. Our own code may touch them at any IRQL: its
// fault opens the pages until the IRQL changes or another thread runs. Only with the SimulatedExecutor, which runs one
// thread at a time; only where faults are caught; not under TSan. One for the process, as the arena is.
class PagedGuard {
 public:
  static PagedGuard& instance() { return the_guard_; }

  // Faults are caught from now on. Before, nothing is closed.
  void enable();
  // What has blocks: from `begin` to `end`, whole pages.
  void cover(uintptr_t begin, uintptr_t end);
  void forget();
  void set_raised(bool raised) {
    if (__builtin_expect(raised != closed_ && begin_ != end_ && enabled_, 0)) change(raised);
  }

  // In a signal handler, after an access to `address`: whether the pages were closed. They are open then.
  bool open_after_fault(uintptr_t address);

 private:
  void change(bool closed);

  static PagedGuard the_guard_;

  uintptr_t begin_ = 0, end_ = 0;
  uintptr_t closed_end_ = 0;  // what is closed ends here: more may be covered since
  bool closed_ = false;
  bool enabled_ = false;
};

// Whether the driver's own code touches paged pool that is not locked, at DISPATCH_LEVEL or above.
bool touches_paged_raised(Machine& machine, uintptr_t address);

}  // namespace nt
