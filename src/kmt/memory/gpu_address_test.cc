// GPU virtual addresses: RS-09, RS-10.
#include "dxgk/object/resource.h"
#include "kmt/testing/memory_fixture.h"

namespace kmt::testing {
namespace {

constexpr uint64_t kRootEntry = uint64_t{1} << 39;  // what one entry of the fake driver's root covers
constexpr uint64_t kEnd = uint64_t{1} << 48;

class GpuAddressTest : public MemoryTest {
 protected:
  using MemoryTest::MemoryTest;
};

TEST_F(GpuAddressTest, MappedReadThroughAndFreed) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    D3DKMT_HANDLE a = make(program);
    ASSERT_EQ(make_resident(program, queue, {a}), STATUS_SUCCESS);
    auto args = map_args(queue, a);
    ASSERT_EQ(MapGpuVirtualAddress(program.client, &args), STATUS_PENDING);
    EXPECT_EQ(args.VirtualAddress % kPage, 0u);
    EXPECT_GE(args.VirtualAddress, kRootEntry) << "the first root entry leads nowhere";
    EXPECT_GT(args.PagingFenceValue, value_of(queue));
    EXPECT_EQ(wait(program, queue, args.PagingFenceValue), STATUS_SUCCESS);
    EXPECT_EQ(mapped_at(program, args.VirtualAddress + 5 * kPage), 5 * kPage);
    EXPECT_TRUE(translated(program, args.VirtualAddress));
    EXPECT_EQ(free(program, args.VirtualAddress, kBigPage), STATUS_SUCCESS);
    EXPECT_EQ(mapped_at(program, args.VirtualAddress), std::nullopt);
    EXPECT_FALSE(translated(program, args.VirtualAddress)) << "RS-10: nothing is there when the call returns";
    EXPECT_EQ(free(program, args.VirtualAddress, kBigPage), STATUS_INVALID_PARAMETER) << "twice";
    EXPECT_EQ(findings(), Findings{"AddressFreedTwice"});
  });
}

TEST_F(GpuAddressTest, TablesFollowResidency) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    D3DKMT_HANDLE a = make(program);
    auto args = map_args(queue, a);
    ASSERT_EQ(map(program, queue, args), STATUS_SUCCESS);
    EXPECT_TRUE(mapped_at(program, args.VirtualAddress));
    EXPECT_FALSE(translated(program, args.VirtualAddress)) << "it is not resident";
    ASSERT_EQ(make_resident(program, queue, {a}), STATUS_SUCCESS);
    EXPECT_TRUE(translated(program, args.VirtualAddress + kBigPage - kPage));
    EXPECT_EQ(evict(program, {a}), STATUS_SUCCESS);
    EXPECT_FALSE(translated(program, args.VirtualAddress));
    EXPECT_EQ(destroy_list(program, {a}), STATUS_SUCCESS);
    EXPECT_EQ(mapped_at(program, args.VirtualAddress), std::nullopt);
  });
}

// As a compute runtime does it: the lower half of all addresses is reserved by the adapter's handle, allocations are
// mapped there at the address that the CPU has them at, and others above.
TEST_F(GpuAddressTest, TheWholeUserHalfReserved) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    D3DKMT_HANDLE a = make(program), b = make(program);
    ASSERT_EQ(make_resident(program, queue, {a, b}), STATUS_SUCCESS);
    auto half = reserve_args(program.adapter, 0x200000, 0x7FFF'FFE0'0000);
    EXPECT_EQ(ReserveGpuVirtualAddress(program.client, &half), STATUS_SUCCESS);
    EXPECT_EQ(half.VirtualAddress, 0x200000u);
    auto inside = reserve_args(program.adapter, 0x7F00'0000'0000, kBigPage);
    EXPECT_EQ(ReserveGpuVirtualAddress(program.client, &inside), STATUS_INVALID_PARAMETER) << "it is taken";
    auto args = map_args(queue, a, 0x7F12'3456'7000);
    EXPECT_EQ(map(program, queue, args), STATUS_SUCCESS);
    EXPECT_EQ(args.VirtualAddress, 0x7F12'3456'7000u);
    EXPECT_TRUE(translated(program, 0x7F12'3456'7000 + kBigPage - kPage));
    auto above = map_args(queue, b);
    above.MinimumAddress = 0x8001'0010'0000;
    above.MaximumAddress = 0x8001'0100'0000;
    EXPECT_EQ(map(program, queue, above), STATUS_SUCCESS);
    EXPECT_GE(above.VirtualAddress, above.MinimumAddress);
    EXPECT_LE(above.VirtualAddress + kBigPage, above.MaximumAddress);
    EXPECT_EQ(free(program, 0x7F12'3456'7000, kBigPage), STATUS_SUCCESS) << "a part goes back to the reservation";
    EXPECT_EQ(free(program, 0x200000, 0x7FFF'FFE0'0000), STATUS_SUCCESS);
    EXPECT_EQ(ReserveGpuVirtualAddress(program.client, &inside), STATUS_SUCCESS);
  });
}

TEST_F(GpuAddressTest, ReservedByAQueueToo) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    auto args = reserve_args(queue.hPagingQueue, 0, 4 * kBigPage);
    args.ReservationType = D3DDDIGPUVIRTUALADDRESS_RESERVE_ZERO;
    args.PagingFenceValue = 99;
    EXPECT_EQ(ReserveGpuVirtualAddress(program.client, &args), STATUS_SUCCESS);
    EXPECT_EQ(args.VirtualAddress % kBigPage, 0u);
    EXPECT_EQ(args.PagingFenceValue, 0u);
    for (D3DKMT_HANDLE wrong : {program.device, queue.hSyncObject, kNoHandle, D3DKMT_HANDLE{0}}) {
      args.hAdapter = wrong;
      EXPECT_EQ(ReserveGpuVirtualAddress(program.client, &args), STATUS_INVALID_PARAMETER) << std::hex << wrong;
    }
    args.hAdapter = program.adapter;
    UINT type = 3;
    std::memcpy(&args.ReservationType, &type, sizeof(type));
    EXPECT_EQ(ReserveGpuVirtualAddress(program.client, &args), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(GpuAddressTest, AddressesThatAreNone) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    D3DKMT_HANDLE a = make(program);
    struct {
      uint64_t base, minimum, maximum, bytes;
    } wrong[] = {
        {0, 0, 0, 0},
        {0, 0, 0, kPage},
        {0, 0, 0, UINT64_MAX - kBigPage + 1},
        {kRootEntry + kPage, 0, 0, kBigPage},
        {kEnd, 0, 0, kBigPage},
        {kEnd - kBigPage, 0, 0, 2 * kBigPage},
        {~uint64_t{0} << 16, 0, 0, 2 * kBigPage},
        {0, kRootEntry + kPage, 0, kBigPage},
        {0, 2 * kRootEntry, kRootEntry, kBigPage},
        {0, 0, kRootEntry, kBigPage},
    };
    for (const auto& each : wrong) {
      auto args = reserve_args(program.adapter, each.base, each.bytes);
      args.MinimumAddress = each.minimum;
      args.MaximumAddress = each.maximum;
      EXPECT_LT(ReserveGpuVirtualAddress(program.client, &args), 0) << std::hex << each.base << " " << each.bytes;
      EXPECT_LT(free(program, each.base, each.bytes), 0);
    }
    uint64_t there = reserve(program, kBigPage);
    struct {
      uint64_t base, offset, pages;
    } unmappable[] = {
        {0, 0, 0},
        {0, 0, 17},
        {0, 16, 1},
        {0, UINT64_MAX / kPage + 1, 1},
        {0, UINT64_MAX, 1},
        {0, 0, UINT64_MAX},
        {0, 0, UINT64_MAX / kPage},
        {there + 1, 0, 1},
        {there + kBigPage - kPage, 0, 2},  // leaves the reservation
        {there - kPage, 0, 2},
        {kEnd - kPage, 0, 2},
        {kBigPage, 0, 1},  // below the first root entry
    };
    for (const auto& each : unmappable) {
      auto args = map_args(queue, a, each.base, each.pages);
      args.OffsetInPages = each.offset;
      EXPECT_LT(MapGpuVirtualAddress(program.client, &args), 0)
          << std::hex << each.base << " " << each.offset << " " << each.pages;
    }
    EXPECT_EQ(free(program, there, kBigPage), STATUS_SUCCESS) << "and nothing else is there";
  });
}

TEST_F(GpuAddressTest, RS09_ZeroAndNoAccessHaveNoAllocation) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    D3DKMT_HANDLE a = make(program);
    auto args = map_args(queue, a);
    args.Protection.Zero = 1;
    EXPECT_EQ(MapGpuVirtualAddress(program.client, &args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"MapWithoutAccess"});
    args = map_args(queue, 0);
    EXPECT_EQ(MapGpuVirtualAddress(program.client, &args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(findings(), Findings{"MapWithoutAccess"});
    args.Protection.Value = 0;
    args.Protection.NoAccess = 1;
    EXPECT_EQ(map(program, queue, args), STATUS_SUCCESS);
    EXPECT_EQ(free(program, args.VirtualAddress, kBigPage), STATUS_SUCCESS);
    for (uint64_t bit : {4u, 5u, 63u}) {
      args = map_args(queue, a);
      args.Protection.Value |= uint64_t{1} << bit;
      EXPECT_EQ(MapGpuVirtualAddress(program.client, &args), STATUS_INVALID_PARAMETER) << bit;
    }
  });
}

TEST_F(GpuAddressTest, OC07_WhatIsOpenForReadingIsNotMappedForWriting) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    Made made = make_resource(program);
    program.client.find<dxgk::ResourceView>(made.resource).value()->read_only = true;
    auto args = map_args(queue, made.allocations[0]);
    EXPECT_EQ(map(program, queue, args), STATUS_SUCCESS);
    EXPECT_EQ(findings(), Findings{"ReadOnlyWritten"});
    args = map_args(queue, made.allocations[1]);
    args.Protection.Write = 0;
    EXPECT_EQ(map(program, queue, args), STATUS_SUCCESS);
  });
}

TEST_F(GpuAddressTest, AnotherProcesssAllocationAndAddresses) {
  run_adapter([&](dxgk::Adapter& its) {
    Program program(kernel(), "client"), other(kernel(), "other");
    program.start(its);
    other.start(its);
    auto queue = make_queue(program), others = make_queue(other);
    for (int i = 0; i < 8; ++i) make(other);
    D3DKMT_HANDLE theirs = make(other);
    auto args = map_args(queue, theirs);
    EXPECT_EQ(MapGpuVirtualAddress(program.client, &args), STATUS_INVALID_PARAMETER);
    args = map_args(others, theirs);
    ASSERT_EQ(map(other, others, args), STATUS_SUCCESS);
    EXPECT_EQ(free(program, args.VirtualAddress, kBigPage), STATUS_INVALID_PARAMETER);
    auto own = map_args(queue, make(program), args.VirtualAddress);
    EXPECT_EQ(map(program, queue, own), STATUS_SUCCESS) << "each process has its own";
  });
}

// Page tables come from the segment that they are in; what cannot have one leaves no trace, and what was there stays.
TEST_F(GpuAddressTest, NoMemoryForPageTables) {
  driver.segments[1].Size = driver.segments[1].CommitLimit = 64 * kPage;
  place_in(kAperture);
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    D3DKMT_HANDLE a = make(program);
    ASSERT_EQ(make_resident(program, queue, {a}), STATUS_SUCCESS);
    uint64_t everything = reserve(program, kEnd - kRootEntry, kRootEntry);
    auto first = map_args(queue, a, everything);
    ASSERT_EQ(map(program, queue, first), STATUS_SUCCESS);
    NTSTATUS status = STATUS_SUCCESS;
    uint64_t at = everything;
    while (status == STATUS_SUCCESS && at + kRootEntry < kEnd) {
      at += kRootEntry;
      auto args = map_args(queue, a, at);
      status = map(program, queue, args);
    }
    EXPECT_LT(status, 0);
    EXPECT_EQ(mapped_at(program, at), std::nullopt) << std::hex << at;
    EXPECT_FALSE(translated(program, at));
    EXPECT_EQ(free(program, at, kBigPage), STATUS_INVALID_PARAMETER) << "nothing was mapped";
    EXPECT_TRUE(translated(program, everything));
    EXPECT_EQ(free(program, at - kRootEntry, kBigPage), STATUS_SUCCESS);
    auto again = map_args(queue, a, at);
    EXPECT_EQ(map(program, queue, again), STATUS_SUCCESS) << "the tables that this freed will do";
  });
}

TEST_F(GpuAddressTest, AClientThatCannotBeToldHasMappedNothing) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    EdgePages pages;
    auto* args = static_cast<D3DDDI_MAPGPUVIRTUALADDRESS*>(pages.before(sizeof(D3DDDI_MAPGPUVIRTUALADDRESS)));
    *args = map_args(queue, make(program), kRootEntry);
    pages.protect(PROT_READ);
    EXPECT_EQ(MapGpuVirtualAddress(program.client, args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(mapped_at(program, kRootEntry), std::nullopt);
  });
}

class PhysicalAddressTest : public GpuAddressTest {
 protected:
  PhysicalAddressTest() : GpuAddressTest(dxgk::testing::Model::Wddm13) {}
};

TEST_F(PhysicalAddressTest, NoneWithoutPageTables) {
  run_program([&](Program& program) {
    auto args = reserve_args(program.adapter, 0, kBigPage);
    EXPECT_EQ(ReserveGpuVirtualAddress(program.client, &args), STATUS_NOT_SUPPORTED);
    EXPECT_LT(free(program, kRootEntry, kBigPage), 0);
  });
}

}  // namespace
}  // namespace kmt::testing
