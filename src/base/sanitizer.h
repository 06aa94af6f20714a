#pragma once

#include <cstddef>
#include <cstdint>

// Which sanitizer this program was built with, and the annotations we give it. Without one they all cost nothing.
#if defined(__SANITIZE_ADDRESS__)
#define DRYDOCK_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define DRYDOCK_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DRYDOCK_ASAN 1
#elif __has_feature(thread_sanitizer)
#define DRYDOCK_TSAN 1
#endif
#endif

#if DRYDOCK_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if DRYDOCK_TSAN
#include <sanitizer/tsan_interface.h>
extern "C" {
void __tsan_ignore_thread_begin();
void __tsan_ignore_thread_end();
}
#endif

namespace base {

enum class Sanitizer : uint8_t { None, Address, Thread };

#if DRYDOCK_ASAN
inline constexpr Sanitizer kSanitizer = Sanitizer::Address;
#elif DRYDOCK_TSAN
inline constexpr Sanitizer kSanitizer = Sanitizer::Thread;
#else
inline constexpr Sanitizer kSanitizer = Sanitizer::None;
#endif

// poison: AddressSanitizer reports every access to these bytes. unpoison: they may be accessed again.
inline void poison([[maybe_unused]] const void* p, [[maybe_unused]] size_t bytes) {
#if DRYDOCK_ASAN
  __asan_poison_memory_region(p, bytes);
#endif
}
inline void unpoison([[maybe_unused]] const void* p, [[maybe_unused]] size_t bytes) {
#if DRYDOCK_ASAN
  __asan_unpoison_memory_region(p, bytes);
#endif
}

// For ThreadSanitizer: what a thread did before happens_before(sync) is ordered before what another thread does after
// its later happens_after(sync).
inline void happens_before([[maybe_unused]] void* sync) {
#if DRYDOCK_TSAN
  __tsan_release(sync);
#endif
}
inline void happens_after([[maybe_unused]] void* sync) {
#if DRYDOCK_TSAN
  __tsan_acquire(sync);
#endif
}

// On a simulated task only the driver's own accesses are judged: our fibers share one OS thread and are never parallel.
// Real threads are judged in all they do.
#if DRYDOCK_TSAN
inline thread_local bool t_on_fibers = false;  // this OS thread runs a simulated machine
inline thread_local int t_unwatched = 0;       // how often the running fiber has stopped; switched with it
#endif
inline void set_on_fibers([[maybe_unused]] bool on) {
#if DRYDOCK_TSAN
  t_on_fibers = on;
#endif
}
inline void stop_watching_races() {
#if DRYDOCK_TSAN
  if (!t_on_fibers) return;
  __tsan_ignore_thread_begin();
  ++t_unwatched;
#endif
}
inline void watch_races() {
#if DRYDOCK_TSAN
  if (!t_on_fibers) return;
  --t_unwatched;
  __tsan_ignore_thread_end();
#endif
}

}  // namespace base

#if defined(__clang__)
#define NO_SANITIZE_THREAD __attribute__((no_sanitize("thread"), disable_sanitizer_instrumentation))
#define NO_SANITIZE __attribute__((no_sanitize("address", "thread", "undefined")))
#else
#define NO_SANITIZE_THREAD __attribute__((no_sanitize_thread))
#define NO_SANITIZE __attribute__((no_sanitize_address, no_sanitize_thread, no_sanitize_undefined))
#endif
