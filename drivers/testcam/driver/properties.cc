// Brightness and zoom, which are the filter's, and the count of dropped frames, which is a pin's. AVStream has checked
// that request and data are as long as the tables at the end say.
#include "properties.h"

#include "events.h"
#include "stream.h"

namespace testcam {
namespace {

// Both sets have the same structure, under two names.
using ControlRequest = KSPROPERTY_VIDEOPROCAMP_S;
C_ASSERT(sizeof(KSPROPERTY_CAMERACONTROL_S) == sizeof(ControlRequest));
C_ASSERT(FIELD_OFFSET(KSPROPERTY_CAMERACONTROL_S, Value) == FIELD_OFFSET(ControlRequest, Value));
C_ASSERT(FIELD_OFFSET(KSPROPERTY_CAMERACONTROL_S, Capabilities) == FIELD_OFFSET(ControlRequest, Capabilities));
C_ASSERT(KSPROPERTY_CAMERACONTROL_FLAGS_MANUAL == KSPROPERTY_VIDEOPROCAMP_FLAGS_MANUAL);
constexpr ULONG kManual = KSPROPERTY_VIDEOPROCAMP_FLAGS_MANUAL;

#pragma code_seg(push, "PAGE")

Camera& camera_of(PIRP irp) {
  PAGED_CODE();
  return *static_cast<Camera*>(KsFilterGetDevice(KsGetFilterFromIrp(irp))->Context);
}

NTSTATUS get_control(PIRP irp, const KSPROPERTY& request, ControlRequest& data, LONG Camera::*what) {
  PAGED_CODE();
  data.Property = request;
  data.Value = get_scene(camera_of(irp), what);
  data.Flags = kManual;
  data.Capabilities = kManual;
  irp->IoStatus.Information = sizeof(data);
  return STATUS_SUCCESS;
}

// Nothing here turns by itself, so nothing can be set to automatic.
NTSTATUS set_control(PIRP irp, const ControlRequest& data, LONG Camera::*what, ULONG offset, LONG lowest,
                     LONG highest) {
  PAGED_CODE();
  if (data.Value < lowest || data.Value > highest) return STATUS_INVALID_PARAMETER;
  if ((data.Flags & ~kManual) != 0) return STATUS_INVALID_PARAMETER;
  set_scene(camera_of(irp), what, offset, data.Value);
  tell_control_changed(KsGetFilterFromIrp(irp));
  return STATUS_SUCCESS;
}

NTSTATUS get_brightness(PIRP Irp, PKSPROPERTY Request, PVOID Data) {
  PAGED_CODE();
  return get_control(Irp, *Request, *static_cast<ControlRequest*>(Data), &Camera::brightness);
}

NTSTATUS set_brightness(PIRP Irp, PKSPROPERTY, PVOID Data) {
  PAGED_CODE();
  return set_control(Irp, *static_cast<ControlRequest*>(Data), &Camera::brightness, TESTCAM_REG_BRIGHTNESS,
                     TESTCAM_MIN_BRIGHTNESS, TESTCAM_MAX_BRIGHTNESS);
}

NTSTATUS get_zoom(PIRP Irp, PKSPROPERTY Request, PVOID Data) {
  PAGED_CODE();
  return get_control(Irp, *Request, *static_cast<ControlRequest*>(Data), &Camera::zoom);
}

NTSTATUS set_zoom(PIRP Irp, PKSPROPERTY, PVOID Data) {
  PAGED_CODE();
  return set_control(Irp, *static_cast<ControlRequest*>(Data), &Camera::zoom, TESTCAM_REG_ZOOM, TESTCAM_MIN_ZOOM,
                     TESTCAM_MAX_ZOOM);
}

NTSTATUS get_dropped_frames(PIRP Irp, PKSPROPERTY Request, PVOID Data) {
  PAGED_CODE();
  Stream& stream = stream_of(KsGetPinFromIrp(Irp));
  const Stream::Counts counts = stream.counts();
  auto& data = *static_cast<KSPROPERTY_DROPPEDFRAMES_CURRENT_S*>(Data);
  data.Property = *Request;
  data.PictureNumber = counts.pictures;
  data.DropCount = counts.dropped;
  data.AverageFrameSize = stream.format().bytes;
  Irp->IoStatus.Information = sizeof(data);
  return STATUS_SUCCESS;
}

#pragma code_seg(pop)

// --- What basic support answers: each control's limits and default ---

const KSPROPERTY_STEPPING_LONG kBrightnessRange[] = {{1, 0, {{TESTCAM_MIN_BRIGHTNESS, TESTCAM_MAX_BRIGHTNESS}}}};
const LONG kBrightnessDefault = TESTCAM_DEFAULT_BRIGHTNESS;
const KSPROPERTY_STEPPING_LONG kZoomRange[] = {{1, 0, {{TESTCAM_MIN_ZOOM, TESTCAM_MAX_ZOOM}}}};
const LONG kZoomDefault = TESTCAM_DEFAULT_ZOOM;

constexpr KSPROPERTY_MEMBERSHEADER kSteppedRange = {KSPROPERTY_MEMBER_STEPPEDRANGES, sizeof(KSPROPERTY_STEPPING_LONG),
                                                    1, 0};
constexpr KSPROPERTY_MEMBERSHEADER kDefaultValue = {KSPROPERTY_MEMBER_VALUES, sizeof(LONG), 1,
                                                    KSPROPERTY_MEMBER_FLAG_DEFAULT};

const KSPROPERTY_MEMBERSLIST kBrightnessMembers[] = {{kSteppedRange, kBrightnessRange},
                                                     {kDefaultValue, &kBrightnessDefault}};
const KSPROPERTY_MEMBERSLIST kZoomMembers[] = {{kSteppedRange, kZoomRange}, {kDefaultValue, &kZoomDefault}};

const KSPROPERTY_VALUES kBrightnessValues = {
    {{{STATICGUIDOF(KSPROPTYPESETID_General), VT_I4, 0}}}, SIZEOF_ARRAY(kBrightnessMembers), kBrightnessMembers};
const KSPROPERTY_VALUES kZoomValues = {
    {{{STATICGUIDOF(KSPROPTYPESETID_General), VT_I4, 0}}}, SIZEOF_ARRAY(kZoomMembers), kZoomMembers};

// --- The tables ---

const KSPROPERTY_ITEM kPictureControls[] = {DEFINE_KSPROPERTY_ITEM(
    KSPROPERTY_VIDEOPROCAMP_BRIGHTNESS, get_brightness, sizeof(KSPROPERTY_VIDEOPROCAMP_S),
    sizeof(KSPROPERTY_VIDEOPROCAMP_S), set_brightness, &kBrightnessValues, 0, nullptr, nullptr, sizeof(LONG))};

const KSPROPERTY_ITEM kCameraControls[] = {DEFINE_KSPROPERTY_ITEM(
    KSPROPERTY_CAMERACONTROL_ZOOM, get_zoom, sizeof(KSPROPERTY_CAMERACONTROL_S), sizeof(KSPROPERTY_CAMERACONTROL_S),
    set_zoom, &kZoomValues, 0, nullptr, nullptr, sizeof(LONG))};

const KSPROPERTY_ITEM kDroppedFrames[] = {DEFINE_KSPROPERTY_ITEM(
    KSPROPERTY_DROPPEDFRAMES_CURRENT, get_dropped_frames, sizeof(KSPROPERTY_DROPPEDFRAMES_CURRENT_S),
    sizeof(KSPROPERTY_DROPPEDFRAMES_CURRENT_S), nullptr, nullptr, 0, nullptr, nullptr, 0)};

}  // namespace

const KSPROPERTY_SET kFilterPropertySets[2] = {
    DEFINE_KSPROPERTY_SET(&PROPSETID_VIDCAP_VIDEOPROCAMP, SIZEOF_ARRAY(kPictureControls), kPictureControls, 0, nullptr),
    DEFINE_KSPROPERTY_SET(&PROPSETID_VIDCAP_CAMERACONTROL, SIZEOF_ARRAY(kCameraControls), kCameraControls, 0, nullptr),
};

const KSPROPERTY_SET kPinPropertySets[1] = {
    DEFINE_KSPROPERTY_SET(&PROPSETID_VIDCAP_DROPPEDFRAMES, SIZEOF_ARRAY(kDroppedFrames), kDroppedFrames, 0, nullptr),
};

}  // namespace testcam
