// DxgkDdiDestroyAllocation of a driver whose handles are addresses of its own blocks: when it may free them.
#include <gmock/gmock.h>

#include "dxgk/testing/client_fixture.h"
#include "nt/machine/history.h"

namespace dxgk {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Made;

class DriverDestroyTest : public testing::ClientTest {
 protected:
  DriverDestroyTest() {
    observer.then = nt::Then::GoOn;
    driver.make_handle = [this] {
      return machine().pool().allocate(16, kTag, nt::PoolKind::NonPaged, nt::PoolFill::Zero);
    };
    driver.destroyed = [this](const DXGKARG_DESTROYALLOCATION& args) {
      for (UINT i = 0; i < args.NumAllocations; ++i) (frees_late ? late : now).push_back(args.pAllocationList[i]);
      bool goes = args.Flags.DestroyResource || frees_resource_early;
      if (args.hResource && std::exchange(has_resource, has_resource && !goes) && goes) now.push_back(args.hResource);
      free_all(now);
    };
  }
  void free_all(std::vector<HANDLE>& blocks) {
    for (HANDLE block : std::exchange(blocks, {})) machine().pool().free(block, kTag);
  }
  bool has_resource = true, frees_resource_early = false, frees_late = false;
  std::vector<HANDLE> now, late;

  static constexpr uint32_t kTag = 0x59545344;
};

TEST_F(DriverDestroyTest, FreesAllocationsInTheCallAndTheResourceWithItsLast) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(true), 2);
    EXPECT_FALSE(destroy_allocations(*client.device, {&made.allocations[0], 1}, {}));
    EXPECT_FALSE(destroy_resource(*client.device, made.resource, {}));
    client.process->end();
  });
  EXPECT_FALSE(has_resource);
  EXPECT_THAT(broken(), IsEmpty());
}

// DA-09.
TEST_F(DriverDestroyTest, MayNotFreeTheResourceWithAChild) {
  frees_resource_early = true;
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(true), 2);
    EXPECT_FALSE(destroy_allocations(*client.device, {&made.allocations[0], 1}, {}));
    EXPECT_THAT(broken(), ElementsAre("ResourceFreedEarly"));
    EXPECT_FALSE(destroy_resource(*client.device, made.resource, {}));
    client.process->end();
  });
  EXPECT_THAT(broken(), ElementsAre("ResourceFreedEarly"));
}

// DA-06: hResource comes back from the call, and may be another block from then on.
TEST_F(DriverDestroyTest, MayGiveTheResourceAnotherHandle) {
  auto free_children = driver.destroyed;
  driver.destroyed = [&](const DXGKARG_DESTROYALLOCATION& args) {
    if (!args.Flags.DestroyResource) {
      HANDLE moved = driver.make_handle();
      now.push_back(std::exchange(const_cast<DXGKARG_DESTROYALLOCATION&>(args).hResource, moved));
      driver.renamed(now.back(), moved);
    }
    free_children(args);
  };
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(true), 2);
    EXPECT_FALSE(destroy_allocations(*client.device, {&made.allocations[0], 1}, {}));
    EXPECT_FALSE(destroy_resource(*client.device, made.resource, {}));
    client.process->end();
  });
  EXPECT_THAT(driver.complaints, IsEmpty());
  EXPECT_THAT(broken(), IsEmpty());
}

// DA-02.
TEST_F(DriverDestroyTest, MayNotFreeAllocationsAfterTheCall) {
  frees_late = true;
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made first = create(client, flags(false), 1), second = create(client, flags(false), 1);
    EXPECT_EQ(destroy(client, first), STATUS_SUCCESS);
    free_all(late);
    EXPECT_THAT(broken(), IsEmpty()) << "it has not been seen yet";
    frees_late = false;
    EXPECT_EQ(destroy(client, second), STATUS_SUCCESS);
    EXPECT_THAT(broken(), ElementsAre("DestroyedLater"));
    client.process->end();
  });
  EXPECT_THAT(broken(), ElementsAre("DestroyedLater"));
}

TEST_F(DriverDestroyTest, IsPartOfTheHistoryOfTheAllocation) {
  writer.turn_on();
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(false), 1);
    uint32_t ordinal =
        client.process->handles().get<AllocationView>(made.allocations[0]).take()->allocation().ordinal();
    EXPECT_EQ(destroy(client, made), STATUS_SUCCESS);
    auto history = nt::recent_history(writer, {trace::ObjectKind::DxgAllocation, ordinal}, machine().self().ordinal);
    EXPECT_THAT(history, Contains(HasSubstr("destroyed")));
    EXPECT_THAT(history, Contains(HasSubstr("DxgkDdiDestroyAllocation")));
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

}  // namespace
}  // namespace dxgk
