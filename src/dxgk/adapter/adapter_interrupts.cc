#include "dxgk/adapter/adapter_interrupts.h"

#include <fmt/format.h>

#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/adapter_hardware.h"
#include "dxgk/ddi/callbacks.h"
#include "nt/hardware/interrupts.h"
#include "nt/ke/dpc_queues.h"
#include "nt/machine/machine.h"
#include "nt/mm/pool.h"

namespace dxgk {
namespace {

// What a driver allocates while an object of this class lives belongs to the scope.
class InScope {
 public:
  InScope(nt::Machine& machine, nt::Scope& scope) : thread_(machine.self()), outer_(thread_.scope) {
    thread_.scope = &scope;
  }
  ~InScope() { thread_.scope = outer_; }
  InScope(const InScope&) = delete;
  InScope& operator=(const InScope&) = delete;

 private:
  nt::Thread& thread_;
  nt::Scope* outer_;
};

}  // namespace

AdapterInterrupts::AdapterInterrupts(Adapter& adapter) : adapter_(adapter) {
  void* memory = adapter.machine().pool().allocate(sizeof(KDPC), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  CHECK(memory);
  dpc_ = static_cast<KDPC*>(memory);
  KeInitializeDpc(dpc_, &dpc_routine, &adapter);
}

void AdapterInterrupts::connect() {
  const auto& line = adapter_.hardware().line;
  if (!line || interrupt_) return;
  InScope in_scope(adapter_.machine(), adapter_.scope());
  auto connected = adapter_.machine().interrupts().connect(
      {&interrupt_routine, &adapter_, line->vector, line->irql, line->irql, nullptr, true});
  CHECK_MSG(connected.ok(), "the line of a display adapter is always shared");
  interrupt_ = connected.take();
}

// DPCs that the driver queued itself are its own affair: KeFlushQueuedDpcs is there for drivers to wait for them
// (documented), and no page says that the graphics kernel does.
void AdapterInterrupts::disconnect() {
  if (interrupt_) adapter_.machine().interrupts().disconnect(std::exchange(interrupt_, nullptr));
  adapter_.machine().dpcs().flush(*dpc_);
}

void AdapterInterrupts::told_interrupt() { told_.fetch_add(1, std::memory_order_relaxed); }

void AdapterInterrupts::told_dpc() { passed_on_.store(told_.load(), std::memory_order_relaxed); }

bool AdapterInterrupts::queue_dpc() {
  nt::Machine& machine = adapter_.machine();
  queued_.store(told_.load(), std::memory_order_relaxed);
  bool queued = machine.dpcs().insert(*dpc_, nullptr, nullptr, &adapter_.scope());
  machine.executor().yield(base::Point::Dpc);
  return queued;
}

bool AdapterInterrupts::synchronize(PKSYNCHRONIZE_ROUTINE routine, void* context, BOOLEAN* result) {
  if (!interrupt_) return false;
  *result = adapter_.machine().interrupts().synchronize(*interrupt_, routine, context);
  return true;
}

void AdapterInterrupts::raise_as_neighbour() {
  if (interrupt_) adapter_.machine().interrupts().raise(interrupt_->vector);
}

void AdapterInterrupts::ask_for_unknown(DXGK_INTERRUPT_TYPE type, bool enable) {
  auto function = &DRIVER_INITIALIZATION_DATA::DxgkDdiControlInterrupt;
  if (!adapter_.miniport().has(function)) return;
  Adapter::Alone alone(adapter_);
  if (!adapter_.talks_to_driver()) return;
  NTSTATUS status = adapter_.miniport().call(Ddi::ControlInterrupt, function, &adapter_.scope(), adapter_.context(),
                                             type, static_cast<BOOLEAN>(enable));
  if (status != STATUS_SUCCESS) return;
  adapter_.machine().report_violation(
      nt::Violation::InterruptTypeTaken,
      fmt::format("DxgkDdiControlInterrupt {} interrupts of type {}, which does not exist",
                  enable ? "enabled" : "disabled", static_cast<uint32_t>(type)));
}

BOOLEAN AdapterInterrupts::interrupt_routine(PKINTERRUPT, PVOID raw) {
  nt::KernelCode code;
  auto& adapter = *static_cast<Adapter*>(raw);
  if (!adapter.talks_to_driver()) return FALSE;
  AdapterInterrupts& self = adapter.interrupts();
  uint64_t told_before = self.told_.load();
  BOOLEAN claimed = adapter.miniport().call(Ddi::InterruptRoutine, &DRIVER_INITIALIZATION_DATA::DxgkDdiInterruptRoutine,
                                            &adapter.scope(), adapter.context(), 0u);
  // No other thread can have called DxgkCbNotifyInterrupt meanwhile: it would have to hold the interrupt's lock.
  if (self.told_.load() != told_before && self.queued_.load() != self.told_.load()) {
    adapter.machine().report_violation(
        nt::Violation::DpcNotQueued,
        "DxgkDdiInterruptRoutine called DxgkCbNotifyInterrupt and returned without DxgkCbQueueDpc");
  }
  return claimed;
}

VOID AdapterInterrupts::dpc_routine(PKDPC, PVOID raw, PVOID, PVOID) {
  nt::KernelCode code;
  auto& adapter = *static_cast<Adapter*>(raw);
  if (!adapter.talks_to_driver()) return;
  AdapterInterrupts& self = adapter.interrupts();
  ++self.dpcs_running_;
  uint64_t due = self.queued_.load();
  adapter.miniport().call(Ddi::DpcRoutine, &DRIVER_INITIALIZATION_DATA::DxgkDdiDpcRoutine, &adapter.scope(),
                          adapter.context());
  // A DPC that still runs on another processor may be about to do it.
  if (--self.dpcs_running_ == 0 && self.passed_on_.load() < due) {
    adapter.machine().report_violation(
        nt::Violation::DpcUntold,
        "DxgkDdiDpcRoutine returned without DxgkCbNotifyDpc: the scheduler does not learn the rest "
        "of what DxgkCbNotifyInterrupt told it");
  }
}

}  // namespace dxgk
