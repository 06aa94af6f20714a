#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "ks/allocator/allocator.h"
#include "ks/allocator/allocator_registry.h"
#include "ks/object/create_name.h"
#include "ks/testing/ks_fixture.h"
#include "nt/io/file_objects.h"
#include "nt/io/io_request.h"

namespace ks::testing {

// A minidriver's allocator for tests; each frame is allocated from pool when it is asked for. One at a time. `calls`
// has one letter for each call: I, A, F, D, and C for the pin's Close.
struct TestAllocator {
  uint32_t limit = UINT32_MAX;       // frames it has
  bool repeats = false;              // hands out its first frame again and again
  bool keeps_block = false;          // Initialize takes a block of pool that Delete forgets
  NTSTATUS status = STATUS_SUCCESS;  // of Initialize
  std::string calls;
  PKSPIN pin = nullptr;
  KSALLOCATOR_FRAMING framing{};
  bool control_held = false;
  std::vector<void*> out;
  std::function<void()> in_free, in_remove;  // run inside of the routine

  static TestAllocator* current;
  static constexpr uint32_t kTag = 't';

  TestAllocator() { current = this; }
  ~TestAllocator() { current = nullptr; }

  static NTSTATUS initialize(PKSPIN pin, PKSALLOCATOR_FRAMING framing, PVOID* context) {
    TestAllocator& self = *current;
    self.calls += 'I';
    self.pin = pin;
    self.framing = *framing;
    Pin* object = System::of(*nt::Machine::current())->object_as<Pin>(pin, "the test");
    self.control_held = object && object->control().held();
    if (self.keeps_block) ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, kTag);
    *context = &self;
    return self.status;
  }
  static void* allocate(void* context) {
    TestAllocator& self = *static_cast<TestAllocator*>(context);
    self.calls += 'A';
    if (self.out.size() >= self.limit) return nullptr;
    if (self.repeats && !self.out.empty()) return self.out.front();
    void* frame = ExAllocatePool2(POOL_FLAG_NON_PAGED, self.framing.FrameSize, kTag);
    if (frame) self.out.push_back(frame);
    return frame;
  }
  static void free(void* context, void* frame) {
    TestAllocator& self = *static_cast<TestAllocator*>(context);
    self.calls += 'F';
    EXPECT_EQ(std::erase(self.out, frame), 1u);
    ExFreePoolWithTag(frame, kTag);
    if (self.in_free) self.in_free();
  }
  static void remove(void* context) {
    TestAllocator& self = *static_cast<TestAllocator*>(context);
    self.calls += 'D';
    EXPECT_TRUE(self.out.empty());
    EXPECT_EQ(KeGetCurrentIrql(), PASSIVE_LEVEL);
    if (self.in_remove) self.in_remove();
  }
  static NTSTATUS close_pin(PKSPIN, PIRP) {
    current->calls += 'C';
    return STATUS_SUCCESS;
  }
  static constexpr KSALLOCATOR_DISPATCH kDispatch = {initialize, remove, allocate, free};

  size_t count(char call) const { return static_cast<size_t>(std::count(calls.begin(), calls.end(), call)); }
};
inline TestAllocator* TestAllocator::current = nullptr;

// One ALLOC of a kernel client or of a program.
class AllocRequest {
 public:
  explicit AllocRequest(nt::Machine& machine) : request_(machine) {}

  NTSTATUS send(FILE_OBJECT& file, KPROCESSOR_MODE mode = KernelMode) {
    return request_.start({file, IOCTL_KS_METHOD, &method_, sizeof(method_), &frame, sizeof(frame), mode});
  }
  NTSTATUS wait() { return request_.wait(); }
  bool pending() const { return request_.pending(); }
  void cancel() { request_.cancel(); }

  void* frame = nullptr;

 private:
  KSMETHOD method_{{{KSMETHODSETID_StreamAllocator, KSMETHOD_STREAMALLOCATOR_ALLOC, KSMETHOD_TYPE_WRITE}}};
  nt::IoRequest request_;
};

class AllocatorTest : public KsTest {
 protected:
  // Both pins of the fake driver get the allocator, and record their Close.
  AllocatorTest() {
    for (KSPIN_DISPATCH& dispatch : driver.pin) {
      dispatch.Allocator = &TestAllocator::kDispatch;
      dispatch.Close = TestAllocator::close_pin;
    }
  }

  KSALLOCATOR_FRAMING framing(ULONG frames, ULONG bytes = 4096) {
    return {{KSALLOCATOR_OPTIONF_SYSTEM_MEMORY}, NonPagedPool, frames, bytes, {FILE_LONG_ALIGNMENT}, 0};
  }
  // From the kernel; referenced.
  base::Result<FILE_OBJECT*> open(HANDLE pin, const KSALLOCATOR_FRAMING& wanted) {
    FILE_OBJECT& file = pin_of(pin).file();
    return machine().files().open(
        {*file.DeviceObject, &file, make_create_name(KSNAME_Allocator, &wanted, sizeof(wanted)), 0, KernelMode});
  }
  void close(FILE_OBJECT* file) { machine().files().dereference(*file); }
  AllocatorNode& node(FILE_OBJECT* file) { return *allocator_of(system(), file); }

  NTSTATUS free(FILE_OBJECT& file, void* frame, KPROCESSOR_MODE mode = KernelMode) {
    KSMETHOD method{{{KSMETHODSETID_StreamAllocator, KSMETHOD_STREAMALLOCATOR_FREE, KSMETHOD_TYPE_READ}}};
    IO_STATUS_BLOCK status;
    return machine().files().control({file, IOCTL_KS_METHOD, &method, sizeof(method), &frame, sizeof(frame), mode},
                                     status);
  }
  template <typename Value>
  NTSTATUS get(FILE_OBJECT& file, ULONG id, Value& value, KPROCESSOR_MODE mode = KernelMode) {
    KSPROPERTY property{{{KSPROPSETID_StreamAllocator, id, KSPROPERTY_TYPE_GET}}};
    IO_STATUS_BLOCK status;
    return machine().files().control(
        {file, IOCTL_KS_PROPERTY, &property, sizeof(property), &value, sizeof(value), mode}, status);
  }

  TestAllocator allocator;
};

}  // namespace ks::testing
