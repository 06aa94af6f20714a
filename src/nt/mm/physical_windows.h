#pragma once

#include <cstdint>
#include <optional>

#include "base/align.h"
#include "nt/mm/address_space.h"

// Where the machine's arenas lie in physical memory. Fixed, as the arenas are: equal seeds give equal physical
// addresses.
//
// clang-format off
//    0 GiB  contiguous memory (from 1 MiB on)
//    2 GiB  pages below 4 GiB (scattered)
//    3 GiB  nothing; device registers at the end of it
//    4 GiB  contiguous memory
//    8 GiB  pages (scattered)
//   12 GiB  stacks (scattered)
//   16 GiB  pool (scattered)
//   32 GiB  everything else, page by page (physical_memory.h)
// clang-format on
//
// Two pages that follow each other in a scattered window never follow each other, in that order, in physical memory. So
// a driver that treats a buffer as contiguous without having asked for that gives its device a wrong address, and is
// found out.
namespace nt {

struct PhysicalWindow {
  Region region;
  uint64_t physical;
  bool scattered;
};

inline constexpr uint64_t kScatterBytes = 8 * base::kPageBytes;  // pages trade places within this much
inline constexpr uint64_t kFirstMegabyte = uint64_t{1} << 20;    // a PC keeps it for its firmware
inline constexpr uint64_t kOtherPagesAt = 32 * kGiB;
inline constexpr uint64_t kOtherPagesEnd = 64 * kGiB;

inline constexpr PhysicalWindow kLowContiguous = {{kRamArena.base, 2 * kGiB}, 0, false};
inline constexpr PhysicalWindow kLowPages = {{kRamArena.base + 2 * kGiB, 1 * kGiB}, 2 * kGiB, true};
inline constexpr PhysicalWindow kHighContiguous = {{kRamArena.base + 3 * kGiB, 2 * kGiB}, 4 * kGiB, false};
inline constexpr PhysicalWindow kHighPages = {{kRamArena.base + 5 * kGiB, 4 * kGiB}, 8 * kGiB, true};
inline constexpr PhysicalWindow kStackWindow = {kStackArena, 12 * kGiB, true};
inline constexpr PhysicalWindow kPoolWindow = {kPoolArena, 16 * kGiB, true};
inline constexpr PhysicalWindow kPhysicalWindows[] = {kLowContiguous, kLowPages,    kHighContiguous,
                                                      kHighPages,     kStackWindow, kPoolWindow};

// Swaps the pages of each eight, last for first. Its own inverse.
constexpr uint64_t scatter(uint64_t offset) { return offset ^ (kScatterBytes - base::kPageBytes); }

constexpr std::optional<uint64_t> physical_in_windows(uintptr_t address) {
  for (const PhysicalWindow& window : kPhysicalWindows) {
    if (!window.region.contains(address)) continue;
    uint64_t offset = address - window.region.base;
    return window.physical + (window.scattered ? scatter(offset) : offset);
  }
  return std::nullopt;
}

constexpr std::optional<uintptr_t> address_in_windows(uint64_t physical) {
  for (const PhysicalWindow& window : kPhysicalWindows) {
    if (physical < window.physical || physical - window.physical >= window.region.bytes) continue;
    uint64_t offset = physical - window.physical;
    return window.region.base + (window.scattered ? scatter(offset) : offset);
  }
  return std::nullopt;
}

}  // namespace nt
