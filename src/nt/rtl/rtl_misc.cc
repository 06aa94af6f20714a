// Memory comparison, version, random numbers and calendar (Rtl).
#include <chrono>
#include <cstdint>

#include "abi/km/wdm.h"
#include "nt/boundary/kernel_entry.h"

namespace {

using Ticks = std::chrono::duration<int64_t, std::ratio<1, 10'000'000>>;  // a system time's 100 nanoseconds

constexpr std::chrono::sys_days kEpoch = std::chrono::year{1601} / 1 / 1;

// TIME_FIELDS begin in 1601; a LARGE_INTEGER ends in 30828, and the last year it holds whole is the last allowed.
constexpr CSHORT kFirstYear = 1601;
constexpr CSHORT kLastYear = 30827;

// Values of the documented names for a caller of RtlGetVersion.
constexpr ULONG kPlatformNt = 2;         // VER_PLATFORM_WIN32_NT
constexpr UCHAR kWorkstation = 1;        // VER_NT_WORKSTATION
constexpr USHORT kSuite = 0x10 | 0x100;  // VER_SUITE_TERMINAL | VER_SUITE_SINGLEUSERTS

bool between(CSHORT value, CSHORT low, CSHORT high) { return value >= low && value <= high; }

}  // namespace

extern "C" {

SIZE_T RtlCompareMemory(const VOID* Source1, const VOID* Source2, SIZE_T Length) {
  nt::KernelEntry call{nt::Fn::RtlCompareMemory};
  const auto* a = static_cast<const uint8_t*>(Source1);
  const auto* b = static_cast<const uint8_t*>(Source2);
  SIZE_T same = 0;
  while (same < Length && a[same] == b[same]) ++same;
  return same;
}

// The machine is Windows 11, version 23H2, a workstation (policy).
NTSTATUS RtlGetVersion(PRTL_OSVERSIONINFOW lpVersionInformation) {
  nt::KernelEntry call{nt::Fn::RtlGetVersion};
  lpVersionInformation->dwMajorVersion = 10;
  lpVersionInformation->dwMinorVersion = 0;
  lpVersionInformation->dwBuildNumber = 22631;
  lpVersionInformation->dwPlatformId = kPlatformNt;
  lpVersionInformation->szCSDVersion[0] = 0;
  if (lpVersionInformation->dwOSVersionInfoSize == sizeof(RTL_OSVERSIONINFOEXW)) {
    auto* extended = reinterpret_cast<PRTL_OSVERSIONINFOEXW>(lpVersionInformation);
    extended->wServicePackMajor = 0;
    extended->wServicePackMinor = 0;
    extended->wSuiteMask = kSuite;
    extended->wProductType = kWorkstation;
    extended->wReserved = 0;
  }
  return STATUS_SUCCESS;
}

// All state is in *Seed, so that the same seed gives the same numbers in every run (policy; Windows keeps more).
ULONG RtlRandomEx(PULONG Seed) {
  nt::KernelEntry call{nt::Fn::RtlRandomEx};
  *Seed += 0x9e3779b9u;
  uint32_t mixed = *Seed;
  mixed = (mixed ^ mixed >> 16) * 0x85ebca6bu;
  mixed = (mixed ^ mixed >> 13) * 0xc2b2ae35u;
  mixed ^= mixed >> 16;
  return static_cast<ULONG>(uint64_t{mixed} * MAXLONG >> 32);  // 0 … MAXLONG - 1
}

void RtlTimeToTimeFields(PLARGE_INTEGER Time, PTIME_FIELDS TimeFields) {
  nt::KernelEntry call{nt::Fn::RtlTimeToTimeFields};
  using std::chrono::milliseconds;
  const Ticks since{Time->QuadPart};
  const auto days = std::chrono::floor<std::chrono::days>(since);
  const std::chrono::year_month_day date{kEpoch + days};
  const std::chrono::hh_mm_ss<milliseconds> clock{std::chrono::floor<milliseconds>(since - days)};
  TimeFields->Year = static_cast<CSHORT>(int{date.year()});
  TimeFields->Month = static_cast<CSHORT>(unsigned{date.month()});
  TimeFields->Day = static_cast<CSHORT>(unsigned{date.day()});
  TimeFields->Hour = static_cast<CSHORT>(clock.hours().count());
  TimeFields->Minute = static_cast<CSHORT>(clock.minutes().count());
  TimeFields->Second = static_cast<CSHORT>(clock.seconds().count());
  TimeFields->Milliseconds = static_cast<CSHORT>(clock.subseconds().count());
  TimeFields->Weekday = static_cast<CSHORT>(std::chrono::weekday{kEpoch + days}.c_encoding());
}

BOOLEAN RtlTimeFieldsToTime(PTIME_FIELDS TimeFields, PLARGE_INTEGER Time) {
  nt::KernelEntry call{nt::Fn::RtlTimeFieldsToTime};
  const TIME_FIELDS& from = *TimeFields;
  if (!between(from.Year, kFirstYear, kLastYear) || !between(from.Month, 1, 12) || !between(from.Day, 1, 31)) {
    return FALSE;
  }
  const std::chrono::year_month_day date{std::chrono::year{from.Year},
                                         std::chrono::month{static_cast<unsigned>(from.Month)},
                                         std::chrono::day{static_cast<unsigned>(from.Day)}};
  if (!date.ok() || !between(from.Hour, 0, 23) || !between(from.Minute, 0, 59) || !between(from.Second, 0, 59) ||
      !between(from.Milliseconds, 0, 999)) {
    return FALSE;
  }
  const Ticks ticks = Ticks{std::chrono::sys_days{date} - kEpoch} + std::chrono::hours{from.Hour} +
                      std::chrono::minutes{from.Minute} + std::chrono::seconds{from.Second} +
                      std::chrono::milliseconds{from.Milliseconds};
  Time->QuadPart = ticks.count();
  return TRUE;
}

}  // extern "C"
