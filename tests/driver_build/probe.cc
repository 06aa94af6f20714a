// A driver in the manner of real ones: its own throwing-by-declaration operator new, sections by pragma and declspec.
#include "probe.h"

typedef decltype(sizeof 0) size_t;

// Spread over lines as in real drivers, for the rewriting to find.
// clang-format off
void* __cdecl operator new(size_t size) { return probe_allocate(size); }
void* operator new[](
    size_t size
    )
{
  return probe_allocate(size);
}
#define _When_(condition, annotation)
#define __drv_reportError(why)
void* operator new(
    size_t size,
    _When_((tag & 1) != 0, __drv_reportError("odd (as numbers go)"))
    unsigned tag) // a comment (
/* and * another ) */
{
  return tag ? probe_allocate(size) : nullptr;
}
// clang-format on
void operator delete(void* memory, size_t) { probe_free(memory); }
void operator delete[](void* memory) { probe_free(memory); }
void operator delete[](void* memory, size_t) { probe_free(memory); }

namespace {

struct Thing {
  Thing() : value(7) {}
  ~Thing() { value = 0; }
  int value;
};

int new_and_delete() {
  Thing* thing = new Thing;
  if (!thing) return -1;
  int value = thing->value;
  delete thing;
  return value;
}

int new_and_delete_array() {
  Thing* things = new Thing[3];
  if (!things) return -1;
  int value = things[2].value;
  delete[] things;
  return value;
}

int tagged_new() {
  Thing* thing = new ('looD') Thing;
  if (!thing) return -1;
  int value = thing->value;
  delete thing;
  return value;
}

int not_paged() { return probe_called_from_page_section(); }

#pragma code_seg(push, "PAGE")
int paged_by_code_seg() { return probe_called_from_page_section(); }
#pragma code_seg(pop)

__declspec(code_seg("PAGE")) int paged_by_declspec() { return probe_called_from_page_section(); }

int optimised() {
#ifdef __OPTIMIZE__
  return 1;
#else
  return 0;
#endif
}

#define TEXT_OF(x) #x
#define LINE_TEXT(x) TEXT_OF(x)
const char* where() { return __FILE__ ":" LINE_TEXT(__LINE__); }

}  // namespace

extern "C" int DriverEntry(ProbeTable* table) {
  *table = {new_and_delete,
            new_and_delete_array,
            tagged_new,
            paged_by_code_seg,
            paged_by_declspec,
            probe_paged_by_alloc_text,
            probe_static_paged_by_alloc_text,
            not_paged,
            optimised,
            probe_try_optimised,
            where,
            probe_wchar_size};
  return 0;
}

extern "C" int NotExported() { return 1; }
