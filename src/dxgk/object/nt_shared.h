#pragma once

#include <optional>
#include <string_view>

#include "abi/km/wdm.h"
#include "abi/shared/d3dkmthk.h"
#include "base/result.h"
#include "dxgk/object/owned_handle.h"
#include "dxgk/object/resource.h"
#include "dxgk/sync/keyed_mutex.h"
#include "dxgk/sync/sync_object.h"

namespace dxgk {

class Kernel;

// What D3DKMTShareObjects makes of a resource, or of a resource with the keyed mutex and the synchronisation object
// that guard it. It keeps them open (observed), and they are found by its name. Its handle count is its NT handles:
// when the last is closed it closes them, and its name is free again though the objects may live on (observed). Any
// thread.
class NtSharedResource final : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = ob::ObjectKind::NtSharedResource;
  static constexpr ACCESS_MASK kAllAccess = SHARED_ALLOCATION_ALL_ACCESS;

  // Both of the two, or neither.
  static base::Result<ob::UnpublishedObject<NtSharedResource>> create(Kernel& kernel, Resource& resource,
                                                                      KeyedMutex* mutex, SyncObject* sync_object);

  Resource& resource() const { return *resource_; }
  KeyedMutex* mutex() const { return mutex_ ? &**mutex_ : nullptr; }
  SyncObject* sync_object() const { return sync_object_ ? &**sync_object_ : nullptr; }

 private:
  NtSharedResource(ob::Ordinals& ordinals, ob::UnpublishedObject<Resource> resource)
      : ob::Object(kKind, ordinals), resource_(std::move(resource)) {}
  void on_last_handle_closed() override;

  OwnedHandle<Resource> resource_;
  std::optional<OwnedHandle<KeyedMutex>> mutex_;  // these two are set before another thread can reach the object
  std::optional<OwnedHandle<SyncObject>> sync_object_;
};

// The same for a synchronisation object.
class NtSharedSyncObject final : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = ob::ObjectKind::NtSharedSyncObject;
  static constexpr ACCESS_MASK kAllAccess = D3DDDI_SYNC_OBJECT_ALL_ACCESS;

  static base::Result<ob::UnpublishedObject<NtSharedSyncObject>> create(Kernel& kernel, SyncObject& sync_object);

  SyncObject& sync_object() const { return *sync_object_; }

 private:
  NtSharedSyncObject(ob::Ordinals& ordinals, ob::UnpublishedObject<SyncObject> sync_object)
      : ob::Object(kKind, ordinals), sync_object_(std::move(sync_object)) {}
  void on_last_handle_closed() override { sync_object_.let_go(); }

  OwnedHandle<SyncObject> sync_object_;
};

// One NT handle to either of them, with its granted access: the entry of a client's handle table, shared by copies of
// the handle.
template <typename Shared>
class NtHandle final : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = Shared::kKind;

  NtHandle(ob::UnpublishedObject<Shared> shared, ACCESS_MASK granted, ob::Ordinals& ordinals)
      : ob::Object(kKind, ordinals), shared_(std::move(shared)), granted_(granted) {}

  Shared& shared() const { return *shared_; }
  ACCESS_MASK granted() const { return granted_; }

 private:
  void on_last_handle_closed() override { shared_.let_go(); }

  OwnedHandle<Shared> shared_;
  const ACCESS_MASK granted_;
};
using NtResourceHandle = NtHandle<NtSharedResource>;
using NtSyncObjectHandle = NtHandle<NtSharedSyncObject>;

// The access that a handle gets when it is asked for with `desired`; STATUS_ACCESS_DENIED when `desired` is nothing
// (observed). There are no security descriptors: everything else is granted. GENERIC_READ and GENERIC_EXECUTE stand for
// STANDARD_RIGHTS_READ, GENERIC_WRITE and GENERIC_ALL for all that there is (policy).
base::Result<ACCESS_MASK> grant(ACCESS_MASK desired, ACCESS_MASK all);

// D3DKMTShareObjects: an NT handle to a new object, under a name; an empty name is none.
// STATUS_OBJECT_NAME_COLLISION, STATUS_ACCESS_DENIED.
template <typename Shared>
base::Result<ob::UnpublishedObject<NtHandle<Shared>>> publish_shared(Kernel& kernel,
                                                                     ob::UnpublishedObject<Shared> shared,
                                                                     ACCESS_MASK desired, std::u16string_view name);

// One more NT handle to what was shared under a name. STATUS_OBJECT_NAME_NOT_FOUND, STATUS_OBJECT_TYPE_MISMATCH,
// STATUS_ACCESS_DENIED.
template <typename Shared>
base::Result<ob::UnpublishedObject<NtHandle<Shared>>> open_by_name(Kernel& kernel, std::u16string_view name,
                                                                   ACCESS_MASK desired);

}  // namespace dxgk
