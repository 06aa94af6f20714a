#include "dxgk/ddi/miniport.h"

#include <fmt/format.h>

#include <algorithm>

#include "nt/ke/irql.h"

namespace dxgk {

// A wrong IRQL is our own fault: a driver cannot choose where it is called.
void Miniport::enter(Ddi ddi) {
  [[maybe_unused]] KIRQL irql = machine_.self().irql;
  CHECK_MSG(irql >= row(ddi).min_irql && irql <= row(ddi).max_irql, row(ddi).name);
  counts_.add(ddi);
}

bool Miniport::fails_on_purpose(Ddi ddi) {
  if (!machine_.observer().wants_faults()) return false;
  auto named = named_statuses(row(ddi).statuses);
  return std::ranges::find(named, STATUS_NO_MEMORY) != named.end() && machine_.fails(nt::FaultKind::Ddi, row(ddi).name);
}

NTSTATUS Miniport::judge(Ddi ddi, NTSTATUS status) {
  if (legal_status(ddi, status)) return status;
  machine_.report_violation(nt::Violation::IllegalStatus,
                            fmt::format("{} returned 0x{:08X}, which is not one of the codes it may return",
                                        row(ddi).name, static_cast<uint32_t>(status)));
  // A code that passes NT_SUCCESS and is no success: Windows does not go on with it either (observed).
  return NT_SUCCESS(status) ? STATUS_UNSUCCESSFUL : status;
}

}  // namespace dxgk
