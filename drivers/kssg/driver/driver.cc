// The driver's entry: one filter on one device. AVStream does the rest, dispatch of IRPs and unloading included.
#include "device.h"
#include "filter.h"

namespace kssg {
namespace {

const KSFILTER_DESCRIPTOR* const kFilters[] = {&kFilter};

const KSDEVICE_DESCRIPTOR kDevice = {&kDeviceDispatch, SIZEOF_ARRAY(kFilters), kFilters, KSDEVICE_DESCRIPTOR_VERSION,
                                     0};

}  // namespace
}  // namespace kssg

#pragma code_seg("INIT")

EXTERN_C_START
DRIVER_INITIALIZE DriverEntry;

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  return KsInitializeDriver(DriverObject, RegistryPath, &kssg::kDevice);
}
EXTERN_C_END
