#pragma once

#include <cstdint>

// What a debugger's script asks a stopped program. Plain structures: scripts read them from memory, without the debug
// information that a release build does not have.
namespace host {

struct DebugThread {
  const char* name;     // null: the end of the list
  const char* state;    // "runs", "waits", "is ready"
  const char* in_call;  // the driver's routine that it is in, or ""
  uint64_t frame;       // innermost saved frame pointer of one that does not run; 0: it has not begun
  uint32_t ordinal;
  uint32_t irql;
};

}  // namespace host

// The threads of the machine that the calling thread belongs to; null on other threads. Valid until the next call.
extern "C" const host::DebugThread* drydock_debug_threads();
