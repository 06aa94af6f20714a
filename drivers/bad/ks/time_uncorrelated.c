// Stamps its frames with GetTime.
// FIXED stamps them with GetCorrelatedTime.
#include "skeleton.h"

static VOID DescribeWrong(STREAM* Stream, PKSSTREAM_HEADER Header) {
#ifdef FIXED
  DescribePicture(Stream, Header);
#else
  PIKSREFERENCECLOCK Clock = Stream->Clock;

  Stream->Clock = NULL;
  DescribePicture(Stream, Header);
  Stream->Clock = Clock;
  if (Clock == NULL) return;
  Header->PresentationTime.Time = Clock->lpVtbl->GetTime(Clock);
  Header->PresentationTime.Numerator = Header->PresentationTime.Denominator = 1;
  Header->OptionsFlags |= KSSTREAM_HEADER_OPTIONSF_TIMEVALID;
#endif
}

static VOID Replace(VOID) { Describe = DescribeWrong; }
