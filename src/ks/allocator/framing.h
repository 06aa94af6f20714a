#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "abi/ks/ks.h"
#include "base/result.h"
#include "nt/machine/machine_observer.h"

// The requirements of pins and allocators for frames, as values: how they are checked, and how two agree. No state.
namespace ks {

// --- An allocator's framing ---
bool paged(POOL_TYPE type);
// Checks what an allocator is created with. STATUS_INVALID_PARAMETER for unknown flags, an unknown pool, an alignment
// that is no mask, a reserved member that is not zero.
base::Result<> judge(const KSALLOCATOR_FRAMING& framing);
// Whether frames of it can be handed out at DISPATCH_LEVEL: those of pageable memory cannot, whether that was demanded
// or only preferred.
bool serves_dispatch_level(const KSALLOCATOR_FRAMING& framing);

// --- A pin's framing: lint ---
struct FramingSubject {
  const KSPIN_DESCRIPTOR_EX& pin;
  // What the pin answers KSPROPERTY_STREAM_ALLOCATOR with, the class's own tables included; null: nothing.
  const KSPROPERTY_ITEM* stream_allocator;
  bool codec;  // a pin of an encoder or decoder
};
struct FramingComplaint {
  nt::Violation what;
  std::string sentence;  // begins after the pin's name: "asks for …"
};
std::vector<FramingComplaint> judge_framing(const FramingSubject& subject);
// Encoders and decoders, by the categories that the filter registers under.
bool is_codec(const KSFILTER_DESCRIPTOR& filter);
// One more range of frame sizes: Stepping beyond Max - Min, or Min above Max. DECLARE_SIMPLE_FRAMING_EX writes a
// stepping of 1 whatever the range is, which is no mistake of the driver's.
bool well_formed(const KS_FRAMING_RANGE& range);
// `bytes` hold the whole of it, and it is well formed.
base::Result<> judge(const KSALLOCATOR_FRAMING_EX& framing, size_t bytes);

// --- Two pins and one allocator ---
// Which of two connected pins provides the allocator.
enum class Provider : uint8_t { Source, Sink, Default };
Provider choose_provider(const KSPIN_DESCRIPTOR_EX& source, const KSPIN_DESCRIPTOR_EX& sink);
// Whether every item asks for system memory, or prefers it: what a pin must do that uses the default allocator.
bool fits_default_allocator(const KSALLOCATOR_FRAMING_EX* framing);

// The framing that satisfies both: the first pair of items, in the source's order, whose memory and sizes agree. Null:
// no requirement. `sample_bytes` is what one sample of the connection's format needs, 0 when that varies.
// STATUS_NO_MATCH when no pair agrees.
base::Result<KSALLOCATOR_FRAMING> negotiate(const KSALLOCATOR_FRAMING_EX* source, const KSALLOCATOR_FRAMING_EX* sink,
                                            uint32_t sample_bytes);

// The number of frames a requester takes when no framing asks for one, and the bytes of such a frame. Ours.
inline constexpr uint32_t kFramesUnlessAsked = 3;
inline constexpr uint32_t kFrameBytesUnlessAsked = 4096;

}  // namespace ks
