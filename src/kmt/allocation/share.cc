// D3DKMTShareObjects, D3DKMTOpenNtHandleFromName, D3DKMTQueryResourceInfoFromNtHandle, D3DKMTOpenResourceFromNtHandle,
// D3DKMTGetSharedResourceAdapterLuid.
#include "kmt/allocation/share.h"

#include <vector>

#include "dxgk/adapter/adapter.h"
#include "dxgk/object/nt_shared.h"
#include "kmt/allocation/open_resource.h"
#include "kmt/client/scratch.h"
#include "kmt/client/thunks.h"

namespace kmt {
namespace {

using dxgk::KeyedMutexView;
using dxgk::NtResourceHandle;
using dxgk::NtSharedResource;
using dxgk::NtSharedSyncObject;
using dxgk::ResourceView;
using dxgk::SyncObjectView;
using Objects = std::vector<base::Ref<ob::Object>>;

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

// --- Sharing ---

bool made_for_nt_handles(const ob::Object& object) {
  switch (object.kind()) {
    case ResourceView::kKind:
      return static_cast<const ResourceView&>(object).resource().sharing() == dxgk::Resource::Sharing::NtHandle;
    case KeyedMutexView::kKind:
      return static_cast<const KeyedMutexView&>(object).mutex().sharing() == dxgk::KeyedMutex::Sharing::NtHandle;
    case SyncObjectView::kKind:
      return static_cast<const SyncObjectView&>(object).object().sharing() == dxgk::SyncObject::Sharing::NtHandle;
    default:
      return false;
  }
}

bool legal_set(const Objects& objects) {
  auto is = [&](size_t i, ob::ObjectKind kind) { return objects[i]->kind() == kind; };
  if (objects.size() == 1) return is(0, ResourceView::kKind) || is(0, SyncObjectView::kKind);
  return objects.size() == 3 && is(0, ResourceView::kKind) && is(1, KeyedMutexView::kKind) &&
         is(2, SyncObjectView::kKind);
}

Judgement judge_share(const Objects& objects) {
  for (const auto& object : objects) {
    if (object->kind() == ob::ObjectKind::Allocation) {
      return Refusal(nt::Violation::ShareAllocationHandle, "an allocation is shared by the handle of its resource");
    }
  }
  if (!legal_set(objects)) {
    return Refusal(nt::Violation::ShareSetIllegal,
                   "not a resource, a sync object, or a resource, keyed mutex, sync object");
  }
  for (const auto& object : objects) {
    if (!made_for_nt_handles(*object)) {
      return Refusal(nt::Violation::ShareUnsharable, "an object was not created with NtSecuritySharing");
    }
  }
  return std::nullopt;
}

base::Result<Objects> read_objects(Client& client, const ShareObjectsArgs& args) {
  if (args.cObjects > D3DKMT_MAX_OBJECTS_PER_HANDLE) {
    return client.refuse(nt::Violation::ShareSetIllegal, STATUS_INVALID_PARAMETER,
                         "more objects than one handle stands for");
  }
  HandleScratch handles;
  TRY(handles.make(args.cObjects));
  TRY(client.memory().read(handles.span(), args.hObjects));
  Objects objects;
  for (D3DKMT_HANDLE handle : handles) objects.push_back(TRY(client.find<ob::Object>(handle)));
  return objects;
}

// A set that judge_share() has let pass.
base::Result<ob::UnpublishedObject<ob::Object>> share(dxgk::Kernel& kernel, const Objects& objects, ACCESS_MASK desired,
                                                      std::u16string_view name) {
  if (objects[0]->kind() == SyncObjectView::kKind) {
    auto& object = static_cast<SyncObjectView&>(*objects[0]).object();
    auto shared = TRY(NtSharedSyncObject::create(kernel, object));
    return ob::UnpublishedObject<ob::Object>(TRY(dxgk::publish_shared(kernel, std::move(shared), desired, name)));
  }
  bool bundle = objects.size() == 3;
  auto shared = TRY(NtSharedResource::create(kernel, static_cast<ResourceView&>(*objects[0]).resource(),
                                             bundle ? &static_cast<KeyedMutexView&>(*objects[1]).mutex() : nullptr,
                                             bundle ? &static_cast<SyncObjectView&>(*objects[2]).object() : nullptr));
  return ob::UnpublishedObject<ob::Object>(TRY(dxgk::publish_shared(kernel, std::move(shared), desired, name)));
}

// --- Opening ---

base::Result<> check_adapter(dxgk::Device& device, const dxgk::Resource& resource) {
  if (&resource.adapter() != &device.adapter()) return refuse("the resource lives on another adapter");
  return {};
}

OpenTarget target_of(const D3DKMT_OPENRESOURCEFROMNTHANDLE& args) {
  return {.room = {.allocations = args.NumAllocations,
                   .runtime_bytes = args.PrivateRuntimeDataSize,
                   .resource_bytes = args.ResourcePrivateDriverDataSize,
                   .total_bytes = args.TotalPrivateDriverDataBufferSize},
          .infos = args.pOpenAllocationInfo2,
          .version = OpenTarget::Infos::Second,
          .runtime_data = args.pPrivateRuntimeData,
          .resource_data = args.pResourcePrivateDriverData,
          .total_data = args.pTotalPrivateDriverDataBuffer};
}

// The objects that were shared together with a resource.
struct Companions {
  std::optional<dxgk::UnpublishedHandle<KeyedMutexView>> mutex;
  std::optional<dxgk::UnpublishedHandle<SyncObjectView>> sync_object;

  void publish() {
    if (mutex) mutex->publish();
    if (sync_object) sync_object->publish();
  }
};

base::Result<Companions> open_companions(Client& client, dxgk::Device& device, const NtSharedResource& shared,
                                         std::span<const uint8_t> mutex_data) {
  Companions companions;
  if (dxgk::KeyedMutex* mutex = shared.mutex()) {
    TRY(mutex->offer_runtime_data(mutex_data));
    companions.mutex = TRY(make_view<KeyedMutexView>(client, TRY(open_shared(*mutex))));
  }
  if (dxgk::SyncObject* object = shared.sync_object()) {
    D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS may_everything{};
    companions.sync_object = TRY(make_view<SyncObjectView>(client, TRY(open_shared(*object)), may_everything, device));
  }
  return companions;
}

}  // namespace

base::Result<std::u16string> read_object_name(Client& client, const OBJECT_ATTRIBUTES* user) {
  if (!user) return std::u16string();
  auto attributes = TRY(client.memory().read(user));
  if (attributes.Length != sizeof(OBJECT_ATTRIBUTES)) return refuse("OBJECT_ATTRIBUTES of another length");
  if (!attributes.ObjectName) return std::u16string();
  auto string = TRY(client.memory().read(static_cast<const UNICODE_STRING*>(attributes.ObjectName)));
  if (string.Length % sizeof(char16_t)) return base::Failure(STATUS_OBJECT_NAME_INVALID, "a name of half a character");
  std::u16string name(string.Length / sizeof(char16_t), u'\0');
  TRY(client.memory().read(std::span<char16_t>(name), string.Buffer));
  if (name.empty()) return name;
  if (attributes.RootDirectory) return base::Failure(STATUS_NOT_SUPPORTED, "names under a directory handle");
  if (name[0] != u'\\') return base::Failure(STATUS_OBJECT_PATH_SYNTAX_BAD, "a name that is no path from the root");
  return name;
}

base::Result<std::u16string> read_name_to_open(Client& client, const OBJECT_ATTRIBUTES* user) {
  if (!user) return refuse("nothing is named");
  std::u16string name = TRY(read_object_name(client, user));
  if (name.empty()) return base::Failure(STATUS_OBJECT_NAME_INVALID, "nothing is named");
  return name;
}

Answer serve::ShareObjects(Client& client, const ShareObjectsArgs* user) {
  auto args = TRY(client.memory().read(user));
  Objects objects = TRY(read_objects(client, args));
  TRY(client.accept(judge_share(objects)));
  std::u16string name = TRY(read_object_name(client, args.pObjectAttributes));
  auto handle = TRY(share(client.kernel(), objects, args.dwDesiredAccess, name));
  // The page says that it cannot be opened then; working clients do it nevertheless (observed).
  if (!(TRY(dxgk::grant(args.dwDesiredAccess, READ_CONTROL)) & READ_CONTROL)) {
    client.remark(nt::Violation::ShareWithoutRead, "something is shared without STANDARD_RIGHTS_READ");
  }
  return publish_nt(client, std::move(handle),
                    [&](HANDLE value) { return client.memory().write(args.phSharedNtHandle, value); });
}

Answer serve::OpenNtHandleFromName(Client& client, D3DKMT_OPENNTHANDLEFROMNAME* user) {
  auto args = TRY(client.memory().read(user));
  std::u16string name = TRY(read_name_to_open(client, args.pObjAttrib));
  auto opened = TRY(dxgk::open_by_name<NtSharedResource>(client.kernel(), name, args.dwDesiredAccess));
  return publish_nt(client, std::move(opened), [&](HANDLE handle) {
    args.hNtHandle = handle;
    return client.memory().write(user, args);
  });
}

Answer serve::QueryResourceInfoFromNtHandle(Client& client, D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  base::Ref<NtResourceHandle> handle = TRY(find_nt<NtResourceHandle>(client, args.hNtHandle));
  dxgk::Resource& resource = handle->shared().resource();
  {
    dxgk::ParkingLock lock(device->mutex());
    TRY(device->usable());
  }
  TRY(check_adapter(*device, resource));
  ResourceSizes sizes = TRY(sizes_of(resource));
  // The runtime's data itself comes with the opening; the buffer is left alone (observed).
  args.PrivateRuntimeDataSize = sizes.runtime_bytes;
  args.TotalPrivateDriverDataSize = sizes.total_bytes;
  args.ResourcePrivateDriverDataSize = sizes.resource_bytes;
  args.NumAllocations = sizes.allocations;
  return client.memory().write(user, args);
}

Answer serve::OpenResourceFromNtHandle(Client& client, D3DKMT_OPENRESOURCEFROMNTHANDLE* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  base::Ref<NtResourceHandle> handle = TRY(find_nt<NtResourceHandle>(client, args.hNtHandle));
  NtSharedResource& shared = handle->shared();
  ByteScratch mutex_data;
  TRY(mutex_data.make(args.KeyedMutexPrivateRuntimeDataSize));
  TRY(client.memory().read(mutex_data.span(), args.pKeyedMutexPrivateRuntimeData));
  bool read_only = !(handle->granted() & SHARED_ALLOCATION_WRITE);

  dxgk::ParkingLock lock(device->mutex());
  TRY(device->usable());
  TRY(check_adapter(*device, shared.resource()));
  auto resource = TRY(open_shared(shared.resource()));
  auto opening = TRY(ResourceOpening::begin(client, *device, std::move(resource), target_of(args), read_only));
  Companions companions = TRY(open_companions(client, *device, shared, mutex_data.span()));
  args.TotalPrivateDriverDataBufferSize = opening.sizes().total_bytes;
  args.hResource = opening.resource();
  args.hKeyedMutex = companions.mutex ? companions.mutex->handle() : 0;
  args.hSyncObject = companions.sync_object ? companions.sync_object->handle() : 0;
  TRY(client.memory().probe_write(user));
  TRY(opening.probe(client.memory()));
  TRY(opening.tell(client.memory()));
  TRY(client.memory().write(user, args));
  opening.commit();
  companions.publish();
  return {};
}

Answer serve::GetSharedResourceAdapterLuid(Client& client, D3DKMT_GETSHAREDRESOURCEADAPTERLUID* user) {
  auto args = TRY(client.memory().read(user));
  if (args.hGlobalShare) {
    auto found = dxgk::find_shared(client.kernel(), args.hGlobalShare);
    if (!found.ok()) return refuse(ob::describe(found.error()));
    args.AdapterLuid = found.value()->adapter().luid();
  } else if (!args.hNtHandle) {
    return refuse("no handle at all");
  } else {
    args.AdapterLuid = TRY(find_nt<NtResourceHandle>(client, args.hNtHandle))->shared().resource().adapter().luid();
  }
  return client.memory().write(user, args);
}

}  // namespace kmt
