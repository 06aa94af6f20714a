#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "dxgk/adapter/adapter.h"
#include "dxgk/paging/paging_builder.h"
#include "dxgk/testing/graphics_fixture.h"

// For tests of paging: a driver that writes a packet for each page of a fill or a transfer, and a sink for the buffers.
namespace dxgk::testing {

using PagingArgs = DXGKARG_BUILDPAGINGBUFFER;

inline const HANDLE kAllocation = reinterpret_cast<HANDLE>(0x50);
inline constexpr UINT kBufferBytes = 0x1000;
inline constexpr size_t kPacket = 16;

// What the test's driver writes: one for each page of a fill or of a transfer.
struct Packet {
  uint32_t operation;
  uint32_t unit;
  uint64_t address;
  friend bool operator==(const Packet&, const Packet&) = default;
};
static_assert(sizeof(Packet) == kPacket);

inline uint64_t address_in(const PagingArgs& args) {
  return static_cast<uint64_t>(args.Operation == DXGK_OPERATION_FILL ? args.Fill.Destination.SegmentAddress.QuadPart
                                                                     : args.Transfer.Source.SegmentAddress.QuadPart);
}
inline UINT pages_in(const PagingArgs& args) {
  return static_cast<UINT>((args.Operation == DXGK_OPERATION_FILL ? args.Fill.FillSize : args.Transfer.TransferSize) /
                           4096);
}

inline void write(PagingArgs& args, const Packet& packet) {
  std::memcpy(args.pDmaBuffer, &packet, sizeof(packet));
  args.pDmaBuffer = static_cast<uint8_t*>(args.pDmaBuffer) + kPacket;
  args.DmaSize -= kPacket;
}

// A correct driver.
inline NTSTATUS build(PagingArgs& args) {
  for (UINT& done = args.MultipassOffset; done < pages_in(args); ++done) {
    if (args.DmaSize < kPacket) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    write(args, {static_cast<uint32_t>(args.Operation), done, address_in(args) + done * 4096});
  }
  return STATUS_SUCCESS;
}

inline paging::Fill fill(uint64_t pages, uint64_t address = 0) { return {kAllocation, pages * 4096, 0, 2, address}; }

inline paging::Transfer transfer(uint64_t pages, uint64_t address = 0) {
  paging::Transfer made;
  made.allocation = kAllocation;
  made.bytes = pages * 4096;
  made.source = {2, address, nullptr};
  made.destination = {2, 0x10'0000, nullptr};
  made.flags.TransferStart = made.flags.TransferEnd = 1;
  return made;
}

// Takes everything, and records what it was told.
class RecordingSink : public PagingBuilder::Sink {
 public:
  base::Result<> submit(const PagingBuilder::Submission& submission) override {
    log.push_back(fmt::format("submit {:#x}..{:#x}", submission.from, submission.to));
    private_log.push_back(fmt::format("{}..{}", submission.private_from, submission.private_to));
    const uint8_t* bytes = submission.buffer.data();
    for (size_t at = submission.from; at + kPacket <= submission.to; at += kPacket) {
      Packet packet;
      std::memcpy(&packet, bytes + at, kPacket);
      packets.push_back(packet);
    }
    if (fails) return base::Failure(STATUS_DEVICE_REMOVED, "the GPU is gone");
    return {};
  }
  void wait_for(PagingBuffer&) override { log.push_back("wait for the buffer"); }
  void wait_idle(HANDLE allocation) override { log.push_back(fmt::format("wait for {}", allocation)); }

  std::vector<std::string> log, private_log;
  std::vector<Packet> packets;
  bool fails = false;
};

class PagingTest : public GraphicsTest {
 protected:
  PagingTest() {
    driver.paging_buffer_bytes = kBufferBytes;
    driver.build_paging = build;
    observer.then = nt::Then::GoOn;
  }

  // The driver's way to build is the test's business: neither the adapter's start nor its stop sees it.
  nt::Machine::Ended run_started(const std::function<void(Adapter&)>& body) {
    auto does = std::exchange(driver.build_paging, nullptr);
    auto ended = GraphicsTest::run_started([&](Adapter& adapter) {
      at_start_ = driver.calls(Ddi::BuildPagingBuffer);
      driver.build_paging = does;
      body(adapter);
      driver.build_paging = nullptr;
    });
    driver.build_paging = does;
    return ended;
  }
  // How often it was asked since the adapter was started.
  size_t builds() const { return driver.calls(Ddi::BuildPagingBuffer) - at_start_; }
  // In the adapter's paging mutex, with a builder of two buffers.
  void run_builder(const std::function<void(PagingBuilder&)>& body) {
    auto ended = run_started([&](Adapter& adapter) {
      ParkingLock lock(adapter.paging_mutex());
      auto first = PagingBuffer::create(adapter).take();
      auto second = PagingBuffer::create(adapter).take();
      PagingBuilder builder(adapter, sink, paging_options);
      builder.give(*first);
      builder.give(*second);
      body(builder);
    });
    EXPECT_EQ(ended, nt::Machine::Ended::Returned);
  }
  // One operation, built by a driver that does this: it fails.
  void expect_refused(const PagingOperation& operation, const std::function<NTSTATUS(PagingArgs&)>& does) {
    driver.build_paging = does;
    run_builder([&](PagingBuilder& builder) { EXPECT_FALSE(builder.add(operation).ok()); });
  }
  // One operation, built by a driver that does this: it succeeds.
  void expect_taken(const PagingOperation& operation, const std::function<NTSTATUS(PagingArgs&)>& does) {
    driver.build_paging = does;
    run_builder([&](PagingBuilder& builder) { EXPECT_TRUE(builder.add(operation).ok()); });
  }
  std::string sentence() const { return observer.violations.empty() ? "" : observer.violations.front().sentence; }

  RecordingSink sink;
  PagingBuilder::Options paging_options;

 private:
  size_t at_start_ = 0;
};

// A correct driver's packets for one operation.
inline void add_units(std::vector<Packet>& into, uint32_t operation, uint64_t pages, uint64_t address) {
  for (uint32_t i = 0; i < pages; ++i) into.push_back({operation, i, address + i * 4096});
}

}  // namespace dxgk::testing
