#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/debug/stack.h"
#include "ks/device/driver.h"
#include "ks/exports/ddi.h"
#include "ks/object/filter_factory.h"
#include "ks/object/object.h"

namespace ks {

// The hardware's DMA adapter, as the driver registered it. Pins that want mappings map their frames with it. A driver
// cannot unregister it; if it was put back (PutDmaAdapter), the next mapping of a frame is a finding.
struct RegisteredAdapter {
  DMA_ADAPTER* adapter;
  uint32_t max_mapping_bytes;
  uint32_t mapping_stride;
  base::Stack registered{};  // where
};

// A functional device of a minidriver: from AddDevice to IRP_MN_REMOVE_DEVICE. Plug and play requests come in one at a
// time; opens and closes of its filters hold its mutex. Owned by the system.
class Device final : public Object {
 public:
  static constexpr KSOBJECTTYPE kType = KsObjectTypeDevice;

  // AddDevice: makes the functional device object, attaches it above `physical`, calls the driver's Add.
  static base::Result<Device*> add(Driver& driver, DEVICE_OBJECT& physical);
  ~Device() override;

  KSDEVICE& operator*() { return *body_; }
  void* body() override { return body_; }
  Device& device() override { return *this; }
  ControlMutex& control() override { return mutex_; }
  ControlMutex& mutex() { return mutex_; }
  Driver& driver() { return driver_; }
  DEVICE_OBJECT& functional() { return *functional_; }
  DEVICE_OBJECT& physical() { return *physical_; }
  DEVICE_OBJECT& lower() { return *lower_; }
  bool gone() const { return gone_; }  // surprise-removed or removed: nothing new may begin

  // device_pnp.cc. The caller completes the IRP with what comes back.
  NTSTATUS pnp(IRP& irp);
  NTSTATUS power(IRP& irp);

  base::Result<FilterFactory*> add_factory(const FilterFactory::Request& request);
  void remove_factory(FilterFactory& factory);
  const std::vector<std::unique_ptr<FilterFactory>>& factories() const { return factories_; }
  // The factory whose reference string this is; the only one when it is empty.
  FilterFactory* find_factory(std::u16string_view reference);

  // KsAllocateObjectBag: goes with the device at the latest. free_bag: false when it is none of these.
  Bag& make_bag();
  bool free_bag(Bag& bag);

  void register_adapter(const RegisteredAdapter& adapter) { adapter_ = adapter; }
  // A pin factory was made. Drivers may register their adapter first, and make pin factories later.
  void has_pin(const KSPIN_DESCRIPTOR_EX& pin) {
    if (pin.Flags & KSPIN_FLAG_GENERATE_MAPPINGS) mappings_ = true;
  }
  const std::optional<RegisteredAdapter>& adapter() const { return adapter_; }

 private:
  Device(Driver& driver, DEVICE_OBJECT& physical, DEVICE_OBJECT& functional, std::string name);
  template <typename Routine, typename... Args>
  NTSTATUS ask(Ddi ddi, Routine KSDEVICE_DISPATCH::*slot, Args&&... args);
  NTSTATUS ask_add();
  NTSTATUS add_described_factories();
  NTSTATUS tell(UCHAR minor, IRP& irp);
  void tell_power(DEVICE_POWER_STATE state, bool sleep);
  NTSTATUS start(IRP& irp);
  void stop(IRP& irp);
  void surprise_removal(IRP& irp);
  NTSTATUS remove(IRP& irp);
  NTSTATUS pass_down(IRP& irp);
  // Destroys the factories, the device object, and this. No mutex is held.
  void take_down();
  // Removes the factories with KSCREATE_ITEM_FREEONSTOP, after the driver's Stop was called. One whose filters are open
  // loses its name; it is destroyed at the next start, stop or removal after they are closed. The pages are silent on
  // that.
  void free_stopped_factories();
  void remove_freed_factories();
  // Reports what the driver should have given back by now: the resources that it was started with; at removal DMA
  // adapters too.
  void audit_stopped();
  void audit_removed();

  Driver& driver_;
  DEVICE_OBJECT* const physical_;
  DEVICE_OBJECT* const functional_;
  DEVICE_OBJECT* lower_ = nullptr;
  KSDEVICE* const body_;
  ControlMutex mutex_;
  std::vector<std::unique_ptr<FilterFactory>> factories_;
  std::optional<RegisteredAdapter> adapter_;
  std::atomic<bool> mappings_{false};  // a pin of it generates them, or did
  std::vector<std::unique_ptr<Bag>> bags_;
  bool gone_ = false;
  uint32_t factories_made_ = 0;
};

}  // namespace ks
