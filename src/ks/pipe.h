#pragma once

#include <cstdint>
#include <memory>

#include "abi/ks/ks.h"
#include "base/result.h"

namespace ks {

class Pin;

// A source pin and the sink pin it is connected to, in the kernel: one allocator, and from ACQUIRE to STOP a circuit in
// which a requester's frames go round (source queue, sink queue, requester). Shared by both pins; changed under the
// source filter's control mutex and, for the sink, its own.
class Pipe {
 public:
  Pipe(Pin& source, Pin& sink);
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  Pin& source();
  Pin& sink();
  // Stop→Acquire builds the circuit, with the allocator that was assigned to the source or else one of the pins' own or
  // a default one of the sink; Acquire→Stop drains and takes it down. Called by Pin::set_state of the source around the
  // driver's calls; what is there already stays.
  base::Result<> acquire();
  void release();
  // The source has been reset: frames that the reset had sent home go out again.
  void replenish();
  // One end goes: the circuit is taken down, both ends leave the pipe. The caller keeps it meanwhile.
  void break_up(Pin& leaving);

  // The books, for people and tests.
  struct Ledger {
    uint32_t frames;                        // in the circuit
    uint64_t requested, refused, returned;  // of the allocator
    uint64_t went_round;                    // times a frame came back from the sink
  };
  Ledger ledger();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ks
