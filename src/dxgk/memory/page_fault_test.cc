#include "dxgk/memory/page_fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sanitizer.h"
#include "dxgk/object/unpublished_handle.h"
#include "dxgk/paging/paging_queue.h"
#include "dxgk/testing/gpu_fixture.h"

namespace dxgk {
namespace {

using ::testing::ElementsAre;
using testing::GpuTest;
using testing::Made;

constexpr uint64_t kPages = 4;

class PageFaultTest : public GpuTest {
 protected:
  PageFaultTest() {
    observer.then = nt::Then::GoOn;
    driver.allocation_bytes = kPages * vidmm::kPageBytes;
  }

  // `body` runs with a client whose only allocation is mapped at `address`.
  void with_mapping(const std::function<void(Adapter&, Client&)>& body, bool shared = false) {
    run_started([&](Adapter& adapter) {
      Client client = open(adapter);
      made = create(client, flags(shared, shared), 1);
      D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info{};
      info.Type = D3DDDI_MONITORED_FENCE;
      auto fence = SyncObject::create(*client.device, info);
      ASSERT_TRUE(fence.ok());
      auto queue = PagingQueue::create(*client.device, fence.value().ref());
      ASSERT_TRUE(queue.ok());
      auto view = client.process->handles().get<AllocationView>(made.allocations[0]).take();
      auto mapped = adapter.memory().map(*queue.value(), &view->allocation(), {.bytes = kPages * vidmm::kPageBytes});
      ASSERT_TRUE(mapped.ok());
      address = mapped.value().address;
      allocation = &view->allocation();
      body(adapter, client);
      { auto dropped = queue.take(); }
      client.process->end();
    });
  }

  // Of a packet that was queued before everything else, unless the test says otherwise.
  std::optional<nt::Violation> cause(const Client& client, uint64_t at, uint64_t packet = 0) {
    auto found = cause_of_fault(*client.device, at, packet);
    return found ? std::optional(found->what) : std::nullopt;
  }

  Made made;
  Allocation* allocation = nullptr;
  uint64_t address = 0;
};

TEST_F(PageFaultTest, RS06_WhatIsMappedAndNotResident) {
  with_mapping(
      [&](Adapter&, Client& client) { EXPECT_EQ(cause(client, address + 0x1234), nt::Violation::UsedNotResident); });
}

TEST_F(PageFaultTest, RS10_WhatWasFreed) {
  with_mapping([&](Adapter& adapter, Client& client) {
    ASSERT_TRUE(adapter.memory().free(client.device->process_adapter(), address, kPages * vidmm::kPageBytes).ok());
    EXPECT_EQ(cause(client, address), nt::Violation::UsedFreedAddress);
    EXPECT_FALSE(cause(client, address, 1)) << "queued when it was free already";
  });
}

TEST_F(PageFaultTest, KD18_WhatWasDestroyedOnAPromise) {
  with_mapping([&](Adapter& adapter, Client& client) {
    ASSERT_FALSE(destroy_allocations(*client.device, made.allocations, {.assume_not_in_use = true}));
    adapter.destructions().drain(*client.device);
    EXPECT_EQ(cause(client, address), nt::Violation::DestroyPromisedIdle);
  });
}

// Others may have queued work with it, of which its owner promises nothing.
TEST_F(PageFaultTest, KD19_WhatIsSharedIsNoPromise) {
  auto destroyed = [&](Adapter& adapter, Client& client) {
    ASSERT_EQ(ClientTest::destroy(client, made, {.assume_not_in_use = true}), STATUS_SUCCESS);
    adapter.destructions().drain(*client.device);
    EXPECT_FALSE(cause(client, address));
  };
  with_mapping(destroyed, true);
}

// From the driver's interrupt to the finding, when the packet retires.
TEST_F(PageFaultTest, IsJudgedWhenItsPacketRetires) {
  if (base::kSanitizer == base::Sanitizer::Thread) {
    GTEST_SKIP() << "the adapter's threads overlap in the driver, and the fake one takes no locks";
  }
  with_mapping([&](Adapter& adapter, Client& client) {
    base::Ref<Context> context = make_context(client);
    ASSERT_TRUE(submit(context).ok());
    wait_for_submissions(1);
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
    data.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
    data.DmaPageFaulted.FaultedFenceId = 1;
    data.DmaPageFaulted.FaultedVirtualAddress = address;
    notify(data);
    adapter.gpu().wait([&] { return context->work().idle(); });
    EXPECT_NE(client.device->state(), Device::State::Active);
    destroy(client, *context);
  });
  EXPECT_THAT(broken(), ElementsAre("UsedNotResident"));
}

TEST_F(PageFaultTest, AFaultAtAnAddressThatWasNeverMappedHasNoCause) {
  with_mapping([&](Adapter&, Client& client) {
    EXPECT_FALSE(cause(client, 0));
    EXPECT_FALSE(cause(client, address ^ (uint64_t{1} << 40)));
  });
}

}  // namespace
}  // namespace dxgk
