#include "nt/ke/dispatcher.h"
#include "nt/mm/pool.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

constexpr ULONG kMill = 0x6C6C694D;
using Strings = std::vector<std::string>;

// What a driver's own routines were asked for.
struct Asked {
  int allocations = 0, frees = 0;
  POOL_TYPE type = MaxPoolType;
  void* list = nullptr;
} g_asked;

PVOID allocate_ex(POOL_TYPE type, SIZE_T bytes, ULONG tag, PLOOKASIDE_LIST_EX list) {
  ++g_asked.allocations;
  g_asked.type = type;
  g_asked.list = list;
  return ExAllocatePoolWithTag(type, bytes, tag);
}
VOID free_ex(PVOID buffer, PLOOKASIDE_LIST_EX) {
  ++g_asked.frees;
  ExFreePool(buffer);
}
PVOID allocate_plain(POOL_TYPE type, SIZE_T bytes, ULONG tag) {
  ++g_asked.allocations;
  g_asked.type = type;
  return ExAllocatePoolWithTag(type, bytes, tag);
}
VOID free_plain(PVOID buffer) {
  ++g_asked.frees;
  ExFreePool(buffer);
}

class ExLookasideTest : public MachineTest {
 protected:
  ExLookasideTest() {
    observer.then = Then::GoOn;
    g_asked = {};
  }
  PoolBlockInfo block_of(void* entry) { return *machine().pool().find(reinterpret_cast<uintptr_t>(entry)); }
};

TEST_F(ExLookasideTest, EntriesComeFromThePoolWithTheListsTag) {
  run([&] {
    NPAGED_LOOKASIDE_LIST list;
    ExInitializeNPagedLookasideList(&list, nullptr, nullptr, 512, 96, kMill, 0);
    void* entry = ExAllocateFromNPagedLookasideList(&list);
    EXPECT_EQ(block_of(entry).bytes, 96u);
    EXPECT_EQ(block_of(entry).tag, kMill);
    EXPECT_EQ(block_of(entry).kind, PoolKind::NonPaged);
    ExFreeToNPagedLookasideList(&list, entry);
    EXPECT_TRUE(block_of(entry).freed) << "a cached entry would hide a use after free";
    ExDeleteNPagedLookasideList(&list);

    PAGED_LOOKASIDE_LIST paged;
    ExInitializePagedLookasideList(&paged, nullptr, nullptr, 0, 96, kMill, 0);
    entry = ExAllocateFromPagedLookasideList(&paged);
    EXPECT_EQ(block_of(entry).kind, PoolKind::Paged);
    ExFreeToPagedLookasideList(&paged, entry);
    ExDeletePagedLookasideList(&paged);
    EXPECT_EQ(machine().pool().stats().live_blocks, 0u);
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(ExLookasideTest, ADriversOwnRoutinesAreCalled) {
  run([&] {
    LOOKASIDE_LIST_EX list;
    ASSERT_EQ(ExInitializeLookasideListEx(&list, allocate_ex, free_ex, NonPagedPoolNx,
                                          EX_LOOKASIDE_LIST_EX_FLAGS_RAISE_ON_FAIL, 96, kMill, 0),
              STATUS_SUCCESS);
    void* entry = ExAllocateFromLookasideListEx(&list);
    EXPECT_EQ(g_asked.type, NonPagedPoolNx | POOL_RAISE_IF_ALLOCATION_FAILURE);
    EXPECT_EQ(g_asked.list, &list);
    ExFreeToLookasideListEx(&list, entry);
    ExFlushLookasideListEx(&list);
    ExDeleteLookasideListEx(&list);

    NPAGED_LOOKASIDE_LIST plain;
    ExInitializeNPagedLookasideList(&plain, allocate_plain, free_plain, 512, 96, kMill, 0);
    ExFreeToNPagedLookasideList(&plain, ExAllocateFromNPagedLookasideList(&plain));
    ExDeleteNPagedLookasideList(&plain);
    EXPECT_EQ(g_asked.allocations, 2);
    EXPECT_EQ(g_asked.frees, 2);
    EXPECT_EQ(machine().pool().stats().live_blocks, 0u);
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(ExLookasideTest, TypeAndFlagsAreChecked) {
  run([&] {
    LOOKASIDE_LIST_EX list;
    auto initialise = [&](POOL_TYPE type, ULONG flags) {
      return ExInitializeLookasideListEx(&list, nullptr, nullptr, type, flags, 96, kMill, 0);
    };
    EXPECT_EQ(initialise(NonPagedPoolMustSucceed, 0), STATUS_INVALID_PARAMETER_4);
    EXPECT_EQ(initialise(PagedPool, 3), STATUS_INVALID_PARAMETER_5);
    EXPECT_EQ(initialise(PagedPool, 4), STATUS_INVALID_PARAMETER_5);
    EXPECT_EQ(initialise(PagedPool, 0), STATUS_SUCCESS);
  });
}

TEST_F(ExLookasideTest, AFailedAllocationIsNullOrRaised) {
  bool raised = true;
  run_to_stop([&] {
    LOOKASIDE_LIST_EX list;
    ExInitializeLookasideListEx(&list, nullptr, nullptr, NonPagedPoolNx, 0, 96, kMill, 0);
    observer.failing_allocations = 1;
    EXPECT_EQ(ExAllocateFromLookasideListEx(&list), nullptr);
    ExInitializeLookasideListEx(&list, nullptr, nullptr, NonPagedPoolNx, EX_LOOKASIDE_LIST_EX_FLAGS_RAISE_ON_FAIL, 96,
                                kMill, 0);
    observer.failing_allocations = 1;
    ExAllocateFromLookasideListEx(&list);
    raised = false;
  });
  EXPECT_TRUE(raised);
  EXPECT_EQ(broken(), Strings{"UnhandledException"});
}

TEST_F(ExLookasideTest, WrongUses) {
  run([&] {
    NPAGED_LOOKASIDE_LIST list = {};
    EXPECT_EQ(ExAllocateFromNPagedLookasideList(&list), nullptr);
    ExInitializeNPagedLookasideList(&list, nullptr, nullptr, 512, 96, kMill, 0);
    ExFreeToNPagedLookasideList(&list, ExAllocatePool2(POOL_FLAG_NON_PAGED, 96, 'a'));
    ExDeleteNPagedLookasideList(&list);
    ExDeleteNPagedLookasideList(&list);
    LOOKASIDE_LIST_EX paged;
    ExInitializeLookasideListEx(&paged, nullptr, nullptr, PagedPool, 0, 96, kMill, 0);
    machine().raise_irql(DISPATCH_LEVEL);
    ExAllocateFromLookasideListEx(&paged);
    machine().lower_irql(PASSIVE_LEVEL);
  });
  EXPECT_EQ(broken(), (Strings{"NotInitialised", "PoolTagMismatch", "NotInitialised", "PoolPagedRaised"}));
}

TEST_F(ExLookasideTest, MemoryIsNotFreedWithAListInIt) {
  run([&] {
    auto* list =
        static_cast<LOOKASIDE_LIST_EX*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(LOOKASIDE_LIST_EX), kMill));
    EXPECT_EQ(ExInitializeLookasideListEx(list, nullptr, nullptr, NonPagedPoolNx, 0, 96, kMill, 0), STATUS_SUCCESS);
    ExDeleteLookasideListEx(list);
    EXPECT_EQ(ExInitializeLookasideListEx(list, nullptr, nullptr, NonPagedPoolNx, 0, 96, kMill, 0), STATUS_SUCCESS);
    EXPECT_EQ(broken(), Strings{});
    ExFreePoolWithTag(list, kMill);
  });
  EXPECT_EQ(broken(), Strings{"LookasideNotDeleted"});
}

TEST_F(ExLookasideTest, AListIsNotLeftInAnImageThatIsUnloaded) {
  run([&] {
    static LOOKASIDE_LIST_EX list;
    auto lo = reinterpret_cast<uintptr_t>(&list);
    EXPECT_EQ(ExInitializeLookasideListEx(&list, nullptr, nullptr, PagedPool, 0, 96, kMill, 0), STATUS_SUCCESS);
    machine().dispatcher().memory_gone(lo, lo + sizeof(list), Dispatcher::Gone::Unloaded, "the driver's image");
  });
  EXPECT_EQ(broken(), Strings{"LookasideNotDeleted"});
}

TEST_F(ExLookasideTest, ALeakedEntryIsSeen) {
  run([&] {
    Scope scope(ScopeKind::Device, "camera", nullptr);
    machine().self().scope = &scope;
    NPAGED_LOOKASIDE_LIST list;
    ExInitializeNPagedLookasideList(&list, nullptr, nullptr, 512, 96, kMill, 0);
    ExAllocateFromNPagedLookasideList(&list);
    ExDeleteNPagedLookasideList(&list);
    machine().self().scope = &machine().root_scope();
    machine().end_scope(scope);
  });
  EXPECT_EQ(broken(), Strings{"Leak"});
}

}  // namespace
}  // namespace nt
