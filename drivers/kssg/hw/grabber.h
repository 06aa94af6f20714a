#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "abi/device/drydock_device.h"
#include "kssg/proto/kssg_regs.h"

namespace kssg {

// The grabber as it is after power-on: registers, a clock of pictures, and the ring it takes lists of descriptors from.
// Owned by the model's instance. Called by one thread at a time; the host's services outlive it.
class Grabber {
 public:
  explicit Grabber(const DRYDOCK_DEVICE_HOST& host) : host_(host) {}
  Grabber(const Grabber&) = delete;
  Grabber& operator=(const Grabber&) = delete;

  uint64_t read(uint64_t offset, uint32_t width);
  void write(uint64_t offset, uint32_t width, uint64_t value);
  void step(uint64_t now);

 private:
  // Everything that RESET forgets.
  struct State {
    uint32_t control = KSSG_CONTROL_STOP;
    uint32_t width = 0;
    uint32_t height = 0;
    uint32_t interval = 0;
    uint64_t ring_base = 0;
    uint32_t ring_entries = 0;
    uint32_t head = 0;
    uint32_t tail = 0;
    uint32_t dropped = 0;
    uint32_t bus_errors = 0;
    uint32_t number = 0;  // of the next picture
    uint32_t pending = 0;
    uint32_t enabled = 0;
    uint64_t due = DRYDOCK_DEVICE_NEVER;  // when the next picture is
  };
  using List = std::vector<KSSG_DESCRIPTOR>;

  uint64_t read_register(uint32_t offset) const;
  void write_register(uint32_t offset, uint32_t value);
  void write_setting(uint32_t offset, uint32_t value);
  void control(uint32_t wanted);
  void reset();
  bool settings_valid() const;

  void take_picture();
  // The descriptors of the next list; empty when there is none yet, nothing when the ring does not answer.
  std::optional<List> read_list();
  uint32_t put_picture(const List& list, uint32_t number);
  bool write_result(uint32_t last, uint32_t result, uint32_t number, uint64_t time_ns);
  void fail();

  uint64_t entry(uint32_t count) const;
  void update_interrupt();
  void ask_for_step();

  const DRYDOCK_DEVICE_HOST& host_;
  State state_;
  bool raised_ = false;
  uint64_t asked_for_ = DRYDOCK_DEVICE_NEVER;  // the time of the step that the host was last asked for
};

}  // namespace kssg
