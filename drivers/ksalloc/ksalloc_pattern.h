/* What is in a frame of ksalloc: a stamp with its number, and bytes that follow from the number; C11 and C++17. A frame
 * cut short is damaged, and so is one of another source. */
#ifndef KSALLOC_PATTERN_H
#define KSALLOC_PATTERN_H

#include <stdint.h>

#define KSALLOC_STAMP_MARK 0x434F4C4C4153534Bull /* "KSSALLOC" */

typedef struct KSALLOC_STAMP {
  uint64_t mark; /* KSALLOC_STAMP_MARK */
  uint64_t number;
} KSALLOC_STAMP;

static inline uint8_t ksalloc_byte(uint64_t number, uint32_t index) { return (number * 7u + index) & 0xFFu; }

/* `bytes` is at least sizeof(KSALLOC_STAMP), and the frame need not be aligned. */
static inline void ksalloc_write(uint8_t* frame, uint32_t bytes, uint64_t number) {
  uint32_t i;
  for (i = 0; i < 8; ++i) frame[i] = (KSALLOC_STAMP_MARK >> 8 * i) & 0xFFu;
  for (i = 0; i < 8; ++i) frame[8 + i] = (number >> 8 * i) & 0xFFu;
  for (i = sizeof(KSALLOC_STAMP); i < bytes; ++i) frame[i] = ksalloc_byte(number, i);
}

/* Whether it is a whole frame of the source; then `number` is its number. */
static inline int ksalloc_read(const uint8_t* frame, uint32_t bytes, uint64_t* number) {
  uint64_t mark = 0, found = 0;
  uint32_t i;
  if (bytes < sizeof(KSALLOC_STAMP)) return 0;
  for (i = 8; i > 0; --i) mark = mark << 8 | frame[i - 1];
  for (i = 8; i > 0; --i) found = found << 8 | frame[8 + i - 1];
  if (mark != KSALLOC_STAMP_MARK) return 0;
  for (i = sizeof(KSALLOC_STAMP); i < bytes; ++i) {
    if (frame[i] != ksalloc_byte(found, i)) return 0;
  }
  *number = found;
  return 1;
}

#endif
