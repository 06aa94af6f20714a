#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ks/device/device.h"
#include "ks/device/pnp_slot.h"
#include "ks/device/system.h"
#include "ks/object/filter.h"
#include "ks/object/program.h"
#include "ks/pin/pin.h"
#include "ks/testing/fake_driver.h"
#include "nt/testing/machine_fixture.h"

namespace ks::testing {

// A machine with the class, the fake minidriver with a started device, and a program.
//
//   driver.pin[0].Process = [](PKSPIN pin) { …; return STATUS_PENDING; };
//   run_driver([&] {
//     HANDLE filter = open_filter();
//     HANDLE pin = open_pin(filter, 0);
//     EXPECT_EQ(program().set_state(pin, KSSTATE_RUN), STATUS_SUCCESS);
//   });
class KsTest : public nt::MachineTest {
 protected:
  // `body` between the device's start and its removal; the program ends before that.
  void run_driver(const std::function<void()>& body);
  // The same with each of so many seeds; every run must come to its end.
  void run_driver_seeds(uint64_t seeds, const std::function<void()>& body);
  // `body` never ends: the machine stops it, and says why.
  void run_stuck(const std::function<void()>& body);

  // While run_driver runs.
  System& system() { return *system_; }
  Device& device() { return *slot_->device(); }
  PnpSlot& slot() { return *slot_; }
  Program& program() { return *program_; }
  void end_program() { program_.reset(); }
  HANDLE open_filter();
  // A pin of the standard interface, medium and format. `to` is the sink of a kernel connection.
  HANDLE open_pin(HANDLE filter, ULONG id, HANDLE to = nullptr);
  KSPIN_CONNECT connect(ULONG id, HANDLE to = nullptr);
  KSDATAFORMAT format();
  // The objects behind handles.
  Pin& pin_of(HANDLE handle);
  Filter& filter_of(HANDLE handle);
  // `body` on a thread of its own; returns when it has.
  void on_other_thread(const std::function<void()>& body);
  // Lets virtual time pass.
  void rest(base::TimeNs duration);

  FakeDriver driver;
  Policy policy;

 private:
  void play(const std::function<void()>& body);
  void keep_wreck();
  FILE_OBJECT& file_of(HANDLE handle);

  std::unique_ptr<System> system_;
  std::unique_ptr<PnpSlot> slot_;
  std::unique_ptr<Program> program_;
};

}  // namespace ks::testing
