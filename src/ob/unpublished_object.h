#pragma once

#include <concepts>
#include <optional>
#include <utility>

#include "base/ref.h"
#include "ob/object.h"

namespace ob {

// A handle that is not in a table yet, with a reference to its object. It owns a new object between creation and
// publication. If publishing fails, the handle is closed here, so on_last_handle_closed() runs on the error path too
// and releases what the object holds. (Zircon's KernelHandle.) Owned by one thread at a time.
//
//   UnpublishedObject<Device> device = UnpublishedObject<Device>::adopt(new Device(...));
//   auto reservation = TRY(table.reserve());
//   TRY(device->start());                                  // on failure: device's last handle closes
//   return reservation.publish(std::move(device));
template <typename T>
class [[nodiscard]] UnpublishedObject {
 public:
  // Takes over the first reference and the first handle of an object just created.
  static UnpublishedObject adopt(T* created) { return UnpublishedObject(base::Ref<T>::adopt(created)); }
  // One more handle to an object whose memory the caller knows to be there; nothing once its last handle has gone. The
  // reference comes first: between a handle and its reference, the other holders could close and free the memory.
  static std::optional<UnpublishedObject> open(T& object) {
    base::Ref<T> reference = base::Ref<T>::share(object);
    if (!static_cast<Object&>(object).try_open_handle()) return std::nullopt;
    return UnpublishedObject(std::move(reference));
  }

  UnpublishedObject(UnpublishedObject&& other) noexcept
      : object_(std::move(other.object_)), owned_(std::exchange(other.owned_, false)) {}
  template <typename U>
  requires std::convertible_to<U*, T*> UnpublishedObject(UnpublishedObject<U> other)
      : object_(base::Ref<T>::adopt(other.leak())) {}
  UnpublishedObject& operator=(UnpublishedObject other) noexcept {
    std::swap(object_, other.object_);
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~UnpublishedObject() {
    if (owned_) static_cast<Object&>(*object_).close_handle();
  }

  T* operator->() const { return object_.get(); }
  T& operator*() const { return *object_; }
  base::Ref<T> ref() const { return object_; }
  // Closes the handle before the reference goes. True if it was the last: on_last_handle_closed() has not run, and the
  // caller does its work.
  [[nodiscard]] bool close() { return std::exchange(owned_, false) && static_cast<Object&>(*object_).drop_handle(); }
  // Gives up reference and handle without releasing either: the table takes both.
  [[nodiscard]] T* leak() {
    owned_ = false;
    return object_.leak();
  }

 private:
  explicit UnpublishedObject(base::Ref<T> object) : object_(std::move(object)) {}

  base::Ref<T> object_;
  bool owned_ = true;
};

}  // namespace ob
