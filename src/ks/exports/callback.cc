#include "ks/exports/callback.h"

#include <fmt/format.h>

#include "ks/device/system.h"

namespace ks {

void entering(nt::Machine& machine, Ddi ddi) {
  const DdiRow& limits = row(ddi);
  KIRQL now = machine.self().irql;
  CHECK_MSG(now >= limits.min_irql && now <= limits.max_irql, "a minidriver's routine is called at a wrong IRQL");
  if (System* system = System::of(machine)) system->count_call(ddi);
}

NTSTATUS judge(nt::Machine& machine, Ddi ddi, NTSTATUS status) {
  const DdiRow& limits = row(ddi);
  switch (limits.pends) {
    case Pends::Irp:
    case Pends::Free:
      return status;
    case Pends::Never:
      machine.report_violation(nt::Violation::KsPendingForbidden,
                               fmt::format("{} returned STATUS_PENDING", limits.name));
      return STATUS_UNSUCCESSFUL;
    case Pends::Policy:
      machine.report_violation(
          nt::Violation::KsPendingWithoutIrp,
          fmt::format("{} returned STATUS_PENDING, and was given no IRP that it could complete later", limits.name));
      return STATUS_UNSUCCESSFUL;
  }
  return status;
}

}  // namespace ks
