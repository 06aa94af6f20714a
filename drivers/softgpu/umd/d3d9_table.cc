// The table of the Direct3D 9 DDI. What softgpu does not have is refused by a function of its own type.
#include <stddef.h>
#include <string.h>

#include "d3d9_entry.h"

namespace softgpu {
namespace {

template <typename Function>
struct Always;

// A function that does nothing but answer.
template <typename... Arguments>
struct Always<HRESULT(APIENTRY*)(Arguments...)> {
  template <HRESULT kAnswer>
  static HRESULT APIENTRY say(Arguments...) {
    return kAnswer;
  }
};

template <typename Function>
void refuse(Function& slot) {
  slot = Always<Function>::template say<D3DERR_NOTAVAILABLE>;
}

// There is no such object: the driver gave out no handle.
template <typename Function>
void refuse_handle(Function& slot) {
  slot = Always<Function>::template say<E_INVALIDARG>;
}

// Heard, and without effect.
template <typename Function>
void accept(Function& slot) {
  slot = Always<Function>::template say<S_OK>;
}

// --- Functions that say in their arguments that there is nothing ---

HRESULT APIENTRY set_no_shader(HANDLE, HANDLE hShaderHandle) { return hShaderHandle ? E_INVALIDARG : S_OK; }

HRESULT APIENTRY check_direct_flip(HANDLE, const D3DDDIARG_CHECKDIRECTFLIPSUPPORT* pData) {
  const_cast<D3DDDIARG_CHECKDIRECTFLIPSUPPORT*>(pData)->Supported = FALSE;
  return S_OK;
}

HRESULT APIENTRY check_overlay_planes(HANDLE, D3DDDIARG_CHECKMULTIPLANEOVERLAYSUPPORT* pSupport) {
  pSupport->Supported = FALSE;
  return S_OK;
}

HRESULT APIENTRY check_present_duration(HANDLE, D3DDDIARG_CHECKPRESENTDURATIONSUPPORT* pSupport) {
  pSupport->ClosestSmallerDuration = 0;
  pSupport->ClosestLargerDuration = 0;
  return S_OK;
}

VOID APIENTRY check_counter_info(HANDLE, D3DDDIARG_COUNTER_INFO* pCounterInfo) {
  memset(pCounterInfo, 0, sizeof(*pCounterInfo));
}

// --- By subject ---

void fill_state(D3DDDI_DEVICEFUNCS& table) {
  table.pfnSetRenderState = set_render_state;
  accept(table.pfnUpdateWInfo);
  table.pfnValidateDevice = validate_device;
  table.pfnSetTextureStageState = set_texture_stage_state;
  table.pfnSetTexture = set_texture;
  refuse(table.pfnStateSet);
  refuse(table.pfnUpdatePalette);
  refuse(table.pfnSetPalette);
  table.pfnMultiplyTransform = multiply_transform;
  table.pfnSetTransform = set_transform;
  table.pfnSetViewport = set_viewport;
  table.pfnSetZRange = set_z_range;
  table.pfnSetMaterial = set_material;
  table.pfnSetLight = set_light;
  table.pfnCreateLight = create_light;
  table.pfnDestroyLight = destroy_light;
  refuse(table.pfnSetClipPlane);
  table.pfnSetScissorRect = set_scissor_rect;
  table.pfnSetRenderTarget = set_render_target;
  table.pfnSetDepthStencil = set_depth_stencil;
  refuse(table.pfnSetConvolutionKernelMono);
}

// Everything is drawn by fixed functions. There are no shaders, so constants of shaders are ignored.
void fill_shaders(D3DDDI_DEVICEFUNCS& table) {
  table.pfnSetPixelShader = set_no_shader;
  table.pfnSetVertexShaderFunc = set_no_shader;
  accept(table.pfnSetPixelShaderConst);
  accept(table.pfnSetPixelShaderConstI);
  accept(table.pfnSetPixelShaderConstB);
  accept(table.pfnSetVertexShaderConst);
  accept(table.pfnSetVertexShaderConstI);
  accept(table.pfnSetVertexShaderConstB);
  refuse(table.pfnCreatePixelShader);
  refuse_handle(table.pfnDeletePixelShader);
  refuse(table.pfnCreateVertexShaderFunc);
  refuse_handle(table.pfnDeleteVertexShaderFunc);
  table.pfnCreateVertexShaderDecl = create_vertex_decl;
  table.pfnDeleteVertexShaderDecl = delete_vertex_decl;
  table.pfnSetVertexShaderDecl = set_vertex_decl;
  table.pfnSetStreamSource = set_stream_source;
  table.pfnSetStreamSourceUm = set_stream_source_um;
  table.pfnSetStreamSourceFreq = set_stream_source_freq;
  table.pfnSetIndices = set_indices;
  table.pfnSetIndicesUm = set_indices_um;
}

void fill_drawing(D3DDDI_DEVICEFUNCS& table) {
  table.pfnDrawPrimitive = draw_primitive;
  table.pfnDrawIndexedPrimitive = draw_indexed_primitive;
  table.pfnDrawPrimitive2 = draw_primitive2;
  table.pfnDrawIndexedPrimitive2 = draw_indexed_primitive2;
  refuse(table.pfnDrawRectPatch);
  refuse(table.pfnDrawTriPatch);
  table.pfnClear = clear;
  table.pfnColorFill = color_fill;
  table.pfnDepthFill = depth_fill;
  table.pfnBlt = blt;
  table.pfnTexBlt = texture_blt;
  table.pfnTexBlt1 = texture_blt1;
  table.pfnBufBlt = buffer_blt;
  table.pfnBufBlt1 = buffer_blt1;
  refuse(table.pfnVolBlt);
  refuse(table.pfnVolBlt1);
  refuse(table.pfnComposeRects);
  table.pfnUpdateSubresourceUP = update_subresource;
  table.pfnGenerateMipSubLevels = generate_mip_levels;
}

// LockAsync, UnlockAsync and Rename are for drivers that the runtime calls by several threads.
void fill_resources(D3DDDI_DEVICEFUNCS& table) {
  table.pfnCreateResource = create_resource;
  table.pfnCreateResource2 = create_resource2;
  table.pfnOpenResource = open_resource;
  table.pfnDestroyResource = destroy_resource;
  table.pfnResolveSharedResource = resolve_shared_resource;
  table.pfnLock = lock;
  table.pfnUnlock = unlock;
  table.pfnSetPriority = set_priority;
  table.pfnQueryResourceResidency = query_residency;
  table.pfnDiscard = discard;
  table.pfnOfferResources = offer_resources;
  table.pfnReclaimResources = reclaim_resources;
  table.pfnTrimResidencySet = trim_residency_set;
}

void fill_device(D3DDDI_DEVICEFUNCS& table) {
  table.pfnDestroyDevice = destroy_device;
  table.pfnFlush = flush;
  table.pfnFlush1 = flush1;
  table.pfnPresent = present;
  table.pfnPresent1 = present1;
  refuse(table.pfnPresentMultiPlaneOverlay);
  table.pfnCheckMultiPlaneOverlaySupport = check_overlay_planes;
  table.pfnCheckDirectFlipSupport = check_direct_flip;
  table.pfnCheckPresentDurationSupport = check_present_duration;
  refuse(table.pfnSetDisplayMode);
  refuse(table.pfnGetInfo);
  table.pfnCreateQuery = create_query;
  table.pfnDestroyQuery = destroy_query;
  table.pfnIssueQuery = issue_query;
  table.pfnGetQueryData = get_query_data;
  table.pfnCheckCounterInfo = check_counter_info;
  refuse(table.pfnCheckCounter);
  accept(table.pfnSetMarker);
  accept(table.pfnSetMarkerMode);
  refuse(table.pfnGetCaptureAllocationHandle);
  refuse(table.pfnCaptureToSysMem);
}

void fill_video(D3DDDI_DEVICEFUNCS& table) {
  refuse(table.pfnCreateDecodeDevice);
  refuse_handle(table.pfnDestroyDecodeDevice);
  refuse_handle(table.pfnSetDecodeRenderTarget);
  refuse_handle(table.pfnDecodeBeginFrame);
  refuse_handle(table.pfnDecodeEndFrame);
  refuse_handle(table.pfnDecodeExecute);
  refuse_handle(table.pfnDecodeExtensionExecute);
  refuse(table.pfnCreateVideoProcessDevice);
  refuse_handle(table.pfnDestroyVideoProcessDevice);
  refuse_handle(table.pfnVideoProcessBeginFrame);
  refuse_handle(table.pfnVideoProcessEndFrame);
  refuse_handle(table.pfnSetVideoProcessRenderTarget);
  refuse_handle(table.pfnVideoProcessBlt);
  refuse(table.pfnCreateExtensionDevice);
  refuse_handle(table.pfnDestroyExtensionDevice);
  refuse_handle(table.pfnExtensionExecute);
  refuse(table.pfnCreateOverlay);
  refuse_handle(table.pfnUpdateOverlay);
  refuse_handle(table.pfnFlipOverlay);
  refuse_handle(table.pfnGetOverlayColorControls);
  refuse_handle(table.pfnSetOverlayColorControls);
  refuse_handle(table.pfnDestroyOverlay);
  refuse(table.pfnCreateVideoProcessor);
  refuse_handle(table.pfnSetVideoProcessBltState);
  refuse_handle(table.pfnGetVideoProcessBltStatePrivate);
  refuse_handle(table.pfnSetVideoProcessStreamState);
  refuse_handle(table.pfnGetVideoProcessStreamStatePrivate);
  refuse_handle(table.pfnVideoProcessBltHD);
  refuse_handle(table.pfnDestroyVideoProcessor);
}

void fill_protection(D3DDDI_DEVICEFUNCS& table) {
  refuse(table.pfnCreateAuthenticatedChannel);
  refuse_handle(table.pfnAuthenticatedChannelKeyExchange);
  refuse_handle(table.pfnQueryAuthenticatedChannel);
  refuse_handle(table.pfnConfigureAuthenticatedChannel);
  refuse_handle(table.pfnDestroyAuthenticatedChannel);
  refuse(table.pfnCreateCryptoSession);
  refuse_handle(table.pfnCryptoSessionKeyExchange);
  refuse_handle(table.pfnDestroyCryptoSession);
  refuse_handle(table.pfnEncryptionBlt);
  refuse_handle(table.pfnGetPitch);
  refuse_handle(table.pfnStartSessionKeyRefresh);
  refuse_handle(table.pfnFinishSessionKeyRefresh);
  refuse_handle(table.pfnGetEncryptionBltKey);
  refuse_handle(table.pfnDecryptionBlt);
}

// The runtime's table ends where its version does.
size_t table_bytes(UINT version) {
  if (version >= D3D_UMD_INTERFACE_VERSION_WDDM2_0) return offsetof(D3DDDI_DEVICEFUNCS, pfnAcquireResource);
  if (version >= D3D_UMD_INTERFACE_VERSION_WDDM1_3) return offsetof(D3DDDI_DEVICEFUNCS, pfnTrimResidencySet);
  if (version >= D3D_UMD_INTERFACE_VERSION_WIN8) return offsetof(D3DDDI_DEVICEFUNCS, pfnReserved1);
  if (version >= D3D_UMD_INTERFACE_VERSION_WIN7) return offsetof(D3DDDI_DEVICEFUNCS, pfnVolBlt1);
  return offsetof(D3DDDI_DEVICEFUNCS, pfnCreateVideoProcessor);
}

}  // namespace

void fill_device_functions(UINT version, D3DDDI_DEVICEFUNCS* functions) {
  D3DDDI_DEVICEFUNCS table = {};
  fill_state(table);
  fill_shaders(table);
  fill_drawing(table);
  fill_resources(table);
  fill_device(table);
  fill_video(table);
  fill_protection(table);
  memcpy(functions, &table, table_bytes(version));
}

}  // namespace softgpu
