// D3DKMTShareObjects, D3DKMTOpenNtHandleFromName, D3DKMTQueryResourceInfoFromNtHandle, D3DKMTOpenResourceFromNtHandle,
// D3DKMTGetSharedResourceAdapterLuid.
#include "kmt/share.h"

#include <vector>

#include "dxgk/adapter.h"
#include "dxgk/nt_shared.h"
#include "kmt/open_resource.h"
#include "kmt/scratch.h"
#include "kmt/thunks.h"

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
      return Refusal(nt::Broke::ShareAllocationHandle, "an allocation is shared by the handle of its resource");
    }
  }
  if (!legal_set(objects)) {
    return Refusal(nt::Broke::ShareSetIllegal,
                   "not a resource, a sync object, or a resource, keyed mutex, sync object");
  }
  for (const auto& object : objects) {
    if (!made_for_nt_handles(*object)) {
      return Refusal(nt::Broke::ShareUnsharable, "an object was not created with NtSecuritySharing");
    }
  }
  return std::nullopt;
}

base::Result<Objects> read_objects(Client& client, const ShareObjectsArgs& args) {
  if (args.cObjects > D3DKMT_MAX_OBJECTS_PER_HANDLE) {
    return client.refuse(nt::Broke::ShareSetIllegal, STATUS_INVALID_PARAMETER,
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
base::Result<ob::Fresh<ob::Object>> share(dxgk::Kernel& kernel, const Objects& objects, ACCESS_MASK desired,
                                          std::u16string_view name) {
  if (objects[0]->kind() == SyncObjectView::kKind) {
    auto& object = static_cast<SyncObjectView&>(*objects[0]).object();
    auto shared = TRY(NtSharedSyncObject::create(kernel, object));
    return ob::Fresh<ob::Object>(TRY(dxgk::publish_shared(kernel, std::move(shared), desired, name)));
  }
  bool bundle = objects.size() == 3;
  auto shared = TRY(NtSharedResource::create(kernel, static_cast<ResourceView&>(*objects[0]).resource(),
                                             bundle ? &static_cast<KeyedMutexView&>(*objects[1]).mutex() : nullptr,
                                             bundle ? &static_cast<SyncObjectView&>(*objects[2]).object() : nullptr));
  return ob::Fresh<ob::Object>(TRY(dxgk::publish_shared(kernel, std::move(shared), desired, name)));
}

base::Result<> share_objects(Client& client, const ShareObjectsArgs* user) {
  auto args = TRY(client.memory().read(user));
  Objects objects = TRY(read_objects(client, args));
  TRY(client.accept(judge_share(objects)));
  std::u16string name = TRY(read_object_name(client, args.pObjectAttributes));
  auto handle = TRY(share(client.kernel(), objects, args.dwDesiredAccess, name));
  // The page says that nobody can open it then; clients that work do it nevertheless (observed).
  if (!(TRY(dxgk::grant(args.dwDesiredAccess, READ_CONTROL)) & READ_CONTROL)) {
    client.remark(nt::Broke::ShareWithoutRead, "something is shared without STANDARD_RIGHTS_READ");
  }
  return publish_nt(client, std::move(handle),
                    [&](HANDLE value) { return client.memory().write(args.phSharedNtHandle, value); });
}

// --- Opening ---

base::Result<> open_from_name(Client& client, D3DKMT_OPENNTHANDLEFROMNAME* user) {
  auto args = TRY(client.memory().read(user));
  std::u16string name = TRY(read_name_to_open(client, args.pObjAttrib));
  auto opened = TRY(dxgk::open_by_name<NtSharedResource>(client.kernel(), name, args.dwDesiredAccess));
  return publish_nt(client, std::move(opened), [&](HANDLE handle) {
    args.hNtHandle = handle;
    return client.memory().write(user, args);
  });
}

base::Result<> check_adapter(dxgk::Device& device, const dxgk::Resource& resource) {
  if (&resource.adapter() != &device.adapter()) return refuse("the resource lives on another adapter");
  return {};
}

base::Result<> query(Client& client, D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  base::Ref<NtResourceHandle> handle = TRY(find_nt<NtResourceHandle>(client, args.hNtHandle));
  dxgk::Resource& resource = handle->shared().resource();
  {
    dxgk::Inside inside(device->gate());
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

using OpenArgs = D3DKMT_OPENRESOURCEFROMNTHANDLE;

OpenTarget target_of(const OpenArgs& args) {
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

// What comes with a resource that was shared together with them.
struct Companions {
  std::optional<dxgk::Unpublished<KeyedMutexView>> mutex;
  std::optional<dxgk::Unpublished<SyncObjectView>> sync_object;

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

base::Result<> open(Client& client, OpenArgs* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  base::Ref<NtResourceHandle> handle = TRY(find_nt<NtResourceHandle>(client, args.hNtHandle));
  NtSharedResource& shared = handle->shared();
  ByteScratch mutex_data;
  TRY(mutex_data.make(args.KeyedMutexPrivateRuntimeDataSize));
  TRY(client.memory().read(mutex_data.span(), args.pKeyedMutexPrivateRuntimeData));
  bool read_only = !(handle->granted() & SHARED_ALLOCATION_WRITE);

  dxgk::Inside inside(device->gate());
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

base::Result<> get_luid(Client& client, D3DKMT_GETSHAREDRESOURCEADAPTERLUID* user) {
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

NTSTATUS ShareObjects(Client& client, const ShareObjectsArgs* user) {
  return client.finish("D3DKMTShareObjects", share_objects(client, user));
}

NTSTATUS OpenNtHandleFromName(Client& client, D3DKMT_OPENNTHANDLEFROMNAME* user) {
  return client.finish("D3DKMTOpenNtHandleFromName", open_from_name(client, user));
}

NTSTATUS QueryResourceInfoFromNtHandle(Client& client, D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE* user) {
  return client.finish("D3DKMTQueryResourceInfoFromNtHandle", query(client, user));
}

NTSTATUS OpenResourceFromNtHandle(Client& client, D3DKMT_OPENRESOURCEFROMNTHANDLE* user) {
  return client.finish("D3DKMTOpenResourceFromNtHandle", open(client, user));
}

NTSTATUS GetSharedResourceAdapterLuid(Client& client, D3DKMT_GETSHAREDRESOURCEADAPTERLUID* user) {
  return client.finish("D3DKMTGetSharedResourceAdapterLuid", get_luid(client, user));
}

}  // namespace kmt
