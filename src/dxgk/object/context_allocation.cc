#include "dxgk/object/context_allocation.h"

#include <fmt/format.h>

#include "base/align.h"
#include "dxgk/adapter/adapter.h"
#include "dxgk/ddi/driver_names.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/allocation_info.h"
#include "dxgk/object/context.h"
#include "dxgk/work/device_queue.h"
#include "dxgk/work/gpu.h"
#include "nt/boundary/own_scope.h"
#include "nt/mm/careful_copy.h"

namespace dxgk {
namespace {

constexpr auto kName = DriverNames::Kind::ContextAllocation;
constexpr uint32_t kCpuVisible = 0x1, kProtected = 0x8, kReserved = 0xFFF80000;  // DXGK_ALLOCATIONINFOFLAGS
constexpr uint64_t kMostBytes = uint64_t{1} << 32;                               // ours

base::Failure wrong(Adapter& adapter, nt::Violation rule, const char* sentence, base::Here where = base::Here::now()) {
  adapter.machine().report_violation(rule, sentence);
  return base::Failure(STATUS_INVALID_PARAMETER, sentence, where);
}
base::Failure wrong(Adapter& adapter, nt::Violation rule, std::string sentence, base::Here where = base::Here::now()) {
  adapter.machine().report_violation(rule, std::move(sentence));
  return base::Failure(STATUS_INVALID_PARAMETER, "the arguments of a context allocation are wrong", where);
}

// The owner of a context allocation, and the scope in which it has to be given back: that of the context, or of the
// device whose contexts share it.
struct Owner {
  Device* device;
  nt::Scope* scope;
};

// Of a context, by the name it was given at its creation, or of all contexts of a device (CX-09 to CX-11).
base::Result<Owner> owner_of(Adapter& adapter, const DXGKARGCB_CREATECONTEXTALLOCATION& args) {
  constexpr auto kRule = nt::Violation::ContextAllocationWrong;
  if (args.ContextAllocationFlags.Reserved) {
    adapter.machine().report_violation(nt::Violation::ContextAllocationReserved,
                                       "DxgkCbCreateContextAllocation with reserved flags");
  }
  auto* device = adapter.names().find_as<Device>(DriverNames::Kind::Device, args.hDevice);
  if (args.ContextAllocationFlags.SharedAcrossContexts) {
    if (args.hContext) {
      adapter.machine().report_violation(
          nt::Violation::ContextAllocationReserved,
          "DxgkCbCreateContextAllocation for all contexts of a device, with an hContext");
    }
    if (!device) {
      return wrong(adapter, kRule,
                   "DxgkCbCreateContextAllocation with an hDevice that DxgkDdiCreateDevice did not bring");
    }
    return Owner{device, &device->scope()};
  }
  auto* context = adapter.names().find_as<Context>(DriverNames::Kind::Context, args.hContext);
  if (!context) {
    return wrong(adapter, kRule,
                 "DxgkCbCreateContextAllocation with an hContext that DxgkDdiCreateContext did not bring");
  }
  if (device && device != &context->device()) {
    return wrong(adapter, kRule, "DxgkCbCreateContextAllocation with a context of another device");
  }
  return Owner{&context->device(), &context->scope()};
}

// Segments that a driver names for paging must exist; preferred ones must be among them.
base::Result<> judge_segments(Adapter& adapter, const DXGKARGCB_CREATECONTEXTALLOCATION& args, uint32_t supported) {
  const AdapterCaps& caps = adapter.caps();
  if (supported & ~caps.segment_set()) {
    return wrong(adapter, nt::Violation::ContextAllocationWrong,
                 "DxgkCbCreateContextAllocation names a segment that the adapter does not have");
  }
  for (const vidmm::SegmentPreference& preferred : preferences_of(args.PreferredSegment.Value, caps)) {
    if (preferred.segment && !(supported >> (preferred.segment - 1) & 1)) {
      return wrong(adapter, nt::Violation::ContextAllocationWrong,
                   fmt::format("DxgkCbCreateContextAllocation prefers segment {}, which it does not support",
                               preferred.segment));
    }
  }
  if (caps.described_segments(args.EvictionSegmentSet) & ~caps.aperture_set()) {
    return wrong(adapter, nt::Violation::ContextAllocationWrong,
                 fmt::format("DxgkCbCreateContextAllocation with EvictionSegmentSet 0x{:x}, which names a segment that "
                             "is no aperture",
                             args.EvictionSegmentSet));
  }
  return {};
}

base::Result<vidmm::BlockTraits> traits_of(Adapter& adapter, const DXGKARGCB_CREATECONTEXTALLOCATION& args) {
  const AdapterCaps& caps = adapter.caps();
  if (args.Size == 0 || args.Size > kMostBytes) {
    return wrong(adapter, nt::Violation::ContextAllocationWrong,
                 "DxgkCbCreateContextAllocation with a size that cannot be");
  }
  uint32_t supported = caps.described_segments(args.SupportedSegmentSet);
  TRY(judge_segments(adapter, args, supported));
  if (args.Flags.Value & kReserved) {
    return wrong(adapter, nt::Violation::ContextAllocationWrong,
                 fmt::format("DxgkCbCreateContextAllocation with reserved bits in Flags, 0x{:08x}", args.Flags.Value));
  }
  if (args.PhysicalAdapterIndex != 0) {
    return wrong(adapter, nt::Violation::ContextAllocationWrong,
                 fmt::format("DxgkCbCreateContextAllocation for physical adapter {}, and there is one",
                             args.PhysicalAdapterIndex));
  }
  vidmm::BlockTraits traits;
  traits.bytes = base::round_up(args.Size, vidmm::kPageBytes);
  traits.alignment = alignment_of(args.Alignment, caps);
  traits.supported = supported;
  traits.preferred = preferences_of(args.PreferredSegment.Value, caps);
  traits.eviction = caps.described_segments(args.EvictionSegmentSet);
  traits.contiguous = true;  // drivers are told one address of it
  traits.cpu_visible = args.Flags.Value & kCpuVisible;
  traits.priority = 0xa0000000;
  traits.context = true;
  return traits;
}

}  // namespace

ContextAllocation::ContextAllocation(Adapter& adapter, const DXGKARGCB_CREATECONTEXTALLOCATION& args, Device& device)
    : adapter_(adapter),
      device_(device),
      map_gpu_address_(args.ContextAllocationFlags.MapGpuVirtualAddress && adapter.caps().gpu_mmu),
      for_cpu_((args.Flags.Value & (kCpuVisible | kProtected)) == (kCpuVisible | kProtected) &&
               (adapter.caps().described_segments(args.SupportedSegmentSet) & ~adapter.caps().aperture_set()) == 0) {}

base::Result<HANDLE> ContextAllocation::create(Adapter& adapter, const DXGKARGCB_CREATECONTEXTALLOCATION& args) {
  if (adapter.caps().version < static_cast<uint32_t>(InterfaceVersion::Win8)) {
    return wrong(adapter, nt::Violation::ContextAllocationTooOld,
                 "DxgkCbCreateContextAllocation from a driver that is older than WDDM 1.2");
  }
  Owner owner = TRY(owner_of(adapter, args));
  vidmm::BlockTraits traits = TRY(traits_of(adapter, args));
  std::unique_ptr<ContextAllocation> made(new ContextAllocation(adapter, args, *owner.device));
  made->block_ = std::make_unique<VideoBlock>(traits, 0, args.hDriverAllocation, made->backing_);
  made->block_->context_owner = made.get();
  TRY(made->place(made));
  made->tracked_.kind = nt::ResourceKind::ContextAllocation;
  {
    nt::OwnScope scope(adapter.machine(), *owner.scope);
    adapter.machine().track(made->tracked_);
  }
  HANDLE name = adapter.names().issue(kName, made.get());
  made.release();
  return name;
}

// It is on the list of its device: it is resident whenever one of the device's contexts runs, which is what is promised
// and more (CX-12). For a driver without a residency list it is pinned.
base::Result<> ContextAllocation::place(std::unique_ptr<ContextAllocation>& self) {
  VideoMemory& memory = adapter_.memory();
  std::optional<base::Failure> failure;
  {
    base::Guard guard(memory.lock());
    PagingWork work;
    memory.manager().add(block_->block);
    vidmm::Plan plan;
    base::Result<> mapped;
    if (map_gpu_address_) {
      auto space = memory.make_address_space(device_.process_adapter());
      mapped = space.ok() ? map_in(*space.value(), work) : base::Result<>(space.failure());
    }
    vidmm::Answer answer = vidmm::Answer::OutOfMemory;
    uint64_t bytes_to_trim = 0;
    vidmm::Block* blocks[] = {&block_->block};
    if (mapped.ok()) {
      answer = adapter_.caps().gpu_mmu
                   ? memory.manager().make_resident(device_.queue().residency, blocks, {.cant_trim_further = true},
                                                    plan, bytes_to_trim)
                   : memory.manager().pin(block_->block, plan);
    }
    if (answer == vidmm::Answer::OutOfMemory) {
      vidmm::VaOpList undone;
      vidmm::VaSpace::unmap_everywhere(*block_, undone);
      memory.manager().remove(block_->block, plan);
      if (!work.steps.empty()) memory.post(std::move(work));  // room has been made for a page table
      if (!mapped.ok()) return mapped;
      return base::Failure(STATUS_NO_MEMORY, "no video memory for a context allocation");
    }
    if (base::Result<> added = memory.add(plan, work); added.ok()) {
      DeviceQueue& queue = device_.queue();
      work.device = &queue;
      queue.resident_after = queue.contexts_after = memory.post(std::move(work));
    } else {
      failure = added.failure();
      memory.remove(*block_, work);
      work.done = [kept = self.release()] { delete kept; };  // until then paging work names the block
      memory.post(std::move(work));
    }
  }
  memory.kick();
  if (failure) return *failure;
  return {};
}

base::Result<> ContextAllocation::map_in(AddressSpace& space, PagingWork& work) {
  vidmm::VaOpList ops;
  gpu_address_ = TRY(space.map(
      {.minimum = space.lowest(), .what = block_.get(), .bytes = block_->block.bytes(), .protection = {.write = true}},
      ops));
  return space.perform(ops, work);
}

void* ContextAllocation::cpu_address_in(const Segment* segment) const {
  return for_cpu_ && (!segment || segment->aperture) ? block_->pages.address() : nullptr;
}

base::Result<ContextAllocation*> ContextAllocation::find(Adapter& adapter, HANDLE name) {
  auto* found = adapter.names().find_as<ContextAllocation>(kName, name);
  if (found) return found;
  return wrong(adapter, nt::Violation::ContextAllocationBadHandle,
               "hAllocation is no context allocation of this adapter, or no longer");
}

base::Result<> ContextAllocation::destroy(Adapter& adapter, HANDLE name) {
  ContextAllocation* allocation = TRY(find(adapter, name));
  adapter.names().withdraw(name);
  adapter.machine().untrack(allocation->tracked_);
  allocation->forget_driver_handle();
  // Whatever was queued before may still use it (CX-06).
  adapter.gpu().when_passed(allocation->device_, [allocation] { allocation->go(); });
  return {};
}

void ContextAllocation::destroy_all_of(Device& device) {
  DriverNames& names = device.adapter().names();
  for (const auto& [name, object] : names.all(kName)) {
    auto* allocation = static_cast<ContextAllocation*>(object);
    if (&allocation->device_ != &device) continue;
    names.withdraw(name);
    if (allocation->tracked_.scope) device.machine().untrack(allocation->tracked_);
    device.adapter().gpu().when_passed(device, [allocation] { allocation->go(); });
  }
}

// From here on the driver's handle is not used: later paging operations name no allocation.
void ContextAllocation::forget_driver_handle() {
  ParkingLock lock(adapter_.paging_mutex());
  block_->driver_handle = nullptr;
}

// On the scheduler's thread, which wakes the one for paging afterwards.
void ContextAllocation::go() {
  VideoMemory& memory = adapter_.memory();
  base::Guard guard(memory.lock());
  PagingWork work;
  memory.remove(*block_, work);
  work.done = [this] { delete this; };
  memory.post(std::move(work));
}

base::Result<D3DGPU_VIRTUAL_ADDRESS> ContextAllocation::map(Adapter& adapter,
                                                            const DXGKARGCB_MAPCONTEXTALLOCATION& args) {
  ContextAllocation* allocation = TRY(find(adapter, args.hAllocation));
  uint64_t pages = allocation->block_->block.bytes() / vidmm::kPageBytes;
  if (args.BaseAddress % vidmm::kPageBytes || args.OffsetInPages >= pages ||
      args.SizeInPages > pages - args.OffsetInPages) {
    return wrong(adapter, nt::Violation::ContextMapWrong,
                 fmt::format("DxgkCbMapContextAllocation of {} page(s) from page {} on at base address 0x{:X}; the "
                             "allocation has {}",
                             args.SizeInPages, args.OffsetInPages, args.BaseAddress, pages));
  }
  VideoMemory& memory = adapter.memory();
  uint64_t address;
  {
    base::Guard guard(memory.lock());
    AddressSpace* space = TRY(memory.make_address_space(allocation->device_.process_adapter()));
    if (!space) return base::Failure(STATUS_NOT_SUPPORTED, "the adapter has no GPU virtual addresses");
    vidmm::VaSpace::MapRequest request;
    request.base = args.BaseAddress;
    request.minimum = args.BaseAddress ? 0 : std::max<uint64_t>(args.MinimumAddress, space->lowest());
    request.maximum = args.BaseAddress ? 0 : args.MaximumAddress;
    request.what = allocation->block_.get();
    request.offset_pages = args.OffsetInPages;
    request.bytes = (args.SizeInPages ? args.SizeInPages : pages - args.OffsetInPages) * vidmm::kPageBytes;
    request.protection.write = args.Protection.Write;
    request.protection.execute = args.Protection.Execute;
    request.protection.driver_protection = args.DriverProtection;
    vidmm::VaOpList ops;
    PagingWork work;
    address = TRY(space->map(request, ops));
    TRY(space->perform(ops, work));
    work.device = &allocation->device_.queue();
    work.device->resident_after = memory.post(std::move(work));
  }
  memory.kick();
  return address;
}

base::Result<> ContextAllocation::update(Adapter& adapter, const DXGKARGCB_UPDATECONTEXTALLOCATION& args) {
  ContextAllocation* allocation = TRY(find(adapter, args.hAllocation));
  VideoMemory& memory = adapter.memory();
  std::vector<uint8_t> data(args.PrivateDriverDataSize);
  if (!nt::careful_read(data.data(), args.pPrivateDriverData, data.size()).ok()) {
    return wrong(adapter, nt::Violation::ContextAllocationWrong,
                 fmt::format("DxgkCbUpdateContextAllocation with {} byte(s) of private data at 0x{:X}, where there is "
                             "no memory",
                             data.size(), reinterpret_cast<uintptr_t>(args.pPrivateDriverData)));
  }
  uint64_t number;
  {
    base::Guard guard(memory.lock());
    PagingWork work;
    work.data = std::move(data);
    vidmm::Plan plan;
    static_cast<void>(memory.manager().prepare(allocation->device_.queue().residency, plan, vidmm::Reach::Running));
    TRY(memory.add(plan, work));
    work.steps.emplace_back(ContextUpdate{allocation->block_.get(), allocation->block_->block.place()});
    number = memory.post(std::move(work));
  }
  if (memory.wait_in_driver(number)) return {};
  return base::Failure(STATUS_DEVICE_REMOVED, "the adapter was reset before a context allocation was updated");
}

}  // namespace dxgk
