#pragma once

#include <utility>

#include "abi/shared/d3dukmdt.h"
#include "base/result.h"
#include "dxgk/process.h"
#include "ob/fresh.h"

namespace dxgk {

// An object for which a process has a number that does not resolve yet: the client is told of it, then it is
// published; a client that cannot be told keeps nothing. Owned by the calling thread.
template <typename T>
class [[nodiscard]] Unpublished {
 public:
  static base::Result<Unpublished> make(Process& process, ob::Fresh<T> object) {
    return Unpublished(process, TRY(process.handles().reserve()), std::move(object));
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
  Unpublished(Process& process, ob::KmtHandleTable::Reservation reservation, ob::Fresh<T> object)
      : process_(&process), reservation_(std::move(reservation)), object_(std::move(object)) {}

  Process* process_;
  ob::KmtHandleTable::Reservation reservation_;
  ob::Fresh<T> object_;
};

// The end of what publish() began, at the client's wish.
template <typename T>
base::Expected<base::Ref<T>, ob::LookupFault> close_handle(Process& process, D3DKMT_HANDLE handle) {
  auto closed = process.handles().close<T>(handle);
  if (closed.ok()) process.ledger().gone(T::kKind);
  return closed;
}

}  // namespace dxgk
