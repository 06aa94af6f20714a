// What every pin answers.
#include "ks/pin/pin_properties.h"

#include <iterator>

#include "ks/property/automation.h"

namespace ks {
namespace {

constexpr KSEVENT_ITEM plain(ULONG id) { return {id, sizeof(KSEVENTDATA), 0, nullptr, nullptr, nullptr}; }

const KSEVENT_ITEM kConnectionEvents[] = {
    plain(KSEVENT_CONNECTION_POSITIONUPDATE),    plain(KSEVENT_CONNECTION_DATADISCONTINUITY),
    plain(KSEVENT_CONNECTION_TIMEDISCONTINUITY), plain(KSEVENT_CONNECTION_PRIORITY),
    plain(KSEVENT_CONNECTION_ENDOFSTREAM),
};
const KSEVENT_SET kEvents[] = {{&KSEVENTSETID_Connection, std::size(kConnectionEvents), kConnectionEvents}};

}  // namespace

const KSAUTOMATION_TABLE& pin_automation() {
  static const KSPROPERTY_SET kSets[] = {kConnectionSet, kStreamSet, kStreamInterfaceSet};
  static const KSAUTOMATION_TABLE kTable{
      std::size(kSets),   sizeof(KSPROPERTY_ITEM), kSets,   0,      sizeof(KSMETHOD_ITEM), nullptr,
      std::size(kEvents), sizeof(KSEVENT_ITEM),    kEvents, nullptr};
  return kTable;
}

}  // namespace ks
