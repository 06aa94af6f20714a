// A decoder that gets along with two frames.
// FIXED allows three.
#include "skeleton.h"

static const GUID Decoder = {STATICGUIDOF(KSCATEGORY_DATADECOMPRESSOR)};

static VOID Replace(VOID) {
  Filter.Categories = &Decoder;
#ifndef FIXED
  CaptureFraming.FramingItem[0].Frames = 2;
#endif
}
