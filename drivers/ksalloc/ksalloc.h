/* What programs can know of ksalloc beyond the documented sets: the format of its byte stream, and what its null
 * renderer has counted; C11 and C++17. Include ks.h first.
 *
 *   filter 0   pin 0, output   the source: a numbered frame every 10 ms (ksalloc_pattern.h), with its own allocator
 *   filter 1   pin 0, input    the null renderer: takes frames, counts them, and checks their numbers
 *
 * Both pins speak of KSALLOC_SUBTYPE_COUNTER and of YUY2 pictures of 160 by 120, and can be connected to each other as
 * well as to programs. */
#ifndef KSALLOC_H
#define KSALLOC_H

/* Frames of KSALLOC_COUNTER_BYTES each: major type KSDATAFORMAT_TYPE_STREAM, specifier KSDATAFORMAT_SPECIFIER_NONE. */
#define STATIC_KSALLOC_SUBTYPE_COUNTER 0x7c1f60d3, 0x0b5a, 0x4e8c, 0x86, 0x2f, 0xd1, 0x49, 0x05, 0xba, 0x7e, 0x13
DEFINE_GUIDSTRUCT("7C1F60D3-0B5A-4E8C-862F-D14905BA7E13", KSALLOC_SUBTYPE_COUNTER);
#define KSALLOC_SUBTYPE_COUNTER DEFINE_GUIDNAMED(KSALLOC_SUBTYPE_COUNTER)
#define KSALLOC_COUNTER_BYTES 512u

#define KSALLOC_WIDTH 160
#define KSALLOC_HEIGHT 120
#define KSALLOC_PICTURE_BYTES (KSALLOC_WIDTH * KSALLOC_HEIGHT * 2u) /* YUY2 */

#define KSALLOC_INTERVAL 100000 /* from one frame to the next, in units of 100 ns */

/* Properties of the null renderer's pin. */
#define STATIC_KSALLOC_PROPSETID_RENDERER 0xe2d0a4b7, 0x93c6, 0x4f11, 0xa0, 0x58, 0x6b, 0x2c, 0x97, 0x1e, 0x40, 0xdf
DEFINE_GUIDSTRUCT("E2D0A4B7-93C6-4F11-A058-6B2C971E40DF", KSALLOC_PROPSETID_RENDERER);
#define KSALLOC_PROPSETID_RENDERER DEFINE_GUIDNAMED(KSALLOC_PROPSETID_RENDERER)

typedef enum { KSALLOC_PROPERTY_COUNTS } KSALLOC_PROPERTY_RENDERER;

/* KSALLOC_PROPERTY_COUNTS, get: what came since the pin left KSSTATE_STOP. */
typedef struct KSALLOC_COUNTS {
  ULONGLONG Received; /* frames, of whatever content */
  ULONGLONG Bytes;    /* in them */
  ULONGLONG Lost;     /* numbers that were passed over */
  ULONGLONG Disorder; /* frames with a number that had been before */
  ULONGLONG Damaged;  /* frames that are not as the source made them */
} KSALLOC_COUNTS;

#endif
