#include "ks/stream/stream_events.h"

#include "ks/pin/pin.h"
#include "ks/property/event_list.h"

namespace ks {

void tell_stream_events(Pin& pin, StreamIrp& request) {
  EventList& events = pin.events();
  if (events.empty()) return;
  ULONG passed = 0;
  for (const Frame& frame : request.frames()) passed |= frame.header->OptionsFlags;
  auto tell = [&](ULONG event) { events.generate(KSEVENTSETID_Connection, event); };
  if (passed & KSSTREAM_HEADER_OPTIONSF_DATADISCONTINUITY) tell(KSEVENT_CONNECTION_DATADISCONTINUITY);
  if (passed & KSSTREAM_HEADER_OPTIONSF_TIMEDISCONTINUITY) tell(KSEVENT_CONNECTION_TIMEDISCONTINUITY);
  bool ended = passed & KSSTREAM_HEADER_OPTIONSF_ENDOFSTREAM;
  if (ended && pin.has_flag(KSPIN_FLAG_GENERATE_EOS_EVENTS)) tell(KSEVENT_CONNECTION_ENDOFSTREAM);
}

}  // namespace ks
