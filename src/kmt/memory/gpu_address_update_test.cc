// Updates of tile mappings.
#include "base/sanitizer.h"
#include "kmt/testing/memory_fixture.h"

namespace kmt::testing {
namespace {

using Operation = D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION;

class GpuAddressUpdateTest : public MemoryTest {
 protected:
  static constexpr uint64_t kTiles = 4;

  // What an update goes by.
  struct Scene {
    D3DKMT_CREATEPAGINGQUEUE queue;
    D3DKMT_HANDLE context;
    D3DKMT_HANDLE fence;
    D3DKMT_HANDLE pool;  // resident, kTiles tiles
    uint64_t tiles;      // reserved addresses for twice as many
  };
  Scene set_up(Program& program) {
    Scene scene{};
    scene.queue = make_queue(program);
    D3DKMT_CREATECONTEXTVIRTUAL context{};
    context.hDevice = program.device;
    CHECK(CreateContextVirtual(program.client, &context) == STATUS_SUCCESS);
    scene.context = context.hContext;
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fence{};
    fence.hDevice = program.device;
    fence.Info.Type = D3DDDI_MONITORED_FENCE;
    CHECK(CreateSynchronizationObject2(program.client, &fence) == STATUS_SUCCESS);
    scene.fence = fence.hSyncObject;
    value_ = static_cast<const uint64_t*>(fence.Info.MonitoredFence.FenceValueCPUVirtualAddress);
    driver.allocation_bytes = kTiles * kBigPage;
    scene.pool = make(program);
    CHECK(make_resident(program, scene.queue, {scene.pool}) == STATUS_SUCCESS);
    scene.tiles = reserve(program, 2 * kTiles * kBigPage);
    return scene;
  }
  static D3DKMT_UPDATEGPUVIRTUALADDRESS args_of(Program& program, const Scene& scene, std::span<Operation> operations,
                                                uint64_t value = 0) {
    D3DKMT_UPDATEGPUVIRTUALADDRESS args{};
    args.hDevice = program.device;
    args.hContext = scene.context;
    args.hFenceObject = scene.fence;
    args.NumOperations = static_cast<UINT>(operations.size());
    args.Operations = operations.data();
    args.FenceValue = value;
    return args;
  }
  static Operation map_tile(const Scene& scene, uint64_t tile, uint64_t of_pool, uint64_t count = 1) {
    Operation operation{};
    operation.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP;
    operation.Map.BaseAddress = scene.tiles + tile * kBigPage;
    operation.Map.SizeInBytes = count * kBigPage;
    operation.Map.hAllocation = scene.pool;
    operation.Map.AllocationOffsetInBytes = of_pool * kBigPage;
    return operation;
  }
  uint64_t value() const { return *const_cast<const volatile uint64_t*>(value_); }

 private:
  const uint64_t* value_ = nullptr;
};

TEST_F(GpuAddressUpdateTest, InOrderAndThenTheFence) {
  run_program([&](Program& program) {
    Scene scene = set_up(program);
    Operation copy{};
    copy.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_COPY;
    copy.Copy.SourceAddress = scene.tiles;
    copy.Copy.SizeInBytes = 2 * kBigPage;
    copy.Copy.DestAddress = scene.tiles + 4 * kBigPage;
    Operation unmap{};
    unmap.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_UNMAP;
    unmap.Unmap.BaseAddress = scene.tiles;
    unmap.Unmap.SizeInBytes = kBigPage;
    unmap.Unmap.Protection.NoAccess = 1;
    Operation operations[] = {map_tile(scene, 0, 0, 2), map_tile(scene, 1, 3), copy, unmap};
    auto args = args_of(program, scene, operations);
    EXPECT_EQ(UpdateGpuVirtualAddress(program.client, &args), STATUS_SUCCESS);
    EXPECT_EQ(value(), 1u);
    EXPECT_EQ(mapped_at(program, scene.tiles), std::nullopt);
    EXPECT_EQ(mapped_at(program, scene.tiles + kBigPage), 3 * kBigPage);
    EXPECT_EQ(mapped_at(program, scene.tiles + 4 * kBigPage), 0u);
    EXPECT_EQ(mapped_at(program, scene.tiles + 5 * kBigPage), 3 * kBigPage);
    EXPECT_TRUE(translated(program, scene.tiles + 5 * kBigPage));
  });
}

TEST_F(GpuAddressUpdateTest, WaitsForItsFence) {
  if (base::kSanitizer == base::Sanitizer::Thread) {
    GTEST_SKIP() << "the adapter's threads overlap in the driver, and the fake one takes no locks";
  }
  run_program([&](Program& program) {
    Scene scene = set_up(program);
    bool returned = false;
    auto& thread = machine().create_thread("updates", [&] {
      Operation operations[] = {map_tile(scene, 0, 0)};
      auto args = args_of(program, scene, operations, 5);
      EXPECT_EQ(UpdateGpuVirtualAddress(program.client, &args), STATUS_SUCCESS);
      returned = true;
    });
    auto settle = [&] { machine().executor().sleep_for(1'000'000); };
    settle();
    EXPECT_FALSE(returned);
    EXPECT_EQ(mapped_at(program, scene.tiles), std::nullopt);
    UINT64 five = 5;
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU signal{};
    signal.hDevice = program.device;
    signal.ObjectCount = 1;
    signal.ObjectHandleArray = &scene.fence;
    signal.FenceValueArray = &five;
    EXPECT_EQ(SignalSynchronizationObjectFromCpu(program.client, &signal), STATUS_SUCCESS);
    settle();
    EXPECT_TRUE(returned);
    EXPECT_EQ(value(), 6u);
    static_cast<void>(thread);
  });
}

TEST_F(GpuAddressUpdateTest, WithDoNotWaitItDoesNotWaitForTheFence) {
  run_program([&](Program& program) {
    Scene scene = set_up(program);
    Operation operations[] = {map_tile(scene, 0, 0)};
    auto args = args_of(program, scene, operations, 5);
    args.Flags.DoNotWait = 1;
    EXPECT_EQ(UpdateGpuVirtualAddress(program.client, &args), STATUS_SUCCESS);
    EXPECT_EQ(value(), 6u);
  });
}

TEST_F(GpuAddressUpdateTest, OneThatIsWrongSpoilsAll) {
  run_program([&](Program& program) {
    Scene scene = set_up(program);
    Operation good = map_tile(scene, 0, 0);
    std::vector<Operation> wrong;
    wrong.push_back(map_tile(scene, 2 * kTiles, 0));  // behind the reservation
    wrong.push_back(map_tile(scene, 0, kTiles));      // behind the allocation
    wrong.push_back(map_tile(scene, 0, UINT64_MAX / kBigPage));
    wrong.push_back(good);
    wrong.back().Map.BaseAddress += 1;
    wrong.push_back(good);
    wrong.back().Map.SizeInBytes = UINT64_MAX - kPage + 1;
    wrong.push_back(good);
    wrong.back().Map.SizeInBytes = 0;
    wrong.push_back(good);
    wrong.back().Map.hAllocation = kNoHandle;
    wrong.push_back(good);
    wrong.back().Map.hAllocation = 0;
    wrong.push_back(good);
    UINT type = 4;
    std::memcpy(&wrong.back().OperationType, &type, sizeof(type));
    for (const Operation& each : wrong) {
      Operation operations[] = {good, each};
      auto args = args_of(program, scene, operations);
      EXPECT_EQ(UpdateGpuVirtualAddress(program.client, &args), STATUS_INVALID_PARAMETER)
          << &each - wrong.data() << " of the wrong ones";
    }
    EXPECT_EQ(mapped_at(program, scene.tiles), std::nullopt);
    EXPECT_EQ(value(), 0u);
  });
}

// The second operation needs page tables that there is no memory for: the first is taken back, in the tables too.
TEST_F(GpuAddressUpdateTest, NoMemoryForPageTables) {
  constexpr uint64_t kRootEntry = uint64_t{1} << 39;
  driver.segments[1].Size = driver.segments[1].CommitLimit = 64 * kPage;
  place_in(kAperture);
  run_program([&](Program& program) {
    Scene scene = set_up(program);
    scene.tiles = reserve(program, 256 * kRootEntry);
    Operation first[] = {map_tile(scene, 0, 1)};
    auto args = args_of(program, scene, first);
    ASSERT_EQ(UpdateGpuVirtualAddress(program.client, &args), STATUS_SUCCESS);
    auto page = page_at(program, scene.tiles);
    EXPECT_TRUE(page);
    auto far = [&](uint64_t i) { return map_tile(scene, i * (kRootEntry / kBigPage), 0); };
    uint64_t i = 1;
    for (NTSTATUS status = STATUS_SUCCESS; status == STATUS_SUCCESS && i < 255; ++i) {
      Operation operations[] = {map_tile(scene, 0, 2), map_tile(scene, 1, 3), far(i)};
      Operation back[] = {map_tile(scene, 0, 1)};
      args = args_of(program, scene, operations, value());
      status = UpdateGpuVirtualAddress(program.client, &args);
      if (status != STATUS_SUCCESS) break;
      args = args_of(program, scene, back, value());
      ASSERT_EQ(UpdateGpuVirtualAddress(program.client, &args), STATUS_SUCCESS);
      ASSERT_EQ(free(program, scene.tiles + kBigPage, kBigPage), STATUS_SUCCESS);
    }
    ASSERT_LT(i, 255u) << "there was memory for everything";
    EXPECT_EQ(mapped_at(program, scene.tiles), kBigPage) << "as it was";
    EXPECT_EQ(mapped_at(program, scene.tiles + kBigPage), std::nullopt);
    EXPECT_EQ(page_at(program, scene.tiles), page);
    EXPECT_FALSE(translated(program, scene.tiles + kBigPage));
    EXPECT_FALSE(translated(program, far(i).Map.BaseAddress));
  });
}

TEST_F(GpuAddressUpdateTest, WhatItNamesMustBeThere) {
  run_program([&](Program& program) {
    Scene scene = set_up(program);
    Operation operations[] = {map_tile(scene, 0, 0)};
    auto refused = [&](auto&& change) {
      auto args = args_of(program, scene, operations);
      change(args);
      return UpdateGpuVirtualAddress(program.client, &args) == STATUS_INVALID_PARAMETER;
    };
    using Args = D3DKMT_UPDATEGPUVIRTUALADDRESS;
    EXPECT_TRUE(refused([](Args& args) { args.hContext = 0; }));
    EXPECT_TRUE(refused([](Args& args) { args.hFenceObject = 0; }));
    EXPECT_TRUE(refused([&](Args& args) { args.hFenceObject = scene.pool; }));
    EXPECT_TRUE(refused([](Args& args) { args.NumOperations = 0; }));
    EXPECT_TRUE(refused([](Args& args) { args.NumOperations = UINT32_MAX; }));
    EXPECT_TRUE(refused([](Args& args) { args.Operations = nullptr; }));
    EXPECT_TRUE(refused([](Args& args) { args.Reserved1 = 1; }));
    EXPECT_TRUE(refused([](Args& args) { args.Flags.Value = 2; }));
    EXPECT_TRUE(refused([&](Args& args) { args.hDevice = program.create_device(program.adapter); }));
  });
}

}  // namespace
}  // namespace kmt::testing
