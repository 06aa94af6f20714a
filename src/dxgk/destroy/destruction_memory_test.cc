// The end of allocations that have GPU addresses and a place in video memory.
#include <gmock/gmock.h>

#include "dxgk/destroy/destruction.h"
#include "dxgk/object/views.h"
#include "dxgk/paging/paging_queue.h"
#include "dxgk/testing/gpu_fixture.h"

namespace dxgk {
namespace {

using testing::GpuTest;
using ::testing::IsEmpty;
using testing::Made;
using testing::Model;

class DestructionMemoryTest : public GpuTest {
 protected:
  using GpuTest::GpuTest;

  // In the aperture.
  static void pin(VideoMemory& memory, Allocation& allocation) {
    {
      base::Guard guard(memory.lock());
      vidmm::Plan plan;
      PagingWork work;
      ASSERT_NE(memory.manager().pin(memory.block_of(allocation).block, plan), vidmm::Answer::OutOfMemory);
      ASSERT_TRUE(memory.add(plan, work).ok());
      memory.post(std::move(work));
    }
    memory.kick();
    memory.wait_idle();
  }
  // Where it stands first in the driver's log.
  size_t first(const std::string& call) const {
    auto found = std::find_if(driver.log.begin(), driver.log.end(),
                              [&](const std::string& line) { return line.compare(0, call.size(), call) == 0; });
    return static_cast<size_t>(found - driver.log.begin());
  }
};

TEST_F(DestructionMemoryTest, ItsAddressesGoBeforeItIsClosed) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(false), 1);
    D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info{};
    info.Type = D3DDDI_MONITORED_FENCE;
    auto fence = SyncObject::create(*client.device, info);
    ASSERT_TRUE(fence.ok());
    auto queue = PagingQueue::create(*client.device, fence.value().ref());
    ASSERT_TRUE(queue.ok());
    Allocation* allocation = &client.process->handles().get<AllocationView>(made.allocations[0]).take()->allocation();
    ASSERT_TRUE(adapter.memory().map(*queue.value(), allocation, {.bytes = vidmm::kPageBytes}).ok());
    pin(adapter.memory(), *allocation);
    driver.log.clear();
    EXPECT_EQ(ClientTest::destroy(client, made), STATUS_SUCCESS);
    adapter.destructions().drain(*client.device);
    EXPECT_LT(first("BuildPagingBuffer"), first("CloseAllocation"));
    EXPECT_LT(first("CloseAllocation"), first("DestroyAllocation"));
    EXPECT_LT(first("DestroyAllocation"), driver.log.size());
    { auto dropped = queue.take(); }
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// Of a driver that uses physical addresses: its aperture is mapped and unmapped.
class PhysicalDestructionTest : public DestructionMemoryTest {
 protected:
  PhysicalDestructionTest() : DestructionMemoryTest(Model::Wddm13) {}
};

// So that the queue of destructions tries it again when that work is done, and not before.
TEST_F(PhysicalDestructionTest, NamesTheWorkOfTheMemoryManagerThatItWaitsFor) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(true, true), 1);
    auto resource = client.process->handles().get<ResourceView>(made.resource).take();
    pin(adapter.memory(), resource->views.front().allocation());
    {
      ParkingLock lock(client.device->mutex());
      Destruction destruction(*client.device, resource, {});
      forget(*resource);
      EXPECT_FALSE(destruction.advance());
      EXPECT_EQ(driver.calls(Ddi::CloseAllocation), 1u);
      EXPECT_EQ(destruction.obstacle().kind, Destruction::Obstacle::Kind::Memory);
      EXPECT_EQ(driver.calls(Ddi::DestroyAllocation), 0u);
      adapter.memory().wait_idle();
      EXPECT_TRUE(destruction.advance());
      EXPECT_EQ(driver.calls(Ddi::DestroyAllocation), 1u);
    }
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

}  // namespace
}  // namespace dxgk
