#include "umd/d3d10/device10.h"

#include "base/sanitizer.h"
#include "umd/callbacks/callback_judgement.h"
#include "umd/testing/device10_fixture.h"

namespace umd::testing {
namespace {

class Device10LifeTest : public Device10Test {};

// As a driver would that knows no better.
NO_SANITIZE void write_byte(void* memory) { static_cast<volatile uint8_t*>(memory)[8] = 0x11; }

// --- A correct driver ---

TEST_F(Device10LifeTest, CreatesAndDestroysAResource) {
  run_device10([&](Device10& device) {
    Resource* resource = make(device, texture());
    EXPECT_EQ(umd.log, (std::vector<std::string>{"CreateResource"}));
    EXPECT_EQ(device.destroy_resource(resource), S_OK);
    EXPECT_EQ(resources_of(device), 1u) << "a zombie until the driver deallocates";
    EXPECT_EQ(device.flush(), S_OK);
    EXPECT_EQ(resources_of(device), 0u);
  });
  expect_found({});
}

TEST_F(Device10LifeTest, WorksInEveryVersion) {
  for (UINT64 version : {D3D10_0_DDI_SUPPORTED, D3D10_1_DDI_SUPPORTED, D3D11_0_DDI_SUPPORTED}) {
    speak(version);
    run_device10([&](Device10& device) {
      EXPECT_EQ(device.is_d3d11(), version == D3D11_0_DDI_SUPPORTED);
      EXPECT_EQ(device.free_threaded(), device.is_d3d11());
      Resource* color = make(device, target());
      Resource* depth = make(device, ResourceDesc10::depth_stencil(16, 16, DXGI_FORMAT_D32_FLOAT));
      RenderTargetView* color_view = target_view(device, color);
      DepthStencilView* depth_view;
      ShaderResourceView* view;
      EXPECT_EQ(device.create_depth_stencil_view(depth, &depth_view), S_OK);
      EXPECT_EQ(device.create_shader_resource_view(color, &view), S_OK);
      BlendState* blend;
      EXPECT_EQ(device.create_blend_state({}, &blend), S_OK);
      EXPECT_EQ(device.set_render_targets({{color_view}}, depth_view), S_OK);
      EXPECT_EQ(device.set_blend_state(blend, {1, 1, 1, 1}), S_OK);
      EXPECT_EQ(device.clear_render_target(color_view, {0, 0, 0, 1}), S_OK);
      EXPECT_EQ(device.clear_depth_stencil(depth_view, D3D10_DDI_CLEAR_DEPTH, 1, 0), S_OK);
      EXPECT_EQ(device.draw(3, 0), S_OK);
      EXPECT_EQ(device.flush(), S_OK);
    });
    expect_found({});
  }
}

TEST_F(Device10LifeTest, DestroyDeviceDestroysEverythingFirst) {
  run_device10([&](Device10& device) {
    Resource* resource = make(device, target());
    RenderTargetView* view = target_view(device, resource);
    Sampler* sampler;
    EXPECT_EQ(device.create_sampler({}, &sampler), S_OK);
    EXPECT_EQ(device.set_render_targets({{view}}, nullptr), S_OK);
    umd.log.clear();
  });
  EXPECT_THAT(umd.log, ElementsAre("SetRenderTargets(, -1, 0)", "DestroyRenderTargetView", "DestroyResource",
                                   "DestroySampler", "DestroyDevice"));
  expect_found({});
}

TEST_F(Device10LifeTest, AViewGoesBeforeItsResource) {
  run_device10([&](Device10& device) {
    Resource* resource = make(device, target());
    target_view(device, resource);
    target_view(device, resource);
    umd.log.clear();
    device.destroy_resource(resource);
    EXPECT_THAT(umd.log, ElementsAre("DestroyRenderTargetView", "DestroyRenderTargetView", "DestroyResource"));
  });
}

TEST_F(Device10LifeTest, OpensWhatAnotherDeviceShares) {
  run_adapter10([&](Adapter10& adapter) {
    auto first = adapter.create_device().take();
    D3D10DDIARG_CREATEDEVICE of_first = umd.created;
    Resource* shared = make(*first, texture().shared());
    auto second = adapter.create_device().take();
    Resource* opened;
    EXPECT_EQ(second->open_resource(shared->global_share, &opened, texture()), S_OK);
    EXPECT_TRUE(opened->opened);
    EXPECT_EQ(opened->allocations, 1u);
    EXPECT_EQ(second->destroy_resource(opened), S_OK);
    EXPECT_EQ(second->flush(), S_OK);
    EXPECT_EQ(resources_of(*second), 0u);
    second.reset();
    umd.serve(of_first);
    first.reset();
  });
  expect_found({});
}

TEST_F(Device10LifeTest, ManyComeAndGoWithoutATrace) {
  run_device10([&](Device10& device) {
    for (int i = 0; i < 300; ++i) {
      Resource* resource = make(device, target());
      target_view(device, resource);
      device.destroy_resource(resource);
      if (i % 10 == 0) device.flush();
    }
  });
  expect_found({});
}

// --- Memory that the runtime lends (UR-15) ---

TEST_F(Device10LifeTest, FindsAResourcesMemoryWrittenAfterItsDestruction) {
  void* memory = nullptr;
  umd.on_destroy = [&](D3D10DDI_HRESOURCE resource) {
    memory = resource.pDrvPrivate;
    umd.destroy(resource);
  };
  run_device10([&](Device10& device) {
    device.destroy_resource(make(device, texture()));
    write_byte(memory);
    device.flush();
    expect_found({"UmdPrivateMemory"});
  });
  expect_found({});
}

TEST_F(Device10LifeTest, FindsAResourcesMemoryOverrun) {
  umd.on_destroy = [&](D3D10DDI_HRESOURCE resource) {
    write_byte(static_cast<uint8_t*>(resource.pDrvPrivate) + 64);
    umd.destroy(resource);
  };
  run_device10([&](Device10& device) {
    device.destroy_resource(make(device, texture()));
    expect_found({"UmdPrivateMemory"});
  });
}

// --- Errors of creation (UR-16, UR-17) ---

TEST_F(Device10LifeTest, AFailedCreationIsNotDestroyed) {
  umd.on_create = [&](const auto&, D3D10DDI_HRESOURCE, HANDLE) { umd.set_error(E_OUTOFMEMORY); };
  run_device10([&](Device10& device) {
    Resource* resource;
    EXPECT_EQ(device.create_resource(texture(), &resource), E_OUTOFMEMORY);
    EXPECT_EQ(resource, nullptr);
    EXPECT_EQ(resources_of(device), 0u);
    EXPECT_FALSE(device.removed());
    umd.log.clear();
  });
  EXPECT_THAT(umd.log, ElementsAre("DestroyDevice"));
  expect_found({});
}

TEST_F(Device10LifeTest, AFailedCreationLeavesNothing) {
  umd.on_create = [&](const auto&, D3D10DDI_HRESOURCE, HANDLE own) {
    umd.allocate(own);
    umd.set_error(E_OUTOFMEMORY);
  };
  run_device10([&](Device10& device) {
    Resource* resource;
    EXPECT_EQ(device.create_resource(texture(), &resource), E_OUTOFMEMORY);
    expect_found({"UmdAllocationLeft"});
  });
  expect_found({});
}

TEST_F(Device10LifeTest, CreationMayNotReportWhatItLikes) {
  umd.on_create = [&](const auto&, D3D10DDI_HRESOURCE, HANDLE) { umd.set_error(E_FAIL); };
  run_device10([&](Device10& device) {
    Resource* resource;
    EXPECT_EQ(device.create_resource(texture(), &resource), D3DDDIERR_DEVICEREMOVED);
    expect_found({"UmdCreateError"});
    EXPECT_TRUE(device.removed());
    EXPECT_EQ(device.draw(3, 0), D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(device.create_resource(texture(), &resource), D3DDDIERR_DEVICEREMOVED);
  });
  expect_found({});
}

TEST_F(Device10LifeTest, CreationMaySayThatThereIsNoSuchPrimaryAndOpeningMayNot) {
  umd.on_create = [&](const auto&, D3D10DDI_HRESOURCE, HANDLE) { umd.set_error(DXGI_DDI_ERR_UNSUPPORTED); };
  run_device10([&](Device10& device) {
    Resource* resource;
    auto back_buffer = ResourceDesc10::back_buffer(16, 16, DXGI_FORMAT_B8G8R8A8_UNORM, 0);
    EXPECT_EQ(device.create_resource(back_buffer, &resource), DXGI_DDI_ERR_UNSUPPORTED);
    expect_found({});
    umd.on_create = nullptr;
    umd.on_open = [&](const auto&, D3D10DDI_HRESOURCE, HANDLE) { umd.set_error(DXGI_DDI_ERR_UNSUPPORTED); };
    Resource* shared = make(device, texture().shared());
    EXPECT_EQ(device.open_resource(shared->global_share, &resource), D3DDDIERR_DEVICEREMOVED);
    expect_found({"UmdCreateError"});
  });
}

TEST_F(Device10LifeTest, ACallbackThatFailsIsHandedOn) {
  run_device10([&](Device10& device) {
    device.fail_callback({Callback::Allocate, 1, E_OUTOFMEMORY});
    Resource* resource;
    EXPECT_EQ(device.create_resource(texture(), &resource), E_OUTOFMEMORY);
    EXPECT_EQ(device.create_resource(texture(), &resource), S_OK);
  });
  expect_found({});
}

TEST_F(Device10LifeTest, AFailedViewIsNotDestroyed) {
  umd.on_create_view = [&] { umd.set_error(E_OUTOFMEMORY); };
  run_device10([&](Device10& device) {
    Resource* resource = make(device, target());
    RenderTargetView* view;
    EXPECT_EQ(device.create_render_target_view(resource, &view), E_OUTOFMEMORY);
    EXPECT_EQ(view, nullptr);
    umd.log.clear();
    device.destroy_resource(resource);
    EXPECT_THAT(umd.log, ElementsAre("DestroyResource"));
    umd.on_create_view = [&] { umd.set_error(DXGI_DDI_ERR_UNSUPPORTED); };
    resource = make(device, target());
    EXPECT_EQ(device.create_render_target_view(resource, &view), D3DDDIERR_DEVICEREMOVED);
    expect_found({"UmdIllegalResult"});
  });
}

// --- Errors of everything else ---

TEST_F(Device10LifeTest, DestructionReportsARemovedDeviceOrNothing) {
  umd.on_destroy = [&](D3D10DDI_HRESOURCE resource) {
    umd.destroy(resource);
    umd.set_error(S_OK);
  };
  run_device10([&](Device10& device) {
    EXPECT_EQ(device.destroy_resource(make(device, texture())), D3DDDIERR_DEVICEREMOVED);
    expect_found({"UmdDestroyError"});
    EXPECT_TRUE(device.removed());
  });
  expect_found({});
}

TEST_F(Device10LifeTest, ARemovedDeviceIsOnlyToldToUnbindAndDestroy) {
  run_device10([&](Device10& device) {
    Resource* resource = make(device, target());
    device.set_render_targets({{target_view(device, resource)}}, nullptr);
    umd.on_draw = [&] { umd.set_error(D3DDDIERR_DEVICEREMOVED); };
    EXPECT_EQ(device.draw(3, 0), D3DDDIERR_DEVICEREMOVED);
    umd.log.clear();
    EXPECT_EQ(device.flush(), D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(device.dxgi().present({.source = resource}), D3DDDIERR_DEVICEREMOVED);
    EXPECT_THAT(umd.log, IsEmpty());
  });
  EXPECT_THAT(umd.log,
              ElementsAre("SetRenderTargets(, -1, 0)", "DestroyRenderTargetView", "DestroyResource", "DestroyDevice"));
  expect_found({});
}

TEST_F(Device10LifeTest, DrawingRunsOutOfNothing) {
  umd.on_draw = [&] { umd.set_error(E_OUTOFMEMORY); };
  run_device10([&](Device10& device) {
    EXPECT_EQ(device.draw(3, 0), D3DDDIERR_DEVICEREMOVED);
    expect_found({"UmdIllegalResult"});
  });
}

// --- Batches ---

TEST_F(Device10LifeTest, WhatIsBoundIsUsedByADraw) {
  run_device10([&](Device10& device) {
    Resource* resource = make(device, target());
    device.set_render_targets({{target_view(device, resource)}}, nullptr);
    device.draw(3, 0);
    {
      RuntimeGuard guard(device.runtime.lock);
      EXPECT_TRUE(device.has_pending_commands(*resource));
    }
    device.flush();
    RuntimeGuard guard(device.runtime.lock);
    EXPECT_FALSE(device.has_pending_commands(*resource));
  });
  expect_found({});
}

TEST_F(Device10LifeTest, FindsADeallocationBeforeTheSubmission) {
  umd.on_flush = [&] {
    umd.release_deferred();
    umd.submit();
  };
  run_device10([&](Device10& device) {
    Resource* resource = make(device, target());
    RenderTargetView* view = target_view(device, resource);
    device.set_render_targets({{view}}, nullptr);
    device.draw(3, 0);
    device.set_render_targets({}, nullptr);
    device.destroy_resource(resource);
    device.flush();
    expect_found({"UmdFlushMissing"});
  });
}

TEST_F(Device10LifeTest, SubmittingIsTold) {
  umd.on_flush = [&] {
    auto table = *umd.core_callbacks;
    table.pfnPerformAmortizedProcessingCb = [](D3D10DDI_HRTCORELAYER) {};
    auto* real = std::exchange(umd.core_callbacks, &table);
    umd.flush();
    umd.core_callbacks = real;
  };
  run_device10([&](Device10& device) {
    device.draw(3, 0);
    for (int batch = 0; batch < 4; ++batch) device.flush();
    expect_found({});
    device.flush();
    expect_found({"UmdNotAmortized"});
    device.flush();
    expect_found({});
  });
}

// "Or similar frequency": the page leaves the driver to choose which submissions it tells of.
TEST_F(Device10LifeTest, NotEverySubmissionNeedsToBeTold) {
  int flushes = 0;
  umd.on_flush = [&] {
    auto table = *umd.core_callbacks;
    if (++flushes % 4 != 0) table.pfnPerformAmortizedProcessingCb = [](D3D10DDI_HRTCORELAYER) {};
    auto* real = std::exchange(umd.core_callbacks, &table);
    umd.flush();
    umd.core_callbacks = real;
  };
  run_device10([&](Device10& device) {
    for (int batch = 0; batch < 40; ++batch) {
      device.draw(3, 0);
      device.flush();
    }
    expect_found({});
  });
}

TEST_F(Device10LifeTest, CreatingAndDestroyingSubmitsNothing) {
  run_device10([&](Device10& device) {
    umd.on_destroy = [&](D3D10DDI_HRESOURCE resource) {
      umd.batched = 1;
      umd.submit();
      umd.destroy(resource);
    };
    device.destroy_resource(make(device, texture()));
    expect_found({"UmdFlushInDestroy"});
    umd.on_create_view = [&] {
      umd.batched = 1;
      umd.submit();
    };
    target_view(device, make(device, target()));
    expect_found({"UmdRenderOutsideFlush"});
    // Primaries belong to the immediate context.
    device.destroy_resource(make(device, ResourceDesc10::back_buffer(16, 16, DXGI_FORMAT_B8G8R8A8_UNORM, 0)));
    expect_found({});
  });
}

TEST_F(Device10LifeTest, SharedMemoryIsAllocatedByTheCreation) {
  HANDLE late = nullptr;
  umd.on_create = [&](const auto& args, D3D10DDI_HRESOURCE resource, HANDLE own) {
    umd.create(args, resource, own);
    late = own;
  };
  run_device10([&](Device10& device) {
    make(device, texture().shared());
    umd.on_draw = [&] { EXPECT_EQ(umd.allocate(late), E_INVALIDARG); };
    device.draw(3, 0);
    expect_found({"UmdSharedAllocatedLate"});
  });
}

// --- Destruction put off (UR-25 to UR-28) ---

TEST_F(Device10LifeTest, AFlushDeallocatesWhatWasShared) {
  umd.on_flush = [&] { umd.submit(); };
  run_device10([&](Device10& device) {
    device.destroy_resource(make(device, texture()));
    device.flush();
    expect_found({});  // what is not shared may stall the pipeline
    device.destroy_resource(make(device, texture().shared()));
    device.flush();
    expect_found({"UmdZombieAfterFlush"});
  });
  expect_found({});
}

TEST_F(Device10LifeTest, Direct3D10KnowsNoSuchFlush) {
  speak(D3D10_1_DDI_SUPPORTED);
  umd.on_flush = [&] { umd.submit(); };
  run_device10([&](Device10& device) {
    device.destroy_resource(make(device, texture().shared()));
    device.flush();
  });
  expect_found({});
}

TEST_F(Device10LifeTest, AFlushDoesNotWaitForWhatWasDestroyed) {
  run_device10([&](Device10& device) {
    auto wait = [&] { device.frame()->waited = true; };  // as a callback would note it
    auto release = [&] {
      for (HANDLE each : std::exchange(umd.deferred, {})) umd.deallocate(each);
    };
    umd.on_flush = [&] { wait(); };
    device.flush();
    expect_found({});  // to keep few batches under way
    device.destroy_resource(make(device, texture()));
    umd.on_flush = [&] {
      release();
      wait();
    };
    device.flush();
    expect_found({});
    device.destroy_resource(make(device, texture()));
    umd.on_flush = [&] {
      wait();
      release();
    };
    device.flush();
    expect_found({"UmdFlushWaits"});
  });
}

// The same when the driver releases single allocations. Memory of live resources may be released after any wait.
TEST_F(Device10LifeTest, AFlushDoesNotWaitForAllocationsOfWhatWasDestroyed) {
  run_device10([&](Device10& device) {
    Resource* resource = make(device, texture());
    D3DKMT_HANDLE first = 0, second = 0;
    auto wait_and_release = [&](D3DKMT_HANDLE allocation) {
      device.frame()->waited = true;  // as a callback would note it
      D3DDDICB_DEALLOCATE args{.hResource = nullptr, .NumAllocations = 1, .HandleList = &allocation};
      EXPECT_EQ(umd.callbacks->pfnDeallocateCb(umd.device, &args), S_OK);
    };
    umd.on_flush = [&] {
      umd.allocate(resource->handle, &first);
      umd.allocate(resource->handle, &second);
    };
    device.flush();
    umd.on_flush = [&] { wait_and_release(first); };
    device.flush();
    expect_found({});
    device.destroy_resource(resource);
    umd.on_flush = [&] { wait_and_release(second); };
    device.flush();
    expect_found({"UmdFlushWaits"});
    umd.on_flush = nullptr;
    device.flush();
  });
  expect_found({});
}

TEST_F(Device10LifeTest, APrimaryGoesAtOnce) {
  auto back_buffer = ResourceDesc10::back_buffer(16, 16, DXGI_FORMAT_B8G8R8A8_UNORM, 0);
  run_device10([&](Device10& device) {
    device.destroy_resource(make(device, back_buffer));
    expect_found({});
    EXPECT_EQ(resources_of(device), 0u);
    umd.on_destroy = [&](D3D10DDI_HRESOURCE resource) {
      static_cast<FakeResource10*>(resource.pDrvPrivate)->at_once = false;
      umd.destroy(resource);
    };
    device.destroy_resource(make(device, back_buffer));
    expect_found({"UmdPrimaryDeferred"});
    ResourceDesc10 shared = back_buffer;
    device.destroy_resource(make(device, shared.shared()));
    expect_found({});
    device.flush();
  });
  expect_found({});
}

TEST_F(Device10LifeTest, WhatIsScannedOutIsMarked) {
  umd.on_create = [&](const D3D11DDIARG_CREATERESOURCE& args, D3D10DDI_HRESOURCE resource, HANDLE handle) {
    umd.create(args, resource, handle);
    args.pPrimaryDesc->DriverFlags = 0;
  };
  run_device10([&](Device10& device) {
    make(device, ResourceDesc10::back_buffer(16, 16, DXGI_FORMAT_B8G8R8A8_UNORM, 0));
    expect_found({"UmdPrimaryUnmarked"});
    umd.on_create = nullptr;
    make(device, ResourceDesc10::back_buffer(16, 16, DXGI_FORMAT_B8G8R8A8_UNORM, 0));
  });
  expect_found({});
}

TEST_F(Device10LifeTest, NothingOutlivesTheDevice) {
  umd.on_destroy_device = [] {};
  run_device10([&](Device10& device) { device.destroy_resource(make(device, texture())); });
  expect_found({"UmdZombieAtEnd"});
}

// --- Staging resources (UR-30) ---

TEST_F(Device10LifeTest, ABusyStagingResourceIsDestroyedWhenItIsIdle) {
  for (UINT threading : {UINT{D3D11DDICAPS_FREETHREADED}, 0u}) {
    umd.threading = threading;
    umd.staging_busy = true;
    run_device10([&](Device10& device) {
      Resource* staging = make(device, ResourceDesc10::staging(16, 16, DXGI_FORMAT_R8G8B8A8_UNORM));
      umd.log.clear();
      device.destroy_resource(staging);
      device.flush();
      EXPECT_THAT(umd.log, ::testing::Not(::testing::Contains("DestroyResource")));
      umd.staging_busy = false;
      umd.log.clear();
      device.flush();
      EXPECT_THAT(umd.log, ElementsAre("Flush", "ResourceIsStagingBusy", "DestroyResource"));
    });
    expect_found({});
  }
}

TEST_F(Device10LifeTest, ABusyStagingResourceWaitsNoLongerThanTheDevice) {
  umd.staging_busy = true;
  run_device10([&](Device10& device) {
    device.destroy_resource(make(device, ResourceDesc10::staging(16, 16, DXGI_FORMAT_R8G8B8A8_UNORM)));
    device.flush();
    umd.log.clear();
  });
  EXPECT_THAT(umd.log, ElementsAre("Flush", "ResourceIsStagingBusy", "DestroyResource", "DestroyDevice"));
  expect_found({});
}

TEST_F(Device10LifeTest, ADriverMayDoWithoutTheDelay) {
  umd.threading = 0;
  umd.staging_busy = true;
  umd.on_draw = [&] { umd.core_callbacks->pfnDisableDeferredStagingResourceDestruction(umd.core); };
  run_device10([&](Device10& device) {
    device.draw(3, 0);
    Resource* staging = make(device, ResourceDesc10::staging(16, 16, DXGI_FORMAT_R8G8B8A8_UNORM));
    umd.log.clear();
    device.destroy_resource(staging);
    EXPECT_THAT(umd.log, ElementsAre("DestroyResource"));
  });
  expect_found({});
}

// --- The table (UR-32) ---

TEST_F(Device10LifeTest, AFreeThreadedDriverKeepsItsTable) {
  run_device10([&](Device10& device) {
    umd.table->pfnDraw = [](D3D10DDI_HDEVICE, UINT, UINT) {};
    device.flush();
    expect_found({});
    auto* real = std::exchange(umd.table->pfnCreateResource, [](auto...) {});
    device.flush();
    expect_found({"UmdTableChanged"});
    umd.table->pfnCreateResource = real;
  });
}

TEST_F(Device10LifeTest, AnotherDriverMayChangeIt) {
  umd.threading = 0;
  run_device10([&](Device10& device) {
    umd.table->pfnCheckFormatSupport = [](D3D10DDI_HDEVICE, DXGI_FORMAT, UINT* caps) { *caps = 5; };
    device.flush();
    EXPECT_EQ(device.check_format_support(DXGI_FORMAT_R8G8B8A8_UNORM), 5u);
  });
  expect_found({});
}

// --- Maps ---

TEST_F(Device10LifeTest, MapsThroughTheFunctionOfItsKind) {
  run_device10([&](Device10& device) {
    Resource* vertices = make(device, ResourceDesc10::buffer(64, D3D10_DDI_BIND_VERTEX_BUFFER).dynamic());
    Resource* constants = make(device, ResourceDesc10::buffer(64, D3D10_DDI_BIND_CONSTANT_BUFFER).dynamic());
    Resource* dynamic = make(device, texture().dynamic());
    Resource* staging = make(device, ResourceDesc10::staging(16, 16, DXGI_FORMAT_R8G8B8A8_UNORM));
    Resource* fixed = make(device, texture());
    umd.log.clear();
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    EXPECT_EQ(device.map(vertices, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped), S_OK);
    EXPECT_EQ(device.map(vertices, 0, D3D10_DDI_MAP_WRITE_NOOVERWRITE, 0, &mapped), S_OK);
    EXPECT_EQ(device.map(constants, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped), S_OK);
    EXPECT_EQ(device.map(dynamic, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped), S_OK);
    EXPECT_EQ(device.map(staging, 0, D3D10_DDI_MAP_READ, 0, &mapped), S_OK);
    EXPECT_NE(mapped.pData, nullptr);
    EXPECT_THAT(umd.log,
                ElementsAre("DynamicIABufferMapDiscard", "DynamicIABufferMapNoOverwrite",
                            "DynamicConstantBufferMapDiscard", "DynamicResourceMapDiscard", "StagingResourceMap"));
    EXPECT_EQ(device.map(fixed, 0, D3D10_DDI_MAP_READ, 0, &mapped), E_INVALIDARG);
    EXPECT_EQ(device.map(constants, 0, D3D10_DDI_MAP_WRITE_NOOVERWRITE, 0, &mapped), E_INVALIDARG);
    EXPECT_EQ(device.map(staging, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped), E_INVALIDARG);
  });
  expect_found({});
}

TEST_F(Device10LifeTest, OnlyAMapThatNeedNotWaitIsStillDrawing) {
  umd.on_map = [&](D3D10DDI_MAPPED_SUBRESOURCE&) { umd.set_error(DXGI_DDI_ERR_WASSTILLDRAWING); };
  run_device10([&](Device10& device) {
    Resource* staging = make(device, ResourceDesc10::staging(16, 16, DXGI_FORMAT_R8G8B8A8_UNORM));
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    EXPECT_EQ(device.map(staging, 0, D3D10_DDI_MAP_READ, D3D10_DDI_MAP_FLAG_DONOTWAIT, &mapped),
              DXGI_DDI_ERR_WASSTILLDRAWING);
    EXPECT_FALSE(device.removed());
    expect_found({});
    EXPECT_EQ(device.map(staging, 0, D3D10_DDI_MAP_READ, 0, &mapped), D3DDDIERR_DEVICEREMOVED);
    expect_found({"UmdIllegalResult"});
  });
}

TEST_F(Device10LifeTest, AMapThatNeedNotWaitDoesNot) {
  run_device10([&](Device10& device) {
    umd.on_map = [&](D3D10DDI_MAPPED_SUBRESOURCE&) { note_wait(device); };
    Resource* staging = make(device, ResourceDesc10::staging(16, 16, DXGI_FORMAT_R8G8B8A8_UNORM));
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    EXPECT_EQ(device.map(staging, 0, D3D10_DDI_MAP_READ, 0, &mapped), S_OK);
    expect_found({});
    EXPECT_EQ(device.map(staging, 0, D3D10_DDI_MAP_READ, D3D10_DDI_MAP_FLAG_DONOTWAIT, &mapped), S_OK);
    expect_found({"UmdWaitedUnasked"});
  });
}

TEST_F(Device10LifeTest, AMapWithoutAnErrorGivesMemory) {
  umd.on_map = [&](D3D10DDI_MAPPED_SUBRESOURCE& mapped) { mapped.pData = nullptr; };
  run_device10([&](Device10& device) {
    Resource* dynamic = make(device, texture().dynamic());
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    EXPECT_EQ(device.map(dynamic, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped), E_FAIL);
    expect_found({"UmdIllegalResult"});
  });
}

}  // namespace
}  // namespace umd::testing
