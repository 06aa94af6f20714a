// Memory that a driver of Direct3D 9 allocates in the name of no resource, and gives back (UR-05).
#include <gtest/gtest.h>

#include "kmt/testing/kmt_fixture.h"
#include "umd/d3d9/adapter9.h"
#include "umd/d3d9/device9.h"
#include "umd/testing/fake_driver9.h"

namespace umd {
namespace {

using kmt::testing::Findings;
using testing::FakeDriver9;

constexpr D3DDDIFORMAT kFormat = D3DDDIFMT_A8R8G8B8;
const Findings kMissing = {"UmdFlushMissing"};

// The driver makes two allocations with hResource NULL for the resource, and deallocates nothing by itself.
class Device9Unnamed : public kmt::testing::KmtTest {
 protected:
  Device9Unnamed() {
    umd_.on_create = [this](D3DDDIARG_CREATERESOURCE2& args) {
      EXPECT_EQ(umd_.allocate(nullptr, 2, memory_), S_OK);
      args.hResource = umd_.new_handle();
      return S_OK;
    };
    umd_.on_destroy = [](HANDLE) { return S_OK; };
  }

  // `body` gets a device, and a texture of it that a draw uses.
  void run_drawn(const std::function<void(Device9&, Resource*)>& body) {
    bool ended = false;
    run_program([&](kmt::testing::Program& program) {
      Runtime runtime(machine(), FakeDriver9::exports(), "fake");
      auto adapter = Adapter9::open(runtime, program.client, program.adapter);
      ASSERT_TRUE(adapter.ok()) << adapter.error();
      auto device = adapter.value()->create_device().take();
      Resource* texture = nullptr;
      ASSERT_EQ(device->create_resource(ResourceDesc::texture(8, 8, kFormat), &texture), S_OK);
      device->set_texture(0, texture);
      device->draw_primitive(D3DPT_TRIANGLELIST, 0, 1);
      body(*device, texture);
      ended = true;
    });
    EXPECT_TRUE(ended);
  }
  HRESULT deallocate_all() { return umd_.deallocate({memory_[0], memory_[1]}); }
  static void submit(Device9& device) {
    RuntimeGuard guard(device.runtime.lock);
    device.submitted();
  }

  FakeDriver9 umd_;
  D3DKMT_HANDLE memory_[2] = {};
};

TEST_F(Device9Unnamed, ADeallocationInDestroyResourceBeforeTheFlushIsFound) {
  umd_.on_destroy = [this](HANDLE) { return deallocate_all(); };
  run_drawn([&](Device9& device, Resource* texture) { device.destroy_resource(texture); });
  EXPECT_EQ(findings(), kMissing);
}

TEST_F(Device9Unnamed, ADeallocationAfterTheFlushIsNot) {
  umd_.on_destroy = [this](HANDLE) { return deallocate_all(); };
  run_drawn([&](Device9& device, Resource* texture) {
    submit(device);
    device.destroy_resource(texture);
  });
  EXPECT_EQ(findings(), Findings{});
}

// Then the resource is gone, for the program and for the runtime.
TEST_F(Device9Unnamed, WhatWasPutOffHasToWaitForTheSubmissionToo) {
  umd_.on_flush = [this] { return deallocate_all(); };
  for (bool submitted : {false, true}) {
    run_drawn([&](Device9& device, Resource* texture) {
      device.destroy_resource(texture);
      if (submitted) submit(device);
      device.flush();
    });
    EXPECT_EQ(findings(), submitted ? Findings{} : kMissing);
  }
}

TEST_F(Device9Unnamed, ThePartThatGoesLastIsJudged) {
  umd_.on_destroy = [this](HANDLE) {
    EXPECT_EQ(umd_.deallocate({memory_[0]}), S_OK);
    EXPECT_EQ(findings(), Findings{});
    return umd_.deallocate({memory_[1]});
  };
  run_drawn([&](Device9& device, Resource* texture) { device.destroy_resource(texture); });
  EXPECT_EQ(findings(), kMissing);
}

// --- Where it is not certain that the memory holds the resource ---

TEST_F(Device9Unnamed, TheMemoryOfALiveResourceIsNotJudged) {
  umd_.on_flush = [this] { return deallocate_all(); };
  run_drawn([&](Device9& device, Resource* texture) {
    device.flush();
    submit(device);
    device.destroy_resource(texture);
  });
  EXPECT_EQ(findings(), Findings{});
}

TEST_F(Device9Unnamed, BesideMemoryOfTheResourceItIsNotJudged) {
  HANDLE named = nullptr;
  umd_.on_create = [&](D3DDDIARG_CREATERESOURCE2& args) {
    named = args.hResource;
    EXPECT_EQ(umd_.allocate(nullptr, 2, memory_), S_OK);
    EXPECT_EQ(umd_.allocate(named), S_OK);
    args.hResource = umd_.new_handle();
    return S_OK;
  };
  umd_.on_destroy = [this](HANDLE) { return deallocate_all(); };
  umd_.on_flush = [&] { return umd_.deallocate(named); };
  run_drawn([&](Device9& device, Resource* texture) {
    device.destroy_resource(texture);
    EXPECT_EQ(findings(), Findings{});
    submit(device);
    device.flush();
  });
  EXPECT_EQ(findings(), Findings{});
}

TEST_F(Device9Unnamed, WhatTheCpuFilledInTheCreationIsNotJudged) {
  umd_.on_create = [this](D3DDDIARG_CREATERESOURCE2& args) {
    EXPECT_EQ(umd_.allocate(nullptr, 2, memory_), S_OK);
    for (D3DKMT_HANDLE each : memory_) {
      D3DDDICB_LOCK2 lock{.hAllocation = each};
      D3DDDICB_UNLOCK2 unlock{.hAllocation = each};
      EXPECT_EQ(umd_.callbacks->pfnLock2Cb(umd_.device, &lock), S_OK);
      EXPECT_EQ(umd_.callbacks->pfnUnlock2Cb(umd_.device, &unlock), S_OK);
    }
    args.hResource = umd_.new_handle();
    return S_OK;
  };
  umd_.on_destroy = [this](HANDLE) { return deallocate_all(); };
  run_drawn([&](Device9& device, Resource* texture) { device.destroy_resource(texture); });
  EXPECT_EQ(findings(), Findings{});
}

TEST_F(Device9Unnamed, AfterADiscardItIsNotJudged) {
  umd_.on_destroy = [this](HANDLE) { return deallocate_all(); };
  run_drawn([&](Device9& device, Resource* texture) {
    D3DDDI_LOCKFLAGS discard{};
    discard.Discard = 1;
    Mapped mapped;
    EXPECT_EQ(device.lock(texture, 0, discard, &mapped), S_OK);
    EXPECT_EQ(device.unlock(texture, 0), S_OK);
    device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1);
    device.destroy_resource(texture);
  });
  EXPECT_EQ(findings(), Findings{});
}

TEST_F(Device9Unnamed, WhatIsMadeOutsideOfACreationBelongsToNoResource) {
  D3DKMT_HANDLE later = 0;
  umd_.on_draw = [&] { return umd_.allocate(nullptr, 1, &later); };
  umd_.on_destroy = [&](HANDLE) { return umd_.deallocate({later}); };
  umd_.on_flush = [this] { return deallocate_all(); };
  run_drawn([&](Device9& device, Resource* texture) {
    device.destroy_resource(texture);
    submit(device);
    device.flush();
  });
  EXPECT_EQ(findings(), Findings{});
}

}  // namespace
}  // namespace umd
