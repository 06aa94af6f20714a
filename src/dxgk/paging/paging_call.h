#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "abi/km/d3dkmddi.h"
#include "base/result.h"
#include "dxgk/ddi/call_buffer.h"
#include "dxgk/paging/paging_operation.h"
#include "nt/machine/machine_observer.h"

namespace dxgk {

class Adapter;
class PagingBuffer;

// The calls of DxgkDdiBuildPagingBuffer for one operation, and the checks of what the driver did in each. On the stack
// of the builder of paging buffers.
//
// Statuses, pointers and sizes are looked at on every machine. Bytes are compared on simulated ones only: the buffer
// before the call with the buffer after it, and the guards around it.
class PagingCall {
 public:
  // What the driver may write to. No buffer: it does the operation at once.
  struct Room {
    PagingBuffer* buffer = nullptr;
    size_t bytes = 0;
    size_t private_bytes = 0;
    bool whole = false;  // as much as it will ever get
  };
  enum class Outcome : uint8_t { Done, OutOfRoom, Busy };

  PagingCall(Adapter& adapter, const PagingOperation& operation, HANDLE system_context);

  // A failure comes after a finding, and nothing of this call counts then. Otherwise the buffer is filled as far as the
  // driver says, whatever the outcome.
  base::Result<Outcome> make(const Room& room);

  // From now on the driver is told that the GPU does not use the allocation.
  void tell_idle();
  // The last call wrote something, or moved MultipassOffset.
  bool progressed() const { return progressed_; }

 private:
  using Args = DXGKARG_BUILDPAGINGBUFFER;

  void aim(const Room& room);
  NTSTATUS call();
  // How far the pointers went; a failure when they went where they may not, or bytes did.
  base::Result<> check_pointers();
  base::Result<> check_surroundings(const Room& room);
  base::Result<Outcome> judge(NTSTATUS status, const Room& room);
  void check_sizes();
  void check_input();
  void check_bytes(const Room& room, Outcome outcome);
  void report_violation(nt::Violation what, const std::string& what_it_did);

  Adapter& adapter_;
  const PagingOperation& operation_;
  const bool compares_;
  std::optional<ConstCallBuffer> list_;      // arrays that the argument points to
  std::optional<ConstCallBuffer> list_64k_;  // the array for 64 KiB pages
  Args args_;
  Args given_;                          // args_ before the call
  std::vector<uint8_t> bytes_;          // the buffer before the call
  std::vector<uint8_t> private_bytes_;  // the buffer's private data before the call
  size_t advance_ = 0;
  size_t private_advance_ = 0;
  bool idle_ = false;
  bool progressed_ = false;
};

}  // namespace dxgk
