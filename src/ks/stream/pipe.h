#pragma once

#include <cstdint>
#include <memory>

#include "abi/ks/ks.h"
#include "base/result.h"

namespace ks {

class Pin;

// A source pin and the sink pin it is connected to, in the kernel. It has one allocator, and from ACQUIRE to STOP a
// circuit in which a requester's frames go round (source queue, sink queue, requester). Shared by both pins; changed
// under the source filter's control mutex and, for the sink, also under the sink's.
class Pipe {
 public:
  Pipe(Pin& source, Pin& sink);
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  Pin& source();
  Pin& sink();
  // Stop→Acquire builds the circuit. Its allocator is the one that was assigned to the source, else one of the pins'
  // own, else a default one of the sink. Acquire→Stop drains the circuit and takes it down. Called by Pin::set_state of
  // the source around the driver's calls; a circuit that exists already stays.
  base::Result<> acquire();
  void release();
  // The source has been reset: frames that the reset had sent back to the requester go out again.
  void replenish();
  // One pin closes: the circuit is taken down, and both pins leave the pipe. The caller keeps the pipe alive meanwhile.
  void break_up(Pin& leaving);

  // Counts, for reports and tests.
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
