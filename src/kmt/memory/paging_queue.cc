// D3DKMTCreatePagingQueue, D3DKMTDestroyPagingQueue.
#include "dxgk/paging/paging_queue.h"

#include "dxgk/adapter/adapter.h"
#include "kmt/allocation/share.h"
#include "kmt/client/raw_enum.h"
#include "kmt/client/thunks.h"

namespace kmt {
namespace {

using dxgk::PagingQueue;
using dxgk::SyncObject;
using dxgk::SyncObjectView;

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

bool is_priority(const D3DDDI_PAGINGQUEUE_PRIORITY& priority) {
  auto value = static_cast<int32_t>(raw(priority));
  return value >= D3DDDI_PAGINGQUEUE_PRIORITY_BELOW_NORMAL && value <= D3DDDI_PAGINGQUEUE_PRIORITY_ABOVE_NORMAL;
}

// Only the kernel signals a paging queue's fence (ours): the view that the client gets may wait for it.
SyncObject::Info fence_info() {
  SyncObject::Info info{};
  info.Type = D3DDDI_MONITORED_FENCE;
  return info;
}

}  // namespace

Answer serve::CreatePagingQueue(Client& client, D3DKMT_CREATEPAGINGQUEUE* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  if (!is_priority(args.Priority)) return refuse("no priority of paging queues");
  if (args.PhysicalAdapterIndex != 0) return refuse("there is one physical adapter");
  if (!device->adapter().caps().wddm2()) {
    return base::Failure(STATUS_NOT_SUPPORTED, "the adapter's driver is older than paging queues");
  }
  ob::UnpublishedObject<SyncObject> fence = TRY(SyncObject::create(*device, fence_info()));
  base::Ref<SyncObject> shared = fence.ref();
  D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS flags{};
  flags.NoSignal = 1;
  auto view = TRY(make_view<SyncObjectView>(client, std::move(fence), flags));
  auto queue =
      TRY(dxgk::UnpublishedHandle<PagingQueue>::make(client.process(), TRY(PagingQueue::create(*device, shared))));
  queue->handle = args.hPagingQueue = queue.handle();
  queue->fence_handle = args.hSyncObject = view.handle();
  args.FenceValueCPUVirtualAddress = shared->memory()->word();
  TRY(client.memory().write(user, args));
  view.publish();
  queue.publish();
  return {};
}

// Waits for what was asked of it (RS-19). Its fence goes with it.
Answer serve::DestroyPagingQueue(Client& client, D3DDDI_DESTROYPAGINGQUEUE* user) {
  auto args = TRY(client.memory().read(user));
  auto closed = dxgk::close_handle<PagingQueue>(client.process(), args.hPagingQueue);
  if (!closed.ok()) return refuse(ob::describe(closed.error()));
  return {};
}

}  // namespace kmt
