// pfnAllocateCb and the two deallocations: what the runtime promises of them (CB-01, CB-03, CB-04, CB-06 to CB-09,
// CB-14), and how it judges a list of allocations. What else a driver can do wrong there: device9_test.cc.
#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "kmt/testing/kernel_objects.h"
#include "umd/testing/umd_fixture.h"

namespace umd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class MemoryCallbackTest : public testing::UmdTest {
 protected:
  struct Allocated {
    HRESULT result;
    D3DKMT_HANDLE kernel_resource;
    D3DKMT_HANDLE allocation;
  };
  // `data` of the allocation and of the resource.
  Allocated allocate_with(HANDLE resource, std::vector<uint8_t>& data, std::vector<uint8_t> of_resource = {}) {
    D3DDDI_ALLOCATIONINFO info{};
    info.pPrivateDriverData = data.data();
    info.PrivateDriverDataSize = static_cast<UINT>(data.size());
    D3DDDICB_ALLOCATE args{};
    args.hResource = resource;
    args.hKMResource = kNothingYet;
    args.NumAllocations = 1;
    args.pAllocationInfo = &info;
    args.pPrivateDriverData = of_resource.data();
    args.PrivateDriverDataSize = static_cast<UINT>(of_resource.size());
    HRESULT result = table().pfnAllocateCb(handle(), &args);
    std::fill(data.begin(), data.end(), uint8_t{0xEE});  // the driver's own memory again
    return {result, args.hKMResource, info.hAllocation};
  }
  HRESULT deallocate(HANDLE resource, UINT count, const D3DKMT_HANDLE* list) {
    D3DDDICB_DEALLOCATE args{};
    args.hResource = resource;
    args.NumAllocations = count;
    args.HandleList = list;
    return table().pfnDeallocateCb(handle(), &args);
  }
  // The driver is told that it may not, and the finding says what of the list is wrong.
  void expect_refused(const std::vector<D3DKMT_HANDLE>& list, size_t wrong, const char* rule, const char* what) {
    EXPECT_EQ(deallocate(nullptr, static_cast<UINT>(list.size()), list.data()), E_INVALIDARG);
    ASSERT_EQ(observer.violations.size(), 1u);
    EXPECT_EQ(observer.violations[0].sentence,
              fmt::format("test driver: pfnDeallocateCb names allocation 0x{:X} (entry {}), which {}", list[wrong],
                          wrong, what));
    expect_found({rule});
  }
  // The kernel's own object behind an allocation of the device.
  const dxgk::Resource& resource_of(D3DKMT_HANDLE allocation) {
    auto view = program().client.find<dxgk::AllocationView>(allocation);
    CHECK(view.ok());
    return view.value()->resource->resource();
  }

  static constexpr D3DKMT_HANDLE kNothingYet = 0x12345;
};

// CB-01, CB-03: the list is not looked at, and the kernel, which wants none beside a resource, gets none.
TEST_F(MemoryCallbackTest, AListBesideAResourceIsIgnored) {
  run_driver([&] {
    HANDLE resource = make_resource();
    D3DKMT_HANDLE other = allocate();
    EXPECT_EQ(deallocate(resource, UINT32_MAX, reinterpret_cast<const D3DKMT_HANDLE*>(8)), S_OK);
    HANDLE second = make_resource();
    EXPECT_EQ(deallocate(second, 1, &other), S_OK);
    expect_found({});
    EXPECT_EQ(deallocate(nullptr, 1, &other), S_OK) << "it was left alone";
    expect_found({});
  });
}

TEST_F(MemoryCallbackTest, WhatIsDeallocatedGoesBackToTheKernel) {
  run_driver([&] {
    HANDLE resource = make_resource(2);
    D3DKMT_HANDLE alone = allocate();
    EXPECT_EQ(program().live(ob::ObjectKind::Allocation), 3u);
    EXPECT_EQ(deallocate(nullptr, 1, &alone), S_OK);
    EXPECT_EQ(program().live(ob::ObjectKind::Allocation), 2u);
    EXPECT_EQ(deallocate(resource, 0, nullptr), S_OK);
    EXPECT_EQ(program().live(ob::ObjectKind::Allocation), 0u);
    expect_found({});
  });
}

// pfnDeallocateCb has none: it waits until nothing can use the memory any more.
TEST_F(MemoryCallbackTest, TheFlagsOfDeallocate2ReachTheKernel) {
  run_driver([&] {
    D3DKMT_HANDLE promised = allocate(), other = allocate();
    auto kernel_device = program().client.find<dxgk::Device>(device().kernel()).take();
    uint64_t work = kernel_device->work().queue();
    driver.log.clear();
    EXPECT_EQ(deallocate(nullptr, 1, &other), S_OK);
    EXPECT_THAT(driver.log, IsEmpty());
    D3DDDICB_DEALLOCATE2 args{};
    args.NumAllocations = 1;
    args.HandleList = &promised;
    args.Flags.AssumeNotInUse = 1;
    EXPECT_EQ(table().pfnDeallocate2Cb(handle(), &args), S_OK);
    EXPECT_THAT(driver.log, ElementsAre("CloseAllocation(1)", "DestroyAllocation(1)"));
    kernel_device->work().complete(work);
    expect_found({});
  });
}

// --- Lists that cannot be deallocated ---

// CB-02
TEST_F(MemoryCallbackTest, AnAllocationThatIsDeallocatedTwiceIsFound) {
  run_driver([&] {
    D3DKMT_HANDLE live = allocate(), dead = allocate_and_deallocate();
    expect_refused({dead}, 0, "UmdDeallocatedTwice", "was deallocated before");
    expect_refused({live, dead}, 1, "UmdDeallocatedTwice", "was deallocated before");
    EXPECT_EQ(deallocate(nullptr, 1, &live), S_OK) << "of such a list nothing is";
    expect_found({});
  });
}

// UR-02
TEST_F(MemoryCallbackTest, AnUnknownAllocationHandleIsAFinding) {
  run_driver([&] {
    D3DKMT_HANDLE live = allocate();
    expect_refused({testing::kNoHandle, live}, 0, "UmdWrongHandle", "is none of the device's");
    EXPECT_EQ(deallocate(nullptr, 1, &live), S_OK) << "of such a list nothing is";
    expect_found({});
  });
}

TEST_F(MemoryCallbackTest, ADeallocationOfNothingIsRefused) {
  run_driver([&] {
    EXPECT_EQ(deallocate(nullptr, 0, nullptr), E_INVALIDARG);
    expect_found({});
  });
}

// CB-04
TEST_F(MemoryCallbackTest, OfALostDeviceMemoryIsGivenBackAllTheSame) {
  run_driver([&] {
    HANDLE resource = make_resource();
    D3DKMT_HANDLE alone = allocate();
    lose_device();
    std::vector<uint8_t> data(8);
    EXPECT_EQ(allocate_with(nullptr, data).result, D3DDDIERR_DEVICEREMOVED);
    EXPECT_EQ(deallocate(resource, 0, nullptr), S_OK);
    EXPECT_EQ(deallocate(nullptr, 1, &alone), S_OK);
    expect_found({});
  });
}

// CB-06, CB-07, CB-08
TEST_F(MemoryCallbackTest, OnlyAResourceHasAKernelHandle) {
  run_driver([&] {  // none of the functions that create resources
    std::vector<uint8_t> data(8);
    Allocated alone = allocate_with(nullptr, data);
    EXPECT_EQ(alone.result, S_OK);
    EXPECT_EQ(alone.kernel_resource, 0u);
    HANDLE resource = make_resource(0);
    std::fill(data.begin(), data.end(), uint8_t{0});
    Allocated first = allocate_with(resource, data);
    EXPECT_EQ(first.result, S_OK);
    EXPECT_NE(first.kernel_resource, 0u);
    EXPECT_NE(first.kernel_resource, kNothingYet);
    std::fill(data.begin(), data.end(), uint8_t{0});
    EXPECT_EQ(allocate_with(resource, data).kernel_resource, first.kernel_resource);
    deallocate(nullptr, 1, &alone.allocation);
    deallocate_resource(resource);
    expect_found({});
  });
}

// CB-09, CB-14
TEST_F(MemoryCallbackTest, LaterDataOfAResourceReplaceTheFormer) {
  run_driver([&] {
    HANDLE resource = make_resource(0);
    std::vector<uint8_t> data(8);
    Allocated first = allocate_with(resource, data, {1, 2, 3});
    ASSERT_EQ(first.result, S_OK);
    EXPECT_EQ(resource_of(first.allocation).driver_data, (std::vector<uint8_t>{1, 2, 3})) << "a copy";
    std::fill(data.begin(), data.end(), uint8_t{0});
    ASSERT_EQ(allocate_with(resource, data, {9, 8}).result, S_OK);
    EXPECT_EQ(resource_of(first.allocation).driver_data, (std::vector<uint8_t>{9, 8}));
    deallocate_resource(resource);
    expect_found({});
  });
}

}  // namespace
}  // namespace umd
