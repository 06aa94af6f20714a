// D3DKMTWaitForSynchronizationObjectFromCpu; the readers for the other waiting functions.
#include "dxgk/object/device.h"
#include "dxgk/sync/cpu_wait.h"
#include "kmt/allocation/share.h"
#include "kmt/client/thunks.h"
#include "kmt/work/sync_call.h"

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

}  // namespace

// The first version has no value, so there is no fence that it could wait for.
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

Answer serve::WaitForSynchronizationObjectFromCpu(Client& client,
                                                  const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU* user) {
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

}  // namespace kmt
