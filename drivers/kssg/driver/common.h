// What every file of the driver begins with.
#pragma once

#include <ks.h>
#include <ksmedia.h>
#include <ntddk.h>

#include "kssg_regs.h"

namespace kssg {

inline constexpr ULONG kTag = 'GSSK';
inline constexpr LONGLONG kUnitsPerSecond = 10000000;  // of 100 ns
inline constexpr ULONG kMaxPictureBytes = KSSG_MAX_WIDTH * KSSG_MAX_HEIGHT * KSSG_BYTES_PER_PIXEL;
// That the grabber may have at a time. Each is locked, and has its mappings, which are finite ("Supporting DMA in
// 64-Bit AVStream Drivers").
inline constexpr ULONG kMostFrames = 3;

// Zeroed, or null. Not paged: everything the driver keeps is looked at by its DPC.
template <typename T>
T* allocate() {
  return static_cast<T*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(T), kTag));
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

}  // namespace kssg
