// Where the Direct3D 9 runtime comes in: OpenAdapter, devices, the end of both.
#include "d3d9_entry.h"

namespace softgpu {
namespace {

// What the driver is written for; an older runtime gets its own version back.
constexpr UINT kVersion = D3D_UMD_INTERFACE_VERSION_WDDM2_0;

}  // namespace

HRESULT APIENTRY create_device(HANDLE hAdapter, D3DDDIARG_CREATEDEVICE* pCreateData) {
  const Adapter& adapter = *static_cast<const Adapter*>(hAdapter);
  D3d9Device* device = new D3d9Device;
  if (!device) return E_OUTOFMEMORY;
  HRESULT result = device->open(adapter, pCreateData->hDevice, *pCreateData->pCallbacks);
  if (FAILED(result)) {
    delete device;
    return result;
  }
  reset_state(device->state);
  fill_device_functions(adapter.version, pCreateData->pDeviceFuncs);
  pCreateData->hDevice = device;
  return S_OK;
}

// The device ends whatever fails on the way.
HRESULT APIENTRY destroy_device(HANDLE hDevice) {
  D3d9Device* device = &device_of(hDevice);
  device->queries.destroy();
  release_declarations(device->state);
  HRESULT result = device->close();
  delete device;
  return result;
}

HRESULT APIENTRY close_adapter(HANDLE hAdapter) {
  delete static_cast<Adapter*>(hAdapter);
  return S_OK;
}

}  // namespace softgpu

extern "C" HRESULT APIENTRY OpenAdapter(D3DDDIARG_OPENADAPTER* pOpenData) {
  using namespace softgpu;
  UINT version = pOpenData->Version < kVersion ? pOpenData->Version : kVersion;
  HRESULT result = S_OK;
  Adapter* adapter = open_adapter(pOpenData->hAdapter, *pOpenData->pAdapterCallbacks, version, &result);
  if (!adapter) return result;
  pOpenData->pAdapterFuncs->pfnGetCaps = get_caps;
  pOpenData->pAdapterFuncs->pfnCreateDevice = create_device;
  pOpenData->pAdapterFuncs->pfnCloseAdapter = close_adapter;
  pOpenData->DriverVersion = version;
  pOpenData->hAdapter = adapter;
  return S_OK;
}
