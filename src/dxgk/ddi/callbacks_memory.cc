// The device's memory. Pages: dispmprt/nc-dispmprt-dxgkcb_map_memory, nc-dispmprt-dxgkcb_unmap_memory
#include "dxgk/adapter/adapter.h"
#include "dxgk/ddi/callbacks.h"
#include "dxgk/memory/mapped_memory.h"

namespace dxgk {
namespace {

NTSTATUS map_memory(HANDLE device, PHYSICAL_ADDRESS physical, ULONG bytes, BOOLEAN in_io_space,
                    BOOLEAN map_to_user_mode, MEMORY_CACHING_TYPE cache, PVOID* address) {
  CallbackCall call(Cb::MapMemory);
  Adapter* adapter = call.adapter(device);
  if (!adapter || !address) return STATUS_INVALID_PARAMETER;
  *address = nullptr;
  if (in_io_space) return call.refuse(base::Failure(STATUS_NOT_SUPPORTED, "no device has I/O ports"));
  if (map_to_user_mode) {
    return call.refuse(base::Failure(STATUS_NOT_SUPPORTED, "registers are not mapped for clients"));
  }
  if (call.machine().fails(nt::FaultKind::Callback, "DxgkCbMapMemory")) return STATUS_INSUFFICIENT_RESOURCES;
  auto mapped = adapter->mapped().map(static_cast<uint64_t>(physical.QuadPart), bytes, cache);
  if (!mapped.ok()) return call.refuse(mapped.failure());
  *address = mapped.take();
  return STATUS_SUCCESS;
}

NTSTATUS unmap_memory(HANDLE device, PVOID address) {
  CallbackCall call(Cb::UnmapMemory);
  Adapter* adapter = call.adapter(device);
  if (!adapter) return STATUS_INVALID_PARAMETER;
  auto unmapped = adapter->mapped().unmap(address);
  return unmapped.ok() ? STATUS_SUCCESS : call.refuse(unmapped.failure());
}

}  // namespace

void fill_memory_callbacks(DXGKRNL_INTERFACE& interface) {
  interface.DxgkCbMapMemory = &map_memory;
  interface.DxgkCbUnmapMemory = &unmap_memory;
}

}  // namespace dxgk
