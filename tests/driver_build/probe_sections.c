// alloc_text as C drivers write it: between the declarations and the definitions, several names in one pragma.
#include "probe.h"

static int paged_helper(void);

// clang-format off
#ifdef ALLOC_PRAGMA
#pragma alloc_text(PAGE, probe_paged_by_alloc_text, \
                   paged_helper)
#endif
// clang-format on

extern const char __start_PAGE[] __attribute__((visibility("hidden")));
extern const char __stop_PAGE[] __attribute__((visibility("hidden")));

// By the return address, so that a pageable function inlined into a resident one is noticed.
int probe_called_from_page_section(void) {
  const char* caller = __builtin_return_address(0);
  return caller >= __start_PAGE && caller < __stop_PAGE;
}

int probe_paged_by_alloc_text(void) { return probe_called_from_page_section(); }

static int paged_helper(void) { return probe_called_from_page_section(); }

int probe_static_paged_by_alloc_text(void) { return paged_helper(); }

int probe_wchar_size(void) { return sizeof(L' '); }
