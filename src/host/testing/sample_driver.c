/* The least that a driver can be, for the tests of what loads drivers. It imports nothing. */
#include <stdint.h>

#ifndef SAMPLE_WITHOUT_ENTRY
int32_t DriverEntry(void* driver, void* registry_path) {
  (void)driver;
  (void)registry_path;
  return 0;
}
#endif

/* Part of its writable memory. */
uint32_t sample_counter = 7;

#ifdef SAMPLE_WANTS_MORE
extern void NobodyProvidesThis(void);
void sample_calls(void) { NobodyProvidesThis(); }
#endif
