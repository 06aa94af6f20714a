#include "ob/handle_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "base/sanitizer.h"
#include "ob/testing/test_object.h"

namespace ob {
namespace {

constexpr uint32_t kStep = 0x40;  // from one local D3DKMT handle to the next

class HandleTableTest : public testing::Test {
 protected:
  UnpublishedObject<TestDevice> device() { return TestDevice::create(ordinals_, log_); }
  uint32_t open(KmtHandleTable& table) { return table.reserve().take().publish(device()); }
  uint32_t open() { return open(table_); }

  Ordinals ordinals_;
  TestObjectLog log_;
  KmtHandleTable table_;
};

TEST_F(HandleTableTest, GetReturnsWhatWasPublished) {
  UnpublishedObject<TestDevice> fresh = device();
  base::Ref<TestDevice> object = fresh.ref();
  uint32_t handle = table_.reserve().take().publish(std::move(fresh));
  EXPECT_EQ(table_.get<TestDevice>(handle).take(), object);
  EXPECT_EQ(table_.get<Object>(handle).take()->ordinal(), object->ordinal());
  EXPECT_EQ(&*table_.pin<TestDevice>(handle).value(), object.get());
  EXPECT_TRUE(table_.validate());
}

TEST_F(HandleTableTest, HandlesCountUpWhateverIsClosed) {
  uint32_t a = open();
  uint32_t b = open();
  EXPECT_EQ(a, 0x40000000u);
  EXPECT_EQ(b, a + kStep);
  ASSERT_TRUE(table_.close<TestDevice>(a).ok());
  ASSERT_TRUE(table_.close<TestDevice>(b).ok());
  EXPECT_EQ(open(), b + kStep);
}

TEST_F(HandleTableTest, AFailedCreationUsesNoHandleUp) {
  uint32_t first = open();
  {
    auto resource = table_.reserve().take();
    auto allocation = table_.reserve().take();
    EXPECT_EQ(resource.handle(), first + kStep);
    EXPECT_EQ(allocation.handle(), first + 2 * kStep);
  }
  EXPECT_TRUE(table_.validate());
  EXPECT_EQ(open(), first + kStep);
  EXPECT_EQ(open(), first + 2 * kStep);
}

TEST_F(HandleTableTest, AbortedReservationsComeBackInOrderWhicheverEndsFirst) {
  std::vector<KmtHandleTable::Reservation> batch;
  for (int i = 0; i < 6; ++i) batch.push_back(table_.reserve().take());
  for (size_t victim : {2u, 4u, 0u, 2u, 1u, 0u}) batch.erase(batch.begin() + static_cast<ptrdiff_t>(victim));
  ASSERT_TRUE(table_.validate());
  { auto again = table_.reserve().take(); }  // taken once more and given back once more
  for (uint32_t i = 0; i < 6; ++i) EXPECT_EQ(open(), 0x40000000u + i * kStep);
}

TEST_F(HandleTableTest, AReservedHandleDoesNotResolve) {
  auto reservation = table_.reserve().take();
  EXPECT_EQ(table_.get<TestDevice>(reservation.handle()).error(), LookupFault::Reserved);
  EXPECT_EQ(table_.get_ignore_destroyed<TestDevice>(reservation.handle()).error(), LookupFault::Reserved);
  EXPECT_EQ(table_.close<TestDevice>(reservation.handle()).error(), LookupFault::Reserved);
  EXPECT_EQ(table_.open_count(), 0u);
}

TEST_F(HandleTableTest, EveryRefusalHasItsReason) {
  uint32_t handle = open();
  EXPECT_EQ(table_.get<TestDevice>(0).error(), LookupFault::Null);
  EXPECT_EQ(table_.get<TestDevice>(handle + SlotTable::kGrowth * kStep).error(), LookupFault::BadIndex);
  EXPECT_EQ(table_.get<TestDevice>(handle + kStep).error(), LookupFault::Unused);
  EXPECT_EQ(table_.get<TestDevice>(handle + 0x40000000u).error(), LookupFault::StaleGeneration);
  EXPECT_EQ(table_.get<TestEvent>(handle).error(), LookupFault::WrongType);
  ASSERT_TRUE(table_.close<TestDevice>(handle).ok());
  EXPECT_EQ(table_.get<TestDevice>(handle).error(), LookupFault::StaleGeneration);
  EXPECT_EQ(table_.close<TestDevice>(handle).error(), LookupFault::StaleGeneration);
}

TEST_F(HandleTableTest, AnEmptyTableRefusesEverything) {
  EXPECT_EQ(table_.get<TestDevice>(0x40000000).error(), LookupFault::BadIndex);
  EXPECT_TRUE(table_.validate());
}

TEST_F(HandleTableTest, DestroyedHandlesResolveForTeardownOnly) {
  uint32_t handle = open();
  ASSERT_TRUE(table_.mark_destroyed<TestDevice>(handle).ok());
  EXPECT_EQ(table_.mark_destroyed<TestDevice>(handle).error(), LookupFault::Destroyed);
  EXPECT_EQ(table_.get<TestDevice>(handle).error(), LookupFault::Destroyed);
  EXPECT_EQ(table_.pin<TestDevice>(handle).error(), LookupFault::Destroyed);
  EXPECT_EQ(table_.close<TestDevice>(handle).error(), LookupFault::Destroyed);
  EXPECT_EQ(table_.get<TestEvent>(handle).error(), LookupFault::WrongType);  // the type is judged first
  EXPECT_TRUE(table_.get_ignore_destroyed<TestDevice>(handle).ok());
  EXPECT_EQ(log_.last_handles, 0u);
  EXPECT_TRUE(table_.validate());
  EXPECT_TRUE(table_.close_ignore_destroyed<TestDevice>(handle).ok());
  EXPECT_EQ(log_.deaths, 1u);
}

TEST_F(HandleTableTest, AClosedHandlesObjectStaysWhileItIsPinned) {
  uint32_t handle = open();
  {
    auto pinned = table_.pin<TestDevice>(handle);
    ASSERT_TRUE(pinned.ok());
    ASSERT_TRUE(table_.close<TestDevice>(handle).ok());
    EXPECT_EQ(log_.last_handles, 1u);  // the close does not wait for the pin
    EXPECT_EQ(log_.deaths, 0u);
    EXPECT_EQ((*pinned.value()).ordinal(), 1u);
    EXPECT_EQ(table_.get<TestDevice>(handle).error(), LookupFault::Closing);
    EXPECT_EQ(table_.get<TestEvent>(handle).error(), LookupFault::WrongType);
    EXPECT_TRUE(table_.validate());
  }
  EXPECT_EQ(log_.deaths, 1u);
  EXPECT_EQ(table_.get<TestDevice>(handle).error(), LookupFault::StaleGeneration);
  EXPECT_TRUE(table_.validate());
}

TEST_F(HandleTableTest, AGenerationFollowsTheOther) {
  for (uint32_t generation : {1u, 2u, 3u, 1u, 2u}) {
    for (uint32_t i = 0; i < SlotTable::kGrowth; ++i) {
      uint32_t handle = open();
      ASSERT_EQ(handle, generation << 30 | i * kStep);
      ASSERT_TRUE(table_.close<TestDevice>(handle).ok());
    }
  }
}

TEST_F(HandleTableTest, AFreedSlotWaitsForAtLeast128Others) {
  constexpr uint32_t kSeed = 0x0b05;
  SCOPED_TRACE(kSeed);
  base::Rng rng(kSeed);
  std::vector<uint32_t> live;
  std::vector<std::optional<uint32_t>> freed_at(SlotTable::kGrowth * 8);
  uint32_t reused = 0;
  for (uint32_t reservations = 1; reservations < 20'000; ++reservations) {
    uint32_t handle = open();
    uint32_t index = (handle >> 6) & 0xffffff;
    if (freed_at[index]) {
      ASSERT_GT(reservations - *freed_at[index], SlotTable::kHeldBack);
      ++reused;
    }
    live.push_back(handle);
    while (live.size() > 950) {  // so many that a chunk alone would have fewer than 128 free
      std::swap(live[rng.below(live.size())], live.back());
      ASSERT_TRUE(table_.close<TestDevice>(live.back()).ok());
      freed_at[(live.back() >> 6) & 0xffffff] = reservations;
      live.pop_back();
    }
  }
  EXPECT_GT(reused, 1'000u);
}

TEST_F(HandleTableTest, GrowsByAThousandAndStopsAtItsLimit) {
  KmtHandleTable small(2 * SlotTable::kGrowth);
  uint32_t last = 0;
  for (uint32_t i = 0; i < 2 * SlotTable::kGrowth - SlotTable::kHeldBack; ++i) last = open(small);
  EXPECT_EQ(small.capacity(), 2 * SlotTable::kGrowth);
  auto refused = small.reserve();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status(), STATUS_NO_MEMORY);
  EXPECT_TRUE(small.validate());
  ASSERT_TRUE(small.close<TestDevice>(last).ok());
  EXPECT_TRUE(small.reserve().ok());
}

TEST_F(HandleTableTest, TheLargestTableEndsWhereTheIndexDoes) {
  if (base::kSanitizer == base::Sanitizer::Thread) GTEST_SKIP() << "one thread, and minutes under TSan";
  SlotTable slots;
  UnpublishedObject<TestDevice> shared = device();
  SlotKey last;
  uint32_t count = 0;
  for (auto key = slots.reserve(); key.ok(); key = slots.reserve(), ++count) {
    last = key.value();
    slots.publish(last, shared.ref());
  }
  EXPECT_EQ(count, SlotTable::kMaxSlots - SlotTable::kHeldBack);
  EXPECT_EQ(slots.capacity(), kIndexLimit);
  EXPECT_EQ(last.index, count - 1);
  EXPECT_EQ(&slots.pin(last, {.kind = ObjectKind::Device}).value().object(), &*shared);
  for (auto key = slots.next_open(0); key; key = slots.next_open(key->index + 1))
    ASSERT_TRUE(slots.close(*key, {}).ok());
}

TEST_F(HandleTableTest, IteratesInOrderOfIndexOverWhatIsOpen) {
  std::vector<uint32_t> expected;
  for (int i = 0; i < 8; ++i) expected.push_back(open());
  auto reservation = table_.reserve().take();
  ASSERT_TRUE(table_.close<TestDevice>(expected[3]).ok());
  expected.erase(expected.begin() + 3);
  ASSERT_TRUE(table_.mark_destroyed<TestDevice>(expected[1]).ok());
  std::vector<uint32_t> seen;
  table_.for_each([&](uint32_t handle, Object& object) {
    EXPECT_EQ(object.kind(), ObjectKind::Device);
    seen.push_back(handle);
    if (seen.size() == 1) static_cast<void>(table_.close<TestDevice>(expected[4]).ok());
  });
  expected.erase(expected.begin() + 4);
  EXPECT_EQ(seen, expected);
}

TEST_F(HandleTableTest, TheTableClosesWhatIsLeftAndWhatThatOpens) {
  struct Late {
    KmtHandleTable& table;
    Ordinals& ordinals;
    TestObjectLog& log;
  };
  std::optional<KmtHandleTable> process;
  process.emplace();
  Late late{*process, ordinals_, log_};
  UnpublishedObject<TestDevice> first = device();
  first->argument = &late;
  first->at_last_handle = [](void* argument) {
    auto* late_one = static_cast<Late*>(argument);
    late_one->table.reserve().take().publish(TestDevice::create(late_one->ordinals, late_one->log));
  };
  process->reserve().take().publish(std::move(first));
  open(*process);
  ASSERT_TRUE(process->mark_destroyed<TestDevice>(open(*process)).ok());
  process.reset();
  EXPECT_EQ(log_.last_handles, 4u);
  EXPECT_EQ(log_.deaths, 4u);
}

TEST_F(HandleTableTest, RemembersTheLastClose) {
  uint32_t handle = open();
  ASSERT_TRUE(table_.close<TestDevice>(handle, {.stack = 12, .thread = 7}).ok());
  ASSERT_TRUE(table_.close<TestDevice>(open(), {.stack = 13, .thread = 8}).ok());
  auto record = table_.last_close(handle);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->site.thread, 7u);
  EXPECT_EQ(record->site.stack, 12u);
  EXPECT_EQ(record->closes_ago, 1u);
}

TEST_F(HandleTableTest, RandomNumbersNeverResolveToWhatTheyAreNot) {
  constexpr uint64_t kSeed = 0x0b06;
  SCOPED_TRACE(kSeed);
  base::Rng rng(kSeed);
  NtHandleTable nt;
  std::vector<uint32_t> local;
  std::vector<uint64_t> native;
  for (int i = 0; i < 3'000; ++i) {
    local.push_back(open());
    native.push_back(nt.reserve().take().publish(TestEvent::create(ordinals_, log_)));
  }
  for (int i = 0; i < 200'000; ++i) {
    uint64_t value = rng.next() >> rng.below(64);
    uint32_t low = static_cast<uint32_t>(rng.next());
    if (rng.chance(1, 2)) low &= 0xC003FFC0;  // near what exists
    ASSERT_EQ(table_.get<TestDevice>(low).ok(), std::binary_search(local.begin(), local.end(), low)) << low;
    ASSERT_FALSE(table_.get<TestEvent>(low).ok());
    ASSERT_EQ(nt.pin<TestEvent>(value).ok(), std::binary_search(native.begin(), native.end(), value & ~3ull)) << value;
    if (!std::binary_search(local.begin(), local.end(), low)) {
      ASSERT_FALSE(table_.close<Object>(low).ok());
    }
  }
  EXPECT_TRUE(table_.validate());
  EXPECT_TRUE(nt.validate());
}

TEST_F(HandleTableTest, NtHandlesGoThroughTheSameLife) {
  NtHandleTable nt;
  uint64_t first = nt.reserve().take().publish(TestEvent::create(ordinals_, log_));
  EXPECT_EQ(first, 4u);
  EXPECT_TRUE(nt.get<TestEvent>(first | 1).ok());  // a tag bit
  EXPECT_EQ(nt.get<TestEvent>(~uint64_t{0}).error(), LookupFault::Pseudo);
  EXPECT_TRUE(nt.close<TestEvent>(first | 2, {.stack = 1, .thread = 2}).ok());
  EXPECT_EQ(nt.get<TestEvent>(first).error(), LookupFault::Unused);
  EXPECT_EQ(nt.last_close(first)->site.thread, 2u);
}

}  // namespace
}  // namespace ob
