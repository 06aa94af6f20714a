#include "umd/common/resource_judgement.h"

#include <fmt/format.h>

#include <cstring>

#include "kmt/client/scratch.h"
#include "nt/boundary/address_check.h"
#include "nt/mm/address_space.h"

namespace umd {
namespace {

// --- Creation ---

// Memory that others are to open has to be the resource's own.
void judge_shared_memory(Device& device, const Resource& resource) {
  if (resource.kernel) return;
  device.report_violation(nt::Violation::UmdSharedWithoutMemory,
                          "CreateResource of a shared resource succeeded, and no allocation was made with its handle");
}

// CreateResource's page: another process that creates the same type of resource makes as many allocations.
void judge_shape(Device& device, const Resource& resource, const std::string& shape) {
  std::optional<uint32_t> others;
  {
    RuntimeGuard guard(device.runtime.lock);
    others = device.runtime.allocation_counts.differing(shape, device.client().process().id(), resource.allocations);
  }
  if (!others) return;
  device.report_violation(
      nt::Violation::UmdSharedShapeDiffers,
      fmt::format("a shared resource has {} allocations, and one that another process created alike has {}",
                  resource.allocations, *others),
      device.stacks_of(resource));
}

void judge_primary(Device& device, const Resource& resource) {
  D3DKMT_HANDLE unmarked = 0;
  {
    RuntimeGuard guard(device.runtime.lock);
    const Allocation* each = device.allocations().find(resource.first_allocation);
    for (; each; each = device.allocations().find(each->next)) {
      if (!each->primary) unmarked = each->handle;
    }
  }
  if (!unmarked) return;
  device.report_violation(
      nt::Violation::UmdPrimaryUnmarked,
      fmt::format("CreateResource made a primary that may be scanned out, and its allocation 0x{:X} was made "
                  "without the Primary flag",
                  unmarked),
      device.stacks_of(resource));
}

// --- Addresses ---

// Where a driver's own memory lies: a block of its heap, or a stack.
bool is_address(nt::Machine& machine, uintptr_t value) {
  bool near = nt::kPoolArena.contains(value) || nt::kStackArena.contains(value);
  return near && nt::is_address_valid(machine, value);
}

void judge_bytes(Device& device, const void* data, UINT bytes, const char* what) {
  kmt::Scratch<uint64_t, 32> copy;
  if (!copy.make(bytes / sizeof(uint64_t)).ok()) return;
  if (!device.client().memory().read(copy.span(), static_cast<const uint64_t*>(data)).ok()) return;
  for (size_t i = 0; i < copy.size(); ++i) {
    if (!is_address(device.machine(), copy[i])) continue;
    device.report_violation(
        nt::Violation::UmdAddressInPrivateData,
        fmt::format("pfnAllocateCb hands over private data {} of {} bytes, which hold an address of this "
                    "process at offset {}",
                    what, bytes, i * sizeof(uint64_t)));
    return;
  }
}

}  // namespace

bool judge_shared_allocation(Device& device, const Resource& resource) {
  if (!resource.shared) return true;
  Frame* frame = device.frame();
  bool creating = frame && frame->role == Role::Create && frame->resource == &resource;
  if (creating && !resource.kernel) return true;
  device.report_violation(creating ? nt::Violation::UmdSharedAllocatedTwice : nt::Violation::UmdSharedAllocatedLate,
                          creating
                              ? "pfnAllocateCb was called a second time for a shared resource"
                              : "pfnAllocateCb was called for a shared resource outside of the call that creates it",
                          device.stacks_of(resource));
  return false;
}

bool judge_shared_deallocation(Device& device, const Resource& resource, UINT count, const char* callback) {
  if (!resource.shared || count == 0 || !device.is_direct3d9()) return true;
  device.report_violation(
      nt::Violation::UmdSharedListed,
      fmt::format("{} releases a shared resource with NumAllocations of {} instead of 0", callback, count),
      device.stacks_of(resource));
  return false;
}

void judge_created(Device& device, const Resource& resource, const std::string& shape) {
  if (resource.shared && !resource.system_memory) {
    judge_shared_memory(device, resource);
    if (device.is_direct3d9()) judge_shape(device, resource, shape);
  }
  if (resource.scanned_out) judge_primary(device, resource);
}

void judge_private_data(Device& device, const D3DDDICB_ALLOCATE& args, std::span<const D3DDDI_ALLOCATIONINFO> infos) {
  judge_bytes(device, args.pPrivateDriverData, args.PrivateDriverDataSize, "of the resource");
  for (const D3DDDI_ALLOCATIONINFO& info : infos) {
    judge_bytes(device, info.pPrivateDriverData, info.PrivateDriverDataSize, "of an allocation");
  }
}

}  // namespace umd
