#pragma once

#include <vector>

#include "dxgk/memory/video_memory.h"
#include "kmt/testing/kmt_fixture.h"

namespace kmt::testing {

inline constexpr uint64_t kPage = 4096, kBigPage = 0x10000;

// For tests of residency and GPU addresses: allocations in the segment that a test wants, paging queues, and the calls.
class MemoryTest : public KmtTest {
 protected:
  static constexpr UINT kAperture = 1, kLocal = 2;  // the fake driver's segments

  explicit MemoryTest(dxgk::testing::Model model = dxgk::testing::Model::Wddm20) : KmtTest(model) {
    driver.allocation_bytes = kBigPage;
    place_in(kLocal);
  }

  // Where allocations lie that are made from now on. Those in the aperture can be locked.
  void place_in(UINT segment) {
    driver.describe = [segment](DXGK_ALLOCATIONINFO& info, UINT) {
      info.SupportedWriteSegmentSet = info.SupportedReadSegmentSet = 1u << (segment - 1);
      info.PreferredSegment.SegmentId0 = segment;
      info.Flags.CpuVisible = segment == kAperture;
    };
  }
  static D3DKMT_HANDLE make(Program& program) {
    CreateArgs create = CreateArgs::driver(program.device);
    CHECK(create.create(program) == STATUS_SUCCESS);
    return create.info.hAllocation;
  }
  struct Made {
    D3DKMT_HANDLE resource;
    D3DKMT_HANDLE allocations[2];
  };
  static Made make_resource(Program& program) {
    CreateArgs create = CreateArgs::driver(program.device);
    D3DDDI_ALLOCATIONINFO infos[2] = {create.info, create.info};
    create.args.Flags.CreateResource = 1;
    create.args.NumAllocations = 2;
    create.args.pAllocationInfo = infos;
    CHECK(CreateAllocation(program.client, &create.args) == STATUS_SUCCESS);
    return {create.args.hResource, {infos[0].hAllocation, infos[1].hAllocation}};
  }

  // --- Paging queues ---
  static D3DKMT_CREATEPAGINGQUEUE queue_args(Program& program) {
    D3DKMT_CREATEPAGINGQUEUE args{};
    args.hDevice = program.device;
    return args;
  }
  static D3DKMT_CREATEPAGINGQUEUE make_queue(Program& program) {
    D3DKMT_CREATEPAGINGQUEUE args = queue_args(program);
    CHECK(CreatePagingQueue(program.client, &args) == STATUS_SUCCESS);
    return args;
  }
  static NTSTATUS destroy_queue(Program& program, D3DKMT_HANDLE queue) {
    D3DDDI_DESTROYPAGINGQUEUE args{.hPagingQueue = queue};
    return DestroyPagingQueue(program.client, &args);
  }
  static uint64_t value_of(const D3DKMT_CREATEPAGINGQUEUE& queue) {
    return *static_cast<const volatile uint64_t*>(queue.FenceValueCPUVirtualAddress);
  }
  static NTSTATUS wait(Program& program, const D3DKMT_CREATEPAGINGQUEUE& queue, UINT64 value) {
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU args{};
    args.hDevice = program.device;
    args.ObjectCount = 1;
    args.ObjectHandleArray = &queue.hSyncObject;
    args.FenceValueArray = &value;
    return WaitForSynchronizationObjectFromCpu(program.client, &args);
  }

  // --- Residency ---
  static D3DDDI_MAKERESIDENT resident_args(D3DKMT_HANDLE queue, const std::vector<D3DKMT_HANDLE>& handles) {
    D3DDDI_MAKERESIDENT args{};
    args.hPagingQueue = queue;
    args.NumAllocations = static_cast<UINT>(handles.size());
    args.AllocationList = handles.data();
    return args;
  }
  // It is there when this returns.
  static NTSTATUS make_resident(Program& program, const D3DKMT_CREATEPAGINGQUEUE& queue,
                                const std::vector<D3DKMT_HANDLE>& handles) {
    D3DDDI_MAKERESIDENT args = resident_args(queue.hPagingQueue, handles);
    NTSTATUS status = MakeResident(program.client, &args);
    if (status == STATUS_PENDING) status = wait(program, queue, args.PagingFenceValue);
    return status;
  }
  static NTSTATUS evict(Program& program, const std::vector<D3DKMT_HANDLE>& handles, UINT flags = 0) {
    D3DKMT_EVICT args{};
    args.hDevice = program.device;
    args.NumAllocations = static_cast<UINT>(handles.size());
    args.AllocationList = handles.data();
    args.Flags.Value = flags;
    return Evict(program.client, &args);
  }
  static D3DKMT_ALLOCATIONRESIDENCYSTATUS residency(Program& program, D3DKMT_HANDLE allocation) {
    D3DKMT_ALLOCATIONRESIDENCYSTATUS status{};
    D3DKMT_QUERYALLOCATIONRESIDENCY args{program.device, 0, &allocation, 1, &status};
    CHECK(QueryAllocationResidency(program.client, &args) == STATUS_SUCCESS);
    return status;
  }

  // --- GPU addresses ---
  static D3DDDI_RESERVEGPUVIRTUALADDRESS reserve_args(D3DKMT_HANDLE adapter, uint64_t base, uint64_t bytes) {
    D3DDDI_RESERVEGPUVIRTUALADDRESS args{};
    args.hAdapter = adapter;
    args.BaseAddress = base;
    args.Size = bytes;
    return args;
  }
  static uint64_t reserve(Program& program, uint64_t bytes, uint64_t base = 0) {
    auto args = reserve_args(program.adapter, base, bytes);
    CHECK(ReserveGpuVirtualAddress(program.client, &args) == STATUS_SUCCESS);
    return args.VirtualAddress;
  }
  static D3DDDI_MAPGPUVIRTUALADDRESS map_args(const D3DKMT_CREATEPAGINGQUEUE& queue, D3DKMT_HANDLE allocation,
                                              uint64_t base = 0, uint64_t pages = kBigPage / kPage) {
    D3DDDI_MAPGPUVIRTUALADDRESS args{};
    args.hPagingQueue = queue.hPagingQueue;
    args.BaseAddress = base;
    args.hAllocation = allocation;
    args.SizeInPages = pages;
    args.Protection.Write = 1;
    return args;
  }
  // It is mapped when this returns.
  static NTSTATUS map(Program& program, const D3DKMT_CREATEPAGINGQUEUE& queue, D3DDDI_MAPGPUVIRTUALADDRESS& args) {
    NTSTATUS status = MapGpuVirtualAddress(program.client, &args);
    if (status == STATUS_PENDING) status = wait(program, queue, args.PagingFenceValue);
    return status;
  }
  static NTSTATUS free(Program& program, uint64_t base, uint64_t bytes) {
    D3DKMT_FREEGPUVIRTUALADDRESS args{.hAdapter = program.adapter, .BaseAddress = base, .Size = bytes};
    return FreeGpuVirtualAddress(program.client, &args);
  }
  // What the process has mapped at an address: the offset in an allocation.
  std::optional<uint64_t> mapped_at(Program& program, uint64_t va) {
    auto process = program.client.process().on(adapter()).take();
    dxgk::VideoMemory& memory = adapter().memory();
    base::Guard guard(memory.lock());
    dxgk::AddressSpace* space = memory.address_space(*process);
    const vidmm::Mapping* mapping = space ? space->find(va) : nullptr;
    return mapping && mapping->what ? std::optional(mapping->offset + va - mapping->va) : std::nullopt;
  }
  // The page that the page tables lead to from an address. They are in order, and so is the record of mappings.
  std::optional<uint64_t> page_at(Program& program, uint64_t va) {
    auto process = program.client.process().on(adapter()).take();
    dxgk::VideoMemory& memory = adapter().memory();
    base::Guard guard(memory.lock());
    dxgk::AddressSpace* space = memory.address_space(*process);
    EXPECT_TRUE(space && space->validate() && space->tables().validate());
    auto found = space->tables().translate(va);
    return found && found->entry.Valid ? std::optional(found->page) : std::nullopt;
  }
  bool translated(Program& program, uint64_t va) { return page_at(program, va).has_value(); }
};

}  // namespace kmt::testing
