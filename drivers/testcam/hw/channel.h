#pragma once

#include <cstdint>
#include <vector>

#include "abi/device/drydock_device.h"
#include "testcam/hw/pattern.h"
#include "testcam/proto/testcam_regs.h"

namespace testcam {

// What every channel sees, and how often it goes wrong.
struct Conditions {
  int32_t brightness = TESTCAM_DEFAULT_BRIGHTNESS;
  int32_t zoom = TESTCAM_DEFAULT_ZOOM;
  uint32_t lose_interrupt = 0;  // TESTCAM_HOOK_…
  uint32_t drop_picture = 0;
};

// One way out of the camera: its settings, its timing, and the ring it writes pictures into. Owned by the camera.
class Channel {
 public:
  uint64_t read(uint32_t offset) const;
  void write(uint32_t offset, uint32_t value, uint64_t now);

  // When it next wants take_picture(); DRYDOCK_DEVICE_NEVER when it does not run.
  uint64_t due() const { return due_; }
  // The picture that is due goes into the ring, or is dropped. Whether that interrupts.
  bool take_picture(const DRYDOCK_DEVICE_HOST& host, const Conditions& conditions);

 private:
  void control(uint32_t wanted, uint64_t now);
  bool settings_valid() const;
  uint64_t interval_ns() const { return uint64_t{interval_} * 100; }
  // Whether memory answered.
  bool put(const DRYDOCK_DEVICE_HOST& host, const Scene& scene);

  uint32_t state_ = TESTCAM_CONTROL_STOP;
  uint32_t format_ = 0;
  uint32_t width_ = 0;
  uint32_t height_ = 0;
  uint32_t interval_ = 0;
  uint32_t slot_bytes_ = 0;
  uint64_t ring_base_ = 0;
  uint32_t slots_ = 0;
  uint32_t written_ = 0;
  uint32_t read_ = 0;
  uint32_t dropped_ = 0;
  uint64_t number_ = 0;  // of the next picture
  uint64_t due_ = DRYDOCK_DEVICE_NEVER;
  std::vector<uint8_t> slot_;  // as it goes out
};

}  // namespace testcam
