#pragma once

#include "abi/shared/ntdef.h"
#include "base/ref.h"
#include "base/result.h"
#include "ob/lookup.h"
#include "ob/unpublished_object.h"

namespace kmt {

// The handles of the client's own system: NT handles in an embedded kernel, file descriptors on Linux. Only the objects
// that D3DKMT functions share, and the events that they signal, use such handles. Owned by the code that runs the
// client; any thread.
class ClientHandles {
 public:
  template <typename T>
  using Found = base::Expected<base::Ref<T>, ob::LookupFault>;

  virtual ~ClientHandles() = default;

  // The client gets a handle to the object; STATUS_NO_MEMORY when it can have no more, and `object` is closed.
  virtual base::Result<HANDLE> publish(ob::UnpublishedObject<ob::Object> object) = 0;
  virtual Found<ob::Object> resolve(HANDLE handle) = 0;
  // What the client does itself to a handle, and what a thunk does that could not tell it of one.
  virtual Found<ob::Object> close(HANDLE handle) = 0;

  // One that must be of this type.
  template <ob::HandleTarget T>
  Found<T> resolve(HANDLE handle) {
    Found<ob::Object> found = resolve(handle);
    if (!found.ok()) return found.error();
    base::Ref<ob::Object> object = found.take();
    if (object->kind() != T::kKind) return ob::LookupFault::WrongType;
    return base::Ref<T>::adopt(static_cast<T*>(object.leak()));
  }
};

}  // namespace kmt
