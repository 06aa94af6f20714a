// Allocations over memory that the client brings: pSystemMem, of a standard allocation and of one that the driver
// describes. Whatever is wrong with the memory, the client is told, and the driver is not blamed.
#include <sys/mman.h>

#include "base/align.h"
#include "kmt/testing/kmt_fixture.h"
#include "nt/mm/pool.h"

namespace kmt::testing {
namespace {

class ClientMemoryTest : public KmtTest {
 protected:
  ClientMemoryTest() { driver.allocation_bytes = CreateArgs::kBytes; }

  enum class Kind { Standard, OfTheDriver };
  static CreateArgs describe(Program& program, Kind kind) {
    CreateArgs create = CreateArgs::standard(program.device);
    if (kind == Kind::OfTheDriver) create.args.Flags.StandardAllocation = create.args.Flags.ExistingSysMem = 0;
    return create;
  }
  void expect_refused(Program& program, CreateArgs& create, const Findings& rules = {}) {
    EXPECT_EQ(create.create(program), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(create.info.hAllocation, kNoHandle);
    EXPECT_EQ(findings(), rules);
  }
  // With memory of each kind that is not whole.
  void run_with(const std::function<void(CreateArgs&)>& spoil) {
    run_program([&](Program& program) {
      for (Kind kind : {Kind::Standard, Kind::OfTheDriver}) {
        CreateArgs create = describe(program, kind);
        spoil(create);
        expect_refused(program, create);
      }
    });
  }
  static void set_memory(CreateArgs& create, void* memory) { create.info.pSystemMem = memory; }
};

TEST_F(ClientMemoryTest, MappedMemoryIsTaken) {
  run_program([&](Program& program) {
    CreateArgs create = describe(program, Kind::OfTheDriver);
    EXPECT_EQ(create.create(program), STATUS_SUCCESS);
    EXPECT_EQ(findings(), Findings{});
    EXPECT_EQ(destroy_list(program, {create.info.hAllocation}), STATUS_SUCCESS);
  });
}

TEST_F(ClientMemoryTest, UnmappedMemoryIsRefused) {
  run_with([](CreateArgs& create) { set_memory(create, reinterpret_cast<void*>(0x123456000)); });
}

TEST_F(ClientMemoryTest, WithAHole) {
  run_with(
      [](CreateArgs& create) { munmap(static_cast<char*>(create.heap) + 2 * base::kPageBytes, base::kPageBytes); });
}

TEST_F(ClientMemoryTest, ThatIsReadOnly) {
  run_with([](CreateArgs& create) { mprotect(create.heap, CreateArgs::kBytes, PROT_READ); });
}

TEST_F(ClientMemoryTest, MemoryOfTheKernelIsRefused) {
  run_program([&](Program& program) {
    nt::Pool& pool = machine().pool();
    void* block = pool.allocate(CreateArgs::kBytes + base::kPageBytes, 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
    auto address = base::round_up(reinterpret_cast<uintptr_t>(block), base::kPageBytes);
    for (Kind kind : {Kind::Standard, Kind::OfTheDriver}) {
      CreateArgs create = describe(program, kind);
      set_memory(create, reinterpret_cast<void*>(address));
      expect_refused(program, create);
    }
    pool.free(block, 0);
  });
}

TEST_F(ClientMemoryTest, ThatEndsBeforeTheDriversAllocation) {
  run_program([&](Program& program) {
    driver.allocation_bytes = uint64_t{1} << 40;
    CreateArgs create = describe(program, Kind::OfTheDriver);
    expect_refused(program, create);
  });
}

TEST_F(ClientMemoryTest, ThatBeginsInsideOfAPage) {
  run_program([&](Program& program) {
    for (Kind kind : {Kind::Standard, Kind::OfTheDriver}) {
      CreateArgs create = describe(program, kind);
      set_memory(create, static_cast<char*>(create.heap) + 64);
      expect_refused(program, create, {"CreateMemoryUnaligned"});
    }
  });
}

// B20: the driver is shown what it wrote in DxgkDdiGetStandardAllocationDriverData, and the client's bytes stay.
TEST_F(ClientMemoryTest, AStandardAllocationIsTheDriversOwn) {
  run_program([&](Program& program) {
    uint8_t client_data[6] = {1, 2, 3, 4, 5, 6};
    CreateArgs create = describe(program, Kind::Standard);
    create.info.pPrivateDriverData = client_data;
    create.info.PrivateDriverDataSize = sizeof(client_data);
    std::vector<UINT> shown;
    driver.describe = [&](DXGK_ALLOCATIONINFO& info, UINT) { shown.push_back(info.PrivateDriverDataSize); };
    EXPECT_EQ(create.create(program), STATUS_SUCCESS);
    EXPECT_THAT(shown, ::testing::ElementsAre(driver.standard_data_bytes));
    EXPECT_THAT(client_data, ::testing::ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_EQ(destroy_list(program, {create.info.hAllocation}), STATUS_SUCCESS);
  });
}

}  // namespace
}  // namespace kmt::testing
