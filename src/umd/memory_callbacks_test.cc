// pfnAllocateCb and the two deallocations: what the runtime promises of them (CB-01, CB-03, CB-04, CB-06 to CB-09,
// CB-14). What a driver can do wrong there: device9_test.cc.
#include <cstring>
#include <vector>

#include "kmt/testing/kernel_objects.h"
#include "umd/testing/umd_fixture.h"

namespace umd {
namespace {

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
