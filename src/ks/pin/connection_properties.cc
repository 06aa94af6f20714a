// KSPROPSETID_Connection. KSPROPERTY_CONNECTION_STARTAT is optional, and no page gives it to the class.
#include <algorithm>
#include <iterator>

#include "ks/allocator/framing.h"
#include "ks/object/request.h"
#include "ks/pin/data_intersection.h"
#include "ks/pin/data_range.h"
#include "ks/pin/pin.h"
#include "ks/pin/pin_properties.h"

namespace ks {
namespace {

const IO_STACK_LOCATION& place(IRP& irp) { return *IoGetCurrentIrpStackLocation(&irp); }

Pin& pin_of(IRP& irp) { return static_cast<Pin&>(*node_of(place(irp).FileObject)); }

NTSTATUS done(IRP& irp, const base::Result<>& result) {
  return result.ok() ? STATUS_SUCCESS : refuse(irp, result.failure());
}

// The page says that it is set only; clients read it all the same.
NTSTATUS get_state(PIRP irp, PKSIDENTIFIER, PVOID) { return answer_value(*irp, pin_of(*irp).state()); }

NTSTATUS set_state(PIRP irp, PKSIDENTIFIER, PVOID data) {
  ULONG to = *static_cast<const ULONG*>(data);
  if (to > KSSTATE_RUN) return done(*irp, base::Failure(STATUS_INVALID_PARAMETER, "there is no such state"));
  return done(*irp, pin_of(*irp).set_state(static_cast<KSSTATE>(to)));
}

NTSTATUS get_priority(PIRP irp, PKSIDENTIFIER, PVOID) { return answer_value(*irp, (*pin_of(*irp)).ConnectionPriority); }

NTSTATUS set_priority(PIRP irp, PKSIDENTIFIER, PVOID data) {
  (*pin_of(*irp)).ConnectionPriority = *static_cast<const KSPRIORITY*>(data);
  return STATUS_SUCCESS;
}

// What the client proposes; STATUS_INVALID_BUFFER_SIZE when it is longer than its buffer.
base::Result<const KSDATAFORMAT*> format_in(IRP& irp, void* data) {
  const auto* format = static_cast<const KSDATAFORMAT*>(data);
  ULONG room = place(irp).Parameters.DeviceIoControl.OutputBufferLength;
  if (room < sizeof(KSDATAFORMAT) || format->FormatSize < sizeof(KSDATAFORMAT) || format->FormatSize > room) {
    return base::Failure(STATUS_INVALID_BUFFER_SIZE, "the data format is cut short");
  }
  return format;
}

// Not documented as readable; we let clients read it (ours).
NTSTATUS get_format(PIRP irp, PKSIDENTIFIER, PVOID) {
  const KSDATAFORMAT& format = pin_of(*irp).format();
  return answer_bytes(*irp, &format, format.FormatSize);
}

NTSTATUS set_format(PIRP irp, PKSIDENTIFIER, PVOID data) {
  auto format = format_in(*irp, data);
  return format.ok() ? done(*irp, pin_of(*irp).set_format(*format.value())) : refuse(*irp, format.failure());
}

// Judged by the ranges' GUIDs alone, because no routine of the driver could be called that leaves the format as it is
// (ours).
NTSTATUS propose_format(PIRP irp, PKSIDENTIFIER, PVOID data) {
  auto format = format_in(*irp, data);
  if (!format.ok()) return refuse(*irp, format.failure());
  Pin& pin = pin_of(*irp);
  if (pin.has_flag(KSPIN_FLAG_FIXED_FORMAT)) {
    return refuse(*irp, base::Failure(STATUS_INVALID_DEVICE_REQUEST, "the pin's format is fixed"));
  }
  const KSPIN_DESCRIPTOR& descriptor = pin.descriptor().PinDescriptor;
  auto ranges = data_ranges(descriptor.DataRanges, descriptor.DataRangesCount);
  bool known = std::any_of(ranges.begin(), ranges.end(),
                           [&](const KSDATARANGE* range) { return matches(*range, *format.value()); });
  if (known) return STATUS_SUCCESS;
  return refuse(*irp, base::Failure(STATUS_NO_MATCH, "the data format is of none of the pin's ranges"));
}

base::Failure no_framing(base::Here where = base::Here::now()) {
  return base::Failure(STATUS_NOT_FOUND, "the pin asks nothing of its frames", where);
}

// The older property, for clients that know no other: what a default allocator would be asked for.
NTSTATUS get_framing(PIRP irp, PKSIDENTIFIER, PVOID) {
  Pin& pin = pin_of(*irp);
  const KSALLOCATOR_FRAMING_EX* framing = pin.descriptor().AllocatorFraming;
  if (!framing) return refuse(*irp, no_framing());
  auto agreed = negotiate(framing, nullptr, pin.format().SampleSize);
  return agreed.ok() ? answer_value(*irp, agreed.value()) : refuse(*irp, agreed.failure());
}

NTSTATUS get_framing_ex(PIRP irp, PKSIDENTIFIER, PVOID) {
  const KSALLOCATOR_FRAMING_EX* framing = pin_of(*irp).descriptor().AllocatorFraming;
  if (!framing) return refuse(*irp, no_framing());
  size_t bytes = offsetof(KSALLOCATOR_FRAMING_EX, FramingItem) + size_t{framing->CountItems} * sizeof(KS_FRAMING_ITEM);
  return answer_bytes(*irp, framing, bytes);
}

// "implemented by a pin when it forwards streaming IRPs": a sink of the standard transport whose filter is connected
// further on.
NTSTATUS get_ordering(PIRP irp, PKSIDENTIFIER, PVOID) {
  Pin& pin = pin_of(*irp);
  bool forwards = false;
  for (const auto& factory : pin.filter().pin_factories()) {
    for (Pin* other : factory->pins) forwards |= !other->is_sink();
  }
  return answer_value(*irp, BOOL{pin.is_sink() && pin.standard_transport() && forwards});
}

constexpr KSPROPERTY_ITEM row(ULONG id, PFNKSHANDLER get, PFNKSHANDLER set, ULONG bytes) {
  return {id, {get}, sizeof(KSPROPERTY), bytes, {set}, nullptr, 0, nullptr, nullptr, 0};
}

const KSPROPERTY_ITEM kItems[] = {
    row(KSPROPERTY_CONNECTION_STATE, get_state, set_state, sizeof(KSSTATE)),
    row(KSPROPERTY_CONNECTION_PRIORITY, get_priority, set_priority, sizeof(KSPRIORITY)),
    row(KSPROPERTY_CONNECTION_DATAFORMAT, get_format, set_format, 0),
    row(KSPROPERTY_CONNECTION_ALLOCATORFRAMING, get_framing, nullptr, 0),
    row(KSPROPERTY_CONNECTION_PROPOSEDATAFORMAT, nullptr, propose_format, 0),
    row(KSPROPERTY_CONNECTION_ACQUIREORDERING, get_ordering, nullptr, 0),
    row(KSPROPERTY_CONNECTION_ALLOCATORFRAMING_EX, get_framing_ex, nullptr, 0),
};

}  // namespace

const KSPROPERTY_SET kConnectionSet = {&KSPROPSETID_Connection, std::size(kItems), kItems, 0, nullptr};

}  // namespace ks
