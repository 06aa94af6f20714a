// The camera as the driver knows it: KSDEVICE.Context, and with it the context of every filter. It exists from Add to
// Remove; its hardware from Start to Stop.
#pragma once

#include "registers.h"

namespace testcam {

class Stream;

// One of the camera's two ways out, and the stream that uses it. What it is told survives the hardware: a camera that
// slept is told again.
struct Channel {
  PVOID volatile stream;  // the Stream that has acquired it: the DPC takes its pictures
  ULONG control;          // TESTCAM_CONTROL_… that the stream asked for; guarded by Camera::mutex
};

inline Stream* stream_of(const Channel& channel) { return static_cast<Stream*>(ReadPointerAcquire(&channel.stream)); }

struct Camera {
  Registers registers;
  PDMA_ADAPTER dma;
  PKINTERRUPT interrupt;
  KDPC dpc;
  volatile LONG interrupted;  // TESTCAM_INT_…: from the interrupt, for the DPC

  // Guards what the hardware is told from PASSIVE_LEVEL: pins' states and the device's power change independently of
  // each other, and on waking up in either order. Innermost: nothing is called with it held but the registers.
  FAST_MUTEX mutex;
  BOOLEAN awake;  // started, and in D0
  LONG brightness;
  LONG zoom;
  Channel channels[TESTCAM_CHANNELS];
};

// camera.cc: the hardware. PASSIVE_LEVEL.
void start_hardware(Camera& camera);                         // started, or woken up: tells it everything again
void stop_hardware(Camera& camera);                          // no more interrupts, no more DMA; the DPC has run
bool attach(Camera& camera, ULONG channel, Stream& stream);  // false: another stream has it
void detach(Camera& camera, ULONG channel);                  // its channel is stopped
void control(Camera& camera, ULONG channel, ULONG wanted);
void stop_channel(Camera& camera, ULONG channel);  // its stream is not touched by the DPC any more
void set_scene(Camera& camera, LONG Camera::*what, ULONG offset, LONG value);
LONG get_scene(Camera& camera, LONG Camera::*what);

// interrupt.cc
KSERVICE_ROUTINE serve_interrupt;
KDEFERRED_ROUTINE serve_deferred;

}  // namespace testcam
