#include "d3d10_device.h"

#include "d3d10_entry.h"

namespace softgpu::d3d10 {
namespace {

HRESULT legal_error(HRESULT result, Legal legal) {
  switch (legal) {
    case Legal::Resource:
      if (result == DXGI_DDI_ERR_UNSUPPORTED) return result;
      [[fallthrough]];
    case Legal::Memory:
      if (result == E_OUTOFMEMORY || result == D3DERR_OUTOFVIDEOMEMORY) return E_OUTOFMEMORY;
      break;
    case Legal::Busy:
      if (result == D3DDDIERR_WASSTILLDRAWING || result == S_FALSE) return DXGI_DDI_ERR_WASSTILLDRAWING;
      break;
    case Legal::Counter:
      return result;
    case Legal::Removed:
      break;
  }
  return D3DDDIERR_DEVICEREMOVED;
}

// All of a list, the first that was put on it first.
template <typename T>
T* take_all(T** list) {
  T* last_first = __atomic_exchange_n(list, nullptr, __ATOMIC_ACQUIRE);
  T* first = nullptr;
  while (last_first) {
    T* following = last_first->next;
    last_first->next = first;
    first = last_first;
    last_first = following;
  }
  return first;
}

}  // namespace

// --- Life ---

HRESULT D3d10Device::start(const Adapter& adapter, const D3D10DDIARG_CREATEDEVICE& args) {
  core_ = args.hRTCoreLayer;
  set_error_ = args.pUMCallbacks->pfnSetErrorCb;
  if (args.Interface >= D3D11_0_DDI_INTERFACE_VERSION) {
    perform_amortized_ = args.p11UMCallbacks->pfnPerformAmortizedProcessingCb;
  }
  present_ = args.DXGIBaseDDI.pDXGIBaseCallbacks->pfnPresentCb;
  HRESULT result = open(adapter, args.hRTDevice.handle, *args.pKTCallbacks);
  if (FAILED(result)) return result;
  // No destruction ever waits here.
  args.pUMCallbacks->pfnDisableDeferredStagingResourceDestruction(core_);
  return S_OK;
}

HRESULT D3d10Device::end() {
  HRESULT result = submit();
  take_buried();
  queries.destroy();
  return first_failure(result, close());
}

// --- Errors ---

void D3d10Device::report(HRESULT result, Legal legal) const {
  if (result == S_OK || (SUCCEEDED(result) && legal != Legal::Busy)) return;
  set_error_(core_, legal_error(result, legal));
}

void D3d10Device::finish(HRESULT result, Legal legal) {
  report(result, legal);
  amortize();
}

void D3d10Device::finish_command(HRESULT result) {
  told_ = true;
  finish(result);
}

// --- Batches ---

// Batches are numbered, so that a new number tells of a submission. Last in a function: the runtime may destroy things
// meanwhile.
void D3d10Device::amortize() {
  if (amortized_ == context().batch()) return;
  amortized_ = context().batch();
  if (perform_amortized_) perform_amortized_(core_);
}

HRESULT D3d10Device::add_nothing() {
  SOFTGPU_HEADER packet = softgpu_header(SOFTGPU_CMD_NOP, 0, sizeof(packet), 0);
  return add(packet, nullptr, 0);
}

// To the runtime a resource is in use from a command that names it to the next submission, whether the command took the
// GPU or not, and whether its batch was dropped or not: there has to be one before memory is given back.
HRESULT D3d10Device::submit_told() {
  HRESULT result = told_ && context().empty() ? add_nothing() : S_OK;
  if (SUCCEEDED(result)) result = flush();
  if (SUCCEEDED(result)) told_ = false;
  return result;
}

// What a dropped batch used is given back all the same, if anything can be submitted at all.
HRESULT D3d10Device::submit() {
  HRESULT result = submit_told();
  if (FAILED(result) && FAILED(submit_told())) return result;
  take_buried();
  return first_failure(result, release_retired());
}

// A submission too, though no batch.
HRESULT D3d10Device::present(DXGIDDICB_PRESENT* args) {
  HRESULT result = present_(kernel().device, args);
  if (SUCCEEDED(result)) amortized_ = 0;
  return result;
}

void D3d10Device::take_buried() {
  for (Resource* resource = take_all(&buried_); resource;) {
    Resource* following = resource->next;
    defer(resource);
    resource = following;
  }
  for (QueryRecord* record = take_all(&buried_queries_); record;) {
    QueryRecord* following = record->next;
    if (record->query) queries.destroy(record->query);
    delete record;
    record = following;
  }
}

// --- The runtime's calls ---

SIZE_T APIENTRY calc_device_size(D3D10DDI_HADAPTER, const D3D10DDIARG_CALCPRIVATEDEVICESIZE*) {
  return sizeof(D3d10Device*);
}

HRESULT APIENTRY create_device(D3D10DDI_HADAPTER hAdapter, D3D10DDIARG_CREATEDEVICE* pCreateData) {
  D3d10Device* device = new D3d10Device;
  if (!device) return E_OUTOFMEMORY;
  HRESULT result = device->start(*static_cast<const Adapter*>(hAdapter.pDrvPrivate), *pCreateData);
  if (FAILED(result)) {
    delete device;
    return result;
  }
  place(pCreateData->hDrvDevice, device);
  fill_device_functions(*pCreateData);
  fill_dxgi_functions(*pCreateData);
  return S_OK;
}

void APIENTRY destroy_device(D3D10DDI_HDEVICE hDevice) {
  D3d10Device* device = &device_of(hDevice);
  HRESULT result = device->end();
  device->report(result, Legal::Removed);
  delete device;
}

void APIENTRY flush(D3D10DDI_HDEVICE hDevice) {
  D3d10Device& device = device_of(hDevice);
  device.finish(device.submit());
}

}  // namespace softgpu::d3d10
