#include "ks/exports/kernel_entry.h"

#include "nt/boundary/refuse.h"

namespace ks {

KernelEntry::KernelEntry(Fn fn) : fn_(fn), thread_(*nt::Thread::current()), scope_(thread_.machine) {
  const FunctionRow& limits = row(fn);
  nt::check_irql(thread_, nt::Violation::IrqlTooLow, nt::Violation::IrqlTooHigh, limits.name, limits.min_irql,
                 limits.max_irql);
  machine().note(trace::KernelCall{.name = limits.name});
}

NTSTATUS KernelEntry::refuse(const base::Failure& failure) const { return nt::refuse(machine(), failure); }

}  // namespace ks
