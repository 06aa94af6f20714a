#include "nt/mm/pool.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

constexpr ULONG kMill = 0x6C6C694D;

class ExPoolTest : public MachineTest {
 protected:
  ExPoolTest() { observer.then = Then::GoOn; }

  std::string last() const { return observer.violations.empty() ? "" : observer.violations.back().sentence; }
  // How a call of ExAllocatePool2 ends: "NULL", "block" or "raised", and what was found.
  std::string allocate2(POOL_FLAGS flags, SIZE_T bytes = 64, ULONG tag = kMill) {
    std::string result;
    observer.violations.clear();
    Machine::Ended ended = end_of_run([&] {
      result = "raised";
      void* block = ExAllocatePool2(flags, bytes, tag);
      result = block ? "block" : "NULL";
      if (block) ExFreePool(block);
    });
    EXPECT_EQ(ended == Machine::Ended::Stopped, result == "raised");
    for (const std::string& name : broken()) result += " " + name;
    return result;
  }
};

using Strings = std::vector<std::string>;

TEST_F(ExPoolTest, ExactlyOneTypeOfPool) {
  EXPECT_EQ(allocate2(POOL_FLAG_NON_PAGED), "block");
  EXPECT_EQ(allocate2(POOL_FLAG_NON_PAGED_EXECUTE), "block ExecutableMemory");
  EXPECT_EQ(allocate2(POOL_FLAG_PAGED), "block");
  EXPECT_EQ(allocate2(POOL_FLAG_NON_PAGED | POOL_FLAG_PAGED), "NULL PoolFlagsInvalid");
  EXPECT_EQ(allocate2(POOL_FLAG_UNINITIALIZED), "NULL PoolFlagsInvalid");
  EXPECT_EQ(last(),
            "ExAllocatePool2 was called with flags 0x2: none of POOL_FLAG_NON_PAGED, POOL_FLAG_NON_PAGED_EXECUTE and "
            "POOL_FLAG_PAGED is set");
}

TEST_F(ExPoolTest, RequiredFlagsMustBeKnownAndOptionalOnesNeedNot) {
  EXPECT_EQ(allocate2(POOL_FLAG_NON_PAGED | POOL_FLAG_USE_QUOTA | POOL_FLAG_CACHE_ALIGNED), "block");
  EXPECT_EQ(allocate2(POOL_FLAG_NON_PAGED | 0x800), "NULL PoolFlagsInvalid");
  EXPECT_EQ(allocate2(POOL_FLAG_NON_PAGED | POOL_FLAG_REQUIRED_END), "NULL PoolFlagsInvalid");
  EXPECT_EQ(allocate2(POOL_FLAG_NON_PAGED | POOL_FLAG_SESSION), "NULL PoolFlagsInvalid");
  EXPECT_EQ(allocate2(POOL_FLAG_NON_PAGED | POOL_FLAG_RESERVED2), "NULL PoolFlagsInvalid");
  EXPECT_EQ(allocate2(POOL_FLAG_NON_PAGED | POOL_FLAG_SPECIAL_POOL), "block");
  EXPECT_EQ(allocate2(POOL_FLAG_NON_PAGED | POOL_FLAG_OPTIONAL_END), "block");
}

TEST_F(ExPoolTest, TagsAreOneToFourPrintableCharacters) {
  EXPECT_EQ(allocate2(POOL_FLAG_NON_PAGED, 64, 0), "NULL PoolTagInvalid");
  EXPECT_EQ(allocate2(POOL_FLAG_NON_PAGED, 64, 'A'), "block");
  EXPECT_EQ(allocate2(POOL_FLAG_NON_PAGED, 64, 0x7E20217E), "block");
  EXPECT_EQ(allocate2(POOL_FLAG_NON_PAGED, 64, 0x4D001F41), "block PoolTagInvalid");
  EXPECT_EQ(last(),
            "ExAllocatePool2 was called with tag 0x4D001F41: a tag is one to four characters from space to tilde");
}

TEST_F(ExPoolTest, NoBytes) { EXPECT_EQ(allocate2(POOL_FLAG_NON_PAGED, 0), "block PoolSizeZero"); }

TEST_F(ExPoolTest, FailureIsNullOrRaised) {
  observer.failing_allocations = 1;
  EXPECT_EQ(allocate2(POOL_FLAG_NON_PAGED), "NULL");
  observer.failing_allocations = 1;
  EXPECT_EQ(allocate2(POOL_FLAG_NON_PAGED | POOL_FLAG_RAISE_ON_FAILURE), "raised UnhandledException");
  EXPECT_EQ(allocate2(POOL_FLAG_RAISE_ON_FAILURE), "raised PoolFlagsInvalid UnhandledException");
}

TEST_F(ExPoolTest, MemoryIsZeroUnlessAskedOtherwise) {
  run([&] {
    auto* zero = static_cast<unsigned char*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, kMill));
    auto* fresh =
        static_cast<unsigned char*>(ExAllocatePool2(POOL_FLAG_NON_PAGED | POOL_FLAG_UNINITIALIZED, 64, kMill));
    EXPECT_EQ(zero[0] | zero[63], 0);
    EXPECT_NE(fresh[0], 0);
    zero = static_cast<unsigned char*>(ExAllocatePoolZero(NonPagedPoolNx, 64, kMill));
    EXPECT_EQ(zero[0] | zero[63], 0);
    fresh = static_cast<unsigned char*>(ExAllocatePoolUninitialized(NonPagedPoolNx, 64, kMill));
    EXPECT_NE(fresh[0], 0);
    fresh = static_cast<unsigned char*>(ExAllocatePoolWithTag(PagedPool, 64, kMill));
    EXPECT_NE(fresh[63], 0);
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(ExPoolTest, PagedPoolNeedsALowIrql) {
  run([&] {
    void* paged = ExAllocatePool2(POOL_FLAG_PAGED, 64, kMill);
    machine().raise_irql(DISPATCH_LEVEL);
    ExFreePool(ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, kMill));
    EXPECT_EQ(broken(), Strings{});
    ExAllocatePool2(POOL_FLAG_PAGED, 64, kMill);
    EXPECT_EQ(last(), "ExAllocatePool2 was called with POOL_FLAG_PAGED at DISPATCH_LEVEL");
    ExAllocatePoolWithTag(PagedPool, 64, kMill);
    EXPECT_EQ(last(), "ExAllocatePoolWithTag was called with PagedPool at DISPATCH_LEVEL");
    ExFreePool(paged);
    EXPECT_EQ(last(),
              "ExFreePool was called for the 64-byte pool block 1 with tag 'Mill', which is paged, at DISPATCH_LEVEL");
    machine().lower_irql(PASSIVE_LEVEL);
  });
  EXPECT_EQ(broken(), Strings(3, "PoolPagedRaised"));
}

TEST_F(ExPoolTest, TypesThatDriversMustNotUse) {
  run([&] {
    for (int type : {2, 3, 4, 5, 6, 7, 32, 33, 512 + 4, 512 + 32, 512 + 256}) {
      EXPECT_EQ(ExAllocatePoolWithTag(static_cast<POOL_TYPE>(type), 64, kMill), nullptr) << type;
    }
  });
  EXPECT_EQ(broken(), Strings(11, "PoolFlagsInvalid"));
}

TEST_F(ExPoolTest, APoolTypeCanAskForAnException) {
  observer.failing_allocations = 1;
  bool returned = false;
  run_to_stop([&] {
    ExAllocatePoolWithTag(static_cast<POOL_TYPE>(NonPagedPoolNx | POOL_RAISE_IF_ALLOCATION_FAILURE), 64, kMill);
    returned = true;
  });
  EXPECT_FALSE(returned);
  EXPECT_EQ(broken(), Strings{"UnhandledException"});
}

TEST_F(ExPoolTest, EveryWayToFree) {
  run([&] {
    ExFreePool(ExAllocatePool(NonPagedPoolNx, 64));
    ExFreePool(ExAllocatePoolWithTag(NonPagedPoolNx, 64, kMill));
    ExFreePoolWithTag(ExAllocatePoolWithTag(NonPagedPoolNx, 64, kMill), kMill);
    ExFreePoolWithTag(ExAllocatePoolWithTag(NonPagedPoolNx, 64, kMill), 0);
    ExFreePool2(ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, kMill), kMill, nullptr, 0);
    EXPECT_EQ(machine().pool().stats().live_blocks, 0u);
    EXPECT_EQ(broken(), Strings{});
    ExFreePoolWithTag(ExAllocatePool(NonPagedPoolNx, 64), kMill);
    EXPECT_EQ(last(), "ExFreePoolWithTag was called for the 64-byte pool block 6 without a tag with tag 'Mill'");
    ExFreePool(nullptr);
  });
  EXPECT_EQ(broken(), (Strings{"PoolTagMismatch", "PoolFreeInvalid"}));
}

}  // namespace
}  // namespace nt
