#include "dxgk/paging/paging_buffer.h"

#include <gtest/gtest.h>

#include "dxgk/adapter/adapter.h"
#include "dxgk/testing/graphics_fixture.h"
#include "nt/mm/physical_memory.h"
#include "nt/mm/physical_windows.h"

namespace dxgk {
namespace {

using testing::GraphicsTest;

class PagingBufferTest : public GraphicsTest {
 protected:
  void run_to_end(const std::function<void(Adapter&)>& body) {
    EXPECT_EQ(run_started(body), nt::Machine::Ended::Returned);
  }
};

TEST_F(PagingBufferTest, IsContiguousWithinReachWithoutASegment) {
  driver.paging_segment = 0;
  driver.paging_buffer_bytes = 0x5008;
  driver.caps.HighestAcceptableAddress.QuadPart = 0xFFFF'FFFF;
  run_to_end([&](Adapter& adapter) {
    auto buffer = PagingBuffer::create(adapter).take();
    EXPECT_EQ(buffer->size(), 0x5008u);
    EXPECT_EQ(buffer->pages(), 6u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % 4096, 0u);
    EXPECT_LE(buffer->physical() + buffer->size() - 1, 0xFFFF'FFFFu);
    for (size_t page = 0; page < buffer->pages(); ++page) {
      EXPECT_EQ(MmGetMdlPfnArray(buffer->mdl())[page], buffer->physical() / 4096 + page);
    }
  });
  EXPECT_TRUE(observer.violations.empty());
}

TEST_F(PagingBufferTest, IsPagesToMapInAnApertureSegment) {
  driver.paging_segment = 1;
  driver.paging_buffer_bytes = 0x8000;
  run_to_end([&](Adapter& adapter) {
    auto buffer = PagingBuffer::create(adapter).take();
    bool apart = false;
    for (size_t page = 0; page < buffer->pages(); ++page) {
      auto physical = adapter.machine().physical().physical(reinterpret_cast<uintptr_t>(buffer->data()) + page * 4096);
      EXPECT_EQ(MmGetMdlPfnArray(buffer->mdl())[page], physical.value() / 4096);
      apart = apart || *physical != buffer->physical() + page * 4096;
    }
    EXPECT_TRUE(apart) << "a driver that takes them for contiguous must fail";
    buffer->place({1, 0x3FFE'C000, 0x77000});
    EXPECT_EQ(buffer->placement().segment, 1u);
    EXPECT_EQ(buffer->placement().address, 0x3FFE'C000u);
    EXPECT_EQ(buffer->placement().gpu_address, 0x77000u);
  });
  EXPECT_TRUE(observer.violations.empty());
}

TEST_F(PagingBufferTest, HasThePrivateDataThatTheDriverAskedFor) {
  run_to_end([&](Adapter& adapter) {
    auto buffer = PagingBuffer::create(adapter).take();
    EXPECT_EQ(buffer->private_data(), nullptr);
    EXPECT_EQ(buffer->private_size(), 0u);
  });
  driver.paging_private_bytes = 100;
  run_to_end([&](Adapter& adapter) {
    auto buffer = PagingBuffer::create(adapter).take();
    ASSERT_NE(buffer->private_data(), nullptr);
    EXPECT_EQ(buffer->private_size(), 100u);
    buffer->private_data()[99] = 1;
  });
  EXPECT_TRUE(observer.violations.empty());
}

TEST_F(PagingBufferTest, StartsAgainWithWhatItHeld) {
  run_to_end([&](Adapter& adapter) {
    auto buffer = PagingBuffer::create(adapter).take();
    buffer->data()[0] = 42;
    buffer->dma_fill = {16, 8};
    EXPECT_FALSE(buffer->fresh());
    EXPECT_EQ(buffer->dma_fill.pending(), 8u);
    buffer->restart();
    EXPECT_TRUE(buffer->fresh());
    EXPECT_EQ(buffer->dma_fill.submitted, 0u);
    EXPECT_EQ(buffer->data()[0], 42);
  });
}

TEST_F(PagingBufferTest, FailsWithoutMemory) {
  run_to_end([&](Adapter& adapter) {
    observer.failing_allocations = 1;
    EXPECT_EQ(PagingBuffer::create(adapter).status(), STATUS_NO_MEMORY);
    EXPECT_TRUE(PagingBuffer::create(adapter).ok());
  });
  EXPECT_TRUE(observer.violations.empty());
}

}  // namespace
}  // namespace dxgk
