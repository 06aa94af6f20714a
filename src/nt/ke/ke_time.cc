// Time. Pages: wdm/nf-wdm-kequerysystemtime, nf-wdm-kequerytickcount, nf-wdm-kestallexecutionprocessor, …
#include "nt/boundary/kernel_entry.h"
#include "nt/ke/timers.h"

using nt::Fn;
using nt::KernelEntry;
using nt::Timers;

namespace {

constexpr ULONG kTick = 156'250;  // one clock tick in units of 100 ns: 15.625 ms, our policy
constexpr LONGLONG kPerformanceFrequency = 10'000'000;

// Units of 100 ns since the machine started.
ULONGLONG uptime() { return KernelEntry::machine().executor().now() / 100; }

}  // namespace

extern "C" {

VOID KeQuerySystemTime(PLARGE_INTEGER time) {
  KernelEntry call{Fn::KeQuerySystemTime};
  time->QuadPart = static_cast<LONGLONG>(Timers::system_time(call.machine().executor().now()));
}

VOID KeQuerySystemTimePrecise(PLARGE_INTEGER time) {
  KernelEntry call{Fn::KeQuerySystemTimePrecise};
  time->QuadPart = static_cast<LONGLONG>(Timers::system_time(call.machine().executor().now()));
}

VOID KeQueryTickCount(PLARGE_INTEGER ticks) {
  KernelEntry call{Fn::KeQueryTickCount};
  ticks->QuadPart = static_cast<LONGLONG>(uptime() / kTick);
}

ULONG KeQueryTimeIncrement() {
  KernelEntry call{Fn::KeQueryTimeIncrement};
  return kTick;
}

ULONGLONG KeQueryInterruptTime() {
  KernelEntry call{Fn::KeQueryInterruptTime};
  return uptime();
}

ULONGLONG KeQueryInterruptTimePrecise(PULONG64 stamp) {
  KernelEntry call{Fn::KeQueryInterruptTimePrecise};
  ULONGLONG now = uptime();
  if (stamp) *stamp = now;
  return now;
}

ULONGLONG KeQueryUnbiasedInterruptTime() {
  KernelEntry call{Fn::KeQueryUnbiasedInterruptTime};
  return uptime();
}

LARGE_INTEGER KeQueryPerformanceCounter(PLARGE_INTEGER frequency) {
  KernelEntry call{Fn::KeQueryPerformanceCounter};
  if (frequency) frequency->QuadPart = kPerformanceFrequency;
  LARGE_INTEGER counter;
  counter.QuadPart = static_cast<LONGLONG>(uptime());
  return counter;
}

VOID KeStallExecutionProcessor(ULONG microseconds) {
  KernelEntry call{Fn::KeStallExecutionProcessor};
  call.machine().executor().stall(base::TimeNs{microseconds} * 1000);
  call.machine().executor().yield(base::Point::Yield);
}

// The machine's local time is UTC.
VOID ExSystemTimeToLocalTime(PLARGE_INTEGER system, PLARGE_INTEGER local) {
  KernelEntry call{Fn::ExSystemTimeToLocalTime};
  *local = *system;
}

VOID ExLocalTimeToSystemTime(PLARGE_INTEGER local, PLARGE_INTEGER system) {
  KernelEntry call{Fn::ExLocalTimeToSystemTime};
  *system = *local;
}

}  // extern "C"
