// The grabber has something to say: the interrupt notes what, and the DPC has the stream look.
#include "grabber.h"
#include "stream.h"

namespace kssg {

// At DIRQL. The line is shared. All bits: the grabber has been pulled out.
BOOLEAN serve_interrupt(PKINTERRUPT, PVOID ServiceContext) {
  Grabber& grabber = *static_cast<Grabber*>(ServiceContext);
  const ULONG causes = grabber.registers.read(KSSG_REG_INT_STATUS);
  if (causes == 0 || (causes & ~KSSG_INT_ALL) != 0) return FALSE;
  grabber.registers.write(KSSG_REG_INT_ACK, causes);
  InterlockedOr(&grabber.causes, static_cast<LONG>(causes));
  KeInsertQueueDpc(&grabber.dpc, nullptr, nullptr);
  return TRUE;
}

// At DISPATCH_LEVEL, and on two processors at once when they are quick: the stream sees to it that one of them serves
// it. A grabber that has stopped by itself lost its way in the ring: it begins anew, without the frames it had.
void serve_deferred(PKDPC, PVOID DeferredContext, PVOID, PVOID) {
  Grabber& grabber = *static_cast<Grabber*>(DeferredContext);
  const LONG causes = InterlockedExchange(&grabber.causes, 0);
  auto* stream = static_cast<Stream*>(ReadPointerAcquire(&grabber.dpc_stream));
  if (stream == nullptr) return;
  stream->pictures_came();
  if ((causes & KSSG_INT_FAULT) != 0) stream->give_up_frames(STATUS_IO_DEVICE_ERROR);
}

}  // namespace kssg
