#pragma once

// For functions of tests with a __try frame in them: they keep their variables in memory, which a jump leaves as they
// are, and they are not inlined.
#if defined(__clang__)
#define WITH_TRY __attribute__((noinline, optnone))
#else
#define WITH_TRY __attribute__((noinline, optimize("O0")))
#endif
