/* The least that a driver can be, for the tests of what loads drivers. It imports nothing. */
#include <stdint.h>

#ifndef SAMPLE_WITHOUT_ENTRY
int32_t DriverEntry(void* driver, void* registry_path) {
  (void)driver;
  (void)registry_path;
#ifdef SAMPLE_ENTRY_FAILS
  return (int32_t)0xC0000001;
#else
  return 0;
#endif
}
#endif

/* Part of its writable memory. */
uint32_t sample_counter = 7;

#ifdef SAMPLE_WANTS_MORE
extern void NobodyProvidesThis(void);
void sample_calls(void) { NobodyProvidesThis(); }
#endif
