#include "umd/testing/device10_fixture.h"

namespace umd::testing {
namespace {

class Device10StateTest : public Device10Test {
 protected:
  Device10StateTest() { umd.threading = 0; }

  static ShaderResourceView* view_of(Device10& device, Resource* resource) {
    ShaderResourceView* view = nullptr;
    EXPECT_EQ(device.create_shader_resource_view(resource, &view), S_OK);
    return view;
  }
};

TEST_F(Device10StateTest, TargetsBeforeAreUnboundByFewer) {
  run_device10([&](Device10& device) {
    RenderTargetView* one = target_view(device, make(device, target()));
    RenderTargetView* two = target_view(device, make(device, target()));
    umd.log.clear();
    device.set_render_targets({{one, two}}, nullptr);
    device.set_render_targets({{one}}, nullptr);
    device.set_render_targets({}, nullptr);
    EXPECT_THAT(umd.log,
                ElementsAre("SetRenderTargets(xx, -0, 0)", "SetRenderTargets(x, -1, 0)", "SetRenderTargets(, -1, 0)"));
  });
}

// The numbers on the page of SetViewports.
TEST_F(Device10StateTest, ViewportsBeforeAreCleared) {
  run_device10([&](Device10& device) {
    std::vector<D3D10_DDI_VIEWPORT> viewports(4);
    umd.log.clear();
    device.set_viewports({viewports.data(), 2});
    device.set_viewports({viewports.data(), 4});
    device.set_viewports({viewports.data(), 1});
    EXPECT_THAT(umd.log, ElementsAre("SetViewports(2, -0)", "SetViewports(4, -0)", "SetViewports(1, -3)"));
  });
}

TEST_F(Device10StateTest, WhatIsBoundIsUnboundFirst) {
  run_device10([&](Device10& device) {
    Resource* textured = make(device, texture());
    ShaderResourceView* view = view_of(device, textured);
    Resource* buffer =
        make(device, ResourceDesc10::buffer(64, D3D10_DDI_BIND_VERTEX_BUFFER | D3D10_DDI_BIND_CONSTANT_BUFFER));
    Sampler* sampler;
    device.create_sampler({}, &sampler);
    device.set_shader_resources(ShaderStage::Pixel, 1, {{view}});
    device.set_vertex_buffers(0, {{VertexBuffer{buffer, 16, 0}, VertexBuffer{buffer, 16, 32}}});
    device.set_constant_buffers(ShaderStage::Vertex, 2, {{buffer}});
    device.set_samplers(ShaderStage::Pixel, 0, {{sampler}});
    umd.log.clear();
    device.destroy_resource(textured);
    EXPECT_THAT(umd.log, ElementsAre("PsSetShaderResources(0: 00)", "DestroyShaderResourceView", "DestroyResource"));
    umd.log.clear();
    device.destroy_resource(buffer);
    EXPECT_THAT(umd.log, ElementsAre("IaSetVertexBuffers(0: 00)", "VsSetConstantBuffers(0: 000)", "DestroyResource"));
    umd.log.clear();
    device.destroy_child(sampler);
    EXPECT_THAT(umd.log, ElementsAre("PsSetSamplers(0: 0)", "DestroySampler"));
  });
  expect_found({});
}

TEST_F(Device10StateTest, WhatIsNotBoundIsNotUnbound) {
  run_device10([&](Device10& device) {
    Resource* textured = make(device, texture());
    ShaderResourceView* view = view_of(device, textured);
    device.set_shader_resources(ShaderStage::Pixel, 0, {{view}});
    device.set_shader_resources(ShaderStage::Pixel, 0, {{nullptr}});
    umd.log.clear();
    device.destroy_child(view);
    device.destroy_resource(textured);
    EXPECT_THAT(umd.log, ElementsAre("DestroyShaderResourceView", "DestroyResource"));
  });
}

TEST_F(Device10StateTest, AFreeThreadedDestructionLeavesTheImmediateContextAlone) {
  umd.threading = D3D11DDICAPS_FREETHREADED;
  run_device10([&](Device10& device) {
    Resource* resource = make(device, target());
    RenderTargetView* view = target_view(device, resource);
    device.set_render_targets({{view}}, nullptr);
    umd.log.clear();
    on_other_thread([&] {
      device.destroy_child(view);
      device.destroy_resource(resource);
    });
    EXPECT_THAT(umd.log, IsEmpty());
    device.set_topology(D3D10_DDI_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
    EXPECT_THAT(umd.log, ElementsAre("SetRenderTargets(, -1, 0)", "DestroyRenderTargetView", "DestroyResource"));
  });
  expect_found({});
}

TEST_F(Device10StateTest, WhatWaitsForTheImmediateContextIsDestroyedOnce) {
  umd.threading = D3D11DDICAPS_FREETHREADED;
  run_device10([&](Device10& device) {
    Resource* first = make(device, target());
    device.set_render_targets({{target_view(device, first)}}, nullptr);
    Resource* second = make(device, texture());
    ShaderResourceView* view = view_of(device, second);
    device.set_shader_resources(ShaderStage::Pixel, 0, {{view}});
    // Another thread releases the view while it is bound, in the middle of the command that unbinds it.
    umd.on_destroy = [&](D3D10DDI_HRESOURCE resource) {
      umd.destroy(resource);
      if (view) device.destroy_child(std::exchange(view, nullptr));
    };
    device.destroy_resource(first);
    device.set_shader_resources(ShaderStage::Pixel, 0, {{nullptr}});
    umd.log.clear();
    device.destroy_resource(second);
    EXPECT_THAT(umd.log, IsEmpty()) << "its view waits";
    device.set_topology(D3D10_DDI_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
    EXPECT_THAT(umd.log, ElementsAre("DestroyShaderResourceView", "DestroyResource"));
  });
  expect_found({});
}

TEST_F(Device10StateTest, OtherThreadsCreateAndDestroyWhileTheProgramDraws) {
  umd.threading = D3D11DDICAPS_FREETHREADED;
  run_device10([&](Device10& device) {
    int running = 3;
    for (int thread = 0; thread < 3; ++thread) {
      machine().create_thread("worker", [&] {
        for (int i = 0; i < 20; ++i) {
          Resource* resource = make(device, target());
          target_view(device, resource);
          machine().executor().yield(base::Point::Yield);
          device.destroy_resource(resource);
        }
        --running;
      });
    }
    while (running) {
      device.draw(3, 0);
      device.flush();
      machine().executor().yield(base::Point::Yield);
    }
  });
  expect_found({});
}

TEST_F(Device10StateTest, TheDriverAsksToBeToldAgain) {
  run_device10([&](Device10& device) {
    Resource* textured = make(device, texture());
    ShaderResourceView* view = view_of(device, textured);
    device.set_shader_resources(ShaderStage::Pixel, 0, {{view, nullptr, view}});
    RenderTargetView* target_of = target_view(device, make(device, target()));
    device.set_render_targets({{target_of}}, nullptr);
    umd.on_draw = [&] {
      umd.draw();
      umd.core_callbacks->pfnStatePsSrvCb(umd.core, 1, 2);
      umd.core_callbacks->pfnStatePsSrvCb(umd.core, 2, 100);
      umd.core_callbacks->pfnStateOmRenderTargetsCb(umd.core);
      umd.core_callbacks->pfnStateHsSrvCb(umd.core, 0, 1);
    };
    umd.log.clear();
    device.draw(3, 0);
    EXPECT_THAT(umd.log, ElementsAre("Draw", "PsSetShaderResources(1: 0x)", "PsSetShaderResources(2: x)",
                                     "SetRenderTargets(x, -0, 0)"));
  });
  expect_found({});
}

}  // namespace
}  // namespace umd::testing
