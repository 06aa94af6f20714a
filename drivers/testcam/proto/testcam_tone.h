/* What testcam's microphone hears: a sine that sweeps up from 220 Hz to 880 Hz and down again, once in four seconds. A
 * pure function of the sample's number, in integers, so that every machine hears the same; C11 and C++17, for the
 * driver and for tests. */
#ifndef TESTCAM_TONE_H
#define TESTCAM_TONE_H

#include <stdint.h>

#define TESTCAM_TONE_LOWEST_HZ 220u
#define TESTCAM_TONE_HIGHEST_HZ 880u
#define TESTCAM_TONE_HALF_SECONDS 2u /* up, and the same down */
#define TESTCAM_TONE_AMPLITUDE 16384

/* The sine of an angle of which 2^32 make a full turn, times TESTCAM_TONE_AMPLITUDE: the parabola through the sine's
 * zeros and peaks, which is 6 % off at worst and sounds like a flute. */
static inline int32_t testcam_tone_sine(uint32_t angle) {
  int64_t x = angle & 0x7FFFFFFFu;               /* 0 … half a turn */
  int64_t wave = (x * (0x80000000LL - x)) >> 32; /* 0 … 2^28 … 0 */
  int32_t value = (wave * TESTCAM_TONE_AMPLITUDE) >> 28;
  return angle & 0x80000000u ? -value : value;
}

/* Sample `index` at `rate` samples a second. The phase is the integral of the frequency, which is linear in each half:
 * lowest·t + sweep·t²/(2·half), in turns. */
static inline int16_t testcam_tone_sample(uint64_t index, uint32_t rate) {
  const uint64_t half = 1ull * rate * TESTCAM_TONE_HALF_SECONDS;
  const uint64_t sweep = TESTCAM_TONE_HIGHEST_HZ - TESTCAM_TONE_LOWEST_HZ;
  uint64_t in_period = index % (2 * half);
  /* Falling is rising played backwards; both halves are whole numbers of turns, so nothing clicks where they meet. */
  uint64_t n = in_period < half ? in_period : 2 * half - in_period;
  /* Turns times 2 * half * rate: exact, and below 2^44. */
  uint64_t turns = 2 * half * TESTCAM_TONE_LOWEST_HZ * n + sweep * n * n;
  uint64_t whole = 2 * half * rate;
  uint64_t fraction = turns % whole; /* below 2^34 */
  uint32_t angle = (fraction << 24) / whole << 8;
  int32_t value = testcam_tone_sine(angle);
  return in_period < half ? value : -value;
}

#endif
