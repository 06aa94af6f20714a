// D3DKMTQueryVideoMemoryInfo, D3DKMTChangeVideoMemoryReservation.
#include "dxgk/memory/video_memory.h"
#include "kmt/adapter/open_adapter.h"
#include "kmt/client/own_process.h"
#include "kmt/client/raw_enum.h"
#include "kmt/client/thunks.h"
#include "kmt/memory/memory_budget.h"

namespace kmt {
namespace {

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

// What both calls name.
template <typename Args>
base::Result<base::Ref<OpenAdapter>> find_adapter(Client& client, const Args& args) {
  base::Ref<OpenAdapter> open = TRY(client.find<OpenAdapter>(args.hAdapter));
  if (args.PhysicalAdapterIndex != 0) return refuse("there is one physical adapter");
  if (raw(args.MemorySegmentGroup) > D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL) {
    return refuse("a memory segment group that does not exist");
  }
  TRY(check_own_process(client, args.hProcess));
  if (!open->adapter().started()) return base::Failure(STATUS_DEVICE_REMOVED, "the adapter has been stopped");
  return open;
}

}  // namespace

Answer serve::QueryVideoMemoryInfo(Client& client, D3DKMT_QUERYVIDEOMEMORYINFO* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<OpenAdapter> open = TRY(find_adapter(client, args));
  vidmm::VideoMemoryInfo info =
      TRY(memory_info(client, open->adapter(), static_cast<vidmm::MemoryGroup>(args.MemorySegmentGroup)));
  args.Budget = info.budget;
  args.CurrentUsage = info.usage;
  args.CurrentReservation = info.reservation;
  args.AvailableForReservation = info.available_for_reservation;
  return client.memory().write(user, args);
}

Answer serve::ChangeVideoMemoryReservation(Client& client, const D3DKMT_CHANGEVIDEOMEMORYRESERVATION* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<OpenAdapter> open = TRY(find_adapter(client, args));
  return set_reservation(client, open->adapter(), static_cast<vidmm::MemoryGroup>(args.MemorySegmentGroup),
                         args.Reservation);
}

}  // namespace kmt
