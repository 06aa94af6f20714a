// IRQL and processors. Pages: wdm/nf-wdm-keraiseirql, nf-wdm-kelowerirql, nf-wdm-kequeryactiveprocessorcount, …
#include <fmt/format.h>

#include "nt/boundary/kernel_entry.h"
#include "nt/ke/irql.h"
#include "nt/ke/spin_locks.h"

using nt::Fn;
using nt::KernelEntry;
using nt::Violation;

namespace {

KIRQL raise_to(KernelEntry& call, KIRQL to) {
  KIRQL old = call.thread().irql;
  if (to < old) {
    call.machine().report_violation(Violation::IrqlRaisedDown,
                                    fmt::format("KeRaiseIrql from {} to {}", nt::irql_name(old), nt::irql_name(to)));
    return old;
  }
  call.machine().raise_irql(to);
  call.machine().executor().yield(base::Point::Irql);
  return old;
}

// What is wrong with lowering to `to`, which is not above the current level.
void judge_lowering(KernelEntry& call, KIRQL to) {
  nt::Thread& thread = call.thread();
  if (thread.irql >= DISPATCH_LEVEL && to < DISPATCH_LEVEL && nt::holds_spin_lock(thread)) {
    call.machine().report_violation(Violation::LoweredLocked,
                                    fmt::format("KeLowerIrql to {} while a spin lock is held", nt::irql_name(to)));
  }
  const nt::DriverCallFrame* routine = thread.driver_call;
  if (routine && to < routine->irql) {
    call.machine().report_violation(Violation::IrqlBelowCall,
                                    fmt::format("KeLowerIrql to {} in {}, which was called at {}", nt::irql_name(to),
                                                routine->name, nt::irql_name(routine->irql)));
  }
}

ULONG processor_count(USHORT group) {
  bool mine = group == 0 || group == ALL_PROCESSOR_GROUPS;
  return mine ? KernelEntry::machine().executor().processor_count() : 0;
}

}  // namespace

extern "C" {

KIRQL KeGetCurrentIrql() {
  KernelEntry call{Fn::KeGetCurrentIrql};
  return call.thread().irql;
}

KIRQL KfRaiseIrql(KIRQL to) {
  KernelEntry call{Fn::KfRaiseIrql};
  return raise_to(call, to);
}

KIRQL KeRaiseIrqlToDpcLevel() {
  KernelEntry call{Fn::KeRaiseIrqlToDpcLevel};
  return raise_to(call, DISPATCH_LEVEL);
}

VOID KeLowerIrql(KIRQL to) {
  KernelEntry call{Fn::KeLowerIrql};
  KIRQL old = call.thread().irql;
  if (to > old) {
    call.machine().report_violation(Violation::IrqlLoweredUp,
                                    fmt::format("KeLowerIrql from {} to {}", nt::irql_name(old), nt::irql_name(to)));
    return;
  }
  judge_lowering(call, to);
  call.machine().lower_irql(to);
}

ULONG KeGetCurrentProcessorNumber() {
  KernelEntry call{Fn::KeGetCurrentProcessorNumber};
  return call.machine().executor().processor();
}

ULONG KeGetCurrentProcessorNumberEx(PPROCESSOR_NUMBER number) {
  KernelEntry call{Fn::KeGetCurrentProcessorNumberEx};
  uint32_t processor = call.machine().executor().processor();
  if (number) *number = {0, static_cast<UCHAR>(processor), 0};
  return processor;
}

ULONG KeGetCurrentProcessorIndex() {
  KernelEntry call{Fn::KeGetCurrentProcessorIndex};
  return call.machine().executor().processor();
}

ULONG KeQueryActiveProcessorCount(PKAFFINITY active) {
  KernelEntry call{Fn::KeQueryActiveProcessorCount};
  if (active) *active = KeQueryActiveProcessors();
  return processor_count(0);
}

ULONG KeQueryActiveProcessorCountEx(USHORT group) {
  KernelEntry call{Fn::KeQueryActiveProcessorCountEx};
  return processor_count(group);
}

KAFFINITY KeQueryActiveProcessors() {
  KernelEntry call{Fn::KeQueryActiveProcessors};
  uint32_t count = processor_count(0);
  return count == 64 ? ~KAFFINITY{0} : (KAFFINITY{1} << count) - 1;
}

ULONG KeQueryMaximumProcessorCount() {
  KernelEntry call{Fn::KeQueryMaximumProcessorCount};
  return processor_count(0);
}

ULONG KeQueryMaximumProcessorCountEx(USHORT group) {
  KernelEntry call{Fn::KeQueryMaximumProcessorCountEx};
  return processor_count(group);
}

}  // extern "C"
