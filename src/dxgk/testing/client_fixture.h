#pragma once

#include <gmock/gmock.h>

#include <vector>

#include "dxgk/destroy/destroy.h"
#include "dxgk/object/create.h"
#include "dxgk/object/open.h"
#include "dxgk/testing/graphics_fixture.h"

namespace dxgk::testing {

// The result of one creation.
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
    ParkingLock lock(client.device->mutex());
    auto creation = Creation::begin(*client.device, request);
    if (!creation.ok()) return {creation.status(), 0, 0, {}};
    creation.take().commit();
    Made made{STATUS_SUCCESS, request.resource, request.global_share, {}};
    for (const auto& one : wanted) made.allocations.push_back(one.handle);
    return made;
  }
  // A shared resource of one allocation, whose private data is `bytes`; the driver may change it.
  static Made create_shared(const Client& client, uint64_t& bytes) {
    AllocationRequest one;
    one.private_data = {reinterpret_cast<uint8_t*>(&bytes), sizeof(bytes)};
    CreateRequest request;
    request.flags = flags(true, true);
    request.allocations = {&one, 1};
    ParkingLock lock(client.device->mutex());
    auto creation = Creation::begin(*client.device, request);
    if (!creation.ok()) return {creation.status(), 0, 0, {}};
    creation.take().commit();
    return {STATUS_SUCCESS, request.resource, request.global_share, {one.handle}};
  }
  static NTSTATUS destroy(const Client& client, const Made& made, DestroyCall call = {}) {
    Judgement refused = made.resource ? destroy_resource(*client.device, made.resource, call)
                                      : destroy_allocations(*client.device, made.allocations, call);
    return refused ? refused->status : STATUS_SUCCESS;
  }
  static bool resolves(const Client& client, D3DKMT_HANDLE handle) {
    return client.process->handles().get<ob::Object>(handle).ok();
  }
  // Lets the kernel's worker run.
  void settle() { machine().executor().sleep_for(1'000'000); }
};

}  // namespace dxgk::testing
