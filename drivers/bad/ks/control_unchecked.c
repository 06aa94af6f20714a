// Looks a brightness up in a table, whatever the client asks for.
// FIXED compares it with the limits.
#include "skeleton.h"

#define BRIGHTNESS_LEVELS 16

static const UCHAR Gains[BRIGHTNESS_LEVELS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static volatile LONG Brightness, Gain;

static NTSTATUS GetBrightness(PIRP Irp, PKSIDENTIFIER Request, PVOID Data) {
  PKSPROPERTY_VIDEOPROCAMP_S Control = Data;

  UNREFERENCED_PARAMETER(Request);
  Control->Value = Brightness;
  Control->Flags = Control->Capabilities = KSPROPERTY_VIDEOPROCAMP_FLAGS_MANUAL;
  Irp->IoStatus.Information = sizeof(*Control);
  return STATUS_SUCCESS;
}

static NTSTATUS SetBrightness(PIRP Irp, PKSIDENTIFIER Request, PVOID Data) {
  LONG Value = ((PKSPROPERTY_VIDEOPROCAMP_S)Data)->Value;

  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(Request);
#ifdef FIXED
  if (Value < 0 || Value >= BRIGHTNESS_LEVELS) return STATUS_INVALID_PARAMETER;
#endif
  Gain = Gains[Value];
  Brightness = Value;
  return STATUS_SUCCESS;
}

static const KSPROPERTY_ITEM Controls[] = {
    DEFINE_KSPROPERTY_ITEM(KSPROPERTY_VIDEOPROCAMP_BRIGHTNESS, GetBrightness, sizeof(KSPROPERTY_VIDEOPROCAMP_S),
                           sizeof(KSPROPERTY_VIDEOPROCAMP_S), SetBrightness, NULL, 0, NULL, NULL, 0)};
static const KSPROPERTY_SET Sets[] = {
    DEFINE_KSPROPERTY_SET(&PROPSETID_VIDCAP_VIDEOPROCAMP, SIZEOF_ARRAY(Controls), Controls, 0, NULL)};
static const KSAUTOMATION_TABLE FilterTable = {
    SIZEOF_ARRAY(Sets), sizeof(KSPROPERTY_ITEM), Sets, 0, 0, NULL, 0, 0, NULL};

static VOID Replace(VOID) { Filter.AutomationTable = &FilterTable; }
