#pragma once

#include <optional>

#include "abi/shared/d3dukmdt.h"
#include "base/ref.h"
#include "base/result.h"
#include "dxgk/kept.h"
#include "ob/object.h"

namespace dxgk {

class Adapter;
class Device;

// A synchronisation object as all its openers share it. Its handle count is what has it open: views, and what
// D3DKMTShareObjects made of it. Process tables hold views, the machine's table of global handles holds these. Nothing
// in it changes.
class SyncObject final : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = ob::ObjectKind::SyncObject;

  enum class Sharing : uint8_t { Private, GlobalHandle, NtHandle };
  using Info = D3DDDI_SYNCHRONIZATIONOBJECTINFO2;

  // `event` is what a CPU notification sets; it stays the client's.
  static base::Result<ob::Fresh<SyncObject>> create(Device& device, const Info& info,
                                                    std::optional<base::Ref<ob::Object>> event = {});

  Adapter& adapter() const { return adapter_; }
  D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type() const { return info_.Type; }
  const Info& info() const { return info_; }
  Sharing sharing() const;
  ob::Object* event() const { return event_ ? event_->get() : nullptr; }

 private:
  SyncObject(Adapter& adapter, ob::Ordinals& ordinals, const Info& info, std::optional<base::Ref<ob::Object>> event)
      : ob::Object(kKind, ordinals), adapter_(adapter), info_(info), event_(std::move(event)) {}

  Adapter& adapter_;
  const Info info_;  // as the client gave it
  const std::optional<base::Ref<ob::Object>> event_;
};

// A synchronisation object as one handle of a process has it open.
class SyncObjectView final : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = ob::ObjectKind::SyncObject;

  // `flags`: what this opener may do with it.
  SyncObjectView(ob::Fresh<SyncObject> object, D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS flags, ob::Ordinals& ordinals)
      : ob::Object(kKind, ordinals), object_(std::move(object)), flags_(flags) {}

  // For a device that opens it by an NT handle: the object is of its adapter, or of any (CrossAdapter).
  static base::Result<> check_open(Device& device, const SyncObject& object, D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS flags);

  SyncObject& object() const { return *object_; }
  bool may_signal() const { return !flags_.NoSignal; }
  bool may_wait() const { return !flags_.NoWait; }

 private:
  void on_last_handle_closed() override { object_.let_go(); }

  Kept<SyncObject> object_;
  const D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS flags_;
};

}  // namespace dxgk
