// D3DKMTSignalSynchronizationObjectFromCpu; the readers for the other signalling functions.
#include "dxgk/object/device.h"
#include "kmt/allocation/share.h"
#include "kmt/client/scratch.h"
#include "kmt/client/thunks.h"
#include "kmt/work/sync_call.h"

namespace kmt {
namespace {

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

base::Result<> check_flags(D3DDDICB_SIGNALFLAGS flags) {
  if (flags.Reserved || flags.DXGK_SIGNAL_FLAG_INTERNAL0) return refuse("a reserved flag is set");
  return {};
}

vidsch::Rewind rewind_of(D3DDDICB_SIGNALFLAGS flags) {
  return flags.AllowFenceRewind ? vidsch::Rewind::Allowed : vidsch::Rewind::Refused;
}

base::Result<SignalCall> begin(D3DDDICB_SIGNALFLAGS flags) {
  TRY(check_flags(flags));
  SignalCall call;
  call.rewind = rewind_of(flags);
  call.at_submission = flags.SignalAtSubmission;
  return call;
}

// A CPU event is queued instead of objects, not with them (documented).
base::Result<> read_event(Client& client, SignalCall& call, UINT object_count, HANDLE event) {
  if (object_count != 0) return refuse("EnqueueCpuEvent together with objects");
  call.event = TRY(find_nt<dxgk::ClientEvent>(client, event));
  return {};
}

// Documented as 64; WSL's driver refuses the 64th.
base::Result<> check_broadcast(Client& client, UINT count) {
  UINT most = client.like_wsl() ? D3DDDI_MAX_BROADCAST_CONTEXT - 1 : D3DDDI_MAX_BROADCAST_CONTEXT;
  if (count > most) return refuse("broadcast to more contexts than there may be");
  return {};
}

base::Result<> refuse_monitored(const FenceValues& objects) {
  if (TRY(fencing_of(objects)) == Fencing::Monitored) {
    return refuse("monitored fences are signalled by D3DKMTSignalSynchronizationObjectFromGpu(2)");
  }
  return {};
}

}  // namespace

// The first version has no value, so there is no fence that it could signal.
base::Result<SignalCall> read_signal(Client& client, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT* user) {
  auto args = TRY(client.memory().read(user));
  SignalCall call = TRY(begin(args.Flags));
  if (args.Flags.EnqueueCpuEvent) return refuse("EnqueueCpuEvent, and no event to tell");
  TRY(check_object_count(args.ObjectCount));
  call.contexts = {args.hContext};
  call.objects = TRY(find_objects(client, {args.ObjectHandleArray, args.ObjectCount}, SyncAccess::Signal));
  TRY(refuse_monitored(call.objects));
  for (const dxgk::FenceValue& each : call.objects) {
    if (each.object->type() == D3DDDI_FENCE) return refuse("a fence, and no value to signal");
  }
  return call;
}

base::Result<SignalCall> read_signal(Client& client, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2* user) {
  auto args = TRY(client.memory().read(user));
  SignalCall call = TRY(begin(args.Flags));
  TRY(check_broadcast(client, args.BroadcastContextCount));
  call.contexts = {args.hContext};
  call.contexts.insert(call.contexts.end(), args.BroadcastContext, args.BroadcastContext + args.BroadcastContextCount);
  if (args.Flags.EnqueueCpuEvent) {
    TRY(read_event(client, call, args.ObjectCount, args.CpuEventHandle));
    return call;
  }
  TRY(check_object_count(args.ObjectCount));
  call.objects = TRY(find_objects(client, {args.ObjectHandleArray, args.ObjectCount}, SyncAccess::Signal));
  TRY(refuse_monitored(call.objects));
  set_value(call.objects, args.Fence.FenceValue);
  return call;
}

base::Result<SignalCall> read_signal(Client& client, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU* user) {
  auto args = TRY(client.memory().read(user));
  SignalCall call;
  call.contexts = {args.hContext};
  call.objects = TRY(read_objects(client, args.ObjectHandleArray, args.ObjectCount, SyncAccess::Signal));
  if (TRY(fencing_of(call.objects)) != Fencing::Monitored)
    return refuse("the call has values for monitored fences only");
  TRY(read_values(client, call.objects, args.MonitoredFenceValueArray));
  return call;
}

base::Result<SignalCall> read_signal(Client& client, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2* user) {
  auto args = TRY(client.memory().read(user));
  SignalCall call = TRY(begin(args.Flags));
  if (args.BroadcastContextCount == 0) return refuse("no context to signal in");
  TRY(check_broadcast(client, args.BroadcastContextCount));
  call.contexts.resize(args.BroadcastContextCount);
  TRY(client.memory().read(std::span<D3DKMT_HANDLE>(call.contexts), args.BroadcastContextArray));
  if (args.Flags.EnqueueCpuEvent) {
    TRY(read_event(client, call, args.ObjectCount, args.CpuEventHandle));
    return call;
  }
  call.objects = TRY(read_objects(client, args.ObjectHandleArray, args.ObjectCount, SyncAccess::Signal));
  if (TRY(fencing_of(call.objects)) == Fencing::Monitored) {
    TRY(read_values(client, call.objects, args.MonitoredFenceValueArray));
  } else {
    set_value(call.objects, args.FenceValue);
  }
  return call;
}

Answer serve::SignalSynchronizationObjectFromCpu(Client& client,
                                                 const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU* user) {
  auto args = TRY(client.memory().read(user));
  TRY(check_flags(args.Flags));
  // Policy: the page of the flags gives these a meaning in a context's queue only.
  if (args.Flags.EnqueueCpuEvent || args.Flags.SignalAtSubmission) return refuse("a flag for signals of the GPU");
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  FenceValues objects = TRY(read_objects(client, args.ObjectHandleArray, args.ObjectCount, SyncAccess::Signal));
  if (TRY(fencing_of(objects)) != Fencing::Monitored) return refuse("the CPU signals monitored fences only");
  TRY(read_values(client, objects, args.FenceValueArray));
  {
    dxgk::ParkingLock lock(device->mutex());
    TRY(device->usable());
  }
  return dxgk::SyncObject::signal(objects, rewind_of(args.Flags));
}

}  // namespace kmt
