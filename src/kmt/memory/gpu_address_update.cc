// D3DKMTUpdateGpuVirtualAddress. On Windows the updates of a context stand in a queue of their own behind the fence,
// and the caller waits only while there are more than 128. Here the calling thread waits itself: the documents allow
// that, and a client that tracks a context's progress with the fence has queued before what the call waits for
// (policy).
#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/context.h"
#include "dxgk/sync/cpu_wait.h"
#include "kmt/client/raw_enum.h"
#include "kmt/client/scratch.h"
#include "kmt/client/thunks.h"
#include "kmt/work/sync_call.h"

namespace kmt {
namespace {

using Operation = D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION;
using Protection = D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE;
using vidmm::VaSpace;
using Update = VaSpace::Update;

constexpr UINT kMostOperations = 65536;  // ours: no limit is documented

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

base::Result<vidmm::VaProtection> protection_of(const Protection& given, uint64_t driver_protection) {
  if (given.Reserved || given.SystemUseOnly) return refuse("reserved protections are set");
  vidmm::VaProtection protection;
  protection.write = given.Write;
  protection.execute = given.Execute;
  protection.zero = given.Zero;
  protection.no_access = given.NoAccess;
  protection.driver_protection = driver_protection;
  return protection;
}

// One operation, and the handle of the allocation in it.
struct Wanted {
  Update update;
  D3DKMT_HANDLE allocation = 0;
};

template <typename Map>
Wanted mapping(Update::Kind kind, const Map& map) {
  Wanted wanted{{.kind = kind, .va = map.BaseAddress, .bytes = map.SizeInBytes, .protection = {}}, map.hAllocation};
  wanted.update.offset = map.AllocationOffsetInBytes;
  wanted.update.allocation_bytes = map.AllocationSizeInBytes;
  return wanted;
}

base::Result<Wanted> wanted_by(const Operation& operation) {
  switch (raw(operation.OperationType)) {
    case D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP:
      return mapping(Update::Kind::Map, operation.Map);
    case D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP_PROTECT: {
      Wanted wanted = mapping(Update::Kind::MapProtect, operation.MapProtect);
      wanted.update.protection =
          TRY(protection_of(operation.MapProtect.Protection, operation.MapProtect.DriverProtection));
      return wanted;
    }
    case D3DDDI_UPDATEGPUVIRTUALADDRESS_UNMAP: {
      Wanted wanted{{.kind = Update::Kind::Unmap,
                     .va = operation.Unmap.BaseAddress,
                     .bytes = operation.Unmap.SizeInBytes,
                     .protection = {}}};
      wanted.update.protection = TRY(protection_of(operation.Unmap.Protection, 0));
      return wanted;
    }
    case D3DDDI_UPDATEGPUVIRTUALADDRESS_COPY: {
      Wanted wanted{{.kind = Update::Kind::Copy,
                     .va = operation.Copy.DestAddress,
                     .bytes = operation.Copy.SizeInBytes,
                     .protection = {}}};
      wanted.update.source = operation.Copy.SourceAddress;
      return wanted;
    }
  }
  return refuse("no operation of an update");
}

base::Result<std::vector<Wanted>> read_operations(Client& client, const D3DKMT_UPDATEGPUVIRTUALADDRESS& args) {
  if (args.NumOperations == 0) return refuse("an update of nothing");
  if (args.NumOperations > kMostOperations) return refuse("more operations in one update than the kernel takes");
  Scratch<Operation, 16> operations;
  TRY(operations.make(args.NumOperations));
  TRY(client.memory().read(operations.span(), args.Operations));
  std::vector<Wanted> wanted;
  wanted.reserve(operations.size());
  for (const Operation& operation : operations) wanted.push_back(TRY(wanted_by(operation)));
  return wanted;
}

base::Result<dxgk::FenceValue> find_fence(Client& client, const D3DKMT_UPDATEGPUVIRTUALADDRESS& args) {
  FenceValues found = TRY(find_objects(client, {&args.hFenceObject, 1}, SyncAccess::Signal));
  if (!found.front().object->monitored()) return refuse("an update goes by a monitored fence");
  found.front().value = args.FenceValue;
  return found.front();
}

base::Result<uint64_t> plan(Client& client, dxgk::Device& device, std::span<const Wanted> wanted) {
  dxgk::ParkingLock lock(device.mutex());
  TRY(device.usable());
  std::vector<Update> updates;
  std::vector<dxgk::Allocation*> allocations;
  for (const Wanted& each : wanted) {
    updates.push_back(each.update);
    allocations.push_back(nullptr);
    if (!each.allocation) continue;
    auto view = TRY(client.find<dxgk::AllocationView>(each.allocation));
    if (&view->device() != &device) return refuse("the allocation belongs to another device");
    allocations.back() = &view->allocation();  // the mutex keeps it
  }
  return device.adapter().memory().update(device.process_adapter(), updates, allocations);
}

}  // namespace

Answer serve::UpdateGpuVirtualAddress(Client& client, const D3DKMT_UPDATEGPUVIRTUALADDRESS* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  if (args.Flags.Reserved || args.Reserved0 || args.Reserved1) return refuse("reserved fields are set");
  auto context = TRY(client.find<dxgk::Context>(args.hContext));
  if (&context->device() != &*device) return refuse("the context belongs to another device");
  std::vector<Wanted> wanted = TRY(read_operations(client, args));
  dxgk::FenceValue fence = TRY(find_fence(client, args));
  if (!args.Flags.DoNotWait) TRY(dxgk::CpuWait::block(*device, {&fence, 1}, dxgk::CpuWait::Need::All));
  uint64_t work = TRY(plan(client, *device, wanted));
  device->adapter().memory().wait(work);
  return fence.object->signal(args.FenceValue + 1, vidsch::Rewind::Refused);
}

}  // namespace kmt
