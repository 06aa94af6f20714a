// A pin's data format. Pages: ks/nc-ks-pfnkspinsetdataformat, stream/ks-data-formats-and-data-ranges,
// stream/ksproperty-connection-dataformat.
#include <cstring>

#include "ks/exports/callback.h"
#include "ks/pin/data_range.h"
#include "ks/pin/pin.h"
#include "nt/mm/pool.h"

namespace ks {

// `old` null: at the pin's creation. The driver is called for each range that matches the format, until it returns
// something else than STATUS_NO_MATCH.
base::Result<> Pin::choose_format(const KSDATAFORMAT& format, KSDATAFORMAT* old) {
  void* copy = machine().pool().allocate(format.FormatSize, 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  if (!copy) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for the data format");
  memcpy(copy, &format, format.FormatSize);
  put_format(static_cast<KSDATAFORMAT*>(copy));
  auto undo = [&](base::Failure failure) {
    put_format(old);
    machine().pool().free(copy, 0);
    return failure;
  };
  const KSPIN_DESCRIPTOR& ranges = descriptor().PinDescriptor;
  for (ULONG i = 0; i < ranges.DataRangesCount; ++i) {
    const KSDATARANGE& range = *ranges.DataRanges[i];
    if (!matches(range, format)) continue;
    NTSTATUS status = STATUS_SUCCESS;
    if (dispatch() && dispatch()->SetDataFormat) {
      status = call(machine(), Ddi::PinSetDataFormat, &scope(), dispatch()->SetDataFormat, body_, old, nullptr, &range,
                    nullptr);
      check_fields();
    }
    if (status == STATUS_NO_MATCH) continue;
    if (!NT_SUCCESS(status)) return undo(base::Failure(status, "the driver refused the data format"));
    if (old) machine().pool().free(old, 0);
    return {};
  }
  return undo(base::Failure(STATUS_NO_MATCH, "the data format is of none of the pin's ranges"));
}

void Pin::put_format(KSDATAFORMAT* format) { body_->ConnectionFormat = shadow_.format = format; }

base::Result<> Pin::set_format(const KSDATAFORMAT& format) {
  if (has_flag(KSPIN_FLAG_FIXED_FORMAT)) {
    return base::Failure(STATUS_INVALID_DEVICE_REQUEST, "the pin's format is fixed");
  }
  return choose_format(format, body_->ConnectionFormat);
}

}  // namespace ks
