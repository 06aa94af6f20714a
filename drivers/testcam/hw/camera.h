#pragma once

#include <array>
#include <cstdint>

#include "abi/device/drydock_device.h"
#include "testcam/hw/channel.h"
#include "testcam/proto/testcam_regs.h"

namespace testcam {

// The camera as it is after power-on: two channels, and the registers to reach them by. Owned by the model's instance.
// Called by one thread at a time; the host's services outlive it.
class Camera {
 public:
  explicit Camera(const DRYDOCK_DEVICE_HOST& host) : host_(host) {}
  Camera(const Camera&) = delete;
  Camera& operator=(const Camera&) = delete;

  uint64_t read(uint64_t offset, uint32_t width);
  void write(uint64_t offset, uint32_t width, uint64_t value);
  void step(uint64_t now);

 private:
  uint64_t read_register(uint32_t offset);
  void write_register(uint32_t offset, uint32_t value);
  void write_scene(uint32_t offset, int32_t value);
  void reset();
  void pull_out();
  Channel* next_channel(uint64_t now);
  void update_interrupt();
  void ask_for_step();

  const DRYDOCK_DEVICE_HOST& host_;
  std::array<Channel, TESTCAM_CHANNELS> channels_;
  Conditions conditions_;
  uint32_t pending_ = 0;
  uint32_t enabled_ = 0;
  bool raised_ = false;
  bool pulled_out_ = false;
  uint64_t asked_for_ = DRYDOCK_DEVICE_NEVER;  // the time of the step that the host was last asked for
};

}  // namespace testcam
