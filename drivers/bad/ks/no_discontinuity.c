// Drops every fourth picture and does not say so.
// FIXED says so in the next one.
#include "skeleton.h"

static VOID DropSome(STREAM* Stream) {
  if (Stream->Pictures % 4 != 3) {
    TakePicture(Stream);
    return;
  }
  ++Stream->Pictures;
  ++Stream->Dropped;
#ifdef FIXED
  Stream->Discontinuity = TRUE;
#endif
}

static VOID Replace(VOID) { Picture = DropSome; }
