#include "umd/d3d10/dxgi.h"

#include "umd/testing/device10_fixture.h"

namespace umd::testing {
namespace {

class DxgiTest : public Device10Test {
 protected:
  // What a driver says of a present of no allocation: the kernel is asked, and finds nothing to copy.
  HRESULT call_back(void* context, HANDLE device) {
    DXGIDDICB_PRESENT args{};
    args.pDXGIContext = context;
    args.hContext = umd.context;
    return umd.dxgi_callbacks->pfnPresentCb(device, &args);
  }
};

TEST_F(DxgiTest, PresentsAndFlushes) {
  run_device10([&](Device10& device) {
    Resource* resource = make(device, target());
    device.set_render_targets({{target_view(device, resource)}}, nullptr);
    device.draw(3, 0);
    umd.log.clear();
    EXPECT_EQ(device.dxgi().present({.source = resource}), S_OK);
    EXPECT_THAT(umd.log, ElementsAre("PresentDXGI"));
    EXPECT_EQ(device.dxgi().context(), nullptr);
    RuntimeGuard guard(device.runtime.lock);
    EXPECT_FALSE(device.has_pending_commands(*resource));
  });
  expect_found({});
}

TEST_F(DxgiTest, GivesTheDriverItsOwnHandles) {
  run_device10([&](Device10& device) {
    Resource* resource = make(device, target());
    umd.on_present = [&](DXGI_DDI_ARG_PRESENT& args) {
      EXPECT_EQ(args.hDevice, reinterpret_cast<UINT_PTR>(umd.created.hDrvDevice.pDrvPrivate));
      EXPECT_EQ(args.hSurfaceToPresent, reinterpret_cast<UINT_PTR>(resource->driver_handle));
      EXPECT_EQ(args.hDstResource, 0u);
      EXPECT_NE(args.pDXGIContext, nullptr);
      EXPECT_TRUE(args.Flags.Blt);
      return S_OK;
    };
    DxgiPresent present{.source = resource};
    present.flags.Blt = 1;
    EXPECT_EQ(device.dxgi().present(present), S_OK);
  });
  expect_found({});
}

TEST_F(DxgiTest, TheContextIsHandedBackUnchanged) {
  run_device10([&](Device10& device) {
    Resource* resource = make(device, target());
    umd.on_present = [&](DXGI_DDI_ARG_PRESENT&) {
      EXPECT_EQ(call_back(nullptr, umd.device), E_INVALIDARG);
      return E_INVALIDARG;
    };
    EXPECT_EQ(device.dxgi().present({.source = resource}), E_INVALIDARG);
    expect_found({"UmdWrongHandle"});
    umd.on_present = [&](DXGI_DDI_ARG_PRESENT& args) {
      EXPECT_EQ(call_back(args.pDXGIContext, umd.core.handle), E_INVALIDARG);
      return S_OK;
    };
    device.dxgi().present({.source = resource});
    expect_found({"UmdWrongHandle"});
  });
}

TEST_F(DxgiTest, PresentCbBelongsToPresent) {
  umd.on_draw = [&] { EXPECT_EQ(call_back(nullptr, umd.device), E_INVALIDARG); };
  run_device10([&](Device10& device) {
    device.draw(3, 0);
    expect_found({"UmdWrongThread"});
  });
}

TEST_F(DxgiTest, AnErrorOfTheCallbackIsHandedOn) {
  run_device10([&](Device10& device) {
    Resource* resource = make(device, target());
    umd.batched = 1;
    device.flush();  // now the driver has a context
    umd.on_present = [&](DXGI_DDI_ARG_PRESENT& args) {
      EXPECT_EQ(call_back(args.pDXGIContext, umd.device), D3DDDIERR_DEVICEREMOVED);
      return S_OK;
    };
    device.fail_callback({Callback::Present, 1, D3DDDIERR_DEVICEREMOVED});
    EXPECT_EQ(device.dxgi().present({.source = resource}), S_OK);
    expect_found({"UmdRemovedSwallowed"});
  });
}

TEST_F(DxgiTest, ServesNoOverlays) {
  run_device10([&](Device10& device) {
    Resource* resource = make(device, target());
    umd.on_present = [&](DXGI_DDI_ARG_PRESENT&) {
      return umd.dxgi_callbacks->pfnPresentMultiplaneOverlayCb(umd.device, nullptr);
    };
    EXPECT_EQ(device.dxgi().present({.source = resource}), E_NOTIMPL);
  });
}

TEST_F(DxgiTest, RotatesWhatTheKernelHas) {
  run_device10([&](Device10& device) {
    std::vector<Resource*> buffers;
    std::vector<D3DKMT_HANDLE> kernel, allocations;
    for (int i = 0; i < 3; ++i) {
      buffers.push_back(make(device, target()));
      kernel.push_back(buffers[i]->kernel);
      allocations.push_back(buffers[i]->first_allocation);
    }
    umd.log.clear();
    EXPECT_EQ(device.dxgi().rotate_resource_identities(buffers), S_OK);
    EXPECT_THAT(umd.log, ElementsAre("RotateResourceIdentitiesDXGI(3)"));
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(buffers[i]->kernel, kernel[(i + 1) % 3]);
      EXPECT_EQ(buffers[i]->first_allocation, allocations[(i + 1) % 3]);
      RuntimeGuard guard(device.runtime.lock);
      EXPECT_EQ(device.allocations().find(buffers[i]->first_allocation)->resource, buffers[i]);
    }
    for (Resource* each : buffers) device.destroy_resource(each);
    device.flush();
    EXPECT_EQ(resources_of(device), 0u);
  });
  expect_found({});
}

TEST_F(DxgiTest, HasTheOtherFunctions) {
  run_device10([&](Device10& device) {
    Resource* one = make(device, target());
    Resource* two = make(device, target());
    DXGI_DDI_RESIDENCY residency;
    DXGI_GAMMA_CONTROL_CAPABILITIES gamma{};
    EXPECT_EQ(device.dxgi().blt({.destination = one, .rect = {0, 0, 16, 16}, .source = two}), S_OK);
    EXPECT_EQ(device.dxgi().set_resource_priority(one, 1), S_OK);
    EXPECT_EQ(device.dxgi().query_resource_residency({{one}}, &residency), S_OK);
    EXPECT_EQ(device.dxgi().set_display_mode(one, 0), S_OK);
    EXPECT_EQ(device.dxgi().get_gamma_caps(&gamma), S_OK);
    umd.batched = 1;
    device.flush();
  });
  expect_found({});
}

}  // namespace
}  // namespace umd::testing
