#pragma once

#include <cstdint>

namespace ob {

// Why a handle did not resolve. A reason and not a status: each caller's own table maps it to a status. Listed in the
// order in which they are checked; the type comes before the state, because the state of an object of the wrong type
// means nothing.
enum class LookupFault : uint8_t {
  Null,             // zero
  Pseudo,           // a pseudo-handle (NtCurrentProcess and its like), which no table holds
  Malformed,        // bits that no handle of this encoding has
  WrongTable,       // a D3DKMT handle of another instance: a global one where a local one belongs, or the reverse
  BadIndex,         // beyond the slots that ever existed
  StaleGeneration,  // the slot has been given to another handle since, or is free for it
  Unused,           // this handle was never given out
  Reserved,         // given out, its object not published yet
  WrongType,
  Closing,    // closed, and a look-up that began before is not over
  Destroyed,  // marked destroyed: resolves for teardown only
};

// One sentence, for a person.
const char* describe(LookupFault fault);

// Which slot, and which of its lives (1, 2, 3, 1, …).
struct SlotKey {
  uint32_t index = 0;
  uint32_t generation = 0;

  friend bool operator==(const SlotKey&, const SlotKey&) = default;
};

}  // namespace ob
