// Provides an allocator, and takes away the answer that AVStream gives to a program that asks for one.
// FIXED answers itself.
#include "skeleton.h"

#ifdef FIXED
// A handle is never returned: that the request succeeds says enough.
static NTSTATUS GetAllocator(PIRP Irp, PKSIDENTIFIER Request, PVOID Data) {
  UNREFERENCED_PARAMETER(Request);
  *(PHANDLE)Data = NULL;
  Irp->IoStatus.Information = sizeof(HANDLE);
  return STATUS_SUCCESS;
}
#define GET GetAllocator
#else
#define GET NULL
#endif

static const KSPROPERTY_ITEM Items[] = {DEFINE_KSPROPERTY_ITEM(KSPROPERTY_STREAM_ALLOCATOR, GET, sizeof(KSPROPERTY),
                                                               sizeof(HANDLE), NULL, NULL, 0, NULL, NULL, 0)};
static const KSPROPERTY_SET Sets[] = {DEFINE_KSPROPERTY_SET(&KSPROPSETID_Stream, SIZEOF_ARRAY(Items), Items, 0, NULL)};
static const KSAUTOMATION_TABLE Table = {DEFINE_KSAUTOMATION_PROPERTIES(Sets), DEFINE_KSAUTOMATION_METHODS_NULL,
                                         DEFINE_KSAUTOMATION_EVENTS_NULL};

static VOID Replace(VOID) { Pins[1].AutomationTable = &Table; }
