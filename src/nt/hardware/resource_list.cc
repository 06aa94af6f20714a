#include "nt/hardware/resource_list.h"

#include <algorithm>
#include <vector>

#include "nt/io/device_objects.h"
#include "nt/machine/machine.h"
#include "nt/mm/pool.h"

namespace nt {
namespace {

CM_PARTIAL_RESOURCE_DESCRIPTOR memory_descriptor(const Device::Range& range) {
  CHECK_MSG(range.bytes <= UINT32_MAX, "a larger range needs CmResourceTypeMemoryLarge");
  CM_PARTIAL_RESOURCE_DESCRIPTOR descriptor{};
  descriptor.Type = CmResourceTypeMemory;
  descriptor.Flags = CM_RESOURCE_MEMORY_READ_WRITE;
  descriptor.u.Memory.Start.QuadPart = static_cast<LONGLONG>(range.physical);
  descriptor.u.Memory.Length = static_cast<ULONG>(range.bytes);
  return descriptor;
}

CM_PARTIAL_RESOURCE_DESCRIPTOR interrupt_descriptor(Machine& machine, InterruptLine line) {
  CM_PARTIAL_RESOURCE_DESCRIPTOR descriptor{};
  descriptor.Type = CmResourceTypeInterrupt;
  descriptor.Flags = CM_RESOURCE_INTERRUPT_LEVEL_SENSITIVE;
  descriptor.u.Interrupt.Level = line.irql;
  descriptor.u.Interrupt.Vector = line.vector;
  descriptor.u.Interrupt.Affinity = (KAFFINITY{1} << machine.executor().processor_count()) - 1;
  return descriptor;
}

}  // namespace

CM_RESOURCE_LIST* make_resource_list(Machine& machine, std::span<const Device::Range> memory,
                                     std::optional<InterruptLine> line) {
  std::vector<CM_PARTIAL_RESOURCE_DESCRIPTOR> descriptors;
  for (const Device::Range& range : memory) descriptors.push_back(memory_descriptor(range));
  if (line) descriptors.push_back(interrupt_descriptor(machine, *line));
  // The structure holds one descriptor already.
  size_t more = descriptors.empty() ? 0 : descriptors.size() - 1;
  void* storage = machine.pool().allocate(sizeof(CM_RESOURCE_LIST) + more * sizeof(CM_PARTIAL_RESOURCE_DESCRIPTOR), 0,
                                          PoolKind::Internal, PoolFill::Zero);
  CHECK(storage);
  auto* list = static_cast<CM_RESOURCE_LIST*>(storage);
  list->Count = 1;
  list->List[0].InterfaceType = PCIBus;
  CM_PARTIAL_RESOURCE_LIST& partial = list->List[0].PartialResourceList;
  partial.Version = partial.Revision = 1;
  partial.Count = static_cast<ULONG>(descriptors.size());
  std::copy(descriptors.begin(), descriptors.end(), partial.PartialDescriptors);
  return list;
}

CM_RESOURCE_LIST* make_resource_list(Machine& machine, const Device& device) {
  std::vector<Device::Range> memory;
  for (uint32_t i = 0; i < DRYDOCK_DEVICE_BARS; ++i) {
    if (auto bar = device.bar(i)) memory.push_back(*bar);
  }
  if (memory.empty() && !device.line()) return nullptr;
  return make_resource_list(machine, memory, device.line());
}

}  // namespace nt
