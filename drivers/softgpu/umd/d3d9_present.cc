// Present: the kernel copies, or knows where to show it.
#include "d3d9_entry.h"

namespace softgpu {
namespace {

// Null for no resource.
bool find_memory(HANDLE resource, UINT index, Allocation** memory) {
  *memory = nullptr;
  if (!resource) return true;
  Surface* surface = resource_of(resource)->surface(index);
  if (!surface || surface->system) return false;
  *memory = surface->current;
  return true;
}

// A packet that does nothing but name both: they are resident when it runs, and in use until then. Where commands are
// patched both are the kernel's business.
HRESULT name_memory(D3d9Device& device, Allocation* source, Allocation* destination) {
  if (!device.virtual_addressing()) return S_OK;
  struct {
    SOFTGPU_HEADER header;
    uint64_t addresses[2];
  } packet = {};
  packet.header = softgpu_header(SOFTGPU_CMD_NOP, 0, sizeof(packet), 0);
  Operand operands[2];
  uint32_t count = 0;
  if (source) operands[count++] = {source, 0, 8, false};
  operands[count++] = {destination, 0, 16, true};
  return device.add(packet.header, operands, count);
}

// Everything that was drawn has to be on its way first, and what comes after has to wait for the present. Without a
// destination there is nothing for a driver without a display to present to.
HRESULT present_to(D3d9Device& device, Allocation* source, Allocation* destination) {
  if (!destination) return device.flush();
  HRESULT result = name_memory(device, source, destination);
  if (SUCCEEDED(result)) result = device.flush();
  if (FAILED(result)) return result;
  D3DDDICB_PRESENT args = {};
  args.hSrcAllocation = source ? source->handle : 0;
  args.hDstAllocation = destination->handle;
  args.hContext = device.context().handle();
  result = device.kernel().call.pfnPresentCb(device.kernel().device, &args);
  return FAILED(result) ? result : name_memory(device, source, destination);
}

}  // namespace

HRESULT APIENTRY present(HANDLE hDevice, const D3DDDIARG_PRESENT* pData) {
  Allocation* source;
  Allocation* destination;
  if (!find_memory(pData->hSrcResource, pData->SrcSubResourceIndex, &source) ||
      !find_memory(pData->hDstResource, pData->DstSubResourceIndex, &destination)) {
    return E_INVALIDARG;
  }
  return present_to(device_of(hDevice), source, destination);
}

HRESULT APIENTRY present1(HANDLE hDevice, const D3DDDIARG_PRESENT1* pPresentData) {
  Allocation* destination;
  if (!find_memory(pPresentData->hDstResource, pPresentData->DstSubResourceIndex, &destination)) return E_INVALIDARG;
  if (pPresentData->SrcResources == 0) return present_to(device_of(hDevice), nullptr, destination);
  for (UINT i = 0; i < pPresentData->SrcResources; ++i) {
    const D3DDDIARG_PRESENTSURFACE& from = pPresentData->phSrcResources[i];
    Allocation* source;
    if (!find_memory(from.hResource, from.SubResourceIndex, &source)) return E_INVALIDARG;
    HRESULT result = present_to(device_of(hDevice), source, destination);
    if (FAILED(result)) return result;
  }
  return S_OK;
}

}  // namespace softgpu
