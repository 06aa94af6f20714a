#include <cstring>
#include <set>

#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Strings = std::vector<std::string>;

class ExListTest : public MachineTest {
 protected:
  ExListTest() { observer.then = Then::GoOn; }
};

TEST_F(ExListTest, TheDoublyLinkedListTellsItsNeighbours) {
  run([&] {
    KSPIN_LOCK lock;
    KeInitializeSpinLock(&lock);
    LIST_ENTRY head, a, b, c;
    InitializeListHead(&head);
    EXPECT_EQ(ExInterlockedRemoveHeadList(&head, &lock), nullptr);
    EXPECT_EQ(ExInterlockedInsertTailList(&head, &a, &lock), nullptr);
    EXPECT_EQ(ExInterlockedInsertTailList(&head, &b, &lock), &a);
    EXPECT_EQ(ExInterlockedInsertHeadList(&head, &c, &lock), &a);
    for (PLIST_ENTRY expected : {&c, &a, &b}) EXPECT_EQ(ExInterlockedRemoveHeadList(&head, &lock), expected);
    EXPECT_EQ(ExInterlockedInsertHeadList(&head, &c, &lock), nullptr);
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(ExListTest, TheSinglyLinkedListIsAStack) {
  run([&] {
    KSPIN_LOCK lock;
    KeInitializeSpinLock(&lock);
    SINGLE_LIST_ENTRY head = {nullptr}, a, b;
    EXPECT_EQ(ExInterlockedPopEntryList(&head, &lock), nullptr);
    EXPECT_EQ(ExInterlockedPushEntryList(&head, &a, &lock), nullptr);
    EXPECT_EQ(ExInterlockedPushEntryList(&head, &b, &lock), &a);
    EXPECT_EQ(ExInterlockedPopEntryList(&head, &lock), &b);
    EXPECT_EQ(ExInterlockedPopEntryList(&head, &lock), &a);
  });
}

TEST_F(ExListTest, TheSequencedListCountsItsEntries) {
  run([&] {
    SLIST_HEADER head;
    SLIST_ENTRY a, b, c;
    InitializeSListHead(&head);
    EXPECT_EQ(ExInterlockedPopEntrySList(&head, nullptr), nullptr);
    EXPECT_EQ(ExInterlockedPushEntrySList(&head, &a, nullptr), nullptr);
    EXPECT_EQ(ExInterlockedPushEntrySList(&head, &b, nullptr), &a);
    EXPECT_EQ(ExInterlockedPushEntrySList(&head, &c, nullptr), &b);
    EXPECT_EQ(ExQueryDepthSList(&head), 3);
    EXPECT_EQ(ExInterlockedPopEntrySList(&head, nullptr), &c);
    PSLIST_ENTRY all = ExInterlockedFlushSList(&head);
    EXPECT_EQ(all, &b);
    EXPECT_EQ(all->Next, &a);
    EXPECT_EQ(a.Next, nullptr);
    EXPECT_EQ(ExQueryDepthSList(&head), 0);
    EXPECT_EQ(ExInterlockedFlushSList(&head), nullptr);
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(ExListTest, AnUninitialisedSequencedListIsSeen) {
  run([&] {
    SLIST_HEADER head;
    std::memset(&head, 0xCD, sizeof(head));
    SLIST_ENTRY entry;
    EXPECT_EQ(ExInterlockedPushEntrySList(&head, &entry, nullptr), nullptr);
    EXPECT_EQ(ExInterlockedPopEntrySList(&head, nullptr), &entry);
  });
  EXPECT_EQ(broken(), Strings{"NotInitialised"});
}

TEST_F(ExListTest, SumsReturnWhatWasBefore) {
  run([&] {
    KSPIN_LOCK lock;
    KeInitializeSpinLock(&lock);
    ULONG small = 0xFFFFFFFF;
    EXPECT_EQ(ExInterlockedAddUlong(&small, 2, &lock), 0xFFFFFFFF);
    EXPECT_EQ(small, 1u);
    LARGE_INTEGER large, increment;
    large.QuadPart = INT64_MAX;
    increment.QuadPart = 1;
    EXPECT_EQ(ExInterlockedAddLargeInteger(&large, increment, &lock).QuadPart, INT64_MAX);
    EXPECT_EQ(large.QuadPart, INT64_MIN);
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(ExListTest, AnyIrqlIsAllowedAndKept) {
  run([&] {
    KSPIN_LOCK lock;
    KeInitializeSpinLock(&lock);
    ULONG sum = 0;
    for (int irql : {PASSIVE_LEVEL, APC_LEVEL, DISPATCH_LEVEL, 5, HIGH_LEVEL}) {
      machine().raise_irql(static_cast<KIRQL>(irql));
      ExInterlockedAddUlong(&sum, 1, &lock);
      EXPECT_EQ(machine().self().irql, irql);
    }
    machine().lower_irql(PASSIVE_LEVEL);
    EXPECT_EQ(sum, 5u);
  });
  EXPECT_EQ(broken(), Strings{});
}

// Whatever the schedule, nothing is lost and nothing is taken twice.
TEST_F(ExListTest, ThreadsShareTheLists) {
  constexpr int kThreads = 3, kEach = 10;
  struct Item {
    SLIST_ENTRY sequenced;
    LIST_ENTRY linked;
  };
  run_seeds(30, [&] {
    KSPIN_LOCK lock;
    KeInitializeSpinLock(&lock);
    SLIST_HEADER sequenced;
    InitializeSListHead(&sequenced);
    LIST_ENTRY linked;
    InitializeListHead(&linked);
    Item items[kThreads * kEach];
    std::multiset<void*> taken;
    ULONG done = 0;
    for (int t = 0; t < kThreads; ++t) {
      machine().create_thread("worker", [&, t] {
        for (int i = 0; i < kEach; ++i) {
          Item& item = items[t * kEach + i];
          ExInterlockedPushEntrySList(&sequenced, &item.sequenced, nullptr);
          ExInterlockedInsertTailList(&linked, &item.linked, &lock);
          if (i % 2) taken.insert(ExInterlockedPopEntrySList(&sequenced, nullptr));
          if (i % 2) taken.insert(ExInterlockedRemoveHeadList(&linked, &lock));
        }
        ExInterlockedAddUlong(&done, 1, &lock);
      });
    }
    while (done < kThreads) machine().executor().yield(base::Point::Yield);
    while (PSLIST_ENTRY entry = ExInterlockedPopEntrySList(&sequenced, nullptr)) taken.insert(entry);
    while (PLIST_ENTRY entry = ExInterlockedRemoveHeadList(&linked, &lock)) taken.insert(entry);
    std::multiset<void*> expected;
    for (Item& item : items) {
      expected.insert(&item.sequenced);
      expected.insert(&item.linked);
    }
    ASSERT_EQ(taken, expected);
    ASSERT_EQ(broken(), Strings{});
  });
}

}  // namespace
}  // namespace nt
