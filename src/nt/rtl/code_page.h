#pragma once

#include <cstdint>

#include "abi/shared/ntdef.h"

// The machine's ANSI code page: Windows-1252. Which one a Windows machine has depends on its locale; that this one has
// 1252 is policy, so that conversions are the same in every run.
namespace nt {

// What 0x80…0x9f stand for; the five bytes 1252 leaves open are the C1 controls of the same number.
inline constexpr WCHAR kCodePageHigh[32] = {0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                            0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D, 0x008F,
                                            0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                            0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

constexpr WCHAR widen(char c) {
  const uint8_t byte = static_cast<uint8_t>(c);
  return byte < 0x80 || byte > 0x9f ? static_cast<WCHAR>(byte) : kCodePageHigh[byte - 0x80];
}

// '?' for a character the code page lacks.
constexpr char narrow(WCHAR c) {
  if (c < 0x80 || (c >= 0xa0 && c <= 0xff)) return static_cast<char>(c);
  for (uint8_t i = 0; i < 32; ++i) {
    if (kCodePageHigh[i] == c) return static_cast<char>(0x80 + i);
  }
  return '?';
}

}  // namespace nt
