// IRQL and processors. Pages: wdm/nf-wdm-keraiseirql, nf-wdm-kelowerirql, nf-wdm-kequeryactiveprocessorcount, …
#include <fmt/format.h>

#include "nt/call.h"
#include "nt/irql.h"

using nt::Broke;
using nt::Call;
using nt::Fn;

namespace {

KIRQL raise_to(Call& call, KIRQL to) {
  KIRQL old = call.thread().irql;
  if (to < old) {
    call.machine().broke(Broke::IrqlRaisedDown,
                         fmt::format("KeRaiseIrql from {} to {}", nt::irql_name(old), nt::irql_name(to)));
    return old;
  }
  call.machine().raise_irql(to);
  call.machine().executor().yield(base::Point::Irql);
  return old;
}

ULONG processor_count(USHORT group) {
  bool mine = group == 0 || group == ALL_PROCESSOR_GROUPS;
  return mine ? Call::machine().executor().processor_count() : 0;
}

}  // namespace

extern "C" {

KIRQL KeGetCurrentIrql() {
  Call call{Fn::KeGetCurrentIrql};
  return call.thread().irql;
}

KIRQL KfRaiseIrql(KIRQL to) {
  Call call{Fn::KfRaiseIrql};
  return raise_to(call, to);
}

KIRQL KeRaiseIrqlToDpcLevel() {
  Call call{Fn::KeRaiseIrqlToDpcLevel};
  return raise_to(call, DISPATCH_LEVEL);
}

VOID KeLowerIrql(KIRQL to) {
  Call call{Fn::KeLowerIrql};
  KIRQL old = call.thread().irql;
  if (to > old) {
    call.machine().broke(Broke::IrqlLoweredUp,
                         fmt::format("KeLowerIrql from {} to {}", nt::irql_name(old), nt::irql_name(to)));
    return;
  }
  call.machine().lower_irql(to);
}

ULONG KeGetCurrentProcessorNumber() {
  Call call{Fn::KeGetCurrentProcessorNumber};
  return call.machine().executor().processor();
}

ULONG KeGetCurrentProcessorNumberEx(PPROCESSOR_NUMBER number) {
  Call call{Fn::KeGetCurrentProcessorNumberEx};
  uint32_t processor = call.machine().executor().processor();
  if (number) *number = {0, static_cast<UCHAR>(processor), 0};
  return processor;
}

ULONG KeGetCurrentProcessorIndex() {
  Call call{Fn::KeGetCurrentProcessorIndex};
  return call.machine().executor().processor();
}

ULONG KeQueryActiveProcessorCount(PKAFFINITY active) {
  Call call{Fn::KeQueryActiveProcessorCount};
  if (active) *active = KeQueryActiveProcessors();
  return processor_count(0);
}

ULONG KeQueryActiveProcessorCountEx(USHORT group) {
  Call call{Fn::KeQueryActiveProcessorCountEx};
  return processor_count(group);
}

KAFFINITY KeQueryActiveProcessors() {
  Call call{Fn::KeQueryActiveProcessors};
  uint32_t count = processor_count(0);
  return count == 64 ? ~KAFFINITY{0} : (KAFFINITY{1} << count) - 1;
}

ULONG KeQueryMaximumProcessorCount() {
  Call call{Fn::KeQueryMaximumProcessorCount};
  return processor_count(0);
}

ULONG KeQueryMaximumProcessorCountEx(USHORT group) {
  Call call{Fn::KeQueryMaximumProcessorCountEx};
  return processor_count(group);
}

}  // extern "C"
