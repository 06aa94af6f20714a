#pragma once

#include <optional>
#include <utility>

#include "base/ref.h"
#include "ob/fresh.h"

namespace dxgk {

// What an object has open of another until its own last handle goes. Only let_go() touches the handle; the other object
// may be looked at before and after, by a call that began before.
template <typename T>
class Kept {
 public:
  explicit Kept(ob::Fresh<T> object) : object_(object.ref()), handle_(std::move(object)) {}

  T& operator*() const { return *object_; }
  T* operator->() const { return object_.get(); }

  // Once, by the holder's on_last_handle_closed().
  void let_go() { handle_.reset(); }

 private:
  const base::Ref<T> object_;
  std::optional<ob::Fresh<T>> handle_;
};

}  // namespace dxgk
