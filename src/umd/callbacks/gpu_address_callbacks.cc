// pfnReserveGpuVirtualAddressCb, pfnMapGpuVirtualAddressCb, pfnFreeGpuVirtualAddressCb, pfnUpdateGpuVirtualAddressCb.
#include "kmt/client/raw_enum.h"
#include "kmt/client/thunks.h"
#include "umd/callbacks/callback_judgement.h"
#include "umd/callbacks/residency_callbacks.h"
#include "umd/common/context_use.h"

namespace umd {
namespace {

using Operation = D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION;

// A driver names a paging queue: the adapter's handle, which has the same place, is the runtime's own.
HRESULT reserve(Device& device, D3DDDI_RESERVEGPUVIRTUALADDRESS& args) {
  D3DDDI_RESERVEGPUVIRTUALADDRESS call = args;
  if (!call.hPagingQueue) call.hAdapter = device.kernel_adapter();
  HRESULT result = to_hresult(kmt::ReserveGpuVirtualAddress(device.client(), &call));
  if (FAILED(result)) return result;
  args.VirtualAddress = call.VirtualAddress;
  args.PagingFenceValue = call.PagingFenceValue;
  return result;
}

// Addresses are the process's: the allocation of another of its devices will do.
HRESULT map(Device& device, D3DDDI_MAPGPUVIRTUALADDRESS& args) {
  if (HRESULT refusal = judge_not_dead(device, Callback::MapGpuVirtualAddress, args.hAllocation); FAILED(refusal)) {
    return refusal;
  }
  return to_hresult(kmt::MapGpuVirtualAddress(device.client(), &args));
}

HRESULT free_addresses(Device& device, const D3DDDICB_FREEGPUVIRTUALADDRESS& args) {
  D3DKMT_FREEGPUVIRTUALADDRESS call{};
  call.hAdapter = device.kernel_adapter();
  call.BaseAddress = args.BaseAddress;
  call.Size = args.Size;
  return to_hresult(kmt::FreeGpuVirtualAddress(device.client(), &call));
}

D3DKMT_HANDLE allocation_of(const Operation& operation) {
  switch (kmt::raw(operation.OperationType)) {
    case D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP:
      return operation.Map.hAllocation;
    case D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP_PROTECT:
      return operation.MapProtect.hAllocation;
    default:
      return 0;
  }
}

HRESULT judge_operations(Device& device, const D3DDDICB_UPDATEGPUVIRTUALADDRESS& args) {
  kmt::Scratch<Operation, 4> operations;
  if (HRESULT refusal = read_list(device, args.Operations, args.NumOperations, operations); FAILED(refusal)) {
    return refusal;
  }
  for (const Operation& operation : operations.span()) {
    HRESULT refusal = judge_not_dead(device, Callback::UpdateGpuVirtualAddress, allocation_of(operation));
    if (FAILED(refusal)) return refusal;
  }
  return S_OK;
}

HRESULT update(Device& device, D3DDDICB_UPDATEGPUVIRTUALADDRESS& args) {
  ContextUse use(device, Callback::UpdateGpuVirtualAddress);
  if (HRESULT refusal = use.add(args.hContext); FAILED(refusal)) return refusal;
  if (HRESULT refusal = judge_operations(device, args); FAILED(refusal)) return refusal;
  D3DKMT_UPDATEGPUVIRTUALADDRESS call{};
  call.hDevice = device.kernel();
  call.hContext = use.first().kernel;
  call.hFenceObject = args.hFenceObject;
  call.NumOperations = args.NumOperations;
  call.Operations = args.Operations;
  call.Reserved0 = args.Reserved0;
  call.Reserved1 = args.Reserved1;
  call.FenceValue = args.FenceValue;
  call.Flags.Value = args.Flags.Value;
  return to_hresult(kmt::UpdateGpuVirtualAddress(device.client(), &call));
}

}  // namespace

void fill_gpu_address_callbacks(D3DDDI_DEVICECALLBACKS& table) {
  fill<Callback::ReserveGpuVirtualAddress, reserve>(table.pfnReserveGpuVirtualAddressCb);
  fill<Callback::MapGpuVirtualAddress, map>(table.pfnMapGpuVirtualAddressCb);
  fill<Callback::FreeGpuVirtualAddress, free_addresses>(table.pfnFreeGpuVirtualAddressCb);
  fill<Callback::UpdateGpuVirtualAddress, update>(table.pfnUpdateGpuVirtualAddressCb);
}

}  // namespace umd
