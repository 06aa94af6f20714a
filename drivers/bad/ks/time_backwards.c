// Its presentation times run backwards.
// FIXED lets them run on.
#include "skeleton.h"

#define UNITS_PER_PICTURE (10000 * FRAME_PERIOD_MS)

static VOID DescribeTime(STREAM* Stream, PKSSTREAM_HEADER Header) {
  DescribePicture(Stream, Header);
#ifdef FIXED
  Header->PresentationTime.Time = Stream->Pictures * UNITS_PER_PICTURE;
#else
  Header->PresentationTime.Time = MAXLONG - Stream->Pictures * UNITS_PER_PICTURE;
#endif
  Header->PresentationTime.Numerator = Header->PresentationTime.Denominator = 1;
  Header->OptionsFlags |= KSSTREAM_HEADER_OPTIONSF_TIMEVALID;
}

static VOID Replace(VOID) { Describe = DescribeTime; }
