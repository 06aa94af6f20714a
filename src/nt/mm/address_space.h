#pragma once

#include <cstddef>
#include <cstdint>

#include "base/sanitizer.h"

// Where the machine's memory lies. All memory whose address a driver can see is at a fixed address, so that two runs of
// one seed are equal although the host's own code and heap are placed at random. The addresses are within what each
// sanitizer leaves to applications, and below every shared library.
namespace nt {

struct Region {
  uintptr_t base;
  size_t bytes;
  uintptr_t end() const { return base + bytes; }
  bool contains(uintptr_t address) const { return address >= base && address < end(); }
};

inline constexpr uintptr_t kArenaBase =
    base::kSanitizer == base::Sanitizer::Thread ? 0x0040'0000'0000 : 0x2000'0000'0000;
inline constexpr size_t kGiB = size_t{1} << 30;

inline constexpr Region kStackArena = {kArenaBase, 4 * kGiB};             // fiber stacks
inline constexpr Region kPoolArena = {kArenaBase + 8 * kGiB, 16 * kGiB};  // driver pool
inline constexpr Region kRamArena = {kArenaBase + 26 * kGiB, 9 * kGiB};   // contiguous memory, pages for MDLs
inline constexpr Region kRegisterArena = {kArenaBase + 40 * kGiB,
                                          16 * kGiB};  // mapped device registers, never readable

// Reserves a region of address space (no memory is used until it is touched). CHECKs that the place is free.
void reserve(const Region& region, int protection);
// Gives the memory of [base, base+bytes) back to the system; it reads as zero afterwards.
void discard(uintptr_t base, size_t bytes);

}  // namespace nt
