#pragma once

#include <optional>
#include <utility>

#include "base/ref.h"
#include "ob/unpublished_object.h"

namespace dxgk {

// A handle of one object to another, held until the holder's own last handle is closed. Only let_go() changes the
// handle; a call that began before may read the other object before and after.
template <typename T>
class OwnedHandle {
 public:
  explicit OwnedHandle(ob::UnpublishedObject<T> object) : object_(object.ref()), handle_(std::move(object)) {}

  T& operator*() const { return *object_; }
  T* operator->() const { return object_.get(); }

  // Once, by the holder's on_last_handle_closed().
  void let_go() { handle_.reset(); }

 private:
  const base::Ref<T> object_;
  std::optional<ob::UnpublishedObject<T>> handle_;
};

}  // namespace dxgk
