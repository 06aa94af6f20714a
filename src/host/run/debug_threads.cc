#include "host/run/debug_threads.h"

#include <vector>

#include "nt/machine/machine.h"

extern "C" [[gnu::used, gnu::visibility("default")]] const host::DebugThread* drydock_debug_threads() {
  static std::vector<host::DebugThread> threads;
  nt::Machine* machine = nt::Machine::current();
  if (!machine || machine->options().pace != nt::Pace::Simulated) return nullptr;
  threads.clear();
  for (const nt::SimulatedExecutor::View& view : machine->simulated().tasks()) {
    auto* thread = static_cast<nt::Thread*>(view.task->local);
    if (!thread || thread->housekeeping) continue;
    threads.push_back({.name = thread->name.c_str(),
                       .state = view.current  ? "runs"
                                : view.parked ? "waits"
                                              : "is ready",
                       .in_call = thread->driver_call ? thread->driver_call->name : "",
                       .frame = view.current ? 0 : view.frame,
                       .ordinal = thread->ordinal,
                       .irql = thread->irql});
  }
  threads.push_back({});
  return threads.data();
}
