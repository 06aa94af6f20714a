#pragma once

// Clang's thread-safety annotations under short names; nothing under g++.
#if defined(__clang__)
#define DRYDOCK_TSA(x) __attribute__((x))
#else
#define DRYDOCK_TSA(x)
#endif

#define CAPABILITY(name) DRYDOCK_TSA(capability(name))
#define SCOPED_CAPABILITY DRYDOCK_TSA(scoped_lockable)
#define GUARDED_BY(lock) DRYDOCK_TSA(guarded_by(lock))
#define PT_GUARDED_BY(lock) DRYDOCK_TSA(pt_guarded_by(lock))
#define REQUIRES(...) DRYDOCK_TSA(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) DRYDOCK_TSA(locks_excluded(__VA_ARGS__))
#define ACQUIRE(...) DRYDOCK_TSA(acquire_capability(__VA_ARGS__))
#define TRY_ACQUIRE(...) DRYDOCK_TSA(try_acquire_capability(__VA_ARGS__))
#define RELEASE(...) DRYDOCK_TSA(release_capability(__VA_ARGS__))
#define ASSERT_CAPABILITY(lock) DRYDOCK_TSA(assert_capability(lock))
#define RETURN_CAPABILITY(lock) DRYDOCK_TSA(lock_returned(lock))
#define NO_THREAD_SAFETY_ANALYSIS DRYDOCK_TSA(no_thread_safety_analysis)
