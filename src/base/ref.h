#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace base {

// What a Ref counts. Starts at one: the creator's reference, taken over by Ref<T>::adopt. Thread-safe.
class RefCounted {
 public:
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void add_ref() const {
    [[maybe_unused]] uint32_t before = refs_.fetch_add(1, std::memory_order_relaxed);
    DCHECK(before != 0);
  }
  // The object is deleted by the reference that was the last.
  void release() const {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  uint32_t ref_count_for_test() const { return refs_.load(std::memory_order_relaxed); }

 protected:
  RefCounted() = default;
  virtual ~RefCounted() = default;

 private:
  mutable std::atomic<uint32_t> refs_{1};
};

// An owning pointer that is never null (a moved-from Ref may only be destroyed or assigned).
template <typename T>
class Ref {
 public:
  static Ref adopt(T* object) { return Ref(object); }  // takes over a reference
  static Ref share(T& object) {
    object.add_ref();
    return Ref(&object);
  }                                                                    // adds one
  [[nodiscard]] T* leak() { return std::exchange(object_, nullptr); }  // gives up ownership without releasing

  Ref(const Ref& other) : object_(other.object_) { object_->add_ref(); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <typename U>
  requires std::is_convertible_v<U*, T*> Ref(Ref<U> other) : object_(other.leak()) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_) object_->release();
  }

  T* operator->() const { return get(); }
  T& operator*() const { return *get(); }
  T* get() const {
    DCHECK(object_);
    return object_;
  }
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

 private:
  explicit Ref(T* object) : object_(object) { CHECK(object); }
  T* object_;
};

template <typename T, typename... Args>
Ref<T> make_ref(Args&&... args) {
  return Ref<T>::adopt(new T(std::forward<Args>(args)...));
}

}  // namespace base
