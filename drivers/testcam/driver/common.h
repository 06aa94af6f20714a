// What every file of the driver begins with.
#pragma once

#include <ks.h>
#include <ksmedia.h>
#include <ntddk.h>

#include "testcam_format.h"
#include "testcam_regs.h"

namespace testcam {

inline constexpr ULONG kTag = 'maCT';
inline constexpr LONGLONG kUnitsPerSecond = 10000000;  // of 100 ns

// Zeroed, or null. Not paged: everything the driver keeps is looked at by its DPCs.
template <typename T>
T* allocate() {
  return static_cast<T*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(T), kTag));
}

template <typename T>
constexpr T greater(T a, T b) {
  return a < b ? b : a;
}

// Held as long as it is in scope; any IRQL up to DISPATCH_LEVEL.
class Locked {
 public:
  explicit Locked(KSPIN_LOCK& lock) : lock_(lock) { KeAcquireSpinLock(&lock_, &irql_); }
  ~Locked() { KeReleaseSpinLock(&lock_, irql_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  KSPIN_LOCK& lock_;
  KIRQL irql_;
};

}  // namespace testcam
