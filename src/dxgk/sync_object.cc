#include "dxgk/sync_object.h"

#include "dxgk/adapter.h"
#include "dxgk/device.h"
#include "dxgk/kernel.h"

namespace dxgk {
namespace {

using Flags = D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS;

base::Failure wrong(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

base::Result<> check_type(const SyncObject::Info& info, bool has_event) {
  switch (info.Type) {
    case D3DDDI_SYNCHRONIZATION_MUTEX:
    case D3DDDI_FENCE:
    case D3DDDI_MONITORED_FENCE:
      return {};
    case D3DDDI_SEMAPHORE:
      if (info.Semaphore.InitialCount > info.Semaphore.MaxCount) return wrong("a semaphore begins beyond its maximum");
      return {};
    case D3DDDI_CPU_NOTIFICATION:
      if (!has_event) return base::Failure(STATUS_INVALID_HANDLE, "a CPU notification has no event to set");
      return {};
    case D3DDDI_PERIODIC_MONITORED_FENCE:
      return base::Failure(STATUS_NOT_SUPPORTED, "periodic monitored fences follow a display's refresh; there is none");
    case D3DDDI_NATIVE_FENCE:
      return wrong("a native fence is made by D3DKMTCreateNativeFence");
    case D3DDDI_SYNCHRONIZATION_TYPE_LIMIT:
      break;
  }
  return wrong("no type of synchronisation object");
}

// The combinations that the documents rule out; the status is observed for the first, and policy for the others.
base::Result<> check_flags(D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type, Flags flags) {
  bool monitored = type == D3DDDI_MONITORED_FENCE;
  if (flags.NtSecuritySharing && !flags.Shared) return wrong("NtSecuritySharing without Shared");
  if (monitored && flags.Shared && !flags.NtSecuritySharing) {
    return wrong("a monitored fence is shared by NT handles only");
  }
  if (!monitored && (flags.TopOfPipeline || flags.NoSignal || flags.NoWait)) {
    return wrong("TopOfPipeline, NoSignal and NoWait are for monitored fences");
  }
  if (flags.NoSignal && flags.NoWait) return wrong("NoSignal and NoWait together leave nothing to do");
  if (flags.SignalByKmd && type != D3DDDI_CPU_NOTIFICATION) return wrong("SignalByKmd is for CPU notifications");
  if (flags.Reserved || flags.D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS_RESERVED0) return wrong("a reserved flag is set");
  return {};
}

}  // namespace

base::Result<ob::Fresh<SyncObject>> SyncObject::create(Device& device, const Info& info,
                                                       std::optional<base::Ref<ob::Object>> event) {
  TRY(check_type(info, event.has_value()));
  TRY(check_flags(info.Type, info.Flags));
  {
    Inside inside(device.gate());
    TRY(device.usable());
  }
  Adapter& adapter = device.adapter();
  return ob::Fresh<SyncObject>::adopt(new SyncObject(adapter, adapter.kernel().ordinals(), info, std::move(event)));
}

SyncObject::Sharing SyncObject::sharing() const {
  if (!info_.Flags.Shared) return Sharing::Private;
  return info_.Flags.NtSecuritySharing ? Sharing::NtHandle : Sharing::GlobalHandle;
}

base::Result<> SyncObjectView::check_open(Device& device, const SyncObject& object, Flags flags) {
  {
    Inside inside(device.gate());
    TRY(device.usable());
  }
  if (&device.adapter() != &object.adapter() && !object.info().Flags.CrossAdapter) {
    return wrong("the object belongs to another adapter, and was not created with CrossAdapter");
  }
  // How the object is shared was its creator's choice.
  flags.Shared = object.info().Flags.Shared;
  flags.NtSecuritySharing = object.info().Flags.NtSecuritySharing;
  return check_flags(object.type(), flags);
}

}  // namespace dxgk
