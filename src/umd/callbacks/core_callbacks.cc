#include "umd/callbacks/core_callbacks.h"

#include <fmt/format.h>

#include "nt/boundary/kernel_code.h"

namespace umd {
namespace {

// The device's handle under another mark, which the runtime's other callbacks do not accept. No canonical address has
// it either.
constexpr uint64_t kOtherMark = uint64_t{0x03} << 56;

void* with_other_mark(void* handle) { return reinterpret_cast<void*>(reinterpret_cast<uint64_t>(handle) ^ kOtherMark); }

// Only devices of Direct3D 10 and 11 have a core layer.
Device10* find_device(D3D10DDI_HRTCORELAYER core, const char* callback) {
  Runtime& runtime = Runtime::current();
  Handles::Found found, as_it_is;
  {
    RuntimeGuard guard(runtime.lock);
    found = runtime.handles.find(with_other_mark(core.handle));
    as_it_is = runtime.handles.find(core.handle);
  }
  if (found.live && found.kind == HandleKind::Device) return static_cast<Device10*>(found.object);
  runtime.machine().report_violation(nt::Violation::UmdWrongHandle,
                                     fmt::format("{}: {} was called with {} and not with that of a core layer",
                                                 runtime.driver_name(), callback, to_string(as_it_is.kind)));
  return nullptr;
}

// --- Asking to be told again ---

struct Refresh {
  State10 what;
  ShaderStage stage = ShaderStage::Vertex;
};

void refresh(D3D10DDI_HRTCORELAYER core, const Refresh& which, UINT first, UINT count) {
  nt::KernelCode code;
  Device10* device = find_device(core, "a state-refresh callback");
  if (!device) return;
  if (!device->frame()) {
    device->report_violation(nt::Violation::UmdWrongThread,
                             "a state-refresh callback was called on a thread that is in no function of the device");
    return;
  }
  device->refresh(which.what, which.stage, first, count);
}

template <State10 what, ShaderStage stage = ShaderStage::Vertex>
void APIENTRY refresh_all(D3D10DDI_HRTCORELAYER core) {
  refresh(core, {what, stage}, 0, ~0u);
}

template <State10 what, ShaderStage stage = ShaderStage::Vertex>
void APIENTRY refresh_range(D3D10DDI_HRTCORELAYER core, UINT first, UINT count) {
  refresh(core, {what, stage}, first, count);
}

// Of parts of the pipeline in which the runtime never binds anything.
void APIENTRY nothing_to_refresh(D3D10DDI_HRTCORELAYER core) {
  nt::KernelCode code;
  find_device(core, "a state-refresh callback");
}

void APIENTRY no_range_to_refresh(D3D10DDI_HRTCORELAYER core, UINT, UINT) { nothing_to_refresh(core); }

// --- Everything else ---

void APIENTRY set_error(D3D10DDI_HRTCORELAYER core, HRESULT error) {
  nt::KernelCode code;
  if (Device10* device = find_device(core, "pfnSetErrorCb")) device->report_error(error);
}

void APIENTRY disable_deferred_staging_destruction(D3D10DDI_HRTCORELAYER core) {
  nt::KernelCode code;
  if (Device10* device = find_device(core, "pfnDisableDeferredStagingResourceDestruction")) {
    device->disable_deferred_staging_destruction();
  }
}

void APIENTRY perform_amortized_processing(D3D10DDI_HRTCORELAYER core) {
  nt::KernelCode code;
  Device10* device = find_device(core, "pfnPerformAmortizedProcessingCb");
  if (!device) return;
  if (!device->frame()) {
    device->report_violation(
        nt::Violation::UmdWrongThread,
        "pfnPerformAmortizedProcessingCb was called on a thread that is in no function of the device");
    return;
  }
  device->amortized_processing_done();
}

void fill_of_stages(D3D11DDI_CORELAYER_DEVICECALLBACKS& table) {
  table.pfnStateVsConstBufCb = &refresh_range<State10::ConstantBuffers, ShaderStage::Vertex>;
  table.pfnStateGsConstBufCb = &refresh_range<State10::ConstantBuffers, ShaderStage::Geometry>;
  table.pfnStatePsConstBufCb = &refresh_range<State10::ConstantBuffers, ShaderStage::Pixel>;
  table.pfnStateVsSrvCb = &refresh_range<State10::ShaderResources, ShaderStage::Vertex>;
  table.pfnStateGsSrvCb = &refresh_range<State10::ShaderResources, ShaderStage::Geometry>;
  table.pfnStatePsSrvCb = &refresh_range<State10::ShaderResources, ShaderStage::Pixel>;
  table.pfnStateVsSamplerCb = &refresh_range<State10::Samplers, ShaderStage::Vertex>;
  table.pfnStateGsSamplerCb = &refresh_range<State10::Samplers, ShaderStage::Geometry>;
  table.pfnStatePsSamplerCb = &refresh_range<State10::Samplers, ShaderStage::Pixel>;
  table.pfnStateVsShaderCb = &refresh_all<State10::Shaders, ShaderStage::Vertex>;
  table.pfnStateGsShaderCb = &refresh_all<State10::Shaders, ShaderStage::Geometry>;
  table.pfnStatePsShaderCb = &refresh_all<State10::Shaders, ShaderStage::Pixel>;
}

void fill_of_pipeline(D3D11DDI_CORELAYER_DEVICECALLBACKS& table) {
  table.pfnStateIaInputLayoutCb = &refresh_all<State10::InputLayout>;
  table.pfnStateIaVertexBufCb = &refresh_range<State10::VertexBuffers>;
  table.pfnStateIaIndexBufCb = &refresh_all<State10::IndexBuffer>;
  table.pfnStateIaPrimitiveTopologyCb = &refresh_all<State10::Topology>;
  table.pfnStateOmRenderTargetsCb = &refresh_all<State10::RenderTargets>;
  table.pfnStateOmBlendStateCb = &refresh_all<State10::Blend>;
  table.pfnStateOmDepthStateCb = &refresh_all<State10::DepthStencil>;
  table.pfnStateRsRastStateCb = &refresh_all<State10::Rasterizer>;
  table.pfnStateRsViewportsCb = &refresh_all<State10::Viewports>;
  table.pfnStateRsScissorCb = &refresh_all<State10::Scissors>;
}

void fill_of_nothing(D3D11DDI_CORELAYER_DEVICECALLBACKS& table) {
  for (auto* slot : {&table.pfnStateSoTargetsCb, &table.pfnStateTextFilterSizeCb, &table.pfnStateHsShaderCb,
                     &table.pfnStateDsShaderCb, &table.pfnStateCsShaderCb}) {
    *slot = &nothing_to_refresh;
  }
  for (auto* slot :
       {&table.pfnStateHsSrvCb, &table.pfnStateHsSamplerCb, &table.pfnStateHsConstBufCb, &table.pfnStateDsSrvCb,
        &table.pfnStateDsSamplerCb, &table.pfnStateDsConstBufCb, &table.pfnStateCsSrvCb, &table.pfnStateCsUavCb,
        &table.pfnStateCsSamplerCb, &table.pfnStateCsConstBufCb}) {
    *slot = &no_range_to_refresh;
  }
}

D3D11DDI_CORELAYER_DEVICECALLBACKS make_table() {
  D3D11DDI_CORELAYER_DEVICECALLBACKS table{};
  table.pfnSetErrorCb = &set_error;
  table.pfnDisableDeferredStagingResourceDestruction = &disable_deferred_staging_destruction;
  table.pfnPerformAmortizedProcessingCb = &perform_amortized_processing;
  fill_of_stages(table);
  fill_of_pipeline(table);
  fill_of_nothing(table);
  return table;
}

}  // namespace

D3D10DDI_HRTCORELAYER core_layer_of(const Device& device) { return {with_other_mark(device.handle())}; }

const D3D11DDI_CORELAYER_DEVICECALLBACKS& core_callbacks() {
  static const D3D11DDI_CORELAYER_DEVICECALLBACKS table = make_table();
  return table;
}

}  // namespace umd
