#include "ob/name_space.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "ob/handle_table.h"
#include "ob/testing/test_object.h"

namespace ob {
namespace {

class NameSpaceTest : public testing::Test {
 protected:
  UnpublishedObject<TestEvent> event() { return TestEvent::create(ordinals_, log_); }

  Ordinals ordinals_;
  TestObjectLog log_;
  NameSpace names_{NameCase::Insensitive};
};

TEST_F(NameSpaceTest, OpensByNameInAnyCase) {
  UnpublishedObject<TestEvent> created = event();
  ASSERT_TRUE(names_.insert(u"\\BaseNamedObjects\\Share", created).ok());
  auto opened = names_.open<TestEvent>(u"\\basenamedobjects\\SHARE");
  ASSERT_TRUE(opened.ok());
  UnpublishedObject<TestEvent> second = opened.take();
  EXPECT_EQ(second.ref(), created.ref());
  EXPECT_EQ(created->handle_count(), 2u);
  EXPECT_EQ(created->publication()->name(), u"\\BaseNamedObjects\\Share");
  EXPECT_TRUE(names_.validate());
}

TEST_F(NameSpaceTest, SensitiveSpacesTellCasesApart) {
  NameSpace sensitive(NameCase::Sensitive);
  UnpublishedObject<TestEvent> created = event();
  ASSERT_TRUE(sensitive.insert(u"Share", created).ok());
  EXPECT_EQ(sensitive.open<TestEvent>(u"share").status(), STATUS_OBJECT_NAME_NOT_FOUND);
}

TEST_F(NameSpaceTest, RefusalsCarryTheirStatus) {
  UnpublishedObject<TestEvent> created = event();
  UnpublishedObject<TestEvent> other = event();
  EXPECT_EQ(names_.open<TestEvent>(u"a").status(), STATUS_OBJECT_NAME_NOT_FOUND);
  ASSERT_TRUE(names_.insert(u"a", created).ok());
  EXPECT_EQ(names_.insert(u"A", other).status(), STATUS_OBJECT_NAME_COLLISION);
  EXPECT_EQ(names_.insert(u"b", created).status(), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(names_.open<TestDevice>(u"a").status(), STATUS_OBJECT_TYPE_MISMATCH);
  EXPECT_TRUE(names_.open<Object>(u"a").ok());
  EXPECT_TRUE(names_.insert(u"b", other).ok());
}

TEST_F(NameSpaceTest, TheNameGoesWithTheLastHandleThoughReferencesRemain) {
  NtHandleTable table;
  UnpublishedObject<TestEvent> created = event();
  base::Ref<TestEvent> kept = created.ref();
  ASSERT_TRUE(names_.insert(u"a", created).ok());
  uint64_t handle = table.reserve().take().publish(std::move(created));
  EXPECT_EQ(names_.size(), 1u);
  ASSERT_TRUE(table.close<TestEvent>(handle).ok());
  EXPECT_EQ(names_.size(), 0u);
  EXPECT_EQ(names_.open<TestEvent>(u"a").status(), STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_EQ(kept->publication()->name(), u"a");  // a report can still name it
  UnpublishedObject<TestEvent> successor = event();
  EXPECT_TRUE(names_.insert(u"a", successor).ok());
}

TEST_F(NameSpaceTest, RandomStepsAgreeWithAMap) {
  constexpr uint64_t kSeed = 0x0b03;
  SCOPED_TRACE(kSeed);
  base::Rng rng(kSeed);
  struct Held {
    std::u16string name;
    UnpublishedObject<TestEvent> handle;
  };
  std::vector<Held> held;
  std::map<std::u16string, uint32_t> oracle;  // name to number of handles
  for (int step = 0; step < 5'000; ++step) {
    std::u16string name(1, static_cast<char16_t>(u'a' + rng.below(12)));
    uint64_t action = rng.below(3);
    if (action == 0) {
      UnpublishedObject<TestEvent> created = event();
      ASSERT_EQ(names_.insert(name, created).ok(), !oracle.contains(name));
      if (oracle.emplace(name, 1).second) held.push_back({name, std::move(created)});
    } else if (action == 1) {
      auto opened = names_.open<TestEvent>(name);
      ASSERT_EQ(opened.ok(), oracle.contains(name));
      if (!opened.ok()) continue;
      ++oracle[name];
      held.push_back({name, opened.take()});
    } else if (!held.empty()) {
      size_t victim = rng.below(held.size());
      std::swap(held[victim], held.back());
      auto entry = oracle.find(held.back().name);
      if (--entry->second == 0) oracle.erase(entry);
      held.pop_back();
    }
    ASSERT_TRUE(names_.validate());
    ASSERT_EQ(names_.size(), oracle.size());
  }
}

TEST_F(NameSpaceTest, OpenAgainstLastCloseNeverRevivesAnObject) {
  constexpr int kRounds = 3'000;
  std::atomic<uint32_t> created{0};
  auto create_or_open = [&] {
    for (int round = 0; round < kRounds; ++round) {
      auto opened = names_.open<TestEvent>(u"contended");
      if (opened.ok()) {
        UnpublishedObject<TestEvent> handle = opened.take();
        ASSERT_TRUE(handle->in_use());
        continue;
      }
      UnpublishedObject<TestEvent> fresh = event();
      ++created;
      static_cast<void>(names_.insert(u"contended", fresh).ok());
    }
  };
  std::array<std::thread, 3> threads{std::thread(create_or_open), std::thread(create_or_open),
                                     std::thread(create_or_open)};
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(names_.size(), 0u);
  EXPECT_EQ(log_.last_handles, created);
  EXPECT_EQ(log_.deaths, created);
}

}  // namespace
}  // namespace ob
