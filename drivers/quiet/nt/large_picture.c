// Converts a picture of 3840 x 2160, two passes over its bytes, in a loop that does not call the kernel.
#include "skeleton.h"

#define WIDTH 3840
#define HEIGHT 2160
#define BYTES (WIDTH * HEIGHT * 4)

static UCHAR* Picture;

static NTSTATUS Start(VOID) {
  volatile UCHAR* Pixels;
  ULONG Pass, Byte;

  Picture = ExAllocatePool2(POOL_FLAG_NON_PAGED, BYTES, BAD_TAG);
  if (Picture == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  Pixels = Picture;
  for (Pass = 0; Pass < 2; Pass++) {
    for (Byte = 0; Byte < BYTES; Byte++) Pixels[Byte] ^= (UCHAR)(Byte & 3 ? 0x5A : 0);
  }
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) { ExFreePoolWithTag(Picture, BAD_TAG); }
