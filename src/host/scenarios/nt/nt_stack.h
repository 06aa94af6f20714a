#pragma once

#include <optional>
#include <vector>

#include "host/run/scenario.h"
#include "host/scenarios/nt/nt_driver.h"
#include "nt/io/pnp_stack.h"

namespace host {

// "0xC0000001"
std::string hex(NTSTATUS status);

// A driver, its device on our bus, and how its requests went. A driver without an AddDevice routine has no such device:
// there programs open the named devices that DriverEntry made. Used on the machine's first thread; note() on any.
class NtStack {
 public:
  explicit NtStack(ScenarioContext& context) : context_(context), driver_(context.machine, context.image) {}
  ~NtStack();  // removes the device and unloads the driver
  NtStack(const NtStack&) = delete;
  NtStack& operator=(const NtStack&) = delete;

  // DriverEntry, and AddDevice if there is one. False: there is no device to try; the context says why.
  bool load();
  // load(), IRP_MN_START_DEVICE with the resources of the test device, and what the Plug and Play manager asks a device
  // then. A driver that is no Plug and Play driver has started with its entry routine.
  bool start();
  // Requests for device power: down to `low`, and up again.
  void cycle_power(DEVICE_POWER_STATE low);
  // load() for scenarios about Plug and Play alone.
  bool load_pnp();

  // Null: the driver has no device on the bus, or it was removed.
  nt::PnpStack* pnp() { return bus_ ? &*bus_ : nullptr; }
  // Sends IRP_MN_REMOVE_DEVICE; then the bus reports that the device is gone.
  void remove();
  // What a program can open, each stack once.
  std::vector<DEVICE_OBJECT*> openable();

  ScenarioContext& context() { return context_; }
  nt::Machine& machine() { return context_.machine; }
  NtDriver& driver() { return driver_; }
  // Whether the driver has a dispatch routine of its own for it.
  bool handles(UCHAR major) { return driver_.object().MajorFunction[major] != nullptr; }
  uint32_t choose(uint32_t below) { return static_cast<uint32_t>(machine().executor().choose(below)); }
  void rest(base::TimeNs duration) { machine().executor().sleep_for(duration); }

  // A request has ended: it is counted. Returns its status.
  NTSTATUS note(UCHAR major, NTSTATUS status);
  NTSTATUS note_pnp(NTSTATUS status) { return note(IRP_MJ_PNP, status); }
  // At the end of a scenario that sends reads, writes and controls: incomplete when none of them reached the driver,
  // idle (Floor::Served) when the driver did nothing but refuse them. A cancelled request was not refused.
  enum class Floor : uint8_t { Reached, Served };
  void judge_requests(Floor floor);
  // At the end of a scenario in which a device goes while a program has it open.
  void judge_opened(bool opened);

 private:
  bool add_device();
  void ask_started();

  ScenarioContext& context_;
  NtDriver driver_;
  std::optional<nt::PnpStack> bus_;
  bool loaded_ = false;
  uint64_t served_ = 0;  // of the requests that a driver is for: reads, writes, controls
  uint64_t refused_ = 0;
};

}  // namespace host
