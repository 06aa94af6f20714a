#include "ks/pin/data_intersection.h"

#include "ks/exports/callback.h"
#include "ks/pin/data_range.h"

namespace ks {
namespace {

const auto& sizes_of(IRP& irp) { return IoGetCurrentIrpStackLocation(&irp)->Parameters.DeviceIoControl; }

size_t quad_aligned(size_t bytes) { return (bytes + 7) & ~size_t{7}; }

base::Failure cut_short(base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_BUFFER_SIZE, "the client's data ranges are cut short", where);
}

// A range's attribute list follows it, in the multiple item format.
base::Result<size_t> attribute_bytes(const uint8_t* at, size_t left) {
  if (left < sizeof(KSMULTIPLE_ITEM)) return cut_short();
  ULONG bytes = reinterpret_cast<const KSMULTIPLE_ITEM*>(at)->Size;
  if (bytes < sizeof(KSMULTIPLE_ITEM) || bytes > left) return cut_short();
  return quad_aligned(bytes);
}

base::Result<std::vector<KSDATARANGE*>> clients_ranges(IRP& irp, KSP_PIN& pin) {
  size_t left = sizes_of(irp).InputBufferLength;
  if (left < sizeof(KSP_PIN) + sizeof(KSMULTIPLE_ITEM)) return cut_short();
  left -= sizeof(KSP_PIN);
  auto* list = reinterpret_cast<KSMULTIPLE_ITEM*>(&pin + 1);
  if (list->Size < sizeof(KSMULTIPLE_ITEM) || list->Size > left) return cut_short();
  left = list->Size - sizeof(KSMULTIPLE_ITEM);
  auto* at = reinterpret_cast<uint8_t*>(list + 1);
  auto skip = [&](size_t bytes) {
    bytes = std::min(bytes, left);
    at += bytes;
    left -= bytes;
  };
  std::vector<KSDATARANGE*> ranges;
  for (ULONG i = 0; i < list->Count; ++i) {
    auto* range = reinterpret_cast<KSDATARANGE*>(at);
    if (left < sizeof(KSDATARANGE) || range->FormatSize < sizeof(KSDATARANGE) || range->FormatSize > left) {
      return cut_short();
    }
    ranges.push_back(range);
    bool attributes = range->Flags & KSDATARANGE_ATTRIBUTES;
    skip(quad_aligned(range->FormatSize));
    if (attributes) skip(TRY(attribute_bytes(at, left)));
  }
  return ranges;
}

}  // namespace

std::vector<const KSDATARANGE*> data_ranges(const PKSDATARANGE* ranges, ULONG count) {
  std::vector<const KSDATARANGE*> found;
  for (ULONG i = 0; i < count; ++i) {
    found.push_back(ranges[i]);
    if (ranges[i]->Flags & KSDATARANGE_ATTRIBUTES) ++i;
  }
  return found;
}

NTSTATUS intersect(IRP& irp, KSP_PIN& pin, const KSPIN_DESCRIPTOR& descriptor, const Intersect& handler) {
  irp.IoStatus.Information = 0;
  auto theirs = clients_ranges(irp, pin);
  if (!theirs.ok()) return refuse(irp, theirs.failure());
  auto ours = data_ranges(descriptor.DataRanges, descriptor.DataRangesCount);
  for (KSDATARANGE* range : theirs.value()) {
    for (const KSDATARANGE* candidate : ours) {
      if (!matches(*candidate, *range)) continue;
      NTSTATUS status = handler(*range, const_cast<KSDATARANGE&>(*candidate));
      if (status != STATUS_NO_MATCH) return status;
    }
  }
  return refuse(irp, base::Failure(STATUS_NO_MATCH, "no data range of the client intersects with the pin's"));
}

NTSTATUS intersect_plain(IRP& irp, const KSDATARANGE& clients, const KSDATARANGE& pins) {
  bool plain = pins.Specifier == KSDATAFORMAT_SPECIFIER_NONE || clients.Specifier == KSDATAFORMAT_SPECIFIER_NONE;
  if (!plain) return STATUS_NO_MATCH;
  KSDATAFORMAT format = pins;
  format.FormatSize = sizeof(format);
  format.Flags = 0;
  if (format.MajorFormat == GUID_NULL) format.MajorFormat = clients.MajorFormat;
  if (format.SubFormat == GUID_NULL) format.SubFormat = clients.SubFormat;
  format.Specifier = KSDATAFORMAT_SPECIFIER_NONE;
  return answer_value(irp, format);
}

NTSTATUS call_intersect(const Subject& subject, const IntersectHandler& handler, IRP& irp, KSP_PIN& pin,
                        KSDATARANGE& clients, KSDATARANGE& pins) {
  ULONG room = sizes_of(irp).OutputBufferLength;
  ULONG bytes = 0;
  NTSTATUS status = call(subject.machine, Ddi::Intersect, subject.scope, handler.routine, handler.context, &irp, &pin,
                         &clients, &pins, room, room ? irp.AssociatedIrp.SystemBuffer : nullptr, &bytes);
  irp.IoStatus.Information = NT_ERROR(status) ? 0 : bytes;
  return status;
}

}  // namespace ks
