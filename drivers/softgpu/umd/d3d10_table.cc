// The tables of the Direct3D 10 and 11 DDI. That of Direct3D 11 begins with the slots of the older one, a few of which
// have another type. What softgpu does not have is in functions of the slot's own type that do nothing but report it,
// where an error may be reported.
#include "d3d10_entry.h"
#include "d3d10_format.h"

namespace softgpu::d3d10 {
namespace {

template <typename Function>
struct Small;

template <typename... Arguments>
struct Small<void(APIENTRY*)(D3D10DDI_HDEVICE, Arguments...)> {
  static void APIENTRY ignore(D3D10DDI_HDEVICE, Arguments...) {}
  static void APIENTRY refuse(D3D10DDI_HDEVICE hDevice, Arguments...) {
    device_of(hDevice).report(E_OUTOFMEMORY, Legal::Memory);
  }
};

template <typename... Arguments>
struct Small<HRESULT(APIENTRY*)(D3D10DDI_HDEVICE, Arguments...)> {
  static HRESULT APIENTRY refuse(D3D10DDI_HDEVICE, Arguments...) { return E_OUTOFMEMORY; }
};

template <typename... Arguments>
struct Small<SIZE_T(APIENTRY*)(D3D10DDI_HDEVICE, Arguments...)> {
  template <typename T>
  static SIZE_T APIENTRY size_of(D3D10DDI_HDEVICE, Arguments...) {
    return sizeof(T);
  }
};

// Heard, and without effect.
template <typename... Functions>
void ignore(Functions&... slots) {
  ((slots = Small<Functions>::ignore), ...);
}

// A creation: that there is no memory for it is all that may be said.
template <typename... Functions>
void refuse(Functions&... slots) {
  ((slots = Small<Functions>::refuse), ...);
}

// The runtime's memory holds a T.
template <typename T, typename... Functions>
void size_of(Functions&... slots) {
  ((slots = Small<Functions>::template size_of<T>), ...);
}

template <typename Function, typename... Functions>
void all_are(Function function, Functions&... slots) {
  ((slots = function), ...);
}

// --- What can be asked ---

void APIENTRY check_format_support(D3D10DDI_HDEVICE, DXGI_FORMAT Format, UINT* pFormatCaps) {
  switch (find_format(Format).use) {
    case FormatUse::Target:
      *pFormatCaps = D3D10_DDI_FORMAT_SUPPORT_SHADER_SAMPLE | D3D10_DDI_FORMAT_SUPPORT_RENDERTARGET |
                     D3D10_DDI_FORMAT_SUPPORT_BLENDABLE;
      break;
    case FormatUse::Texture:
      *pFormatCaps = D3D10_DDI_FORMAT_SUPPORT_SHADER_SAMPLE;
      break;
    default:
      *pFormatCaps = 0;
  }
}

void APIENTRY check_multisample_levels(D3D10DDI_HDEVICE, DXGI_FORMAT, UINT SampleCount, UINT* pNumQualityLevels) {
  *pNumQualityLevels = SampleCount == 1 ? 1 : 0;
}

void APIENTRY check_counter_info(D3D10DDI_HDEVICE, D3D10DDI_COUNTER_INFO* pCounterInfo) { *pCounterInfo = {}; }

// Only counters that the runtime defines may be unsupported; others are not there.
void APIENTRY check_counter(D3D10DDI_HDEVICE hDevice, D3D10DDI_QUERY Query, D3D10DDI_COUNTER_TYPE*, UINT*, LPSTR, UINT*,
                            LPSTR, UINT*, LPSTR, UINT*) {
  device_of(hDevice).report(Query < D3D10DDI_COUNTER_DEVICE_DEPENDENT_0 ? DXGI_DDI_ERR_UNSUPPORTED : E_INVALIDARG,
                            Legal::Counter);
}

void APIENTRY check_no_handle_sizes(D3D10DDI_HDEVICE, UINT* pHSizes, D3D11DDI_HANDLESIZE*) { *pHSizes = 0; }

// --- What every version has ---

template <typename Table>
void fill_resources(Table& table) {
  size_of<ResourceHandle>(table.pfnCalcPrivateResourceSize);
  table.pfnCalcPrivateOpenedResourceSize = calc_opened_resource_size;
  table.pfnCreateResource = create_resource;
  table.pfnOpenResource = open_resource;
  table.pfnDestroyResource = destroy_resource;
  all_are(map, table.pfnResourceMap, table.pfnStagingResourceMap, table.pfnDynamicResourceMapDiscard,
          table.pfnDynamicIABufferMapDiscard, table.pfnDynamicIABufferMapNoOverwrite,
          table.pfnDynamicConstantBufferMapDiscard);
  all_are(unmap, table.pfnResourceUnmap, table.pfnStagingResourceUnmap, table.pfnDynamicResourceUnmap,
          table.pfnDynamicIABufferUnmap, table.pfnDynamicConstantBufferUnmap);
  table.pfnResourceIsStagingBusy = is_staging_busy;
  table.pfnResourceUpdateSubresourceUP = update_subresource;
  table.pfnDefaultConstantBufferUpdateSubresourceUP = update_subresource;
  table.pfnResourceCopy = copy_resource;
  table.pfnResourceCopyRegion = copy_region;
  table.pfnResourceResolveSubresource = resolve_subresource;
  table.pfnGenMips = generate_mips;
  // Commands run in order.
  ignore(table.pfnShaderResourceViewReadAfterWriteHazard, table.pfnResourceReadAfterWriteHazard);
}

template <typename Table>
void fill_views(Table& table) {
  size_of<View>(table.pfnCalcPrivateRenderTargetViewSize, table.pfnCalcPrivateDepthStencilViewSize,
                table.pfnCalcPrivateShaderResourceViewSize);
  table.pfnCreateRenderTargetView = create_render_target_view;
  table.pfnCreateDepthStencilView = create_depth_stencil_view;
  table.pfnCreateShaderResourceView = create_shader_resource_view;
  ignore(table.pfnDestroyRenderTargetView, table.pfnDestroyDepthStencilView, table.pfnDestroyShaderResourceView);
  table.pfnClearRenderTargetView = clear_render_target;
  table.pfnClearDepthStencilView = clear_depth_stencil;
}

template <typename Table>
void fill_state_objects(Table& table) {
  size_of<Layout>(table.pfnCalcPrivateElementLayoutSize);
  size_of<BlendState>(table.pfnCalcPrivateBlendStateSize);
  size_of<DepthState>(table.pfnCalcPrivateDepthStencilStateSize);
  size_of<RasterizerState>(table.pfnCalcPrivateRasterizerStateSize);
  size_of<Sampler>(table.pfnCalcPrivateSamplerSize);
  table.pfnCreateElementLayout = create_layout;
  table.pfnCreateDepthStencilState = create_depth_state;
  table.pfnCreateRasterizerState = create_rasterizer_state;
  table.pfnCreateSampler = create_sampler;
  ignore(table.pfnDestroyElementLayout, table.pfnDestroyBlendState, table.pfnDestroyDepthStencilState,
         table.pfnDestroyRasterizerState, table.pfnDestroySampler);
}

template <typename Table>
void fill_shaders(Table& table) {
  size_of<Shader>(table.pfnCalcPrivateShaderSize, table.pfnCalcPrivateGeometryShaderWithStreamOutput);
  table.pfnCreateVertexShader = create_shader;
  table.pfnCreatePixelShader = create_shader;
  refuse(table.pfnCreateGeometryShader, table.pfnCreateGeometryShaderWithStreamOutput);
  ignore(table.pfnDestroyShader);
}

template <typename Table>
void fill_bindings(Table& table) {
  table.pfnVsSetShader = set_vertex_shader;
  table.pfnPsSetShader = set_pixel_shader;
  table.pfnVsSetConstantBuffers = set_vertex_constants;
  table.pfnPsSetShaderResources = set_pixel_textures;
  table.pfnPsSetSamplers = set_pixel_samplers;
  // No program reads these.
  ignore(table.pfnPsSetConstantBuffers, table.pfnVsSetShaderResources, table.pfnVsSetSamplers, table.pfnGsSetShader,
         table.pfnGsSetConstantBuffers, table.pfnGsSetShaderResources, table.pfnGsSetSamplers, table.pfnSoSetTargets,
         table.pfnSetTextFilterSize);
  table.pfnIaSetInputLayout = set_layout;
  table.pfnIaSetVertexBuffers = set_vertex_buffers;
  table.pfnIaSetIndexBuffer = set_index_buffer;
  table.pfnIaSetTopology = set_topology;
  table.pfnSetBlendState = set_blend_state;
  table.pfnSetDepthStencilState = set_depth_state;
  table.pfnSetRasterizerState = set_rasterizer_state;
  table.pfnSetViewports = set_viewports;
  table.pfnSetScissorRects = set_scissors;
}

template <typename Table>
void fill_rest(Table& table) {
  table.pfnDraw = draw;
  table.pfnDrawIndexed = draw_indexed;
  table.pfnDrawInstanced = draw_instanced;
  table.pfnDrawIndexedInstanced = draw_indexed_instanced;
  table.pfnFlush = flush;
  table.pfnCalcPrivateQuerySize = calc_query_size;
  table.pfnCreateQuery = create_query;
  table.pfnDestroyQuery = destroy_query;
  table.pfnQueryEnd = end_query;
  table.pfnQueryGetData = get_query_data;
  table.pfnCheckFormatSupport = check_format_support;
  table.pfnCheckMultisampleQualityLevels = check_multisample_levels;
  table.pfnCheckCounterInfo = check_counter_info;
  table.pfnCheckCounter = check_counter;
  table.pfnDestroyDevice = destroy_device;
  // Nothing comes out of streams, there are no predicates, queries have no beginning, and no pointer to the table is
  // kept.
  ignore(table.pfnDrawAuto, table.pfnSetPredication, table.pfnQueryBegin, table.pfnRelocateDeviceFuncs);
}

template <typename Table>
void fill_common(Table& table) {
  fill_resources(table);
  fill_views(table);
  fill_state_objects(table);
  fill_shaders(table);
  fill_bindings(table);
  fill_rest(table);
}

// --- What Direct3D 11 adds: pipelines and contexts that softgpu says it does not have ---

void fill_pipeline11(D3D11DDI_DEVICEFUNCS& table) {
  ignore(table.pfnHsSetShaderResources, table.pfnHsSetShader, table.pfnHsSetSamplers, table.pfnHsSetConstantBuffers,
         table.pfnDsSetShaderResources, table.pfnDsSetShader, table.pfnDsSetSamplers, table.pfnDsSetConstantBuffers,
         table.pfnCsSetShaderResources, table.pfnCsSetShader, table.pfnCsSetSamplers, table.pfnCsSetConstantBuffers,
         table.pfnPsSetShaderWithIfaces, table.pfnVsSetShaderWithIfaces, table.pfnGsSetShaderWithIfaces,
         table.pfnHsSetShaderWithIfaces, table.pfnDsSetShaderWithIfaces, table.pfnCsSetShaderWithIfaces,
         table.pfnCsSetUnorderedAccessViews, table.pfnDestroyUnorderedAccessView, table.pfnClearUnorderedAccessViewUint,
         table.pfnClearUnorderedAccessViewFloat, table.pfnDispatch, table.pfnDispatchIndirect,
         table.pfnDrawIndexedInstancedIndirect, table.pfnDrawInstancedIndirect, table.pfnSetResourceMinLOD,
         table.pfnCopyStructureCount);
  refuse(table.pfnCreateHullShader, table.pfnCreateDomainShader, table.pfnCreateComputeShader,
         table.pfnCreateUnorderedAccessView);
  size_of<Shader>(table.pfnCalcPrivateTessellationShaderSize);
  size_of<View>(table.pfnCalcPrivateUnorderedAccessViewSize);
}

void fill_command_lists(D3D11DDI_DEVICEFUNCS& table) {
  table.pfnCheckDeferredContextHandleSizes = check_no_handle_sizes;
  size_of<void*>(table.pfnCalcDeferredContextHandleSize, table.pfnCalcPrivateDeferredContextSize,
                 table.pfnCalcPrivateCommandListSize);
  refuse(table.pfnCreateDeferredContext, table.pfnCreateCommandList, table.pfnRecycleCreateCommandList,
         table.pfnRecycleCreateDeferredContext);
  ignore(table.pfnCommandListExecute, table.pfnAbandonCommandList, table.pfnDestroyCommandList,
         table.pfnRecycleCommandList, table.pfnRecycleDestroyCommandList);
}

}  // namespace

void fill_device_functions(const D3D10DDIARG_CREATEDEVICE& args) {
  if (args.Interface < D3D11_0_DDI_INTERFACE_VERSION) {
    D3D10DDI_DEVICEFUNCS& table = *args.pDeviceFuncs;
    fill_common(table);
    table.pfnCreateBlendState = create_blend_state;
    table.pfnSetRenderTargets = set_render_targets;
    return;
  }
  D3D11DDI_DEVICEFUNCS& table = *args.p11DeviceFuncs;
  fill_common(table);
  table.pfnCreateBlendState = create_blend_state1;
  table.pfnSetRenderTargets = set_render_targets11;
  table.pfnResourceConvert = copy_resource;
  table.pfnResourceConvertRegion = copy_region;
  fill_pipeline11(table);
  fill_command_lists(table);
}

}  // namespace softgpu::d3d10
