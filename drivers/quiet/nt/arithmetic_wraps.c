// Lets signed numbers wrap, as MSVC does: a checksum that overflows, a ring of sequence numbers that goes from the
// largest to the smallest, and a flag in the sign bit.
#include "skeleton.h"

static LONG Checksum(const UCHAR* Bytes, LONG Count) {
  LONG Sum = 17;
  for (LONG i = 0; i < Count; ++i) Sum = Sum * 31 + Bytes[i];
  return Sum;
}

static BOOLEAN IsNewer(LONG Left, LONG Right) { return Left - Right > 0; }

static NTSTATUS Start(VOID) {
  static const UCHAR Name[] = "a name that is long enough";
  volatile LONG Last = MAXLONG;
  volatile LONG Bit = 31;
  LONG Next = Last + 1;

  if (Checksum(Name, sizeof(Name)) == 0) return STATUS_UNSUCCESSFUL;
  if (!IsNewer(Next, Last)) return STATUS_UNSUCCESSFUL;
  return (1 << Bit) < 0 ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
}

static VOID Stop(VOID) {}
