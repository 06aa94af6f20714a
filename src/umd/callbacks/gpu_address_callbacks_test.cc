#include "umd/testing/umd_fixture.h"

namespace umd::testing {
namespace {

using Operation = D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION;

class GpuAddressCallbackTest : public UmdTest {
 protected:
  static constexpr uint64_t kBytes = 0x10000;

  GpuAddressCallbackTest() { driver.allocation_bytes = kBytes; }

  HRESULT reserve(D3DKMT_HANDLE queue, uint64_t bytes, uint64_t* address) {
    D3DDDI_RESERVEGPUVIRTUALADDRESS args{};
    args.hPagingQueue = queue;
    args.Size = bytes;
    HRESULT result = table().pfnReserveGpuVirtualAddressCb(handle(), &args);
    *address = args.VirtualAddress;
    return result;
  }
  static D3DDDI_MAPGPUVIRTUALADDRESS map_args(D3DKMT_HANDLE queue, D3DKMT_HANDLE allocation) {
    D3DDDI_MAPGPUVIRTUALADDRESS args{};
    args.hPagingQueue = queue;
    args.hAllocation = allocation;
    args.SizeInPages = kBytes / 4096;
    args.Protection.Write = 1;
    return args;
  }
  HRESULT map(D3DDDI_MAPGPUVIRTUALADDRESS& args) { return table().pfnMapGpuVirtualAddressCb(handle(), &args); }
  HRESULT free(uint64_t address, uint64_t bytes) {
    D3DDDICB_FREEGPUVIRTUALADDRESS args{.BaseAddress = address, .Size = bytes};
    return table().pfnFreeGpuVirtualAddressCb(handle(), &args);
  }
  HRESULT update(HANDLE context, D3DKMT_HANDLE fence, Operation operation) {
    D3DDDICB_UPDATEGPUVIRTUALADDRESS args{};
    args.hContext = context;
    args.hFenceObject = fence;
    args.NumOperations = 1;
    args.Operations = &operation;
    return table().pfnUpdateGpuVirtualAddressCb(handle(), &args);
  }
  static Operation map_operation(uint64_t address, D3DKMT_HANDLE allocation) {
    Operation operation{};
    operation.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP;
    operation.Map.BaseAddress = address;
    operation.Map.SizeInBytes = kBytes;
    operation.Map.hAllocation = allocation;
    return operation;
  }
};

TEST_F(GpuAddressCallbackTest, ReserveMapUpdateAndFree) {
  run_driver([&] {
    auto queue = make_queue();
    uint64_t reserved = 0, more = 0;
    ASSERT_EQ(reserve(queue.hPagingQueue, 4 * kBytes, &reserved), S_OK);
    ASSERT_EQ(reserve(0, kBytes, &more), S_OK) << "by the adapter, which is the runtime's to know";
    EXPECT_NE(reserved, more);
    D3DKMT_HANDLE allocation = allocate();
    auto args = map_args(queue.hPagingQueue, allocation);
    EXPECT_EQ(map(args), E_PENDING);
    EXPECT_NE(args.VirtualAddress, 0u);
    EXPECT_NE(args.PagingFenceValue, 0u);
    EXPECT_EQ(update(make_virtual_context(), make_fence(), map_operation(reserved, allocation)), S_OK);
    EXPECT_EQ(free(args.VirtualAddress, kBytes), S_OK);
    EXPECT_EQ(free(reserved, 4 * kBytes), S_OK);
    EXPECT_EQ(free(more, kBytes), S_OK);
    expect_found({});
  });
}

TEST_F(GpuAddressCallbackTest, ADeadAllocationIsFound) {
  run_driver([&] {
    auto queue = make_queue();
    D3DKMT_HANDLE dead = allocate_and_deallocate();
    auto args = map_args(queue.hPagingQueue, dead);
    EXPECT_EQ(map(args), E_INVALIDARG);
    expect_found({"UmdUsedAfterDeallocation"});
    HANDLE context = make_virtual_context();
    Operation operation = map_operation(kBytes, dead);
    EXPECT_EQ(update(context, make_fence(), operation), E_INVALIDARG);
    expect_found({"UmdUsedAfterDeallocation"});
    operation = {};
    operation.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP_PROTECT;
    operation.MapProtect.hAllocation = dead;
    EXPECT_EQ(update(context, make_fence(), operation), E_INVALIDARG);
    expect_found({"UmdUsedAfterDeallocation"});
  });
}

TEST_F(GpuAddressCallbackTest, AnUpdateNeedsAContextOfTheDevice) {
  run_driver([&] {
    D3DKMT_HANDLE fence = make_fence();
    EXPECT_EQ(update(nullptr, fence, {}), E_INVALIDARG);
    expect_found({"UmdWrongHandle"});
    EXPECT_EQ(update(make_virtual_context(&other_device()), fence, {}), E_INVALIDARG);
    expect_found({"UmdWrongHandle"});
  });
}

TEST_F(GpuAddressCallbackTest, WhatTheKernelRefusesIsTranslated) {
  run_driver([&] {
    auto queue = make_queue();
    auto args = map_args(queue.hPagingQueue, kNoHandle);
    EXPECT_EQ(map(args), E_INVALIDARG) << "no allocation of the process";
    uint64_t address = 0;
    EXPECT_EQ(reserve(kNoHandle, kBytes, &address), E_INVALIDARG);
    EXPECT_EQ(address, 0u);
    EXPECT_EQ(free(kBytes, kBytes), E_INVALIDARG);
    Operation operation{};
    uint32_t none = 77;
    std::memcpy(&operation.OperationType, &none, sizeof(none));
    EXPECT_EQ(update(make_virtual_context(), make_fence(), operation), E_INVALIDARG);
    D3DDDICB_UPDATEGPUVIRTUALADDRESS nowhere{};
    nowhere.hContext = make_virtual_context();
    nowhere.NumOperations = 1;
    EXPECT_EQ(table().pfnUpdateGpuVirtualAddressCb(handle(), &nowhere), E_INVALIDARG);
  });
}

TEST_F(GpuAddressCallbackTest, OfALostDevice) {
  run_driver([&] {
    auto queue = make_queue();
    HANDLE context = make_virtual_context();
    D3DKMT_HANDLE fence = make_fence();
    auto args = map_args(queue.hPagingQueue, allocate());
    lose_device();
    EXPECT_EQ(map(args), D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(update(context, fence, map_operation(kBytes, args.hAllocation)), D3DDDIERR_DEVICEREMOVED);
    expect_found({});
  });
}

}  // namespace
}  // namespace umd::testing
