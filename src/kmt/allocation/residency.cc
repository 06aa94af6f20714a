// D3DKMTMakeResident, D3DKMTEvict, D3DKMTQueryAllocationResidency.
#include <algorithm>

#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/paging/paging_queue.h"
#include "dxgk/work/gpu.h"
#include "kmt/allocation/named_allocations.h"
#include "kmt/client/thunks.h"

namespace kmt {
namespace {

using dxgk::VideoMemory;
using nt::Violation;
using Status = D3DKMT_ALLOCATIONRESIDENCYSTATUS;

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

// Before WDDM 2.0 only what a packet names is made resident, with the packet.
base::Result<> has_residency_list(dxgk::Device& device) {
  if (device.adapter().caps().wddm2()) return {};
  return base::Failure(STATUS_NOT_SUPPORTED, "the adapter's driver is older than residency lists");
}

// --- MakeResident ---

Judgement judge(const D3DDDI_MAKERESIDENT& args) {
  if (args.Flags.Reserved) return Refusal("reserved flags are set");
  if (args.Flags.MustSucceed && !args.Flags.CantTrimFurther) {
    return Refusal(Violation::ResidentMustAlone, "MustSucceed without CantTrimFurther");
  }
  return std::nullopt;
}

base::Result<VideoMemory::Residency> ask(Client& client, dxgk::PagingQueue& queue, const D3DDDI_MAKERESIDENT& args,
                                         std::span<const D3DKMT_HANDLE> names) {
  dxgk::Device& device = queue.device();
  dxgk::ParkingLock lock(device.mutex());
  TRY(device.usable());
  NamedAllocations allocations(client, device, Violation::ResidentOtherDevice);
  TRY(allocations.add(names));
  vidmm::MakeResidentFlags flags;
  flags.cant_trim_further = args.Flags.CantTrimFurther;
  flags.must_succeed = args.Flags.MustSucceed;
  return device.adapter().memory().make_resident(queue, allocations.all(), flags);
}

// --- QueryAllocationResidency ---

// An allocation that any segment will do for lies in the machine's memory, where the GPU reaches it.
Status status_of(const dxgk::Allocation& allocation, const dxgk::AdapterCaps& caps) {
  if (!allocation.video || !allocation.video->block.resident()) return D3DKMT_ALLOCATIONRESIDENCYSTATUS_NOTRESIDENT;
  const dxgk::Segment* segment = caps.segment(allocation.video->block.place().segment);
  return segment && !segment->aperture ? D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINGPUMEMORY
                                       : D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINSHAREDMEMORY;
}

}  // namespace

// What to wait for and what to trim is told in every case; NumAllocations stays: none is resident unless all are
// (RS-02). PriorityList is not looked at (documented), and real clients give one value for a list of any length.
Answer serve::MakeResident(Client& client, D3DDDI_MAKERESIDENT* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::PagingQueue> queue = TRY(client.find<dxgk::PagingQueue>(args.hPagingQueue));
  TRY(client.accept(judge(args)));
  HandleScratch names;
  TRY(read_names(client, names, args.AllocationList, args.NumAllocations));
  TRY(client.memory().probe_write(user));  // a client that cannot be told would not know what it has
  auto answer = TRY(ask(client, *queue, args, names.span()));
  args.PagingFenceValue = answer.fence;
  args.NumBytesToTrim = answer.bytes_to_trim;
  TRY(client.memory().write(user, args));
  if (answer.status >= 0) return answer.status;
  if (args.Flags.MustSucceed) {
    dxgk::Device& device = queue->device();
    device.adapter().gpu().lose(device, dxgk::Device::State::Error);
  }
  return base::Failure(answer.status, "no room for what is to be made resident");
}

Answer serve::Evict(Client& client, D3DKMT_EVICT* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  if (args.Flags.Reserved) return refuse("reserved flags are set");
  HandleScratch names;
  TRY(read_names(client, names, args.AllocationList, args.NumAllocations));
  TRY(client.memory().probe_write(user));
  dxgk::ParkingLock lock(device->mutex());
  TRY(device->usable());
  TRY(has_residency_list(*device));
  NamedAllocations allocations(client, *device, Violation::ResidentOtherDevice);
  TRY(allocations.add(names.span()));
  vidmm::EvictFlags flags;
  flags.evict_only_if_necessary = args.Flags.EvictOnlyIfNecessary;
  flags.not_written_to = args.Flags.NotWrittenTo;
  auto evicted = device->adapter().memory().evict(*device, allocations.all(), flags);
  if (evicted.status() == STATUS_INVALID_PARAMETER) client.remark(Violation::EvictUnlisted, evicted.failure().why());
  args.NumBytesToTrim = TRY(std::move(evicted));
  return client.memory().write(user, args);
}

// A resource is where the worst placed of its allocations is: the values are in that order.
Answer serve::QueryAllocationResidency(Client& client, const D3DKMT_QUERYALLOCATIONRESIDENCY* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  if (args.hResource && (args.AllocationCount || args.phAllocationList)) return refuse("a resource and a list");
  HandleScratch names;
  if (!args.hResource) TRY(read_names(client, names, args.phAllocationList, args.AllocationCount));
  dxgk::ParkingLock lock(device->mutex());
  TRY(device->usable());
  NamedAllocations allocations(client, *device);
  TRY(args.hResource ? allocations.add_resource(args.hResource) : allocations.add(names.span()));
  Scratch<Status, 32> answer;
  TRY(answer.make(allocations.names()));
  {
    VideoMemory& memory = device->adapter().memory();
    base::Guard guard(memory.lock());
    for (size_t i = 0; i < answer.size(); ++i) {
      answer[i] = D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINGPUMEMORY;
      for (size_t j = allocations.first_of(i); j < allocations.first_of(i + 1); ++j) {
        answer[i] = std::max(answer[i], status_of(*allocations.all()[j], device->adapter().caps()));
      }
    }
  }
  return client.memory().write(args.pResidencyStatus, std::span<const Status>(answer.span()));
}

}  // namespace kmt
