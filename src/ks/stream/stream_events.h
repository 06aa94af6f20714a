#pragma once

namespace ks {

class Pin;
class StreamIrp;

// KSEVENTSETID_Connection for what passed through a pin: discontinuities, and the end of the stream where the driver
// asks for it (KSPIN_FLAG_GENERATE_EOS_EVENTS). Called when a request leaves its queue; DISPATCH_LEVEL or below, no
// lock held.
void tell_stream_events(Pin& pin, StreamIrp& request);

}  // namespace ks
