#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "kmt/testing/kmt_fixture.h"
#include "umd/callbacks/callback.h"

namespace umd::testing {

using dxgk::testing::Model;
using kmt::testing::kNoHandle;

// A device without a DDI: the test is its driver.
class TestDevice final : public Device {
 public:
  TestDevice(Runtime& its_runtime, kmt::Client& client, D3DKMT_HANDLE adapter, nt::Scope& scope);

  bool free_threaded() const override { return threaded; }
  bool threaded = false;  // as Direct3D 11 has it
};

// For tests of what a user-mode driver may call: the test plays the driver, and its functions are lambdas. Below is the
// kernel with the fake miniport driver, whose GPU completes at once what it is given.
//
//   run_driver([&] {                                  // a function of the driver's
//     D3DDDICB_LOCK2 args{.hAllocation = allocate()};
//     EXPECT_EQ(table().pfnLock2Cb(handle(), &args), S_OK);
//   });
class UmdTest : public kmt::testing::KmtTest {
 protected:
  explicit UmdTest(Model model = Model::Wddm20);

  // `body` in a function of a new device's driver.
  void run_driver(const std::function<void()>& body, Role role = Role::Other);
  // `body` in another function of the driver, called from the first. Returns what the runtime knows of the call
  // afterwards.
  Frame in_function(const char* name, Role role, const std::function<void()>& body);
  // `body` on a thread of its own; returns when it has.
  void on_other_thread(const std::function<void()>& body);

  // While run_driver runs.
  Runtime& runtime() { return *runtime_; }
  TestDevice& device() { return *device_; }
  const D3DDDI_DEVICECALLBACKS& table() { return device_->callbacks(); }
  HANDLE handle() { return device_->handle(); }
  kmt::testing::Program& program() { return *program_; }
  // Another device of the same program.
  TestDevice& other_device();

  // --- What a driver does first ---
  D3DKMT_HANDLE allocate(HANDLE resource = nullptr);
  void deallocate(D3DKMT_HANDLE allocation);
  D3DKMT_HANDLE allocate_and_deallocate();
  // A resource with that many allocations. The runtime's handle.
  HANDLE make_resource(UINT allocations = 1);
  void deallocate_resource(HANDLE resource);
  Resource* resource_at(HANDLE resource);
  // The driver was told a draw that uses the resource; whether it has to submit that yet.
  void draw(Resource* resource);
  bool pending(const Resource* resource);
  D3DDDICB_CREATECONTEXT make_context();
  HANDLE make_virtual_context(TestDevice* on = nullptr, UINT node = 0);
  D3DDDICB_CREATEPAGINGQUEUE make_queue();
  D3DKMT_HANDLE make_fence(D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type = D3DDDI_MONITORED_FENCE);
  // From now on the kernel calls the device lost.
  void lose_device();
  uint64_t submissions();

  // The driver made exactly these mistakes since this was last asked.
  void expect_found(const std::vector<std::string>& names, base::Here where = base::Here::now());

 private:
  static constexpr uint32_t kVector = 0x41;
  NTSTATUS complete(UINT fence);

  UINT fence_ = 0;
  kmt::testing::Program* program_ = nullptr;
  Runtime* runtime_ = nullptr;
  nt::Scope* scope_ = nullptr;
  TestDevice* device_ = nullptr;
  std::optional<TestDevice> other_;
};

}  // namespace umd::testing
