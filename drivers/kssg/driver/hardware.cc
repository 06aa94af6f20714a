// The hardware, told what the stream wants of it. A request while it sleeps is served when it wakes up: AVStream may
// set a pin's state before it restores power.
#include "grabber.h"
#include "stream.h"

namespace kssg {
namespace {

// It is stopped, so that settings count. The ring is as it was: what is in flight stays so, whatever the hardware
// forgot.
void tell_settings(const Grabber& grabber) {
  Stream& stream = *grabber.stream;
  grabber.registers.write(KSSG_REG_WIDTH, stream.format().width);
  grabber.registers.write(KSSG_REG_HEIGHT, stream.format().height);
  grabber.registers.write(KSSG_REG_INTERVAL, stream.format().interval);
  grabber.registers.write64(KSSG_REG_RING_BASE, stream.ring().logical());
  grabber.registers.write(KSSG_REG_RING_ENTRIES, Ring::kEntries);
  grabber.registers.write(KSSG_REG_HEAD, stream.ring().head());
  grabber.registers.write(KSSG_REG_TAIL, stream.ring().tail());
  stream.numbers_restart();
}

}  // namespace

void halt(Grabber& grabber) {
  if (grabber.awake) grabber.registers.write(KSSG_REG_CONTROL, KSSG_CONTROL_STOP);
}

void tell(Grabber& grabber) {
  if (!grabber.awake || grabber.stream == nullptr) return;
  tell_settings(grabber);
  grabber.registers.write(KSSG_REG_CONTROL, KSSG_CONTROL_RUN);
}

void tell_tail(Grabber& grabber) {
  if (grabber.awake) grabber.registers.write(KSSG_REG_TAIL, grabber.stream->ring().tail());
}

void start_hardware(Grabber& grabber) {
  Locked locked(grabber.lock);
  grabber.registers.write(KSSG_REG_RESET, KSSG_RESET_KEY);
  grabber.registers.write(KSSG_REG_INT_ENABLE, KSSG_INT_ALL);
  grabber.awake = true;
  tell(grabber);
}

// The DPC runs before the hardware forgets its clock, and after the last interrupt. Results that it leaves in the ring
// are taken when the hardware is awake again.
void stop_hardware(Grabber& grabber) {
  {
    Locked locked(grabber.lock);
    halt(grabber);
  }
  KeFlushQueuedDpcs();
  {
    Locked locked(grabber.lock);
    grabber.registers.write(KSSG_REG_RESET, KSSG_RESET_KEY);
    grabber.awake = false;
  }
  KeFlushQueuedDpcs();
}

void attach(Grabber& grabber, Stream& stream) {
  InterlockedExchangePointer(&grabber.dpc_stream, &stream);
  Locked locked(grabber.lock);
  grabber.stream = &stream;
  tell(grabber);
}

// A DPC that comes now finds no stream; one that had found it is waited for.
void detach(Grabber& grabber) {
  {
    Locked locked(grabber.lock);
    halt(grabber);
    grabber.stream = nullptr;
  }
  InterlockedExchangePointer(&grabber.dpc_stream, nullptr);
  KeFlushQueuedDpcs();
}

}  // namespace kssg
