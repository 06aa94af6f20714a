#pragma once

#include "umd/d3d10/adapter10.h"
#include "umd/testing/fake_driver10.h"
#include "umd/testing/umd_fixture.h"

namespace umd::testing {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// For tests: a program of Direct3D 10 or 11 whose driver is the fake one. Set up `umd` and `options`, then run.
class Device10Test : public UmdTest {
 protected:
  void run_adapter10(const std::function<void(Adapter10&)>& body) {
    run_program([&](kmt::testing::Program& program) {
      Runtime runtime(machine(), exports, "fake.dll");
      auto adapter = Adapter10::open(runtime, program.client, program.adapter, options);
      ASSERT_TRUE(adapter.ok()) << adapter.error();
      body(*adapter.value());
    });
    EXPECT_THAT(umd.complaints, IsEmpty());
  }
  // `body` with a device, which is destroyed afterwards.
  void run_device10(const std::function<void(Device10&)>& body) {
    run_adapter10([&](Adapter10& adapter) {
      auto device = adapter.create_device();
      ASSERT_TRUE(device.ok()) << device.error();
      umd.log.clear();
      body(*device.value());
      device.value()->destroy();
    });
  }
  // Why an adapter, or its device, is refused.
  std::string refusal() {
    std::string why;
    run_program([&](kmt::testing::Program& program) {
      Runtime runtime(machine(), exports, "fake.dll");
      auto adapter = Adapter10::open(runtime, program.client, program.adapter, options);
      why = adapter.ok() ? adapter.value()->create_device().error() : adapter.error();
    });
    return why;
  }
  void speak(UINT64 version) { umd.versions = {version}; }

  static Resource* make(Device10& device, const ResourceDesc10& desc) {
    Resource* resource = nullptr;
    EXPECT_EQ(device.create_resource(desc, &resource), S_OK);
    return resource;
  }
  static ResourceDesc10 texture() { return ResourceDesc10::texture(16, 16, DXGI_FORMAT_R8G8B8A8_UNORM); }
  static ResourceDesc10 target() { return ResourceDesc10::render_target(16, 16, DXGI_FORMAT_R8G8B8A8_UNORM); }
  static RenderTargetView* target_view(Device10& device, Resource* resource) {
    RenderTargetView* view = nullptr;
    EXPECT_EQ(device.create_render_target_view(resource, &view), S_OK);
    return view;
  }
  static size_t resources_of(Device10& device) {
    RuntimeGuard guard(device.runtime.lock);
    return device.resource_count();
  }

  FakeDriver10 umd;
  Exports exports = FakeDriver10::exports();
  Adapter10Options options;
};

}  // namespace umd::testing
