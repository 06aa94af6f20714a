// KSPROPSETID_Clock and KSEVENTSETID_Clock on a clock's handle.
#include <iterator>

#include "ks/clock/clock.h"
#include "ks/clock/clock_functions.h"
#include "ks/clock/default_clock.h"
#include "ks/object/request.h"
#include "ks/property/automation.h"

namespace ks {
namespace {

DefaultClock& clock_behind(IRP& irp) { return clock_of(IoGetCurrentIrpStackLocation(&irp)->FileObject)->clock(); }

NTSTATUS get_time(PIRP irp, PKSIDENTIFIER, PVOID) { return answer_value(*irp, clock_behind(*irp).time()); }

NTSTATUS get_physical_time(PIRP irp, PKSIDENTIFIER, PVOID) {
  return answer_value(*irp, clock_behind(*irp).physical_time());
}

NTSTATUS get_correlated_time(PIRP irp, PKSIDENTIFIER, PVOID) {
  KSCORRELATED_TIME time{};
  time.Time = clock_behind(*irp).correlated_time(&time.SystemTime);
  return answer_value(*irp, time);
}

NTSTATUS get_correlated_physical_time(PIRP irp, PKSIDENTIFIER, PVOID) {
  KSCORRELATED_TIME time{};
  time.Time = clock_behind(*irp).correlated_physical_time(&time.SystemTime);
  return answer_value(*irp, time);
}

NTSTATUS get_resolution(PIRP irp, PKSIDENTIFIER, PVOID) { return answer_value(*irp, clock_behind(*irp).resolution()); }

NTSTATUS get_state(PIRP irp, PKSIDENTIFIER, PVOID) { return answer_value(*irp, clock_behind(*irp).state()); }

NTSTATUS get_functions(PIRP irp, PKSIDENTIFIER, PVOID) {
  if (irp->RequestorMode == UserMode) {
    return refuse(*irp, base::Failure(STATUS_ACCESS_DENIED, "the function table is for kernel mode only"));
  }
  return answer_value(*irp, kClockFunctions);
}

NTSTATUS add_mark(IRP& irp, KSEVENT_ENTRY& entry, const ClockMark& mark) {
  mark_of(entry) = mark;
  DefaultClock& clock = clock_behind(irp);
  clock.events().add(entry);
  clock.rearm();
  return STATUS_SUCCESS;
}

NTSTATUS add_position(PIRP irp, PKSEVENTDATA data, PKSEVENT_ENTRY entry) {
  return add_mark(*irp, *entry, {reinterpret_cast<const KSEVENT_TIME_MARK*>(data)->MarkTime, 0});
}

NTSTATUS add_interval(PIRP irp, PKSEVENTDATA data, PKSEVENT_ENTRY entry) {
  const auto& asked = *reinterpret_cast<const KSEVENT_TIME_INTERVAL*>(data);
  if (asked.Interval <= 0) return refuse(*irp, base::Failure(STATUS_INVALID_PARAMETER, "the interval is not positive"));
  return add_mark(*irp, *entry, {asked.TimeBase, asked.Interval});
}

constexpr KSPROPERTY_ITEM row(ULONG id, PFNKSHANDLER get) {
  return {id, {get}, sizeof(KSPROPERTY), 0, {nullptr}, nullptr, 0, nullptr, nullptr, 0};
}

const KSPROPERTY_ITEM kProperties[] = {
    row(KSPROPERTY_CLOCK_TIME, get_time),
    row(KSPROPERTY_CLOCK_PHYSICALTIME, get_physical_time),
    row(KSPROPERTY_CLOCK_CORRELATEDTIME, get_correlated_time),
    row(KSPROPERTY_CLOCK_CORRELATEDPHYSICALTIME, get_correlated_physical_time),
    row(KSPROPERTY_CLOCK_RESOLUTION, get_resolution),
    row(KSPROPERTY_CLOCK_STATE, get_state),
    row(KSPROPERTY_CLOCK_FUNCTIONTABLE, get_functions),
};
const KSPROPERTY_SET kPropertySets[] = {{&KSPROPSETID_Clock, std::size(kProperties), kProperties, 0, nullptr}};

const KSEVENT_ITEM kEvents[] = {
    {KSEVENT_CLOCK_INTERVAL_MARK, sizeof(KSEVENT_TIME_INTERVAL), sizeof(ClockMark), add_interval, nullptr, nullptr},
    {KSEVENT_CLOCK_POSITION_MARK, sizeof(KSEVENT_TIME_MARK), sizeof(ClockMark), add_position, nullptr, nullptr},
};
const KSEVENT_SET kEventSets[] = {{&KSEVENTSETID_Clock, std::size(kEvents), kEvents}};

}  // namespace

NTSTATUS answer_clock_control(ClockNode& node, IRP& irp) {
  switch (IoGetCurrentIrpStackLocation(&irp)->Parameters.DeviceIoControl.IoControlCode) {
    case IOCTL_KS_PROPERTY:
      return handle_property_sets(irp, std::size(kPropertySets), kPropertySets);
    case IOCTL_KS_ENABLE_EVENT:
      return handle_event_sets(irp, std::size(kEventSets), kEventSets, node.clock().events());
    case IOCTL_KS_DISABLE_EVENT:
      return handle_disable_event(node.clock().events(), irp);
    default:
      return refuse(irp, base::Failure(STATUS_INVALID_DEVICE_REQUEST, "no control code for a clock"));
  }
}

}  // namespace ks
