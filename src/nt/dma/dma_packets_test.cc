#include <algorithm>

#include "nt/testing/dma_fixture.h"

namespace nt {
namespace {

class DmaPacketTest : public DmaAdapterTest {
 protected:
  uint64_t map(PVOID base, PMDL mdl, ULONG& bytes, size_t offset = 0, BOOLEAN write = FALSE) {
    return bits(operations->MapTransfer(adapter, mdl, base, static_cast<char*>(MmGetMdlVirtualAddress(mdl)) + offset,
                                        &bytes, write));
  }
  void flush(PVOID base, PMDL mdl, ULONG bytes, BOOLEAN write = FALSE) {
    EXPECT_EQ(operations->FlushAdapterBuffers(adapter, mdl, base, MmGetMdlVirtualAddress(mdl), bytes, write), TRUE);
  }
};

TEST_F(DmaPacketTest, ATransferIsMappedInPiecesAndFlushed) {
  run_seeds(10, [&] {
    routine = {};
    pdo = make_pdo();
    adapter = get(describe_device());
    operations = adapter->DmaOperations;
    PMDL mdl = make_mdl(5, 60);
    const ULONG bytes = MmGetMdlByteCount(mdl);
    ASSERT_EQ(allocate_channel(5), STATUS_SUCCESS);
    ASSERT_EQ(routine.bases.size(), 1u);
    uint64_t last = 0;
    for (ULONG done = 0; done < bytes;) {
      ULONG piece = bytes - done;
      last = map(routine.bases[0], mdl, piece, done);
      ASSERT_NE(piece, 0u);
      ASSERT_TRUE(device_writes(last, piece));
      done += piece;
    }
    EXPECT_EQ(std::count(memory, memory + 5 * PAGE_SIZE, 'd'), static_cast<ptrdiff_t>(bytes));
    flush(routine.bases[0], mdl, bytes);
    EXPECT_FALSE(device_writes(last, 1));
    free_registers(routine.bases[0], 5);
    operations->PutDmaAdapter(adapter);
    free_mdl(mdl);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(DmaPacketTest, AChannelThatIsMadeToFailCallsNoRoutine) {
  with_adapter(describe_device(), [&] {
    observer.failing_allocations = 1;
    EXPECT_EQ(allocate_channel(5), STATUS_INSUFFICIENT_RESOURCES);
    EXPECT_TRUE(routine.bases.empty());
    ASSERT_EQ(allocate_channel(5), STATUS_SUCCESS);
    free_registers(routine.bases[0], 5);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(DmaPacketTest, ADeviceThatCannotGatherGetsAllAtOnce) {
  DEVICE_DESCRIPTION description = describe_device();
  description.ScatterGather = FALSE;
  with_adapter(description, [&] {
    PMDL mdl = make_mdl(5);
    ASSERT_EQ(allocate_channel(5), STATUS_SUCCESS);
    ULONG bytes = 5 * PAGE_SIZE;
    EXPECT_TRUE(device_writes(map(routine.bases[0], mdl, bytes), 5 * PAGE_SIZE));
    EXPECT_EQ(bytes, 5u * PAGE_SIZE);
    flush(routine.bases[0], mdl, bytes);
    free_registers(routine.bases[0], 5);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(DmaPacketTest, AChannelIsForOneAtATime) {
  options.map_registers = 4;
  with_adapter([&] {
    EXPECT_EQ(allocate_channel(5), STATUS_INSUFFICIENT_RESOURCES);
    ASSERT_EQ(allocate_channel(3), STATUS_SUCCESS);
    PDEVICE_OBJECT first = pdo;
    pdo = make_pdo();
    ASSERT_EQ(allocate_channel(2), STATUS_SUCCESS);
    ASSERT_EQ(routine.bases.size(), 1u);
    free_registers(routine.bases[0], 3);
    ASSERT_EQ(routine.bases.size(), 2u);
    EXPECT_NE(routine.bases[0], routine.bases[1]);
    free_registers(routine.bases[1], 2);
    routine.action = DeallocateObject;
    pdo = first;
    for (int i = 0; i < 3; ++i) ASSERT_EQ(allocate_channel(4), STATUS_SUCCESS);
    EXPECT_EQ(routine.bases.size(), 5u);
    operations->PutDmaAdapter(adapter);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(DmaPacketTest, AnAdapterControlRoutineAsksForNoOther) {
  observer.then = Then::GoOn;
  with_adapter([&] {
    routine.action = DeallocateObject;
    routine.during = [&](PVOID) {
      routine.during = nullptr;
      EXPECT_EQ(operations->AllocateAdapterChannel(adapter, pdo, 1, &DmaRoutine::control, &routine), STATUS_SUCCESS);
      EXPECT_EQ(routine.bases.size(), 1u);
    };
    ASSERT_EQ(allocate_channel(1), STATUS_SUCCESS);
    EXPECT_EQ(routine.bases.size(), 2u);
  });
  EXPECT_EQ(broken(), std::vector<std::string>{"DmaChannelTwice"});
}

TEST_F(DmaPacketTest, ABusMasterDoesNotKeepTheChannel) {
  observer.then = Then::GoOn;
  with_adapter([&] {
    routine.action = KeepObject;
    ASSERT_EQ(allocate_channel(1), STATUS_SUCCESS);
    ASSERT_EQ(allocate_channel(1), STATUS_SUCCESS);
    EXPECT_EQ(routine.bases.size(), 1u);
    routine.action = static_cast<IO_ALLOCATION_ACTION>(0);
    at_dispatch([&] {
      operations->FreeAdapterChannel(adapter);
      return 0;
    });
    EXPECT_EQ(routine.bases.size(), 2u);
    at_dispatch([&] {
      operations->FreeAdapterChannel(adapter);
      return 0;
    });
    operations->PutDmaAdapter(adapter);
  });
  EXPECT_EQ(broken(), (std::vector<std::string>{"DmaControlResult", "DmaControlResult", "DmaRegistersMismatch"}));
}

TEST_F(DmaPacketTest, MapRegistersAreFreedFlushedOnceAndAllOfThem) {
  observer.then = Then::GoOn;
  with_adapter([&] {
    PMDL mdl = make_mdl(1);
    ASSERT_EQ(allocate_channel(2), STATUS_SUCCESS);
    ULONG bytes = 10;
    uint64_t address = map(routine.bases[0], mdl, bytes);
    free_registers(routine.bases[0], 2);
    EXPECT_FALSE(device_writes(address, 1));
    free_registers(routine.bases[0], 2);
    ASSERT_EQ(allocate_channel(2), STATUS_SUCCESS);
    free_registers(routine.bases[1], 1);
    operations->PutDmaAdapter(adapter);
  });
  EXPECT_EQ(broken(), (std::vector<std::string>{"DmaNotFlushed", "DmaRegistersMismatch", "DmaRegistersMismatch"}));
}

TEST_F(DmaPacketTest, TransfersUseTheMapRegistersThatWereAllocated) {
  observer.then = Then::GoOn;
  DEVICE_DESCRIPTION description = describe_device();
  description.ScatterGather = FALSE;
  with_adapter(description, [&] {
    PMDL mdl = make_mdl(3);
    ASSERT_EQ(allocate_channel(2), STATUS_SUCCESS);
    ULONG bytes = 3 * PAGE_SIZE;
    EXPECT_EQ(map(routine.bases[0], mdl, bytes), 0u);
    EXPECT_EQ(bytes, 0u);
    bytes = 10;
    EXPECT_EQ(map(&bytes, mdl, bytes), 0u);
    flush(&bytes, mdl, 10);
    flush(routine.bases[0], mdl, 10);
    bytes = 10;
    EXPECT_NE(map(routine.bases[0], mdl, bytes), 0u);
    flush(routine.bases[0], mdl, 10, TRUE);
    free_registers(routine.bases[0], 2);
  });
  EXPECT_EQ(broken(), std::vector<std::string>(5, "DmaRegistersMismatch"));
}

}  // namespace
}  // namespace nt
