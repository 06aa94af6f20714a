#pragma once

#include <memory>
#include <optional>
#include <span>

#include "abi/shared/d3dukmdt.h"
#include "base/ref.h"
#include "base/result.h"
#include "dxgk/object/owned_handle.h"
#include "dxgk/sync/client_event.h"
#include "dxgk/sync/device_fences.h"
#include "dxgk/sync/fences.h"
#include "ob/object.h"

namespace dxgk {

class Adapter;
class Device;
class SyncObject;

// What a fence is to be signalled to, or waited for.
struct FenceValue {
  base::Ref<SyncObject> object;
  uint64_t value;
};

// A synchronisation object as all its openers share it. Its handle count is what has it open: views, and what
// D3DKMTShareObjects made of it. Process tables hold views, the machine's table of global handles holds these. Its
// value and its waiters are under the lock of all fences; when its last handle is closed, its waits fail. Any thread.
class SyncObject final : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = ob::ObjectKind::SyncObject;

  enum class Sharing : uint8_t { Private, GlobalHandle, NtHandle };
  using Info = D3DDDI_SYNCHRONIZATIONOBJECTINFO2;

  // `event` is what a CPU notification sets; it stays the client's.
  static base::Result<ob::UnpublishedObject<SyncObject>> create(Device& device, const Info& info,
                                                                std::optional<base::Ref<ClientEvent>> event = {});

  Adapter& adapter() const { return adapter_; }
  D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type() const { return info_.Type; }
  const Info& info() const { return info_; }
  Sharing sharing() const;
  bool monitored() const { return type() == D3DDDI_MONITORED_FENCE; }

  // --- What it is worth ---
  Fences& fences() const { return fences_; }
  // For queues of the GPU, which wait and signal by it. Under the lock of all fences.
  vidsch::SyncObject& state() { return *state_; }
  // The memory that a fence's value lies in; nothing else has any.
  const FenceSlot* memory() const { return memory_ ? &*memory_ : nullptr; }
  // Where the client reads it: it lives in our process, so the place itself.
  uint64_t* cpu_address() const { return memory_ ? memory_->word() : nullptr; }

  // Of fences. The waiters have been told when a call that changes the fences returns.
  uint64_t value() const;
  base::Result<> signal(uint64_t value, vidsch::Rewind rewind);  // of any type
  // All or none: each is judged by what it is before the call. The objects are fences of one kernel.
  static base::Result<> signal(std::span<const FenceValue> signals, vidsch::Rewind rewind);
  // Reads the fence's value, which the GPU may have written. Fences::sample() does this for all fences that are waited
  // for.
  void sample();

 private:
  SyncObject(Device& device, const Info& info, std::optional<FenceSlot> memory);
  void make_state(std::optional<base::Ref<ClientEvent>> event);
  void make_fence();
  void on_last_handle_closed() override;

  Adapter& adapter_;
  Fences& fences_;
  const Info info_;  // as the client gave it
  const std::optional<FenceSlot> memory_;
  std::unique_ptr<vidsch::SyncObject> state_;
  vidsch::Fence* fence_ = nullptr;  // the state, if it is one
};

// A synchronisation object as one handle of a process has it open.
class SyncObjectView final : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = ob::ObjectKind::SyncObject;

  // `flags`: what this opener may do with it.
  SyncObjectView(ob::UnpublishedObject<SyncObject> object, D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS flags,
                 ob::Ordinals& ordinals)
      : ob::Object(kKind, ordinals), object_(std::move(object)), flags_(flags) {}
  // A view created or opened by a device: a monitored fence gets its maximum when that device is lost.
  SyncObjectView(ob::UnpublishedObject<SyncObject> object, D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS flags, Device& device,
                 ob::Ordinals& ordinals);
  ~SyncObjectView() override;

  // For a device that opens it by an NT handle: the object is of its adapter, or of any (CrossAdapter).
  static base::Result<> check_open(Device& device, const SyncObject& object, D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS flags);

  SyncObject& object() const { return *object_; }
  bool may_signal() const { return !flags_.NoSignal; }
  bool may_wait() const { return !flags_.NoWait; }

 private:
  void on_last_handle_closed() override { object_.let_go(); }

  OwnedHandle<SyncObject> object_;
  const D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS flags_;
  DeviceFences::Use use_;
};

}  // namespace dxgk
