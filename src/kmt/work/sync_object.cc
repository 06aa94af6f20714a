// D3DKMTCreateSynchronizationObject(2), D3DKMTOpenSynchronizationObject, D3DKMTOpenSyncObjectFromNtHandle(2),
// D3DKMTOpenSyncObjectNtHandleFromName, D3DKMTDestroySynchronizationObject.
#include "dxgk/sync/sync_object.h"

#include "dxgk/object/device.h"
#include "dxgk/object/nt_shared.h"
#include "dxgk/sync/queue_sync.h"
#include "kmt/allocation/share.h"
#include "kmt/client/raw_enum.h"
#include "kmt/client/thunks.h"

namespace kmt {
namespace {

using dxgk::SyncObject;
using dxgk::SyncObjectView;
using Opened = dxgk::UnpublishedHandle<SyncObjectView>;

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

base::Result<Opened> open(Client& client, ob::UnpublishedObject<SyncObject> object,
                          D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS flags) {
  return make_view<SyncObjectView>(client, std::move(object), flags);
}
base::Result<Opened> open(Client& client, ob::UnpublishedObject<SyncObject> object,
                          D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS flags, dxgk::Device& device) {
  return make_view<SyncObjectView>(client, std::move(object), flags, device);
}

// Where a monitored fence's value is, for the process's CPU and for its GPU page tables.
template <typename Addresses>
base::Result<> tell_addresses(dxgk::Device& device, const SyncObject& object, Addresses& to) {
  to.FenceValueCPUVirtualAddress = object.cpu_address();
  to.FenceValueGPUVirtualAddress = TRY(dxgk::gpu_address_of(device, object));
  return {};
}

// The event stays the client's: the object refers to it, and a handle that is closed changes nothing for either.
base::Result<std::optional<base::Ref<dxgk::ClientEvent>>> find_event(Client& client, const SyncObject::Info& info) {
  if (info.Type != D3DDDI_CPU_NOTIFICATION) return std::optional<base::Ref<dxgk::ClientEvent>>();
  return std::optional(TRY(find_nt<dxgk::ClientEvent>(client, info.CPUNotification.Event)));
}

bool is_type(const D3DDDI_SYNCHRONIZATIONOBJECT_TYPE& type) {
  return raw(type) != 0 && raw(type) < D3DDDI_SYNCHRONIZATION_TYPE_LIMIT;
}

base::Result<ob::UnpublishedObject<SyncObject>> make(Client& client, dxgk::Device& device,
                                                     const SyncObject::Info& info) {
  return SyncObject::create(device, info, TRY(find_event(client, info)));
}

}  // namespace

Answer serve::CreateSynchronizationObject(Client& client, D3DKMT_CREATESYNCHRONIZATIONOBJECT* user) {
  auto args = TRY(client.memory().read(user));
  if (!is_type(args.Info.Type)) return refuse("no type of synchronisation object");
  SyncObject::Info info{};
  info.Type = args.Info.Type;
  if (info.Type == D3DDDI_SYNCHRONIZATION_MUTEX) {
    info.SynchronizationMutex.InitialState = args.Info.SynchronizationMutex.InitialState;
  } else if (info.Type == D3DDDI_SEMAPHORE) {
    info.Semaphore.MaxCount = args.Info.Semaphore.MaxCount;
    info.Semaphore.InitialCount = args.Info.Semaphore.InitialCount;
  } else {
    return refuse("the first version of this call makes mutexes and semaphores only");
  }
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  Opened opened = TRY(open(client, TRY(make(client, *device, info)), info.Flags));
  args.hSyncObject = opened.handle();
  TRY(client.memory().write(user, args));
  opened.publish();
  return {};
}

Answer serve::CreateSynchronizationObject2(Client& client, D3DKMT_CREATESYNCHRONIZATIONOBJECT2* user) {
  auto args = TRY(client.memory().read(user));
  if (!is_type(args.Info.Type)) return refuse("no type of synchronisation object");
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  ob::UnpublishedObject<SyncObject> object = TRY(make(client, *device, args.Info));
  args.Info.SharedHandle = 0;
  if (object->sharing() == SyncObject::Sharing::GlobalHandle) {
    args.Info.SharedHandle = TRY(client.kernel().global_handles().share(object));
  }
  if (object->monitored()) TRY(tell_addresses(*device, *object, args.Info.MonitoredFence));
  Opened opened = TRY(open(client, std::move(object), args.Info.Flags, *device));
  args.hSyncObject = opened.handle();
  TRY(client.memory().write(user, args));
  opened.publish();
  return {};
}

Answer serve::OpenSynchronizationObject(Client& client, D3DKMT_OPENSYNCHRONIZATIONOBJECT* user) {
  auto args = TRY(client.memory().read(user));
  auto object = client.kernel().global_handles().open<SyncObject>(args.hSharedHandle);
  if (!object.ok()) return refuse(ob::describe(object.error()));
  Opened opened = TRY(open(client, object.take(), {}));
  args.hSyncObject = opened.handle();
  TRY(client.memory().write(user, args));
  opened.publish();
  return {};
}

Answer serve::OpenSyncObjectFromNtHandle(Client& client, D3DKMT_OPENSYNCOBJECTFROMNTHANDLE* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::NtSyncObjectHandle> handle = TRY(find_nt<dxgk::NtSyncObjectHandle>(client, args.hNtHandle));
  Opened opened = TRY(open(client, TRY(open_shared(handle->shared().sync_object())), {}));
  args.hSyncObject = opened.handle();
  TRY(client.memory().write(user, args));
  opened.publish();
  return {};
}

Answer serve::OpenSyncObjectFromNtHandle2(Client& client, D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  base::Ref<dxgk::NtSyncObjectHandle> handle = TRY(find_nt<dxgk::NtSyncObjectHandle>(client, args.hNtHandle));
  SyncObject& object = handle->shared().sync_object();
  TRY(SyncObjectView::check_open(*device, object, args.Flags));
  Opened opened = TRY(open(client, TRY(open_shared(object)), args.Flags, *device));
  args.hSyncObject = opened.handle();
  if (object.monitored()) TRY(tell_addresses(*device, object, args.MonitoredFence));
  TRY(client.memory().write(user, args));
  opened.publish();
  return {};
}

Answer serve::OpenSyncObjectNtHandleFromName(Client& client, D3DKMT_OPENSYNCOBJECTNTHANDLEFROMNAME* user) {
  auto args = TRY(client.memory().read(user));
  std::u16string name = TRY(read_name_to_open(client, args.pObjAttrib));
  auto opened = TRY(dxgk::open_by_name<dxgk::NtSharedSyncObject>(client.kernel(), name, args.dwDesiredAccess));
  return publish_nt(client, std::move(opened), [&](HANDLE handle) {
    args.hNtHandle = handle;
    return client.memory().write(user, args);
  });
}

Answer serve::DestroySynchronizationObject(Client& client, const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT* user) {
  auto args = TRY(client.memory().read(user));
  auto closed = dxgk::close_handle<SyncObjectView>(client.process(), args.hSyncObject);
  if (!closed.ok()) return refuse(ob::describe(closed.error()));
  return {};
}

}  // namespace kmt
