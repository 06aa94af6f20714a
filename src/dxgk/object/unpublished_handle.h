#pragma once

#include <utility>

#include "abi/shared/d3dukmdt.h"
#include "base/result.h"
#include "dxgk/object/process.h"
#include "ob/unpublished_object.h"

namespace dxgk {

// A handle of a process that does not resolve yet: its value is written to the client first, then it is published. If
// the client cannot be told, the handle is dropped. Owned by the calling thread.
template <typename T>
class [[nodiscard]] UnpublishedHandle {
 public:
  static base::Result<UnpublishedHandle> make(Process& process, ob::UnpublishedObject<T> object) {
    return UnpublishedHandle(process, TRY(process.handles().reserve()), std::move(object));
  }

  D3DKMT_HANDLE handle() const { return reservation_.handle(); }
  T& operator*() const { return *object_; }
  T* operator->() const { return &*object_; }
  // Once.
  void publish() {
    process_->ledger().created(T::kKind);
    reservation_.publish(std::move(object_));
  }

 private:
  UnpublishedHandle(Process& process, ob::KmtHandleTable::Reservation reservation, ob::UnpublishedObject<T> object)
      : process_(&process), reservation_(std::move(reservation)), object_(std::move(object)) {}

  Process* process_;
  ob::KmtHandleTable::Reservation reservation_;
  ob::UnpublishedObject<T> object_;
};

// Closes a handle that publish() made, when the client asks for it.
template <typename T>
base::Expected<base::Ref<T>, ob::LookupFault> close_handle(Process& process, D3DKMT_HANDLE handle) {
  auto closed = process.handles().close<T>(handle);
  if (closed.ok()) process.ledger().gone(T::kKind);
  return closed;
}

}  // namespace dxgk
