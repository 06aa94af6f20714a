// A module for the tests of Library, ElfFile, ModuleMap and Symbolizer: it has the sections of a Windows driver, a
// table that relocation fills (RELRO), writable data, an inlined function and something it wants of libc.
#include <cstdlib>

namespace sample {

int paged_calls;

__attribute__((always_inline)) inline int inlined(int value) {
  volatile int copy = value;
  return copy * 3;
}

__attribute__((noinline)) int outer(int value) { return inlined(value) + 1; }

}  // namespace sample

extern "C" {

__attribute__((section("PAGE"))) int sample_paged() { return ++sample::paged_calls; }
__attribute__((section("INIT"))) int sample_init() { return std::abs(-7); }

extern int (*const sample_table[])();
int (*const sample_table[])() = {sample_paged, sample_init};

char* sample_environment() { return std::getenv("HOME"); }

#ifdef SAMPLE_WANTS_MORE
int nobody_offers_this();
int sample_unresolved() { return nobody_offers_this(); }
#endif
}  // extern "C"
