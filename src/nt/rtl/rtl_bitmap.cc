// Bitmaps in the driver's own memory (RTL_BITMAP). A range beyond the bitmap is the driver's error and is not
// corrected.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "abi/km/wdm.h"
#include "nt/boundary/kernel_entry.h"

namespace {

constexpr ULONG kBitsPerWord = 32;
constexpr ULONG kNone = 0xffffffff;

bool bit_at(const RTL_BITMAP& map, ULONG index) {
  return map.Buffer[index / kBitsPerWord] >> (index % kBitsPerWord) & 1;
}

// The first bit from `from` on that has this value; the bitmap's size if there is none.
ULONG find_bit(const RTL_BITMAP& map, bool value, ULONG from) {
  const uint64_t size = map.SizeOfBitMap;
  for (uint64_t at = from; at < size; at = (at / kBitsPerWord + 1) * kBitsPerWord) {
    const ULONG word = map.Buffer[at / kBitsPerWord];
    const ULONG rest = (value ? word : ~word) >> (at % kBitsPerWord);
    if (rest != 0) return static_cast<ULONG>(std::min(at + static_cast<uint64_t>(std::countr_zero(rest)), size));
  }
  return map.SizeOfBitMap;
}

ULONG find_clear(const RTL_BITMAP& map, ULONG length, ULONG from) {
  while (from < map.SizeOfBitMap) {
    const ULONG start = find_bit(map, false, from);
    const ULONG end = find_bit(map, true, start);
    if (end - start >= length) return start;
    from = end;
  }
  return kNone;
}

// From the hint to the end, then from the beginning. A request for no bits is met at the hint (policy).
ULONG find_clear_near(const RTL_BITMAP& map, ULONG length, ULONG hint) {
  if (hint >= map.SizeOfBitMap) hint = 0;
  if (length == 0) return hint;
  const ULONG found = find_clear(map, length, hint);
  return found != kNone || hint == 0 ? found : find_clear(map, length, 0);
}

void fill(RTL_BITMAP& map, bool value, ULONG start, ULONG count) {
  while (count > 0) {
    const ULONG offset = start % kBitsPerWord;
    const ULONG step = std::min(count, kBitsPerWord - offset);
    const ULONG mask = static_cast<ULONG>((uint64_t{1} << step) - 1) << offset;
    ULONG& word = map.Buffer[start / kBitsPerWord];
    word = value ? word | mask : word & ~mask;
    start += step;
    count -= step;
  }
}

ULONG count_set(const RTL_BITMAP& map) {
  ULONG count = 0;
  const ULONG whole = map.SizeOfBitMap / kBitsPerWord;
  for (ULONG i = 0; i < whole; ++i) count += static_cast<ULONG>(std::popcount(map.Buffer[i]));
  for (ULONG i = whole * kBitsPerWord; i < map.SizeOfBitMap; ++i) count += bit_at(map, i);
  return count;
}

// The buffer is a whole number of words, as its documentation demands, and is filled as such.
void fill_all(RTL_BITMAP& map, int byte) {
  const size_t words = (size_t{map.SizeOfBitMap} + kBitsPerWord - 1) / kBitsPerWord;
  std::memset(map.Buffer, byte, words * sizeof(ULONG));
}

bool all_are(const RTL_BITMAP& map, bool value, ULONG start, ULONG length) {
  if (length == 0 || uint64_t{start} + length > map.SizeOfBitMap) return false;
  return find_bit(map, !value, start) >= start + length;
}

}  // namespace

extern "C" {

void RtlInitializeBitMap(PRTL_BITMAP BitMapHeader, PULONG BitMapBuffer, ULONG SizeOfBitMap) {
  nt::KernelEntry call{nt::Fn::RtlInitializeBitMap};
  BitMapHeader->SizeOfBitMap = SizeOfBitMap;
  BitMapHeader->Buffer = BitMapBuffer;
}

void RtlClearAllBits(PRTL_BITMAP BitMapHeader) {
  nt::KernelEntry call{nt::Fn::RtlClearAllBits};
  fill_all(*BitMapHeader, 0);
}

void RtlSetAllBits(PRTL_BITMAP BitMapHeader) {
  nt::KernelEntry call{nt::Fn::RtlSetAllBits};
  fill_all(*BitMapHeader, 0xff);
}

void RtlClearBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber) {
  nt::KernelEntry call{nt::Fn::RtlClearBit};
  fill(*BitMapHeader, false, BitNumber, 1);
}

void RtlSetBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber) {
  nt::KernelEntry call{nt::Fn::RtlSetBit};
  fill(*BitMapHeader, true, BitNumber, 1);
}

BOOLEAN RtlTestBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber) {
  nt::KernelEntry call{nt::Fn::RtlTestBit};
  return bit_at(*BitMapHeader, BitNumber);
}

void RtlClearBits(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG NumberToClear) {
  nt::KernelEntry call{nt::Fn::RtlClearBits};
  fill(*BitMapHeader, false, StartingIndex, NumberToClear);
}

void RtlSetBits(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG NumberToSet) {
  nt::KernelEntry call{nt::Fn::RtlSetBits};
  fill(*BitMapHeader, true, StartingIndex, NumberToSet);
}

ULONG RtlFindClearBits(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex) {
  nt::KernelEntry call{nt::Fn::RtlFindClearBits};
  return find_clear_near(*BitMapHeader, NumberToFind, HintIndex);
}

ULONG RtlFindClearBitsAndSet(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex) {
  nt::KernelEntry call{nt::Fn::RtlFindClearBitsAndSet};
  const ULONG found = find_clear_near(*BitMapHeader, NumberToFind, HintIndex);
  if (found != kNone) fill(*BitMapHeader, true, found, NumberToFind);
  return found;
}

ULONG RtlNumberOfSetBits(PRTL_BITMAP BitMapHeader) {
  nt::KernelEntry call{nt::Fn::RtlNumberOfSetBits};
  return count_set(*BitMapHeader);
}

BOOLEAN RtlAreBitsClear(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG Length) {
  nt::KernelEntry call{nt::Fn::RtlAreBitsClear};
  return all_are(*BitMapHeader, false, StartingIndex, Length);
}

BOOLEAN RtlAreBitsSet(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG Length) {
  nt::KernelEntry call{nt::Fn::RtlAreBitsSet};
  return all_are(*BitMapHeader, true, StartingIndex, Length);
}

}  // extern "C"
