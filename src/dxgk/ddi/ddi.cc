#include "dxgk/ddi/ddi.h"

#include <algorithm>
#include <iterator>

namespace dxgk {

namespace {

constexpr DdiRow kRows[] = {
#define DDI(name, lowest, highest, irql_from, sync, level_from, returns, statuses, since, needed, firm, banned, page) \
  {"DxgkDdi" #name,      irql::lowest,                                                                                \
   irql::highest,        Evidence::irql_from,                                                                         \
   SyncClass::sync,      sync_level(SyncClass::sync),                                                                 \
   Evidence::level_from, Returns::returns,                                                                            \
   StatusSet::statuses,  InterfaceVersion::since,                                                                     \
   kinds::needed,        kinds::firm,                                                                                 \
   kinds::banned,        page},
#include "dxgk/ddi/ddi.def"
};
static_assert(std::size(kRows) == kDdiCount);

constexpr NTSTATUS kSuccess[] = {STATUS_SUCCESS};
constexpr NTSTATUS kSuccessOrPending[] = {STATUS_SUCCESS, STATUS_PENDING};
#define S(status) STATUS_##status,
#define STATUS_SET(name, statuses) constexpr NTSTATUS k##name[] = {statuses};
#include "dxgk/ddi/ddi.def"
#undef S

constexpr std::span<const NTSTATUS> kNamed[] = {
    {},                 // NoStatus
    kSuccess,           // MustSucceed
    kSuccess,           // ShouldSucceed
    kSuccess,           // AnyError
    kSuccess,           // AnySuccess
    kSuccessOrPending,  // ErrorOrPending
#define STATUS_SET(name, statuses) k##name,
#include "dxgk/ddi/ddi.def"
};

}  // namespace

const DdiRow& row(Ddi ddi) { return kRows[static_cast<size_t>(ddi)]; }

std::span<const DdiRow> ddi_rows() { return kRows; }

std::span<const NTSTATUS> named_statuses(StatusSet set) { return kNamed[static_cast<size_t>(set)]; }

bool legal_status(Ddi ddi, NTSTATUS status) {
  StatusSet set = row(ddi).statuses;
  switch (set) {
    case StatusSet::NoStatus:
      return true;
    case StatusSet::AnySuccess:
      return NT_SUCCESS(status);
    case StatusSet::ShouldSucceed:
    case StatusSet::AnyError:
    case StatusSet::ErrorOrPending:
      if (!NT_SUCCESS(status)) return true;
      break;
    default:
      break;
  }
  auto named = named_statuses(set);
  return std::find(named.begin(), named.end(), status) != named.end();
}

}  // namespace dxgk
