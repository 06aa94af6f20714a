// The driver's entry: two filters on a device without hardware, which needs no start and no stop. AVStream does the
// rest.
#include "renderer.h"
#include "source.h"

namespace ksalloc {
namespace {

const KSFILTER_DESCRIPTOR* const kFilters[] = {&kSourceFilter, &kRendererFilter};

const KSDEVICE_DESCRIPTOR kDevice = {nullptr, SIZEOF_ARRAY(kFilters), kFilters, KSDEVICE_DESCRIPTOR_VERSION, 0};

}  // namespace
}  // namespace ksalloc

#pragma code_seg("INIT")

EXTERN_C_START
DRIVER_INITIALIZE DriverEntry;

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  return KsInitializeDriver(DriverObject, RegistryPath, &ksalloc::kDevice);
}
EXTERN_C_END
