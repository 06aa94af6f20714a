// What every file of the driver begins with.
#pragma once

#include <ks.h>
#include <ksmedia.h>
#include <ntddk.h>

#include "ksalloc.h"
#include "ksalloc_pattern.h"

namespace ksalloc {

inline constexpr ULONG kTag = 'lASK';

// Zeroed, or null. Not paged: everything the driver keeps is looked at up to DISPATCH_LEVEL.
template <typename T>
T* allocate(SIZE_T bytes = sizeof(T)) {
  return static_cast<T*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, bytes, kTag));
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

// A pin's context, in its bag: freed when the pin is. The filter control mutex is held. Null when there is no memory.
template <typename T>
T* make_context(PKSPIN pin) {
  T* context = allocate<T>();
  if (context == nullptr) return nullptr;
  if (!NT_SUCCESS(KsAddItemToObjectBag(pin->Bag, context, nullptr))) {
    ExFreePoolWithTag(context, kTag);
    return nullptr;
  }
  pin->Context = context;
  return context;
}

}  // namespace ksalloc
