// The grabber as the driver knows it: KSDEVICE.Context, and with it the context of the filter. It exists from Add to
// Remove; its hardware from Start to Stop.
#pragma once

#include "registers.h"

namespace kssg {

class Stream;

struct Grabber {
  Registers registers;
  PDMA_ADAPTER dma;
  PKINTERRUPT interrupt;
  KDPC dpc;
  volatile LONG causes;       // KSSG_INT_…: from the interrupt, for the DPC
  PVOID volatile dpc_stream;  // the Stream that the DPC serves
  volatile LONG acquired;     // 1: a stream has it, with memory of the adapter's

  // Guards what the hardware is told, and the ring that it is told of: the pin's state, the device's power and frames
  // that arrive come independently of each other. Innermost: nothing is called with it held but the registers.
  KSPIN_LOCK lock;
  Stream* stream;  // that runs; null: there is none, and the hardware is stopped
  bool awake;      // started, and in D0
};

// hardware.cc. PASSIVE_LEVEL.
void start_hardware(Grabber& grabber);          // started, or woken up: tells it everything again
void stop_hardware(Grabber& grabber);           // no more interrupts, no more DMA; the DPC has run
void attach(Grabber& grabber, Stream& stream);  // it runs
void detach(Grabber& grabber);                  // stopped; the DPC does not touch the stream any more
// With the lock held.
void halt(Grabber& grabber);  // memory is not touched until tell()
void tell(Grabber& grabber);  // runs, if there is a stream and it is awake
void tell_tail(Grabber& grabber);

// interrupt.cc
KSERVICE_ROUTINE serve_interrupt;
KDEFERRED_ROUTINE serve_deferred;

}  // namespace kssg
