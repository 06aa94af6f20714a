// Streaming drivers that do nothing for those who use them, each in its own way: -DIDLE_…. What they do is allowed.
#include "skeleton.h"

#if defined(IDLE_REFUSES_START)
static NTSTATUS Start(PKSDEVICE KsDevice, PIRP Irp, PCM_RESOURCE_LIST Translated, PCM_RESOURCE_LIST Untranslated) {
  UNREFERENCED_PARAMETER(KsDevice);
  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(Translated);
  UNREFERENCED_PARAMETER(Untranslated);
  return STATUS_DEVICE_CONFIGURATION_ERROR;
}

static VOID Replace(VOID) { DeviceDispatch.Start = Start; }

#elif defined(IDLE_REFUSES_ADD)
static NTSTATUS Add(PKSDEVICE KsDevice) {
  UNREFERENCED_PARAMETER(KsDevice);
  return STATUS_NO_SUCH_DEVICE;
}

static VOID Replace(VOID) { DeviceDispatch.Add = Add; }

#elif defined(IDLE_REFUSES_FILTER)
static NTSTATUS CreateFilter(PKSFILTER KsFilter, PIRP Irp) {
  UNREFERENCED_PARAMETER(KsFilter);
  UNREFERENCED_PARAMETER(Irp);
  return STATUS_ACCESS_DENIED;
}

static VOID Replace(VOID) { FilterDispatch.Create = CreateFilter; }

#elif defined(IDLE_WITHOUT_FILTER)
static VOID Replace(VOID) {
  Device.FilterDescriptorsCount = 0;
  Device.FilterDescriptors = NULL;
}

#elif defined(IDLE_REFUSES_PINS)
static NTSTATUS CreatePin(PKSPIN Pin, PIRP Irp) {
  UNREFERENCED_PARAMETER(Pin);
  UNREFERENCED_PARAMETER(Irp);
  return STATUS_DEVICE_BUSY;
}

static VOID Replace(VOID) {
  Capture.Create = Render.Create = CreatePin;
  Capture.Close = NULL;
}

#elif defined(IDLE_REFUSES_RUN)
static NTSTATUS SetState(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
  UNREFERENCED_PARAMETER(Pin);
  UNREFERENCED_PARAMETER(FromState);
  return ToState == KSSTATE_RUN ? STATUS_DEVICE_NOT_READY : STATUS_SUCCESS;
}

static VOID Replace(VOID) { Capture.SetDeviceState = Render.SetDeviceState = SetState; }

#else  // IDLE_AFTER frames it takes and gives no more; they wait until the pin stops.
static volatile LONG Done;

static VOID TakeSome(STREAM* Stream) {
  if (Done >= IDLE_AFTER) return;
  InterlockedIncrement(&Done);
  TakePicture(Stream);
}

static NTSTATUS ProcessSome(PKSPIN Pin) {
  if (Done >= IDLE_AFTER) return STATUS_PENDING;
  InterlockedIncrement(&Done);
  return ProcessRender(Pin);
}

static VOID Replace(VOID) {
  Picture = TakeSome;
  Render.Process = ProcessSome;
}
#endif
