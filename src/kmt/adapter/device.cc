// D3DKMTCreateDevice, D3DKMTDestroyDevice, D3DKMTGetDeviceState, D3DKMTMarkDeviceAsError.
#include "dxgk/object/device.h"

#include "dxgk/object/unpublished_handle.h"
#include "dxgk/work/gpu.h"
#include "kmt/adapter/open_adapter.h"
#include "kmt/allocation/locked_view_check.h"
#include "kmt/client/raw_enum.h"
#include "kmt/client/thunks.h"

namespace kmt {
namespace {

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

D3DKMT_DEVICEEXECUTION_STATE execution_state(dxgk::Device& device) {
  using State = dxgk::Device::State;
  if (!device.adapter().started()) return D3DKMT_DEVICEEXECUTION_STOPPED;
  switch (device.state()) {
    case State::Active:
      return D3DKMT_DEVICEEXECUTION_ACTIVE;
    case State::Reset:
      return D3DKMT_DEVICEEXECUTION_RESET;
    case State::Hung:
      return D3DKMT_DEVICEEXECUTION_HUNG;
    case State::Stopped:
      return D3DKMT_DEVICEEXECUTION_STOPPED;
    case State::Error:
      return D3DKMT_DEVICEEXECUTION_ERROR_DMAFAULT;
    case State::PageFaulted:
      return D3DKMT_DEVICEEXECUTION_ERROR_DMAPAGEFAULT;
  }
  CHECK(false);
}

}  // namespace

Answer serve::CreateDevice(Client& client, D3DKMT_CREATEDEVICE* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<OpenAdapter> open = TRY(client.find<OpenAdapter>(args.hAdapter));
  if (args.Flags.Reserved) return refuse("reserved flags are set");
  auto on_adapter = TRY(client.process().on(open->adapter()));
  auto device = TRY(
      dxgk::UnpublishedHandle<dxgk::Device>::make(client.process(), TRY(dxgk::Device::create(on_adapter, args.Flags))));
  device->handle = device.handle();
  args.hDevice = device.handle();
  // The buffers belong to the model of contexts: since WDDM 1.0 no client gets them from here (observed).
  args.pCommandBuffer = nullptr;
  args.CommandBufferSize = 0;
  args.pAllocationList = nullptr;
  args.AllocationListSize = 0;
  args.pPatchLocationList = nullptr;
  args.PatchLocationListSize = 0;
  TRY(client.memory().write(user, args));
  device.publish();
  return {};
}

Answer serve::DestroyDevice(Client& client, const D3DKMT_DESTROYDEVICE* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  LockedViewCheck locked(client, *device);
  auto closed = dxgk::close_handle<dxgk::Device>(client.process(), args.hDevice);
  if (!closed.ok()) return refuse(ob::describe(closed.error()));
  locked.destroyed(nt::Violation::LockLeft);
  return {};
}

Answer serve::GetDeviceState(Client& client, D3DKMT_GETDEVICESTATE* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  switch (raw(args.StateType)) {
    case D3DKMT_DEVICESTATE_EXECUTION:
      args.ExecutionState = execution_state(*device);
      break;
    case D3DKMT_DEVICESTATE_PRESENT:
      args.PresentState.PresentStats = {};  // nothing was ever shown on any video present source
      break;
    case D3DKMT_DEVICESTATE_RESET:
      args.ResetState = {};  // there is no desktop to be switched
      break;
    case D3DKMT_DEVICESTATE_PAGE_FAULT:
      args.PageFaultState = {};
      break;
    default:
      return refuse("this state of a device is not known here");
  }
  return client.memory().write(user, args);
}

// What was said first about a lost device stays. WSL calls it a reset.
Answer serve::MarkDeviceAsError(Client& client, const D3DKMT_MARKDEVICEASERROR* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  dxgk::ParkingLock lock(device->mutex());
  if (!device->gone()) device->adapter().gpu().lose(*device, dxgk::Device::State::Reset);
  return {};
}

}  // namespace kmt
