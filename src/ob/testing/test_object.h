#pragma once

#include <atomic>
#include <cstdint>

#include "ob/object.h"
#include "ob/unpublished_object.h"

namespace ob {

// What happened to the objects of one test. Any thread.
struct TestObjectLog {
  std::atomic<uint32_t> last_handles{0};  // calls of on_last_handle_closed
  std::atomic<uint32_t> deaths{0};        // destructors
};

// An object that records its last handle's close and its destruction. Used by any thread of a test.
template <ObjectKind Kind>
class TestObject final : public Object {
 public:
  static constexpr ObjectKind kKind = Kind;

  static UnpublishedObject<TestObject> create(Ordinals& ordinals, TestObjectLog& log) {
    return UnpublishedObject<TestObject>::adopt(new TestObject(ordinals, log));
  }

  uint64_t handle = 0;                      // what it was published as, for tests that compare
  void (*at_last_handle)(void*) = nullptr;  // run by on_last_handle_closed
  void* argument = nullptr;

  bool in_use() const { return !ended_.load(std::memory_order_acquire); }

 private:
  TestObject(Ordinals& ordinals, TestObjectLog& log) : Object(kKind, ordinals), log_(log) {}
  ~TestObject() override { log_.deaths.fetch_add(1, std::memory_order_relaxed); }

  void on_last_handle_closed() override {
    log_.last_handles.fetch_add(1, std::memory_order_relaxed);
    ended_.store(true, std::memory_order_release);
    if (at_last_handle) at_last_handle(argument);
  }

  TestObjectLog& log_;
  std::atomic<bool> ended_{false};
};

using TestDevice = TestObject<ObjectKind::Device>;
using TestEvent = TestObject<ObjectKind::Event>;

}  // namespace ob
