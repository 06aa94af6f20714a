#pragma once

#include <optional>
#include <string_view>

#include "abi/km/wdm.h"
#include "abi/shared/d3dkmthk.h"
#include "base/result.h"
#include "dxgk/kept.h"
#include "dxgk/keyed_mutex.h"
#include "dxgk/resource.h"
#include "dxgk/sync_object.h"

namespace dxgk {

class Kernel;

// What D3DKMTShareObjects makes of a resource, or of a resource with the keyed mutex and the synchronisation object
// that guard it. It keeps them open (observed), and has them found by name. Its handle count is its NT handles: with
// the last of them it lets go, and its name is free again though the objects may live on (observed). Any thread.
class NtSharedResource final : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = ob::ObjectKind::NtSharedResource;
  static constexpr ACCESS_MASK kAllAccess = SHARED_ALLOCATION_ALL_ACCESS;

  // Both of the two, or neither.
  static base::Result<ob::Fresh<NtSharedResource>> create(Kernel& kernel, Resource& resource, KeyedMutex* mutex,
                                                          SyncObject* sync_object);

  Resource& resource() const { return *resource_; }
  KeyedMutex* mutex() const { return mutex_ ? &**mutex_ : nullptr; }
  SyncObject* sync_object() const { return sync_object_ ? &**sync_object_ : nullptr; }

 private:
  NtSharedResource(ob::Ordinals& ordinals, ob::Fresh<Resource> resource)
      : ob::Object(kKind, ordinals), resource_(std::move(resource)) {}
  void on_last_handle_closed() override;

  Kept<Resource> resource_;
  std::optional<Kept<KeyedMutex>> mutex_;  // these two are set before anybody else can see it
  std::optional<Kept<SyncObject>> sync_object_;
};

// The same of a synchronisation object.
class NtSharedSyncObject final : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = ob::ObjectKind::NtSharedSyncObject;
  static constexpr ACCESS_MASK kAllAccess = D3DDDI_SYNC_OBJECT_ALL_ACCESS;

  static base::Result<ob::Fresh<NtSharedSyncObject>> create(Kernel& kernel, SyncObject& sync_object);

  SyncObject& sync_object() const { return *sync_object_; }

 private:
  NtSharedSyncObject(ob::Ordinals& ordinals, ob::Fresh<SyncObject> sync_object)
      : ob::Object(kKind, ordinals), sync_object_(std::move(sync_object)) {}
  void on_last_handle_closed() override { sync_object_.let_go(); }

  Kept<SyncObject> sync_object_;
};

// One NT handle to either of them, with what it was granted: this is what a client's handle table holds, and what its
// copies share.
template <typename Shared>
class NtHandle final : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = Shared::kKind;

  NtHandle(ob::Fresh<Shared> shared, ACCESS_MASK granted, ob::Ordinals& ordinals)
      : ob::Object(kKind, ordinals), shared_(std::move(shared)), granted_(granted) {}

  Shared& shared() const { return *shared_; }
  ACCESS_MASK granted() const { return granted_; }

 private:
  void on_last_handle_closed() override { shared_.let_go(); }

  Kept<Shared> shared_;
  const ACCESS_MASK granted_;
};
using NtResourceHandle = NtHandle<NtSharedResource>;
using NtSyncObjectHandle = NtHandle<NtSharedSyncObject>;

// What a handle is granted that was asked for with `desired`; STATUS_ACCESS_DENIED to one that asks for nothing
// (observed). There are no security descriptors: everything else is granted. GENERIC_READ and GENERIC_EXECUTE stand for
// STANDARD_RIGHTS_READ, GENERIC_WRITE and GENERIC_ALL for all that there is (policy).
base::Result<ACCESS_MASK> grant(ACCESS_MASK desired, ACCESS_MASK all);

// D3DKMTShareObjects: an NT handle to something just made, under a name; an empty one is none.
// STATUS_OBJECT_NAME_COLLISION, STATUS_ACCESS_DENIED.
template <typename Shared>
base::Result<ob::Fresh<NtHandle<Shared>>> publish_shared(Kernel& kernel, ob::Fresh<Shared> shared, ACCESS_MASK desired,
                                                         std::u16string_view name);

// One more NT handle to what was shared under a name. STATUS_OBJECT_NAME_NOT_FOUND, STATUS_OBJECT_TYPE_MISMATCH,
// STATUS_ACCESS_DENIED.
template <typename Shared>
base::Result<ob::Fresh<NtHandle<Shared>>> open_by_name(Kernel& kernel, std::u16string_view name, ACCESS_MASK desired);

}  // namespace dxgk
