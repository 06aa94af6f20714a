// D3DKMTWaitForSynchronizationObjectFromCpu; what the other waiting functions are told.
#include "dxgk/cpu_wait.h"
#include "dxgk/device.h"
#include "kmt/share.h"
#include "kmt/sync_call.h"
#include "kmt/thunks.h"

namespace kmt {
namespace {

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

// The second version of the call knows none (d3dkmtwaitforsynchronizationobjectfromgpu says so).
base::Result<> refuse_monitored(const FenceValues& objects) {
  if (TRY(fencing_of(objects)) == Fencing::Monitored) {
    return refuse("monitored fences are waited for by D3DKMTWaitForSynchronizationObjectFromGpu");
  }
  return {};
}

base::Result<> wait_from_cpu(Client& client, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU* user) {
  auto args = TRY(client.memory().read(user));
  if (args.Flags.Reserved) return refuse("a reserved flag is set");
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  FenceValues objects = TRY(read_objects(client, args.ObjectHandleArray, args.ObjectCount, SyncAccess::Wait));
  if (TRY(fencing_of(objects)) != Fencing::Monitored) return refuse("the CPU waits for monitored fences only");
  TRY(read_values(client, objects, args.FenceValueArray));
  auto need = args.Flags.WaitAny ? dxgk::CpuWait::Need::Any : dxgk::CpuWait::Need::All;
  if (!args.hAsyncEvent) return dxgk::CpuWait::block(*device, objects, need);
  base::Ref<dxgk::ClientEvent> event = TRY(find_nt<dxgk::ClientEvent>(client, args.hAsyncEvent));
  return dxgk::CpuWait::notify(*device, objects, need, std::move(event));
}

}  // namespace

// The first version tells no value, so that there is no fence that it could wait for.
base::Result<WaitCall> read_wait(Client& client, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT* user) {
  auto args = TRY(client.memory().read(user));
  TRY(check_object_count(args.ObjectCount));
  WaitCall call{args.hContext, {}};
  call.objects = TRY(find_objects(client, {args.ObjectHandleArray, args.ObjectCount}, SyncAccess::Wait));
  TRY(refuse_monitored(call.objects));
  for (const dxgk::FenceValue& each : call.objects) {
    if (each.object->type() == D3DDDI_FENCE) return refuse("a fence, and no value to wait for");
  }
  return call;
}

base::Result<WaitCall> read_wait(Client& client, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2* user) {
  auto args = TRY(client.memory().read(user));
  TRY(check_object_count(args.ObjectCount));
  WaitCall call{args.hContext, {}};
  call.objects = TRY(find_objects(client, {args.ObjectHandleArray, args.ObjectCount}, SyncAccess::Wait));
  TRY(refuse_monitored(call.objects));
  set_value(call.objects, args.Fence.FenceValue);
  return call;
}

base::Result<WaitCall> read_wait(Client& client, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU* user) {
  auto args = TRY(client.memory().read(user));
  WaitCall call{args.hContext, {}};
  call.objects = TRY(read_objects(client, args.ObjectHandleArray, args.ObjectCount, SyncAccess::Wait));
  if (TRY(fencing_of(call.objects)) == Fencing::Monitored) {
    TRY(read_values(client, call.objects, args.MonitoredFenceValueArray));
  } else {
    set_value(call.objects, args.FenceValue);
  }
  return call;
}

NTSTATUS WaitForSynchronizationObjectFromCpu(Client& client, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU* user) {
  return client.finish("D3DKMTWaitForSynchronizationObjectFromCpu", wait_from_cpu(client, user));
}

}  // namespace kmt
