// The hardware, told what streams and programs want of it. A request while it sleeps is served when it wakes up:
// AVStream may set a pin's state before it restores power.
#include "camera.h"

#include "stream.h"

namespace testcam {
namespace {

class Holding {
 public:
  explicit Holding(FAST_MUTEX& mutex) : mutex_(mutex) { ExAcquireFastMutex(&mutex_); }
  ~Holding() { ExReleaseFastMutex(&mutex_); }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;

 private:
  FAST_MUTEX& mutex_;
};

void tell(const Camera& camera, ULONG index) {
  const Channel& channel = camera.channels[index];
  const ULONG base = TESTCAM_REG_CHANNEL(index);
  // Settings count while the channel is stopped, so that a stream begins with none of another's left.
  if (channel.control != TESTCAM_CONTROL_STOP &&
      camera.registers.read(base + TESTCAM_CHANNEL_CONTROL) == TESTCAM_CONTROL_STOP) {
    Stream& stream = *stream_of(channel);
    camera.registers.write(base + TESTCAM_CHANNEL_FORMAT, stream.format().pixels);
    camera.registers.write(base + TESTCAM_CHANNEL_WIDTH, stream.format().width);
    camera.registers.write(base + TESTCAM_CHANNEL_HEIGHT, stream.format().height);
    camera.registers.write(base + TESTCAM_CHANNEL_INTERVAL, stream.format().interval);
    camera.registers.write(base + TESTCAM_CHANNEL_SLOT_BYTES, stream.ring().slot_bytes());
    camera.registers.write64(base + TESTCAM_CHANNEL_RING_BASE, stream.ring().logical());
    camera.registers.write(base + TESTCAM_CHANNEL_SLOTS, Ring::kSlots);
    stream.ring_restarts();
  }
  camera.registers.write(base + TESTCAM_CHANNEL_CONTROL, channel.control);
}

}  // namespace

void start_hardware(Camera& camera) {
  Holding holding(camera.mutex);
  camera.registers.write(TESTCAM_REG_RESET, TESTCAM_RESET_KEY);
  camera.awake = TRUE;
  camera.registers.write(TESTCAM_REG_BRIGHTNESS, static_cast<ULONG>(camera.brightness));
  camera.registers.write(TESTCAM_REG_ZOOM, static_cast<ULONG>(camera.zoom));
  camera.registers.write(TESTCAM_REG_INT_ENABLE, TESTCAM_INT_ALL);
  for (ULONG i = 0; i < TESTCAM_CHANNELS; ++i) tell(camera, i);
}

void stop_hardware(Camera& camera) {
  {
    Holding holding(camera.mutex);
    camera.registers.write(TESTCAM_REG_RESET, TESTCAM_RESET_KEY);
    camera.awake = FALSE;
  }
  KeFlushQueuedDpcs();
}

bool attach(Camera& camera, ULONG channel, Stream& stream) {
  return InterlockedCompareExchangePointer(&camera.channels[channel].stream, &stream, nullptr) == nullptr;
}

void detach(Camera& camera, ULONG channel) { InterlockedExchangePointer(&camera.channels[channel].stream, nullptr); }

void control(Camera& camera, ULONG channel, ULONG wanted) {
  Holding holding(camera.mutex);
  camera.channels[channel].control = wanted;
  if (camera.awake) tell(camera, channel);
}

// An interrupt that came before may still be on its way to the DPC.
void stop_channel(Camera& camera, ULONG channel) {
  control(camera, channel, TESTCAM_CONTROL_STOP);
  KeFlushQueuedDpcs();
}

void set_scene(Camera& camera, LONG Camera::*what, ULONG offset, LONG value) {
  Holding holding(camera.mutex);
  camera.*what = value;
  if (camera.awake) camera.registers.write(offset, static_cast<ULONG>(value));
}

LONG get_scene(Camera& camera, LONG Camera::*what) {
  Holding holding(camera.mutex);
  return camera.*what;
}

}  // namespace testcam
