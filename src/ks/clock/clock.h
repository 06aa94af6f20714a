#pragma once

#include <cstdint>

#include "abi/ks/ks.h"
#include "base/result.h"
#include "ks/object/file_node.h"
#include "nt/machine/machine.h"

namespace ks {

class DefaultClock;
class Pin;

// A clock: an open file below a pin that implements one (KSPIN_FLAG_IMPLEMENT_CLOCK or a Clock dispatch), or on a clock
// of a driver's own. Owned by its file; any thread up to DISPATCH_LEVEL.
class ClockNode final : public FileNode {
 public:
  // IRP_MJ_CREATE below a pin. STATUS_INVALID_DEVICE_REQUEST for a pin that provides no clock.
  static NTSTATUS create(Pin& pin, IRP& irp, const uint8_t* parameters, size_t bytes);
  // KsCreateDefaultClock.
  static NTSTATUS create(IRP& irp, DefaultClock& clock);
  ~ClockNode() override;

  DefaultClock& clock() { return clock_; }
  LONGLONG time();           // 100 ns, of the stream
  LONGLONG physical_time();  // of the hardware: runs whatever the state is
  LONGLONG correlated_time(LONGLONG* system_time);

  NodeKind kind() const override { return NodeKind::Clock; }
  NTSTATUS device_control(IRP& irp) override;
  void cleanup(IRP& irp) override;
  NTSTATUS close(IRP& irp) override;

 private:
  explicit ClockNode(DefaultClock& clock);
  DefaultClock& clock_;  // referenced
};

// A clock's properties and events: KSPROPSETID_Clock, KSEVENTSETID_Clock; clock_properties.cc.
NTSTATUS answer_clock_control(ClockNode& node, IRP& irp);

ClockNode* clock_of(const FILE_OBJECT* file);
// What an IRP_MJ_CREATE for a clock carries. STATUS_INVALID_BUFFER_SIZE, STATUS_INVALID_PARAMETER.
base::Result<> judge_clock_create(const uint8_t* parameters, size_t bytes);

// The IKsReferenceClock that a pin's driver gets: counted, over the master clock of the pin or else the one it
// provides. What is not released when the pin was closed is a finding (L-14). Owned by its pin.
class ReferenceClock {
 public:
  explicit ReferenceClock(Pin& pin);
  ~ReferenceClock();
  ReferenceClock(const ReferenceClock&) = delete;
  ReferenceClock& operator=(const ReferenceClock&) = delete;

  // The clock that answers now; null: none is assigned, and the pin provides none.
  static DefaultClock* clock_for(Pin& pin);

  IKsReferenceClock* interface();  // AddRef'd
  uint32_t references() const;
  // For L-15: GetTime gave this time last, and GetCorrelatedTime was never asked.
  bool gave_time(LONGLONG time) const;

 private:
  struct Face;
  Face* const face_;  // in the machine's memory
};

}  // namespace ks
