#include "kmt/memory/memory_budget.h"

#include "dxgk/memory/video_memory.h"

namespace kmt {
namespace {

// What the process has of the adapter's memory, which may be before it has a device. With its mutex and the memory's
// lock held.
vidmm::ProcessMemory& memory_of(dxgk::ProcessAdapter& process, dxgk::VideoMemory& memory) {
  memory.assert_locked();
  if (!process.memory) {
    process.memory = std::make_unique<vidmm::ProcessMemory>(memory.manager().budgets(), process.process().id());
  }
  return *process.memory;
}

base::Result<> check(const dxgk::ProcessAdapter& process, const dxgk::Adapter& adapter) {
  if (process.ended || !adapter.started()) return base::Failure(STATUS_DEVICE_REMOVED, "the adapter has been stopped");
  return {};
}

}  // namespace

base::Result<vidmm::VideoMemoryInfo> memory_info(Client& client, dxgk::Adapter& adapter, vidmm::MemoryGroup group) {
  if (adapter.caps().segments.empty()) return vidmm::VideoMemoryInfo{};
  base::Ref<dxgk::ProcessAdapter> process = TRY(client.process().on(adapter));
  dxgk::ParkingLock lock(process->mutex());
  TRY(check(*process, adapter));
  dxgk::VideoMemory& memory = adapter.memory();
  base::Guard guard(memory.lock());
  return memory.manager().budgets().query(memory_of(*process, memory), group);
}

base::Result<> set_reservation(Client& client, dxgk::Adapter& adapter, vidmm::MemoryGroup group, uint64_t bytes) {
  if (adapter.caps().segments.empty()) {
    return base::Failure(STATUS_INVALID_PARAMETER, "the adapter has no memory to reserve");
  }
  base::Ref<dxgk::ProcessAdapter> process = TRY(client.process().on(adapter));
  dxgk::ParkingLock lock(process->mutex());
  TRY(check(*process, adapter));
  dxgk::VideoMemory& memory = adapter.memory();
  base::Guard guard(memory.lock());
  return memory.manager().budgets().set_reservation(memory_of(*process, memory), group, bytes);
}

}  // namespace kmt
