#include "dxgk/object/nt_shared.h"

#include "dxgk/adapter/kernel.h"

namespace dxgk {
namespace {

constexpr ACCESS_MASK kNotGeneric = 0x001fffff;  // the specific and the standard rights
constexpr ACCESS_MASK kMaximumAllowed = 0x02000000;

// One more handle for the caller that shares the object. Fails if another thread has just closed the last handle.
template <typename T>
base::Result<ob::UnpublishedObject<T>> keep(T& object) {
  if (object.sharing() != T::Sharing::NtHandle) {
    return base::Failure(STATUS_INVALID_PARAMETER, "the object was not created with NtSecuritySharing");
  }
  std::optional<ob::UnpublishedObject<T>> handle = ob::UnpublishedObject<T>::open(object);
  if (!handle) return base::Failure(STATUS_INVALID_PARAMETER, "the object's last handle has just been closed");
  return std::move(*handle);
}

template <typename Shared>
base::Result<ob::UnpublishedObject<NtHandle<Shared>>> make_handle(Kernel& kernel, ob::UnpublishedObject<Shared> shared,
                                                                  ACCESS_MASK desired) {
  ACCESS_MASK granted = TRY(grant(desired, Shared::kAllAccess));
  return ob::UnpublishedObject<NtHandle<Shared>>::adopt(
      new NtHandle<Shared>(std::move(shared), granted, kernel.ordinals()));
}

}  // namespace

base::Result<ob::UnpublishedObject<NtSharedResource>> NtSharedResource::create(Kernel& kernel, Resource& resource,
                                                                               KeyedMutex* mutex,
                                                                               SyncObject* sync_object) {
  CHECK((mutex == nullptr) == (sync_object == nullptr));
  ob::UnpublishedObject<Resource> kept = TRY(keep(resource));
  auto shared =
      ob::UnpublishedObject<NtSharedResource>::adopt(new NtSharedResource(kernel.ordinals(), std::move(kept)));
  if (mutex) {
    shared->mutex_.emplace(TRY(keep(*mutex)));
    shared->sync_object_.emplace(TRY(keep(*sync_object)));
  }
  return shared;
}

void NtSharedResource::on_last_handle_closed() {
  if (sync_object_) sync_object_->let_go();
  if (mutex_) mutex_->let_go();
  resource_.let_go();
}

base::Result<ob::UnpublishedObject<NtSharedSyncObject>> NtSharedSyncObject::create(Kernel& kernel,
                                                                                   SyncObject& sync_object) {
  ob::UnpublishedObject<SyncObject> kept = TRY(keep(sync_object));
  return ob::UnpublishedObject<NtSharedSyncObject>::adopt(new NtSharedSyncObject(kernel.ordinals(), std::move(kept)));
}

base::Result<ACCESS_MASK> grant(ACCESS_MASK desired, ACCESS_MASK all) {
  ACCESS_MASK granted = desired & kNotGeneric;
  if (desired & (ACCESS_MASK{GENERIC_ALL} | ACCESS_MASK{GENERIC_WRITE} | kMaximumAllowed)) granted |= all;
  if (desired & (ACCESS_MASK{GENERIC_READ} | ACCESS_MASK{GENERIC_EXECUTE})) granted |= ACCESS_MASK{READ_CONTROL};
  if (granted == 0) return base::Failure(STATUS_ACCESS_DENIED, "a handle was asked for that may do nothing");
  return granted;
}

template <typename Shared>
base::Result<ob::UnpublishedObject<NtHandle<Shared>>> publish_shared(Kernel& kernel,
                                                                     ob::UnpublishedObject<Shared> shared,
                                                                     ACCESS_MASK desired, std::u16string_view name) {
  if (!name.empty()) TRY(kernel.names().insert(name, shared));
  return make_handle(kernel, std::move(shared), desired);
}

template <typename Shared>
base::Result<ob::UnpublishedObject<NtHandle<Shared>>> open_by_name(Kernel& kernel, std::u16string_view name,
                                                                   ACCESS_MASK desired) {
  return make_handle(kernel, TRY(kernel.names().open<Shared>(name)), desired);
}

template base::Result<ob::UnpublishedObject<NtResourceHandle>> publish_shared(Kernel&,
                                                                              ob::UnpublishedObject<NtSharedResource>,
                                                                              ACCESS_MASK, std::u16string_view);
template base::Result<ob::UnpublishedObject<NtSyncObjectHandle>> publish_shared(
    Kernel&, ob::UnpublishedObject<NtSharedSyncObject>, ACCESS_MASK, std::u16string_view);
template base::Result<ob::UnpublishedObject<NtResourceHandle>> open_by_name(Kernel&, std::u16string_view, ACCESS_MASK);
template base::Result<ob::UnpublishedObject<NtSyncObjectHandle>> open_by_name(Kernel&, std::u16string_view,
                                                                              ACCESS_MASK);

}  // namespace dxgk
