// D3DKMTQueryVideoMemoryInfo.
#include "kmt/memory_groups.h"
#include "kmt/open_adapter.h"
#include "kmt/raw_enum.h"
#include "kmt/thunks.h"

namespace kmt {
namespace {

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

HANDLE current_process() { return reinterpret_cast<HANDLE>(~uintptr_t{0}); }

// A process may ask about itself. Another's handle would be judged by its rights, which nobody models here.
base::Result<> check_process(Client& client, HANDLE process) {
  if (!process) return {};
  if (client.like_wsl()) return refuse("a process is named (WSL)");
  if (process == current_process()) return {};
  auto found = client.handles().resolve(process);
  if (!found.ok()) return base::Failure(STATUS_INVALID_HANDLE, ob::describe(found.error()));
  if (found.value()->kind() != ob::ObjectKind::Process) {
    return base::Failure(STATUS_INVALID_HANDLE, "the handle is not that of a process");
  }
  return base::Failure(STATUS_ACCESS_DENIED, "another process's memory is its own");
}

base::Result<> query(Client& client, D3DKMT_QUERYVIDEOMEMORYINFO* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<OpenAdapter> open = TRY(client.find<OpenAdapter>(args.hAdapter));
  if (args.PhysicalAdapterIndex != 0) return refuse("there is one physical adapter");
  if (raw(args.MemorySegmentGroup) > D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL) {
    return refuse("a memory segment group that does not exist");
  }
  TRY(check_process(client, args.hProcess));
  if (!open->adapter().started()) return base::Failure(STATUS_DEVICE_REMOVED, "the adapter has been stopped");
  MemoryBudget answer =
      memory_budget(memory_groups(open->adapter().caps()), args.MemorySegmentGroup, client.process().ledger().bytes());
  args.Budget = answer.budget;
  args.CurrentUsage = answer.usage;
  args.CurrentReservation = 0;
  args.AvailableForReservation = answer.available_for_reservation;
  return client.memory().write(user, args);
}

}  // namespace

NTSTATUS QueryVideoMemoryInfo(Client& client, D3DKMT_QUERYVIDEOMEMORYINFO* user) {
  return client.finish("D3DKMTQueryVideoMemoryInfo", query(client, user));
}

}  // namespace kmt
