// One driver for each thing that is odd and legal, and one for each way to be wrong.
#include "dxgk/paging/paging_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dxgk/testing/paging_fixture.h"

namespace dxgk {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Args = testing::PagingArgs;
using testing::build;
using testing::fill;
using testing::kAllocation;
using testing::kBufferBytes;
using testing::kPacket;
using testing::transfer;

class PagingCallTest : public testing::PagingTest {};

// --- Legal oddities ---

TEST_F(PagingCallTest, WritingNothingIsASuccess) {
  expect_taken(fill(7), [](Args&) { return STATUS_SUCCESS; });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(PagingCallTest, TransfersOfNothingAndOfNoAllocationArePassedOn) {
  std::vector<HANDLE> allocations;
  driver.build_paging = [&](Args& args) {
    allocations.push_back(args.Transfer.hAllocation);
    return build(args);
  };
  run_builder([&](PagingBuilder& builder) {
    EXPECT_TRUE(builder.add(transfer(0)).ok());
    paging::Transfer plain = transfer(1);
    plain.allocation = nullptr;
    EXPECT_TRUE(builder.add(plain).ok());
  });
  EXPECT_THAT(allocations, ElementsAre(kAllocation, nullptr));
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(PagingCallTest, SizesMayBeLeftAlone) {
  expect_taken(fill(3), [](Args& args) {
    UINT size = args.DmaSize;
    NTSTATUS status = build(args);
    args.DmaSize = size;
    return status;
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// Half a packet behind the pointer is written again by the next pass.
TEST_F(PagingCallTest, LeftoverBytesAreNoFindingWhenThereWasNoRoom) {
  paging_options.limit = 20;
  expect_taken(fill(2), [](Args& args) {
    NTSTATUS status = build(args);
    std::memset(args.pDmaBuffer, 0x33, status == STATUS_SUCCESS ? 0 : args.DmaSize);
    return status;
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// --- Findings ---

TEST_F(PagingCallTest, OtherStatusesAreFindings) {
  driver.build_paging = [](Args& args) {
    NTSTATUS status = build(args);
    return args.Operation == DXGK_OPERATION_FILL ? status : STATUS_NO_MEMORY;
  };
  run_builder([&](PagingBuilder& builder) {
    EXPECT_TRUE(builder.add(fill(1)).ok());
    EXPECT_EQ(builder.add(transfer(1)).status(), STATUS_NO_MEMORY);
    EXPECT_TRUE(builder.flush().ok());
  });
  EXPECT_THAT(broken(), ElementsAre("IllegalStatus"));
  EXPECT_THAT(sink.log, ElementsAre("submit 0x0..0x10")) << "without what the failed one left";
}

TEST_F(PagingCallTest, APointerBeyondTheBufferIsAFinding) {
  expect_refused(fill(1), [](Args& args) {
    args.pDmaBuffer = static_cast<uint8_t*>(args.pDmaBuffer) + args.DmaSize + 1;
    return STATUS_SUCCESS;
  });
  EXPECT_THAT(broken(), ElementsAre("PagingBufferOverrun"));
  EXPECT_EQ(sentence(),
            "DxgkDdiBuildPagingBuffer(FILL) moved pDmaBuffer by 4097 bytes, in a buffer with room for 4096");
}

TEST_F(PagingCallTest, APointerThatGoesBackIsAFinding) {
  driver.build_paging = [](Args& args) {
    if (args.DmaBufferWriteOffset == 0) return build(args);
    args.pDmaBuffer = static_cast<uint8_t*>(args.pDmaBuffer) - kPacket;
    return STATUS_SUCCESS;
  };
  run_builder([&](PagingBuilder& builder) {
    EXPECT_TRUE(builder.add(fill(1)).ok());
    EXPECT_FALSE(builder.add(fill(1)).ok());
  });
  EXPECT_THAT(broken(), ElementsAre("PagingBufferOverrun"));
  EXPECT_THAT(sentence(), HasSubstr("by -16 bytes"));
}

TEST_F(PagingCallTest, APrivatePointerBeyondItsEndIsAFinding) {
  driver.paging_private_bytes = 8;
  expect_refused(fill(1), [](Args& args) {
    args.pDmaBufferPrivateData = static_cast<uint8_t*>(args.pDmaBufferPrivateData) + 9;
    return STATUS_SUCCESS;
  });
  EXPECT_THAT(broken(), ElementsAre("PagingPrivateOverrun"));
}

// Stores that the sanitizer would stop before we can see them.
__attribute__((no_sanitize("address", "undefined"), noinline)) void store(void* base, size_t offset) {
  *(static_cast<volatile uint8_t*>(base) + offset) = 1;
}

TEST_F(PagingCallTest, BytesBeyondTheBufferAreAFinding) {
  expect_refused(fill(1), [](Args& args) {
    store(args.pDmaBuffer, args.DmaSize + 2);
    return STATUS_SUCCESS;
  });
  EXPECT_THAT(broken(), ElementsAre("PagingBufferOverrun"));
  EXPECT_THAT(sentence(), HasSubstr("wrote up to 3 byte(s) beyond the 4096 of DmaSize"));
}

TEST_F(PagingCallTest, BytesBeyondTheRoomAreAFinding) {
  paging_options.limit = 32;
  expect_refused(fill(1), [](Args& args) {
    store(args.pDmaBuffer, 32);
    return STATUS_SUCCESS;
  });
  EXPECT_THAT(broken(), ElementsAre("PagingBufferOverrun"));
  EXPECT_THAT(sentence(), HasSubstr("wrote up to 1 byte(s) beyond the 32 of DmaSize"));
}

TEST_F(PagingCallTest, BytesBeyondThePrivateDataAreAFinding) {
  driver.paging_private_bytes = 8;
  expect_refused(fill(1), [](Args& args) {
    store(args.pDmaBufferPrivateData, 8);
    return STATUS_SUCCESS;
  });
  EXPECT_THAT(broken(), ElementsAre("PagingPrivateOverrun"));
}

TEST_F(PagingCallTest, ASizeThatContradictsThePointerIsAFinding) {
  expect_taken(fill(1), [](Args& args) {
    NTSTATUS status = build(args);
    args.DmaSize -= 1;
    return status;
  });
  EXPECT_THAT(broken(), ElementsAre("PagingSizeWrong"));
}

TEST_F(PagingCallTest, APrivateSizeThatContradictsThePointerIsAFinding) {
  driver.paging_private_bytes = 8;
  expect_taken(fill(1), [](Args& args) {
    args.DmaBufferPrivateDataSize -= 4;
    return STATUS_SUCCESS;
  });
  EXPECT_THAT(broken(), ElementsAre("PagingSizeWrong"));
}

// The next operation would be built over it.
TEST_F(PagingCallTest, NotMovingThePointerIsAFinding) {
  expect_taken(fill(1), [](Args& args) {
    void* start = args.pDmaBuffer;
    UINT size = args.DmaSize;
    NTSTATUS status = build(args);
    args.pDmaBuffer = start;
    args.DmaSize = size;
    return status;
  });
  EXPECT_THAT(broken(), ElementsAre("PagingBytesLost"));
  EXPECT_THAT(sentence(), HasSubstr("left pDmaBuffer at 0x0"));
}

TEST_F(PagingCallTest, NotMovingThePrivatePointerIsAFinding) {
  driver.paging_private_bytes = 8;
  expect_taken(fill(1), [](Args& args) {
    static_cast<uint8_t*>(args.pDmaBufferPrivateData)[3] = 1;
    return build(args);
  });
  EXPECT_THAT(broken(), ElementsAre("PagingBytesLost"));
  EXPECT_THAT(sentence(), HasSubstr("left pDmaBufferPrivateData at 0x0 and wrote 0x3..0x4"));
}

TEST_F(PagingCallTest, PrivateDataBelowThePointerAreNone) {
  driver.paging_private_bytes = 8;
  expect_taken(fill(1), [](Args& args) {
    static_cast<uint8_t*>(args.pDmaBufferPrivateData)[3] = 1;
    args.pDmaBufferPrivateData = static_cast<uint8_t*>(args.pDmaBufferPrivateData) + 4;
    return build(args);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(PagingCallTest, NotMovingThePointerWithAPassIsAFinding) {
  driver.build_paging = [](Args& args) {
    void* start = args.pDmaBuffer;
    UINT size = args.DmaSize;
    NTSTATUS status = build(args);
    if (status == STATUS_SUCCESS) return status;
    args.pDmaBuffer = start;
    args.DmaSize = size;
    return status;
  };
  run_builder([&](PagingBuilder& builder) { EXPECT_TRUE(builder.add(fill(kBufferBytes / kPacket + 1)).ok()); });
  EXPECT_THAT(broken(), ElementsAre("PagingBytesLost"));
}

TEST_F(PagingCallTest, WritingOverAnEarlierOperationIsAFinding) {
  driver.build_paging = [](Args& args) {
    if (args.DmaBufferWriteOffset != 0) std::memset(static_cast<uint8_t*>(args.pDmaBuffer) - 8, 0x55, 8);
    return build(args);
  };
  run_builder([&](PagingBuilder& builder) {
    EXPECT_TRUE(builder.add(fill(1)).ok());
    EXPECT_TRUE(builder.add(fill(1)).ok());
  });
  EXPECT_THAT(broken(), ElementsAre("PagingBytesLost"));
  EXPECT_THAT(sentence(), HasSubstr("over an operation built before"));
}

// What is submitted belongs to the GPU, which may write there.
TEST_F(PagingCallTest, SubmittedBytesAreNotCompared) {
  driver.build_paging = [](Args& args) {
    if (args.DmaBufferWriteOffset != 0) std::memset(static_cast<uint8_t*>(args.pDmaBuffer) - 8, 0x55, 8);
    return build(args);
  };
  run_builder([&](PagingBuilder& builder) {
    EXPECT_TRUE(builder.add(fill(1)).ok());
    EXPECT_TRUE(builder.flush().ok());
    EXPECT_TRUE(builder.add(fill(1)).ok());
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(PagingCallTest, ChangedInputIsAFindingAndUndone) {
  uint64_t sizes = 0;
  paging_options.limit = kPacket;
  expect_taken(fill(2), [&](Args& args) {
    sizes = sizes * 16 + args.Fill.FillSize / 4096;
    NTSTATUS status = build(args);
    if (status != STATUS_SUCCESS) args.Fill.FillSize = 0;
    return status;
  });
  EXPECT_EQ(sizes, 0x22u);
  EXPECT_THAT(broken(), ElementsAre("PagingInputChanged"));
}

TEST_F(PagingCallTest, ChangedPageTableEntriesAreAFinding) {
  DXGK_PTE entries[2] = {};
  paging::UpdatePageTable update;
  update.entries = entries;
  update.count = 2;
  expect_taken(update, [](Args& args) {
    args.UpdatePageTable.pPageTableEntries[1].Flags = 1;
    return STATUS_SUCCESS;
  });
  EXPECT_THAT(broken(), ElementsAre("PagingInputChanged"));
  EXPECT_EQ(entries[1].Flags, 0u) << "the driver was shown a copy";
}

TEST_F(PagingCallTest, ListsReachTheDriver) {
  DXGK_BUILDPAGINGBUFFER_COPY_RANGE ranges[2] = {};
  ranges[1].DstStartPteIndex = 7;
  const uint8_t data[] = {4, 5, 6};
  std::vector<uint32_t> seen;
  driver.build_paging = [&](Args& args) {
    if (args.Operation == DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES) {
      seen.push_back(args.CopyPageTableEntries.pRanges[1].DstStartPteIndex);
    } else {
      seen.push_back(static_cast<const uint8_t*>(args.UpdateContextAllocation.pDriverPrivateData)[2]);
    }
    return STATUS_SUCCESS;
  };
  run_builder([&](PagingBuilder& builder) {
    EXPECT_TRUE(builder.add(paging::CopyPageTableEntries{ranges}).ok());
    EXPECT_TRUE(builder.add(paging::UpdateContextAllocation{0, 4096, data}).ok());
  });
  EXPECT_THAT(seen, ElementsAre(7, 6));
}

// A live machine is for speed: it looks at pointers and statuses, and at no bytes.
TEST_F(PagingCallTest, LiveMachinesCompareNoBytes) {
  options.pace = nt::Pace::Live;
  expect_taken(fill(1), [](Args& args) {
    std::memset(args.pDmaBuffer, 0x66, 8);
    return STATUS_SUCCESS;
  });
  EXPECT_THAT(broken(), IsEmpty());
}

}  // namespace
}  // namespace dxgk
