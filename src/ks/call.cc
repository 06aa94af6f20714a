#include "ks/call.h"

#include <fmt/format.h>

#include <utility>

#include "nt/edge.h"
#include "nt/irql.h"
#include "nt/refuse.h"

namespace ks {

Call::Call(Fn fn)
    : fn_(fn), thread_(*nt::Thread::current()), outer_(std::exchange(thread_.scope, &thread_.machine.root_scope())) {
  base::stop_watching_races();
  nt::t_edge.called = true;
#if DRYDOCK_TSAN
  ++thread_.calls;
#endif
  const FunctionRow& limits = row(fn);
  if (__builtin_expect(thread_.irql < limits.min_irql || thread_.irql > limits.max_irql, 0)) {
    bool high = thread_.irql > limits.max_irql;
    machine().broke(
        high ? nt::Broke::IrqlTooHigh : nt::Broke::IrqlTooLow,
        fmt::format("{} was called at {}; it must be called at {} {}", limits.name, nt::irql_name(thread_.irql),
                    nt::irql_name(high ? limits.max_irql : limits.min_irql), high ? "or below" : "or above"));
  }
  machine().note(trace::KernelCall{.name = limits.name});
}

Call::~Call() {
#if DRYDOCK_TSAN
  --thread_.calls;
#endif
  thread_.scope = outer_;
  base::watch_races();
}

NTSTATUS Call::refuse(const base::Failure& failure) const { return nt::refuse(machine(), failure); }

}  // namespace ks
