#pragma once

#include <string>
#include <type_traits>

#include "dxgk/object/unpublished_handle.h"
#include "kmt/client/client.h"

namespace kmt {

// What an NT handle of the client stands for. STATUS_INVALID_HANDLE to one that stands for nothing (observed),
// STATUS_OBJECT_TYPE_MISMATCH to one of another type.
template <ob::HandleTarget T>
base::Result<base::Ref<T>> find_nt(Client& client, HANDLE handle, base::Here where = base::Here::now()) {
  auto found = client.handles().resolve(handle);
  if (!found.ok()) return base::Failure(STATUS_INVALID_HANDLE, ob::describe(found.error()), where);
  base::Ref<ob::Object> object = found.take();
  if constexpr (std::is_same_v<T, ob::Object>) {
    return object;
  } else {
    if (object->kind() != T::kKind) {
      return base::Failure(STATUS_OBJECT_TYPE_MISMATCH, "the NT handle is to an object of another type", where);
    }
    return base::Ref<T>::adopt(static_cast<T*>(object.leak()));
  }
}

// One more handle to what an NT handle keeps open, for a view of the client's own.
template <typename T>
base::Result<ob::UnpublishedObject<T>> open_shared(T& object) {
  std::optional<ob::UnpublishedObject<T>> opened = ob::UnpublishedObject<T>::open(object);
  if (!opened) return base::Failure(STATUS_INVALID_HANDLE, "the last NT handle has just been closed");
  return std::move(*opened);
}

// The handle for a new view of the client's.
template <typename View, typename... Args>
base::Result<dxgk::UnpublishedHandle<View>> make_view(Client& client, Args&&... args) {
  dxgk::Process& process = client.process();
  auto view = ob::UnpublishedObject<View>::adopt(new View(std::forward<Args>(args)..., process.ordinals()));
  return dxgk::UnpublishedHandle<View>::make(process, std::move(view));
}

// The full path that a client's OBJECT_ATTRIBUTES name; empty when they name nothing. Directory objects are not
// simulated, so a name under one is refused.
base::Result<std::u16string> read_object_name(Client& client, const OBJECT_ATTRIBUTES* user);
// The name of an object to be opened, which therefore must have a name.
base::Result<std::u16string> read_name_to_open(Client& client, const OBJECT_ATTRIBUTES* user);

// Gives the client an NT handle and lets `tell` write it to the client's memory. If that fails, the handle is closed.
template <typename F>
base::Result<> publish_nt(Client& client, ob::UnpublishedObject<ob::Object> object, F tell) {
  HANDLE handle = TRY(client.handles().publish(std::move(object)));
  base::Result<> told = tell(handle);
  if (!told.ok()) static_cast<void>(client.handles().close(handle));
  return told;
}

}  // namespace kmt
