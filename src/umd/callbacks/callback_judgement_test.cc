// What is the same for every callback of a device.
#include "umd/callbacks/callback_judgement.h"

#include <fmt/format.h>

#include "umd/testing/umd_fixture.h"

namespace umd::testing {
namespace {

// What this and the tests of each noun are about: callbacks over the kernel.
// clang-format off
#define SERVED_CALLBACKS(X) \
  X(Lock) X(Unlock) X(Lock2) X(Unlock2) X(InvalidateCache) X(SetPriority) X(QueryResidency) X(OfferAllocations) \
  X(OfferAllocations2) X(ReclaimAllocations) X(ReclaimAllocations2) X(ReclaimAllocations3) X(MakeResident) \
  X(Evict) X(ReserveGpuVirtualAddress) X(MapGpuVirtualAddress) X(FreeGpuVirtualAddress) \
  X(UpdateGpuVirtualAddress) X(CreatePagingQueue) X(DestroyPagingQueue) X(CreateContext) X(CreateContextVirtual) \
  X(DestroyContext) X(Render) X(SubmitCommand) X(Present) X(Escape) X(LogUMDMarker) \
  X(CreateSynchronizationObject) X(CreateSynchronizationObject2) X(DestroySynchronizationObject) \
  X(WaitForSynchronizationObject) X(WaitForSynchronizationObject2) X(WaitForSynchronizationObjectFromCpu) \
  X(WaitForSynchronizationObjectFromGpu) X(SignalSynchronizationObject) X(SignalSynchronizationObject2) \
  X(SignalSynchronizationObjectFromCpu) X(SignalSynchronizationObjectFromGpu) \
  X(SignalSynchronizationObjectFromGpu2)
// clang-format on

// With arguments that are all zero.
template <typename Args>
HRESULT call_empty(HRESULT (*slot)(HANDLE, Args*), HANDLE device) {
  std::remove_const_t<Args> args{};
  return slot(device, &args);
}

class CallbackJudgementTest : public UmdTest {};

TEST_F(CallbackJudgementTest, ACallWithoutArgumentsIsRefused) {
  run_driver([&] {
#define EXPECT_REFUSED(name) EXPECT_EQ(table().pfn##name##Cb(handle(), nullptr), E_INVALIDARG) << #name;
    SERVED_CALLBACKS(EXPECT_REFUSED)
    expect_found({});
  });
}

TEST_F(CallbackJudgementTest, ACallWithTheHandleOfNoDeviceIsFound) {
  run_driver([&] {
#define EXPECT_FOUND(name)                                                      \
  EXPECT_EQ(call_empty(table().pfn##name##Cb, nullptr), E_INVALIDARG) << #name; \
  expect_found({"UmdWrongHandle"});
    SERVED_CALLBACKS(EXPECT_FOUND)
  });
}

TEST_F(CallbackJudgementTest, EachCanBeMadeToFail) {
  run_driver([&] {
    driver.log.clear();
#define EXPECT_FAILURE(name)                                                                         \
  device().fail_callback({.callback = Callback::name, .nth = 1, .result = D3DDDIERR_DEVICEREMOVED}); \
  EXPECT_EQ(call_empty(table().pfn##name##Cb, handle()), D3DDDIERR_DEVICEREMOVED) << #name;
    SERVED_CALLBACKS(EXPECT_FAILURE)
    expect_found({});
    EXPECT_THAT(driver.log, ::testing::IsEmpty()) << "the kernel was asked";
  });
}

TEST_F(CallbackJudgementTest, AListThatIsNotThereIsRefused) {
  run_driver([&] {
    const auto* nowhere = reinterpret_cast<const D3DKMT_HANDLE*>(uintptr_t{0x1000});
    EXPECT_EQ(judge_allocations(device(), Callback::Evict, nowhere, 1), E_INVALIDARG);
    EXPECT_EQ(judge_allocations(device(), Callback::Evict, nullptr, 1), E_INVALIDARG);
    EXPECT_EQ(judge_allocations(device(), Callback::Evict, nullptr, 0), S_OK);
    EXPECT_EQ(judge_allocations(device(), Callback::Evict, nowhere, UINT32_MAX), E_OUTOFMEMORY);
    expect_found({});
  });
}

TEST_F(CallbackJudgementTest, TheFirstWrongAllocationOfAListIsTheFinding) {
  run_driver([&] {
    D3DKMT_HANDLE live = allocate(), dead = allocate_and_deallocate();
    EXPECT_EQ(judge_allocations(device(), Callback::Evict, std::vector{live, live}), S_OK);
    expect_found({});
    EXPECT_EQ(judge_allocations(device(), Callback::Evict, std::vector{live, dead, kNoHandle}), E_INVALIDARG);
    ASSERT_EQ(observer.violations.size(), 1u);
    EXPECT_THAT(observer.violations[0].sentence,
                ::testing::HasSubstr(fmt::format("pfnEvictCb names allocation 0x{:X}", dead)));
    expect_found({"UmdUsedAfterDeallocation"});
    EXPECT_EQ(judge_allocations(device(), Callback::Evict, std::vector{kNoHandle, dead}), E_INVALIDARG);
    expect_found({"UmdWrongHandle"});
    EXPECT_EQ(judge_allocations(device(), Callback::Evict, std::vector{D3DKMT_HANDLE{0}}), E_INVALIDARG);
    expect_found({"UmdWrongHandle"});
  });
}

TEST_F(CallbackJudgementTest, ForAnAddressOnlyADeadAllocationIsWrong) {
  run_driver([&] {
    EXPECT_EQ(judge_not_dead(device(), Callback::MapGpuVirtualAddress, 0), S_OK);
    EXPECT_EQ(judge_not_dead(device(), Callback::MapGpuVirtualAddress, kNoHandle), S_OK);
    expect_found({});
    EXPECT_EQ(judge_not_dead(device(), Callback::MapGpuVirtualAddress, allocate_and_deallocate()), E_INVALIDARG);
    expect_found({"UmdUsedAfterDeallocation"});
  });
}

TEST_F(CallbackJudgementTest, ResourcesAreFoundByTheRuntimesHandle) {
  run_driver([&] {
    D3DKMT_HANDLE kernel = 0;
    HANDLE resource = make_resource();
    EXPECT_EQ(find_resource(device(), Callback::SetPriority, resource, &kernel), S_OK);
    EXPECT_NE(kernel, 0u);
    EXPECT_EQ(find_resource(device(), Callback::SetPriority, make_resource(0), &kernel), E_INVALIDARG) << "no memory";
    expect_found({});
    EXPECT_EQ(find_resource(device(), Callback::SetPriority, handle(), &kernel), E_INVALIDARG);
    expect_found({"UmdWrongHandle"});
    deallocate_resource(resource);
    EXPECT_EQ(find_resource(device(), Callback::SetPriority, resource, &kernel), E_INVALIDARG);
    expect_found({"UmdUsedAfterDeallocation"});
  });
}

TEST_F(CallbackJudgementTest, OnlyAFlushIsToldThatItWaited) {
  run_driver([&] {
    EXPECT_TRUE(in_function("Flush", Role::Flush, [&] { note_wait(device()); }).waited);
    EXPECT_FALSE(in_function("DestroyDevice", Role::DestroyDevice, [&] { note_wait(device()); }).waited);
  });
}

}  // namespace
}  // namespace umd::testing
