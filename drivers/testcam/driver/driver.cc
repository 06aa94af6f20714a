// The driver's entry: two filters on one device. AVStream does the rest, dispatch of IRPs and unloading included.
#include "device.h"
#include "filters.h"

namespace testcam {
namespace {

const KSFILTER_DESCRIPTOR* const kFilters[] = {&kCameraFilter, &kMicrophoneFilter};

const KSDEVICE_DESCRIPTOR kDevice = {&kDeviceDispatch, SIZEOF_ARRAY(kFilters), kFilters, KSDEVICE_DESCRIPTOR_VERSION,
                                     0};

}  // namespace
}  // namespace testcam

#pragma code_seg("INIT")

EXTERN_C_START
DRIVER_INITIALIZE DriverEntry;

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  return KsInitializeDriver(DriverObject, RegistryPath, &testcam::kDevice);
}
EXTERN_C_END
