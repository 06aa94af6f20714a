// Fills in presentation times and not what they are counted in.
// FIXED counts in 100 ns.
#include "skeleton.h"

static VOID DescribeTime(STREAM* Stream, PKSSTREAM_HEADER Header) {
  DescribePicture(Stream, Header);
  Header->PresentationTime.Time = Stream->Pictures;
#ifdef FIXED
  Header->PresentationTime.Numerator = Header->PresentationTime.Denominator = 1;
#else
  Header->PresentationTime.Numerator = Header->PresentationTime.Denominator = 0;
#endif
  Header->OptionsFlags |= KSSTREAM_HEADER_OPTIONSF_TIMEVALID;
}

static VOID Replace(VOID) { Describe = DescribeTime; }
