// Time. Pages: wdm/nf-wdm-kequerysystemtime, nf-wdm-kequerytickcount, nf-wdm-kestallexecutionprocessor, …
#include "nt/call.h"
#include "nt/timers.h"

using nt::Call;
using nt::Fn;
using nt::Timers;

namespace {

constexpr ULONG kTick = 156'250;  // one clock tick in units of 100 ns: 15.625 ms, our policy
constexpr LONGLONG kPerformanceFrequency = 10'000'000;

// Units of 100 ns since the machine started.
ULONGLONG uptime() { return Call::machine().executor().now() / 100; }

}  // namespace

extern "C" {

VOID KeQuerySystemTime(PLARGE_INTEGER time) {
  Call call{Fn::KeQuerySystemTime};
  time->QuadPart = static_cast<LONGLONG>(Timers::system_time(call.machine().executor().now()));
}

VOID KeQuerySystemTimePrecise(PLARGE_INTEGER time) {
  Call call{Fn::KeQuerySystemTimePrecise};
  time->QuadPart = static_cast<LONGLONG>(Timers::system_time(call.machine().executor().now()));
}

VOID KeQueryTickCount(PLARGE_INTEGER ticks) {
  Call call{Fn::KeQueryTickCount};
  ticks->QuadPart = static_cast<LONGLONG>(uptime() / kTick);
}

ULONG KeQueryTimeIncrement() {
  Call call{Fn::KeQueryTimeIncrement};
  return kTick;
}

ULONGLONG KeQueryInterruptTime() {
  Call call{Fn::KeQueryInterruptTime};
  return uptime();
}

ULONGLONG KeQueryInterruptTimePrecise(PULONG64 stamp) {
  Call call{Fn::KeQueryInterruptTimePrecise};
  ULONGLONG now = uptime();
  if (stamp) *stamp = now;
  return now;
}

ULONGLONG KeQueryUnbiasedInterruptTime() {
  Call call{Fn::KeQueryUnbiasedInterruptTime};
  return uptime();
}

LARGE_INTEGER KeQueryPerformanceCounter(PLARGE_INTEGER frequency) {
  Call call{Fn::KeQueryPerformanceCounter};
  if (frequency) frequency->QuadPart = kPerformanceFrequency;
  LARGE_INTEGER counter;
  counter.QuadPart = static_cast<LONGLONG>(uptime());
  return counter;
}

VOID KeStallExecutionProcessor(ULONG microseconds) {
  Call call{Fn::KeStallExecutionProcessor};
  call.machine().executor().stall(base::TimeNs{microseconds} * 1000);
  call.machine().executor().yield(base::Point::Yield);
}

// The machine stands in UTC.
VOID ExSystemTimeToLocalTime(PLARGE_INTEGER system, PLARGE_INTEGER local) {
  Call call{Fn::ExSystemTimeToLocalTime};
  *local = *system;
}

VOID ExLocalTimeToSystemTime(PLARGE_INTEGER local, PLARGE_INTEGER system) {
  Call call{Fn::ExLocalTimeToSystemTime};
  *system = *local;
}

}  // extern "C"
