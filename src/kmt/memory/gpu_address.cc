// D3DKMTReserveGpuVirtualAddress, D3DKMTMapGpuVirtualAddress, D3DKMTFreeGpuVirtualAddress.
#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/paging/paging_queue.h"
#include "kmt/adapter/open_adapter.h"
#include "kmt/client/raw_enum.h"
#include "kmt/client/thunks.h"

namespace kmt {
namespace {

using nt::Violation;
using vidmm::VaSpace;

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

base::Result<base::Ref<dxgk::ProcessAdapter>> on_adapter(Client& client, dxgk::Adapter& adapter) {
  if (!adapter.started()) return base::Failure(STATUS_DEVICE_REMOVED, "the adapter has been stopped");
  return client.process().on(adapter);
}

// --- Reserve ---

// The field is the adapter's in one form of the call and the paging queue's in the other.
base::Result<base::Ref<dxgk::ProcessAdapter>> find_reserver(Client& client, D3DKMT_HANDLE handle) {
  auto open = client.process().handles().get<OpenAdapter>(handle);
  if (open.ok()) return on_adapter(client, open.value()->adapter());
  base::Ref<dxgk::PagingQueue> queue = TRY(client.find<dxgk::PagingQueue>(handle));
  return base::Ref<dxgk::ProcessAdapter>::share(queue->device().process_adapter());
}

// NO_COMMIT is documented by its name only. Nothing is committed for addresses without access as it is (our reading).
base::Result<vidmm::VaProtection> protection_of(const D3DDDI_RESERVEGPUVIRTUALADDRESS& args) {
  uint32_t type = raw(args.ReservationType);
  if (type > D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_COMMIT) return refuse("no type of reservation");
  vidmm::VaProtection protection;
  protection.zero = type == D3DDDIGPUVIRTUALADDRESS_RESERVE_ZERO;
  protection.no_access = !protection.zero;
  protection.driver_protection = args.DriverProtection;
  return protection;
}

// --- Map ---

Judgement judge(const D3DDDI_MAPGPUVIRTUALADDRESS& args) {
  if (args.Protection.Reserved || args.Protection.SystemUseOnly) return Refusal("reserved protections are set");
  bool without_memory = args.Protection.Zero || args.Protection.NoAccess;
  if (without_memory && args.hAllocation) {
    return Refusal(Violation::MapWithoutAccess, "an allocation with Zero or NoAccess");
  }
  if (!without_memory && !args.hAllocation) {
    return Refusal(Violation::MapWithoutAccess, "no allocation, and neither Zero nor NoAccess");
  }
  if (args.SizeInPages > UINT64_MAX / vidmm::kPageBytes) return Refusal("more pages than there are addresses");
  return std::nullopt;
}

// Aligned so that large pages can be used (ours).
uint64_t alignment_for(uint64_t bytes) {
  return bytes >= vidmm::kBigPageBytes ? vidmm::kBigPageBytes : vidmm::kPageBytes;
}

VaSpace::MapRequest request_of(const D3DDDI_MAPGPUVIRTUALADDRESS& args) {
  VaSpace::MapRequest request;
  request.base = args.BaseAddress;
  request.minimum = args.MinimumAddress;
  request.maximum = args.MaximumAddress;
  request.offset_pages = args.OffsetInPages;
  request.bytes = args.SizeInPages * vidmm::kPageBytes;
  request.alignment = alignment_for(request.bytes);
  request.protection.write = args.Protection.Write;
  request.protection.execute = args.Protection.Execute;
  request.protection.zero = args.Protection.Zero;
  request.protection.no_access = args.Protection.NoAccess;
  request.protection.driver_protection = args.DriverProtection;
  return request;
}

// --- Free ---

// Whether something is reserved or mapped where the range begins. If not, it was freed before, or went with its
// allocation.
bool in_use(dxgk::VideoMemory& memory, dxgk::ProcessAdapter& process, uint64_t va) {
  base::Guard guard(memory.lock());
  const VaSpace* space = memory.address_space(process);
  return space && (space->find(va) || space->find_reservation(va));
}

}  // namespace

Answer serve::ReserveGpuVirtualAddress(Client& client, D3DDDI_RESERVEGPUVIRTUALADDRESS* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::ProcessAdapter> process = TRY(find_reserver(client, args.hAdapter));
  VaSpace::ReserveRequest request;
  request.base = args.BaseAddress;
  request.minimum = args.MinimumAddress;
  request.maximum = args.MaximumAddress;
  request.bytes = args.Size;
  request.protection = TRY(protection_of(args));
  TRY(client.memory().probe_write(user));
  dxgk::VideoMemory& memory = process->adapter().memory();
  {
    dxgk::ParkingLock lock(process->mutex());
    if (process->ended) return base::Failure(STATUS_DEVICE_REMOVED, "the adapter has been stopped");
    args.VirtualAddress = TRY(memory.reserve(*process, request));
  }
  if (request.protection.zero) memory.wait_idle();  // there is no fence to wait for
  args.PagingFenceValue = 0;
  return client.memory().write(user, args);
}

// Addresses are the process's, so the allocation may be that of another of its devices on the adapter.
Answer serve::MapGpuVirtualAddress(Client& client, D3DDDI_MAPGPUVIRTUALADDRESS* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::PagingQueue> queue = TRY(client.find<dxgk::PagingQueue>(args.hPagingQueue));
  TRY(client.accept(judge(args)));
  TRY(client.memory().probe_write(user));
  dxgk::Device& device = queue->device();
  dxgk::ParkingLock lock(device.mutex());
  TRY(device.usable());
  dxgk::Allocation* what = nullptr;
  if (args.hAllocation) {
    auto view = TRY(client.find<dxgk::AllocationView>(args.hAllocation));
    if (&view->device().adapter() != &device.adapter()) return refuse("the allocation belongs to another adapter");
    if (args.Protection.Write && view->resource && view->resource->read_only) {
      client.remark(Violation::ReadOnlyWritten, "an allocation that was opened for reading is mapped for writing");
    }
    what = &view->allocation();  // the mutex keeps it
  }
  auto mapped = TRY(device.adapter().memory().map(*queue, what, request_of(args)));
  args.VirtualAddress = mapped.address;
  args.PagingFenceValue = mapped.fence;
  TRY(client.memory().write(user, args));
  return mapped.status;
}

Answer serve::FreeGpuVirtualAddress(Client& client, const D3DKMT_FREEGPUVIRTUALADDRESS* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<OpenAdapter> open = TRY(client.find<OpenAdapter>(args.hAdapter));
  base::Ref<dxgk::ProcessAdapter> process = TRY(on_adapter(client, open->adapter()));
  dxgk::VideoMemory& memory = open->adapter().memory();
  auto freed = memory.free(*process, args.BaseAddress, args.Size);
  if (freed.ok() || freed.status() != STATUS_INVALID_PARAMETER || in_use(memory, *process, args.BaseAddress))
    return freed;
  return client.refuse(Violation::AddressFreedTwice, freed.status(), freed.failure().why());
}

}  // namespace kmt
