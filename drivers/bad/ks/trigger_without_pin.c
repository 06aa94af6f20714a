// Takes a picture for the stream of its pin when it is triggered, also while no pin is open.
// FIXED refuses then.
#include "skeleton.h"

static STREAM* volatile Open;  // guarded by the filter's control mutex: pins and properties both have it

static NTSTATUS Create(PKSPIN Pin, PIRP Irp) {
  NTSTATUS Status = CreateCapture(Pin, Irp);
  if (NT_SUCCESS(Status)) Open = StreamOf(Pin);
  return Status;
}

static NTSTATUS Close(PKSPIN Pin, PIRP Irp) {
  if (Open == StreamOf(Pin)) Open = NULL;
  return CloseCapture(Pin, Irp);
}

static NTSTATUS SetMode(PIRP Irp, PKSIDENTIFIER Request, PVOID Data) {
  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(Request);
  if ((((PKSPROPERTY_VIDEOCONTROL_MODE_S)Data)->Mode & KS_VideoControlFlag_Trigger) == 0) return STATUS_SUCCESS;
#ifdef FIXED
  if (Open == NULL) return STATUS_INVALID_DEVICE_STATE;
#endif
  Open->Discontinuity = TRUE;  // the next picture is the one that was asked for
  return STATUS_SUCCESS;
}

static const KSPROPERTY_ITEM Controls[] = {
    DEFINE_KSPROPERTY_ITEM(KSPROPERTY_VIDEOCONTROL_MODE, NULL, sizeof(KSPROPERTY_VIDEOCONTROL_MODE_S),
                           sizeof(KSPROPERTY_VIDEOCONTROL_MODE_S), SetMode, NULL, 0, NULL, NULL, 0)};
static const KSPROPERTY_SET Sets[] = {
    DEFINE_KSPROPERTY_SET(&PROPSETID_VIDCAP_VIDEOCONTROL, SIZEOF_ARRAY(Controls), Controls, 0, NULL)};
static const KSAUTOMATION_TABLE FilterTable = {
    SIZEOF_ARRAY(Sets), sizeof(KSPROPERTY_ITEM), Sets, 0, 0, NULL, 0, 0, NULL};

static VOID Replace(VOID) {
  Filter.AutomationTable = &FilterTable;
  Capture.Create = Create;
  Capture.Close = Close;
}
