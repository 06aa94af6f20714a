// A picture is in a ring: the interrupt notes which, and the DPC has the stream take it.
#include "camera.h"
#include "stream.h"

namespace testcam {

// At DIRQL. The line is shared. All bits: the camera has been pulled out.
BOOLEAN serve_interrupt(PKINTERRUPT, PVOID ServiceContext) {
  Camera& camera = *static_cast<Camera*>(ServiceContext);
  const ULONG causes = camera.registers.read(TESTCAM_REG_INT_STATUS);
  if (causes == 0 || (causes & ~TESTCAM_INT_ALL) != 0) return FALSE;
  camera.registers.write(TESTCAM_REG_INT_ACK, causes);
  InterlockedOr(&camera.interrupted, static_cast<LONG>(causes));
  KeInsertQueueDpc(&camera.dpc, nullptr, nullptr);
  return TRUE;
}

// At DISPATCH_LEVEL, and on two processors at once when they are quick: a stream sees to it that one of them serves it.
void serve_deferred(PKDPC, PVOID DeferredContext, PVOID, PVOID) {
  Camera& camera = *static_cast<Camera*>(DeferredContext);
  const LONG causes = InterlockedExchange(&camera.interrupted, 0);
  for (ULONG i = 0; i < TESTCAM_CHANNELS; ++i) {
    if ((causes & TESTCAM_INT_CHANNEL(i)) == 0) continue;
    // Valid until this DPC is over: stop_channel() waits for it.
    Stream* stream = stream_of(camera.channels[i]);
    if (stream != nullptr) stream->pictures_came();
  }
}

}  // namespace testcam
