#pragma once

#include <functional>
#include <vector>

#include "abi/ks/ks.h"
#include "base/result.h"
#include "ks/object/request.h"

// KSPROPERTY_PIN_DATAINTERSECTION. Pages: stream/data-range-intersections-in-avstream, nf-ks-kspindataintersectionex.
namespace ks {

// The data ranges of a descriptor, without the attribute lists that stand behind some of them.
std::vector<const KSDATARANGE*> data_ranges(const PKSDATARANGE* ranges, ULONG count);

// What a client's range and one of the pin's have in common, once their GUIDs match: STATUS_NO_MATCH, or a format in
// the IRP's data. STATUS_BUFFER_OVERFLOW when there is no room at all, with the size of the format.
using Intersect = std::function<NTSTATUS(KSDATARANGE& clients, KSDATARANGE& pins)>;

// Tries each of the client's ranges with each of the pin's, in order, until one is not STATUS_NO_MATCH. `pin` is the
// request: ranges follow it. STATUS_INVALID_BUFFER_SIZE when they are cut short.
NTSTATUS intersect(IRP& irp, KSP_PIN& pin, const KSPIN_DESCRIPTOR& descriptor, const Intersect& handler);

// Without a handler of the driver's the class knows formats that have no specifier.
NTSTATUS intersect_plain(IRP& irp, const KSDATARANGE& clients, const KSDATARANGE& pins);

// A driver's AVStrMiniIntersectHandlerEx.
struct IntersectHandler {
  PFNKSINTERSECTHANDLEREX routine;
  void* context;
};
NTSTATUS call_intersect(const Subject& subject, const IntersectHandler& handler, IRP& irp, KSP_PIN& pin,
                        KSDATARANGE& clients, KSDATARANGE& pins);

}  // namespace ks
