#pragma once

#include <atomic>
#include <cstdint>

#include "abi/km/dispmprt.h"

struct _KINTERRUPT;  // nt/hardware/interrupts.h

namespace dxgk {

class Adapter;

// Is told what a driver reports from its interrupt routine: the scheduler, or a test. Outlives the adapter.
class InterruptSink {
 public:
  // DxgkCbNotifyInterrupt: at the device's IRQL.
  virtual void interrupted(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) = 0;
  // DxgkCbNotifyDpc: at DISPATCH_LEVEL.
  virtual void deferred() = 0;

 protected:
  ~InterruptSink() = default;
};

// The interrupt of one adapter: its line, DxgkDdiInterruptRoutine behind it, and the one DPC that DxgkCbQueueDpc
// queues. Owned by the adapter; connected from before DxgkDdiStartDevice until after DxgkDdiStopDevice.
class AdapterInterrupts {
 public:
  explicit AdapterInterrupts(Adapter& adapter);
  AdapterInterrupts(const AdapterInterrupts&) = delete;
  AdapterInterrupts& operator=(const AdapterInterrupts&) = delete;

  // At PASSIVE_LEVEL. Nothing to connect where the hardware has no line.
  void connect();
  // Waits for a routine that runs and for a DPC that is queued.
  void disconnect();

  // At any IRQL. False when it is queued already.
  bool queue_dpc();
  // Another device that shares the line raises it. Nothing happens before the interrupt is connected.
  void raise_as_neighbour();
  // DxgkDdiControlInterrupt for a type of kFirstUnknownType or above, where the driver has it. Level 2; at
  // PASSIVE_LEVEL, with no mutex held.
  static constexpr uint32_t kFirstUnknownType = 28;  // up to 31: as many bits as the enumeration has
  void ask_for_unknown(DXGK_INTERRUPT_TYPE type, bool enable);

  // DxgkCbNotifyInterrupt and DxgkCbNotifyDpc were called: the second has to follow the first, by way of the DPC.
  void told_interrupt();
  void told_dpc();
  // Runs the driver's routine at the line's IRQL, apart from its interrupt routine. False: no interrupt is connected.
  bool synchronize(PKSYNCHRONIZE_ROUTINE routine, void* context, BOOLEAN* result);

 private:
  static BOOLEAN interrupt_routine(PKINTERRUPT interrupt, PVOID adapter);
  static VOID dpc_routine(PKDPC dpc, PVOID adapter, PVOID, PVOID);

  Adapter& adapter_;
  KDPC* dpc_;  // in the machine's memory, where it has the same address in every run
  _KINTERRUPT* interrupt_ = nullptr;

  // What the driver owes. Counts of DxgkCbNotifyInterrupt: all; up to the last DxgkCbQueueDpc; up to the last
  // DxgkCbNotifyDpc.
  std::atomic<uint64_t> told_{0}, queued_{0}, passed_on_{0};
  std::atomic<uint32_t> dpcs_running_{0};  // on several processors at a time
};

}  // namespace dxgk
