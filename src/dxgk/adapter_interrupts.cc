#include "dxgk/adapter_interrupts.h"

#include "dxgk/adapter.h"
#include "dxgk/adapter_hardware.h"
#include "dxgk/callbacks.h"
#include "nt/interrupts.h"
#include "nt/machine.h"

namespace dxgk {
namespace {

// What is obtained while one lives belongs to the scope.
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

void AdapterInterrupts::disconnect() {
  if (interrupt_) adapter_.machine().interrupts().disconnect(std::exchange(interrupt_, nullptr));
  adapter_.machine().dpcs().flush();
}

bool AdapterInterrupts::queue_dpc() {
  nt::Machine& machine = adapter_.machine();
  bool queued = machine.dpcs().insert(*dpc_, nullptr, nullptr, &adapter_.scope());
  machine.executor().yield(base::Point::Dpc);
  return queued;
}

bool AdapterInterrupts::synchronize(PKSYNCHRONIZE_ROUTINE routine, void* context, BOOLEAN* result) {
  if (!interrupt_) return false;
  *result = adapter_.machine().interrupts().synchronize(*interrupt_, routine, context);
  return true;
}

BOOLEAN AdapterInterrupts::interrupt_routine(PKINTERRUPT, PVOID raw) {
  KernelEntry entry;
  auto& adapter = *static_cast<Adapter*>(raw);
  if (!adapter.talks_to_driver()) return FALSE;
  return adapter.miniport().call(Ddi::InterruptRoutine, &DRIVER_INITIALIZATION_DATA::DxgkDdiInterruptRoutine,
                                 &adapter.scope(), adapter.context(), 0u);
}

VOID AdapterInterrupts::dpc_routine(PKDPC, PVOID raw, PVOID, PVOID) {
  KernelEntry entry;
  auto& adapter = *static_cast<Adapter*>(raw);
  if (!adapter.talks_to_driver()) return;
  adapter.miniport().call(Ddi::DpcRoutine, &DRIVER_INITIALIZATION_DATA::DxgkDdiDpcRoutine, &adapter.scope(),
                          adapter.context());
}

}  // namespace dxgk
