// Deletes the leading edge.
// FIXED deletes a clone of it.
#include "skeleton.h"

static VOID DeleteEdge(STREAM* Stream) {
  PKSSTREAM_POINTER Frame = KsPinGetLeadingEdgeStreamPointer(Stream->Pin, KSSTREAM_POINTER_STATE_LOCKED);

  if (Frame != NULL) {
#ifdef FIXED
    PKSSTREAM_POINTER Clone;
    if (NT_SUCCESS(KsStreamPointerClone(Frame, NULL, 0, &Clone))) KsStreamPointerDelete(Clone);
#else
    KsStreamPointerDelete(Frame);
#endif
    KsStreamPointerUnlock(Frame, FALSE);
  }
  TakePicture(Stream);
}

static VOID Replace(VOID) { Picture = DeleteEdge; }
