// Compressed video in the order of its decoding, I0 P3 B1 B2 P6 B4 B5 …, with the presentation times as they are.
#include "skeleton.h"

#define GROUP 3        // pictures from one P to the next
#define PERIOD 100000  // 100 ns

static VOID DescribeReordered(STREAM* Stream, PKSSTREAM_HEADER Header) {
  LONGLONG First = Stream->Pictures / GROUP * GROUP, In = Stream->Pictures % GROUP;

  DescribePicture(Stream, Header);
  Header->PresentationTime.Time = (First + (In == 0 ? GROUP : In)) * PERIOD;
  Header->PresentationTime.Numerator = Header->PresentationTime.Denominator = 1;
  Header->OptionsFlags |= KSSTREAM_HEADER_OPTIONSF_TIMEVALID;
}

static VOID Replace(VOID) { Describe = DescribeReordered; }
