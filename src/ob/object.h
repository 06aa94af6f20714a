#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/ref.h"
#include "ob/object_kind.h"

namespace ob {

class Object;

// Numbers the objects of each kind from 1 in order of creation, so that a trace says "device 3" and never an address.
// One per machine: the same seed gives the same numbers. Any thread.
class Ordinals {
 public:
  uint32_t next(ObjectKind kind) {
    return last_[static_cast<uint8_t>(kind)].fetch_add(1, std::memory_order_relaxed) + 1;
  }

 private:
  std::atomic<uint32_t> last_[kKindLimit]{};
};

// A place where an object can be found without a handle: a name, a global share handle. Owned by the object and kept
// until its memory is freed, so that a report can still name it.
class Publication {
 public:
  virtual ~Publication() = default;
  virtual void withdraw() = 0;  // the last handle is closed: the object must not be found here any more
  virtual std::u16string_view name() const { return {}; }
};

// Whatever a handle can stand for. Two counts: references keep the memory, handles keep it in use. The handle count
// starts at one (held by UnpublishedObject until a table takes it over) and zero is final: on_last_handle_closed() has
// then run, once, unless UnpublishedObject::close() left that to its caller, and no further handle can be opened.
// Deleted by whichever thread drops the last reference.
class Object : public base::RefCounted {
 public:
  ObjectKind kind() const { return kind_; }
  uint32_t ordinal() const { return ordinal_; }
  uint32_t handle_count() const { return handles_.load(std::memory_order_acquire); }
  const Publication* publication() const { return publication_.load(std::memory_order_acquire); }

 protected:
  Object(ObjectKind kind, Ordinals& ordinals) : kind_(kind), ordinal_(ordinals.next(kind)) {}
  ~Object() override;

  // Runs without locks, on the thread that closed the last handle, while references may remain: cancel waits, let go of
  // other objects. A look-up that began before the close may still be using the object.
  virtual void on_last_handle_closed() {}

 private:
  template <typename T>
  friend class UnpublishedObject;
  template <typename Encoding>
  friend class HandleTable;
  friend class NameSpace;
  friend class GlobalHandles;

  bool try_open_handle();  // false once the last handle has gone
  void close_handle();     // the caller holds a reference
  bool drop_handle();      // … and if this was the last handle, does what on_last_handle_closed() would
  // An object is published in one place at most; false (and the argument is lost) when it already is. The caller holds
  // a handle, so that the withdrawal cannot come before the publication.
  bool publish_as(std::unique_ptr<Publication> publication);

  std::atomic<uint32_t> handles_{1};
  const ObjectKind kind_;
  const uint32_t ordinal_;
  std::atomic<Publication*> publication_{nullptr};  // owned
};

// What a typed look-up can ask for: a class that names its kind, or Object itself for "whatever it is".
template <typename T>
concept HandleTarget = std::derived_from<T, Object> &&(std::same_as<T, Object> || requires {
  { T::kKind } -> std::convertible_to<ObjectKind>;
});

template <HandleTarget T>
constexpr ObjectKind kind_of() {
  if constexpr (std::same_as<T, Object>) {
    return ObjectKind::None;
  } else {
    static_assert(T::kKind != ObjectKind::None);
    return T::kKind;
  }
}

}  // namespace ob
