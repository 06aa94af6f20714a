#pragma once

#include <gmock/gmock.h>

#include <vector>

#include "dxgk/create.h"
#include "dxgk/destroy.h"
#include "dxgk/open.h"
#include "dxgk/testing/graphics_fixture.h"

namespace dxgk::testing {

// What one creation came to.
struct Made {
  NTSTATUS status = STATUS_SUCCESS;
  D3DKMT_HANDLE resource = 0;
  D3DKMT_HANDLE global_share = 0;
  std::vector<D3DKMT_HANDLE> allocations;
};

// For tests of allocations: processes and devices on a started adapter, below the thunks.
class ClientTest : public GraphicsTest {
 protected:
  using GraphicsTest::GraphicsTest;

  struct Client {
    base::Ref<Process> process;
    base::Ref<Device> device;
  };
  Client open(Adapter& adapter, const char* name = "client") {
    base::Ref<Process> process = kernel().create_process(name);
    auto on_adapter = process->on(adapter);
    CHECK(on_adapter.ok());
    auto device = Device::create(on_adapter.take());
    CHECK(device.ok());
    base::Ref<Device> reference = device.value().ref();
    auto reservation = process->handles().reserve();
    CHECK(reservation.ok());
    reference->handle = reservation.value().handle();
    reservation.take().publish(device.take());
    driver.log.clear();
    return {process, reference};
  }

  static D3DKMT_CREATEALLOCATIONFLAGS flags(bool resource, bool shared = false, bool nt = false) {
    D3DKMT_CREATEALLOCATIONFLAGS value{};
    value.CreateResource = resource;
    value.CreateShared = shared;
    value.NtSecuritySharing = nt;
    return value;
  }
  static Made create(const Client& client, D3DKMT_CREATEALLOCATIONFLAGS flags, uint32_t count,
                     ResourceView* add_to = nullptr) {
    std::vector<AllocationRequest> wanted(count);
    CreateRequest request;
    request.flags = flags;
    request.allocations = wanted;
    request.add_to = add_to;
    Inside inside(client.device->gate());
    auto creation = Creation::begin(*client.device, request);
    if (!creation.ok()) return {creation.status(), 0, 0, {}};
    creation.take().commit();
    Made made{STATUS_SUCCESS, request.resource, request.global_share, {}};
    for (const auto& one : wanted) made.allocations.push_back(one.handle);
    return made;
  }
  static NTSTATUS destroy(const Client& client, const Made& made, DestroyCall call = {}) {
    return made.resource ? destroy_resource(*client.device, made.resource, call).status()
                         : destroy_allocations(*client.device, made.allocations, call).status();
  }
  static bool resolves(const Client& client, D3DKMT_HANDLE handle) {
    return client.process->handles().get<ob::Object>(handle).ok();
  }
  // Lets the kernel's worker run.
  void settle() {
    base::Executor& executor = machine().executor();
    base::TimeNs until = executor.now() + 1'000'000;
    while (executor.park(until, base::Point::Wait) != base::Wake::Deadline) {
    }
  }
};

}  // namespace dxgk::testing
