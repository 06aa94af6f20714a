#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/capture/media_format.h"
#include "ks/object/program.h"

namespace host {

// What a filter tells of one of its pins, asked for as a program asks. Whatever the driver does not answer is empty.
struct KsPinQuery {
  static KsPinQuery ask(ks::Program& program, HANDLE filter, ULONG pin);
  static ULONG pins(ks::Program& program, HANDLE filter);  // KSPROPERTY_PIN_CTYPES; 0 when it does not say

  // The ranges one after the other, as they lie in the answer.
  const KSDATARANGE* range(size_t index) const;

  ULONG pin = 0;
  KSPIN_DATAFLOW flow = KSPIN_DATAFLOW_OUT;
  KSPIN_COMMUNICATION communication = KSPIN_COMMUNICATION_NONE;
  KSPIN_CINSTANCES instances{};
  ULONG necessary = 0;
  std::optional<GUID> category;
  std::u16string name;
  std::vector<uint8_t> ranges;  // KSMULTIPLE_ITEM and what follows it
  size_t range_count = 0;
};

// It declares that its frames wait for a trigger: none of them is expected before.
bool waits_for_trigger(const KsPinQuery& query);

// A format that the pin agrees to: its intersection with one of its own ranges. The first that works.
std::optional<std::vector<uint8_t>> choose_format(ks::Program& program, HANDLE filter, const KsPinQuery& query);
// The same for a format that the user requested: what the driver gives must be exactly that.
std::optional<std::vector<uint8_t>> choose_format(ks::Program& program, HANDLE filter, const KsPinQuery& query,
                                                  const FormatRequest& request);

// How many bytes a frame of the format has, as far as the format tells (video and fixed-size samples), else
// `otherwise`.
size_t frame_bytes(const KSDATAFORMAT& format, size_t otherwise);

}  // namespace host
