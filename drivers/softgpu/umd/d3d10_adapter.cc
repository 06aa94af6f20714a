// Where the Direct3D 10 and 11 runtimes come in: OpenAdapter10, OpenAdapter10_2, versions and capabilities.
#include <string.h>

#include "d3d10_entry.h"

namespace softgpu::d3d10 {
namespace {

constexpr UINT64 kVersions[] = {D3D10_0_DDI_SUPPORTED, D3D11_0_DDI_SUPPORTED, D3D11_0_7_DDI_SUPPORTED};
constexpr UINT32 kVersionCount = sizeof(kVersions) / sizeof(kVersions[0]);

// The version of the DDI does not say how many of the kernel's callbacks there are. Where there are GPU virtual
// addresses there is WDDM 2.0.
UINT callbacks_version(const Adapter& adapter) {
  return adapter.virtual_addressing() ? D3D_UMD_INTERFACE_VERSION_WDDM2_0 : D3D_UMD_INTERFACE_VERSION_VISTA;
}

HRESULT APIENTRY close_adapter(D3D10DDI_HADAPTER hAdapter) {
  delete static_cast<Adapter*>(hAdapter.pDrvPrivate);
  return S_OK;
}

// Without an array, how many there are.
HRESULT APIENTRY get_supported_versions(D3D10DDI_HADAPTER, UINT32* puEntries, UINT64* pSupportedDDIInterfaceVersions) {
  UINT32 room = pSupportedDDIInterfaceVersions ? *puEntries : kVersionCount;
  *puEntries = room < kVersionCount ? room : kVersionCount;
  if (pSupportedDDIInterfaceVersions) {
    memcpy(pSupportedDDIInterfaceVersions, kVersions, *puEntries * sizeof(kVersions[0]));
  }
  return S_OK;
}

// Everything that can be asked is a structure of flags, most of which are of what softgpu does not have.
HRESULT APIENTRY get_caps(D3D10DDI_HADAPTER, const D3D10_2DDIARG_GETCAPS* pData) {
  memset(pData->pData, 0, pData->DataSize);
  UINT flags = 0;
  if (pData->Type == D3D11DDICAPS_THREADING) flags = D3D11DDICAPS_FREETHREADED;
  if (pData->Type == D3D11DDICAPS_3DPIPELINESUPPORT) {
    flags = D3D11DDI_ENCODE_3DPIPELINESUPPORT_CAP(D3D11DDI_3DPIPELINELEVEL_10_0);
  }
  if (flags && pData->DataSize >= sizeof(flags)) memcpy(pData->pData, &flags, sizeof(flags));
  return S_OK;
}

HRESULT open(D3D10DDIARG_OPENADAPTER& args) {
  HRESULT result = S_OK;
  Adapter* adapter = open_adapter(args.hRTAdapter.handle, *args.pAdapterCallbacks, 0, &result);
  if (!adapter) return result;
  adapter->version = callbacks_version(*adapter);
  args.pAdapterFuncs->pfnCalcPrivateDeviceSize = calc_device_size;
  args.pAdapterFuncs->pfnCreateDevice = create_device;
  args.pAdapterFuncs->pfnCloseAdapter = close_adapter;
  args.hAdapter.pDrvPrivate = adapter;
  return S_OK;
}

}  // namespace
}  // namespace softgpu::d3d10

extern "C" HRESULT APIENTRY OpenAdapter10(D3D10DDIARG_OPENADAPTER* pOpenData) {
  if (pOpenData->Interface != D3D10_0_DDI_INTERFACE_VERSION) return E_NOINTERFACE;
  return softgpu::d3d10::open(*pOpenData);
}

extern "C" HRESULT APIENTRY OpenAdapter10_2(D3D10DDIARG_OPENADAPTER* pOpenData) {
  HRESULT result = softgpu::d3d10::open(*pOpenData);
  if (FAILED(result)) return result;
  pOpenData->pAdapterFuncs_2->pfnGetSupportedVersions = softgpu::d3d10::get_supported_versions;
  pOpenData->pAdapterFuncs_2->pfnGetCaps = softgpu::d3d10::get_caps;
  return S_OK;
}
