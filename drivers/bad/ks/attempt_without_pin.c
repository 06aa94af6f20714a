// Attempts to process for no pin.
// FIXED has nothing to attempt: the timer looks into the queue itself.
#include "skeleton.h"

static VOID TakeAndAttempt(STREAM* Stream) {
  TakePicture(Stream);
#ifndef FIXED
  KsPinAttemptProcessing(NULL, TRUE);
#endif
}

static VOID Replace(VOID) { Picture = TakeAndAttempt; }
