#include "dxgk/sync/sync_object.h"

#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/kernel.h"
#include "dxgk/object/device.h"

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

bool is_fence(D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type) { return type == D3DDDI_FENCE || type == D3DDDI_MONITORED_FENCE; }

// What a CPU notification sets.
class SetsEvent final : public vidsch::Wakeable {
 public:
  explicit SetsEvent(base::Ref<ClientEvent> event) : event_(std::move(event)) {}
  void wake() override { event_->set(); }

 private:
  const base::Ref<ClientEvent> event_;
};

}  // namespace

base::Result<ob::UnpublishedObject<SyncObject>> SyncObject::create(Device& device, const Info& info,
                                                                   std::optional<base::Ref<ClientEvent>> event) {
  TRY(check_type(info, event.has_value()));
  TRY(check_flags(info.Type, info.Flags));
  {
    ParkingLock lock(device.mutex());
    TRY(device.usable());
  }
  std::optional<FenceSlot> memory;
  if (is_fence(info.Type)) memory.emplace(TRY(device.adapter().kernel().fences().memory().take(device.process().id())));
  auto made = ob::UnpublishedObject<SyncObject>::adopt(new SyncObject(device, info, std::move(memory)));
  made->make_state(std::move(event));
  return made;
}

SyncObject::SyncObject(Device& device, const Info& info, std::optional<FenceSlot> memory)
    : ob::Object(kKind, device.adapter().kernel().ordinals()),
      adapter_(device.adapter()),
      fences_(adapter_.kernel().fences()),
      info_(info),
      memory_(std::move(memory)) {}

void SyncObject::make_state(std::optional<base::Ref<ClientEvent>> event) {
  switch (info_.Type) {
    case D3DDDI_SYNCHRONIZATION_MUTEX:
      state_.reset(new vidsch::Counted(vidsch::Counted::mutex(info_.SynchronizationMutex.InitialState)));
      return;
    case D3DDDI_SEMAPHORE:
      state_.reset(
          new vidsch::Counted(vidsch::Counted::semaphore(info_.Semaphore.InitialCount, info_.Semaphore.MaxCount)));
      return;
    case D3DDDI_CPU_NOTIFICATION:
      state_ = std::make_unique<vidsch::CpuNotification>(base::make_ref<SetsEvent>(std::move(*event)));
      return;
    default:
      make_fence();
  }
}

void SyncObject::make_fence() {
  using vidsch::Fence;
  std::unique_ptr<Fence> made;
  if (monitored()) {
    // Without access for the GPU it is 64 bits wide whatever the adapter can do (documented).
    bool gpu = !info_.Flags.NoGPUAccess;
    bool narrow = gpu && adapter_.caps().driver.SchedulingCaps.No64BitAtomics;
    made = std::make_unique<Fence>(
        memory_->word(), info_.MonitoredFence.InitialFenceValue, narrow ? Fence::Width::Bits32 : Fence::Width::Bits64,
        info_.Flags.NoSignalMaxValueOnTdr ? Fence::OnReset::Nothing : Fence::OnReset::SignalMax,
        gpu ? &fences_.watched() : nullptr);
  } else {
    made =
        std::make_unique<Fence>(memory_->word(), info_.Fence.FenceValue, Fence::Width::Bits64, Fence::OnReset::Nothing);
  }
  fence_ = made.get();
  state_ = std::move(made);
}

uint64_t SyncObject::value() const {
  CHECK(fence_);
  return fence_->value();
}

base::Result<> SyncObject::signal(uint64_t value, vidsch::Rewind rewind) {
  base::Result<> done;
  fences_.act([&](vidsch::WokenList& woken) { done = state_->signal(value, rewind, woken); });
  return done;
}

base::Result<> SyncObject::signal(std::span<const FenceValue> signals, vidsch::Rewind rewind) {
  if (signals.empty()) return {};
  base::Result<> judged;
  signals[0].object->fences_.act([&](vidsch::WokenList& woken) {
    for (const FenceValue& each : signals) {
      judged = each.object->fence_->check_signal(each.value, rewind);
      if (!judged.ok()) return;
    }
    for (const FenceValue& each : signals) {
      CHECK(each.object->fence_->signal(each.value, vidsch::Rewind::Allowed, woken).ok());
    }
  });
  return judged;
}

void SyncObject::sample() {
  fences_.act([this](vidsch::WokenList& woken) { fence_->sample(woken); });
}

void SyncObject::on_last_handle_closed() {
  fences_.act([this](vidsch::WokenList& woken) { state_->close(woken); });
}

SyncObject::Sharing SyncObject::sharing() const {
  if (!info_.Flags.Shared) return Sharing::Private;
  return info_.Flags.NtSecuritySharing ? Sharing::NtHandle : Sharing::GlobalHandle;
}

// The device's state is read after the fence is on its list. A thread that loses the device marks it first and then
// goes through the list: so either the loss is seen here, or the fence is seen there.
SyncObjectView::SyncObjectView(ob::UnpublishedObject<SyncObject> object, Flags flags, Device& device,
                               ob::Ordinals& ordinals)
    : SyncObjectView(std::move(object), flags, ordinals) {
  if (!object_->monitored()) return;
  device.fences().add(use_, *object_);
  if (device.state() != Device::State::Active) device.fences().signal_maximum();
}

SyncObjectView::~SyncObjectView() { DeviceFences::remove(object_->fences(), use_); }

base::Result<> SyncObjectView::check_open(Device& device, const SyncObject& object, Flags flags) {
  {
    ParkingLock lock(device.mutex());
    TRY(device.usable());
  }
  if (&device.adapter() != &object.adapter() && !object.info().Flags.CrossAdapter) {
    return wrong(
        "the object belongs to another adapter, and was not created "
        "with CrossAdapter");
  }
  // How the object is shared was its creator's choice.
  flags.Shared = object.info().Flags.Shared;
  flags.NtSecuritySharing = object.info().Flags.NtSecuritySharing;
  return check_flags(object.type(), flags);
}

}  // namespace dxgk
