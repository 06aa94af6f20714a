// What the runtime of Direct3D 9 owes a user-mode driver.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kmt/testing/kmt_fixture.h"
#include "umd/d3d9/adapter9.h"
#include "umd/d3d9/device9.h"
#include "umd/testing/fake_driver9.h"

namespace umd {
namespace {

using kmt::testing::Findings;
using testing::FakeDriver9;

constexpr D3DDDIFORMAT kFormat = D3DDDIFMT_A8R8G8B8;

class Device9Duty : public kmt::testing::KmtTest {
 protected:
  // `body` gets two devices of the adapter. It must have run to its end.
  void run_devices(const std::function<void(Device9&, Device9&)>& body) {
    bool ended = false;
    run_program([&](kmt::testing::Program& program) {
      Runtime runtime(machine(), FakeDriver9::exports(), "fake");
      auto adapter = Adapter9::open(runtime, program.client, program.adapter);
      ASSERT_TRUE(adapter.ok()) << adapter.error();
      auto first = adapter.value()->create_device().take(), second = adapter.value()->create_device().take();
      body(*first, *second);
      ended = true;
    });
    EXPECT_TRUE(ended);
  }

  // `body` gets what the second device has opened of the first one's.
  void run_opened(const std::function<void(Resource&)>& body) {
    run_devices([&](Device9& first, Device9& second) {
      Resource *shared = nullptr, *opened = nullptr;
      ASSERT_EQ(first.create_resource(ResourceDesc::texture(8, 8, kFormat).shared(), &shared), S_OK);
      ASSERT_EQ(second.open_resource(shared->global_share, &opened), S_OK);
      body(*opened);
      EXPECT_EQ(second.destroy_resource(opened), S_OK);
      EXPECT_EQ(first.destroy_resource(shared), S_OK);
    });
  }
  // The driver answers with a new handle of its own, and will deallocate the resource when that is destroyed.
  HRESULT made(HANDLE& resource, HRESULT result) {
    HANDLE own = umd_.new_handle();
    umd_.resources[own] = {resource, 1};
    resource = own;
    return result;
  }
  static std::vector<uint8_t> bytes(const void* data, UINT size) {
    const auto* first = static_cast<const uint8_t*>(data);
    return first ? std::vector<uint8_t>(first, first + size) : std::vector<uint8_t>();
  }

  FakeDriver9 umd_;
};

// UR-01
TEST_F(Device9Duty, DestroyResourceGetsTheHandleThatTheDriverReturned) {
  std::vector<HANDLE> returned, destroyed;
  umd_.on_create = [&](D3DDDIARG_CREATERESOURCE2& args) {
    HRESULT result = umd_.create(args);
    returned.push_back(args.hResource);
    return result;
  };
  umd_.on_open = [&](D3DDDIARG_OPENRESOURCE& args) {
    args.hResource = reinterpret_cast<HANDLE>(0x7777);
    returned.push_back(args.hResource);
    return S_OK;
  };
  umd_.on_destroy = [&](HANDLE resource) {
    destroyed.push_back(resource);
    return resource == reinterpret_cast<HANDLE>(0x7777) ? S_OK : umd_.destroy(resource);
  };
  run_devices([&](Device9& first, Device9& second) {
    Resource *texture = nullptr, *buffer = nullptr, *shared = nullptr, *opened = nullptr;
    ASSERT_EQ(first.create_resource(ResourceDesc::texture(16, 16, kFormat), &texture), S_OK);
    ASSERT_EQ(first.create_resource(ResourceDesc::vertex_buffer(256), &buffer), S_OK);
    ASSERT_EQ(first.create_resource(ResourceDesc::texture(8, 8, kFormat).shared(), &shared), S_OK);
    ASSERT_EQ(second.open_resource(shared->global_share, &opened), S_OK);
    EXPECT_EQ(second.destroy_resource(opened), S_OK);
    EXPECT_EQ(first.destroy_resource(buffer), S_OK);
    EXPECT_EQ(first.destroy_resource(shared), S_OK);
    EXPECT_EQ(first.destroy_resource(texture), S_OK);
  });
  ASSERT_EQ(returned.size(), 4u);
  EXPECT_EQ(destroyed, (std::vector<HANDLE>{returned[3], returned[1], returned[2], returned[0]}))
      << "not the runtime's own, and each once";
}

TEST_F(Device9Duty, OpenResourceIsToldWhatTheCreatorsDriverSaid) {
  std::vector<uint8_t> of_resource = {1, 2, 3}, of_allocation = {9, 8, 7, 6};
  umd_.on_create = [&](D3DDDIARG_CREATERESOURCE2& args) {
    D3DDDI_ALLOCATIONINFO info{};
    info.pPrivateDriverData = of_allocation.data();
    info.PrivateDriverDataSize = static_cast<UINT>(of_allocation.size());
    D3DDDICB_ALLOCATE allocate{};
    allocate.hResource = args.hResource;
    allocate.pPrivateDriverData = of_resource.data();
    allocate.PrivateDriverDataSize = static_cast<UINT>(of_resource.size());
    allocate.NumAllocations = 1;
    allocate.pAllocationInfo = &info;
    return made(args.hResource, umd_.callbacks->pfnAllocateCb(umd_.device, &allocate));
  };
  umd_.on_open = [&](D3DDDIARG_OPENRESOURCE& args) {
    EXPECT_EQ(bytes(args.pPrivateDriverData, args.PrivateDriverDataSize), of_resource);
    EXPECT_EQ(args.NumAllocations, 1u);
    const D3DDDI_OPENALLOCATIONINFO* info = args.pOpenAllocationInfo;
    if (!info) return E_INVALIDARG;
    EXPECT_EQ(bytes(info->pPrivateDriverData, info->PrivateDriverDataSize), of_allocation);
    EXPECT_EQ(args.Rotation, D3DDDI_ROTATION_IDENTITY);
    return made(args.hResource, S_OK);
  };
  run_opened([](Resource&) {});
  EXPECT_EQ(findings(), Findings{});
}

TEST_F(Device9Duty, WhatOpenResourceIsGivenIsTheDevices) {
  D3DKMT_HANDLE kernel_resource = 0;
  umd_.on_open = [&](D3DDDIARG_OPENRESOURCE& args) {
    kernel_resource = args.hKMResource;
    D3DDDICB_LOCK2 lock{};
    D3DDDICB_UNLOCK2 unlock{};
    lock.hAllocation = unlock.hAllocation = args.pOpenAllocationInfo->hAllocation;
    EXPECT_EQ(umd_.callbacks->pfnLock2Cb(umd_.device, &lock), S_OK);
    EXPECT_EQ(umd_.callbacks->pfnUnlock2Cb(umd_.device, &unlock), S_OK);
    return made(args.hResource, S_OK);
  };
  run_opened([&](Resource& opened) { EXPECT_EQ(kernel_resource, opened.kernel); });
  EXPECT_EQ(findings(), Findings{});
}

TEST_F(Device9Duty, WhatIsBoundIsUnboundBeforeItIsDestroyed) {
  std::vector<std::string> calls;
  umd_.on_set_texture = [&](UINT stage, HANDLE texture) {
    calls.push_back("SetTexture " + std::to_string(stage) + (texture ? "" : " NULL"));
    return S_OK;
  };
  umd_.on_destroy = [&](HANDLE resource) {
    calls.push_back("DestroyResource");
    return umd_.destroy(resource);
  };
  run_devices([&](Device9& device, Device9&) {
    Resource* texture = nullptr;
    ASSERT_EQ(device.create_resource(ResourceDesc::texture(16, 16, kFormat), &texture), S_OK);
    EXPECT_EQ(device.set_texture(3, texture), S_OK);
    EXPECT_EQ(device.destroy_resource(texture), S_OK);
  });
  EXPECT_EQ(calls, (std::vector<std::string>{"SetTexture 3", "SetTexture 3 NULL", "DestroyResource"}));
  EXPECT_EQ(findings(), Findings{});
}

// UR-20
TEST_F(Device9Duty, MipLevelsAreNeverAboveTheSurfaces) {
  int with_levels = 0;
  umd_.on_create = [&](D3DDDIARG_CREATERESOURCE2& args) {
    EXPECT_FALSE(args.Flags.CubeMap) << "none are made";
    if (args.Flags.Texture || args.Flags.Volume) {
      ++with_levels;
      EXPECT_GE(args.MipLevels, 1u);
      EXPECT_LE(args.MipLevels, args.SurfCount);
    }
    return umd_.create(args);
  };
  run_devices([&](Device9& device, Device9&) {
    std::vector<ResourceDesc> all = {ResourceDesc::render_target(16, 16, kFormat), ResourceDesc::vertex_buffer(256),
                                     ResourceDesc::group(6, 8, 8, kFormat)};
    for (UINT levels = 1; levels <= 5; ++levels) all.push_back(ResourceDesc::texture(16, 16, kFormat, levels));
    for (const ResourceDesc& desc : all) {
      Resource* resource = nullptr;
      ASSERT_EQ(device.create_resource(desc, &resource), S_OK);
      EXPECT_EQ(device.destroy_resource(resource), S_OK);
    }
  });
  EXPECT_GE(with_levels, 5);
  EXPECT_EQ(findings(), Findings{});
}

}  // namespace
}  // namespace umd
