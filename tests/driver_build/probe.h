#pragma once

// What the driver that driver_build_test loads gives to the test, and what it takes from it.
#ifdef __cplusplus
extern "C" {
#endif

typedef struct ProbeTable {
  int (*new_and_delete)(void);        // 7, the value the constructor stored; -1 when `new` gave null
  int (*new_and_delete_array)(void);  // the same for new[]
  int (*tagged_new)(void);            // the same for operator new(size_t, tag)
  int (*paged_by_code_seg)(void);     // 1 when the function runs in section PAGE
  int (*paged_by_declspec)(void);
  int (*paged_by_alloc_text)(void);
  int (*static_paged_by_alloc_text)(void);
  int (*not_paged)(void);
  int (*optimised)(void);      // 1 when the file was compiled with optimisation
  int (*try_optimised)(void);  // the same for a file that contains __try
  const char* (*where)(void);  // __FILE__:__LINE__ after the rewriting
  int (*wchar_size)(void);
} ProbeTable;

void* probe_allocate(unsigned long long size);
void probe_free(void* memory);

int probe_called_from_page_section(void);
int probe_static_paged_by_alloc_text(void);
int probe_paged_by_alloc_text(void);
int probe_try_optimised(void);
int probe_wchar_size(void);

#ifdef __cplusplus
}
#endif
