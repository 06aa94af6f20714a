#pragma once

#include <cstddef>
#include <cstdint>

#include "base/align.h"
#include "base/sanitizer.h"

// A driver's pointer must be read before one of our locks is taken, never under it: a fault is an exception of the
// driver, which jumps to the driver's __try block and would leave the lock held. These functions make the pointer fault
// here, where no lock is held yet.
namespace nt {

// Reads a byte of every page of [memory, memory + bytes).
NO_SANITIZE inline void touch(const void* memory, size_t bytes) {
  const auto* at = static_cast<const volatile char*>(memory);
  if (bytes == 0) return;
  for (size_t offset = 0; offset < bytes; offset += base::kPageBytes) (void)at[offset];
  (void)at[bytes - 1];
}

template <typename T>
void touch(const T& object) {
  touch(&object, sizeof(T));
}

// The same for an object that will be written. Another thread may write it meanwhile: its value stays.
template <typename T>
NO_SANITIZE void touch_for_writing(T& object) {
  auto* first = reinterpret_cast<unsigned char*>(&object);
  __atomic_fetch_or(first, 0, __ATOMIC_RELAXED);
  __atomic_fetch_or(first + sizeof(T) - 1, 0, __ATOMIC_RELAXED);
}

}  // namespace nt
