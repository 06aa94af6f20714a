#include "base/ref.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace base {
namespace {

class Counted : public RefCounted {
 public:
  explicit Counted(int* deaths) : deaths_(deaths) {}
  ~Counted() override { ++*deaths_; }

 private:
  int* deaths_;
};
class Derived final : public Counted {
 public:
  using Counted::Counted;
};

TEST(Ref, LastReferenceDeletes) {
  int deaths = 0;
  {
    Ref<Counted> first = make_ref<Counted>(&deaths);
    EXPECT_EQ(first->ref_count_for_test(), 1u);
    {
      Ref<Counted> second = first;
      EXPECT_EQ(first->ref_count_for_test(), 2u);
      EXPECT_TRUE(first == second);
    }
    EXPECT_EQ(first->ref_count_for_test(), 1u);
    EXPECT_EQ(deaths, 0);
  }
  EXPECT_EQ(deaths, 1);
}

TEST(Ref, MoveTransfersWithoutCounting) {
  int deaths = 0;
  Ref<Counted> first = make_ref<Counted>(&deaths);
  Counted* object = first.get();
  Ref<Counted> second = std::move(first);
  EXPECT_EQ(second.get(), object);
  EXPECT_EQ(second->ref_count_for_test(), 1u);
}

TEST(Ref, AssignmentReleasesTheOldObject) {
  int old_deaths = 0;
  int new_deaths = 0;
  Ref<Counted> ref = make_ref<Counted>(&old_deaths);
  ref = make_ref<Counted>(&new_deaths);
  EXPECT_EQ(old_deaths, 1);
  Ref<Counted>& same = ref;
  ref = same;
  EXPECT_EQ(new_deaths, 0);
  EXPECT_EQ(ref->ref_count_for_test(), 1u);
}

TEST(Ref, ConvertsToABaseClass) {
  int deaths = 0;
  {
    Ref<Derived> derived = make_ref<Derived>(&deaths);
    Ref<Counted> shared = derived;
    EXPECT_EQ(shared->ref_count_for_test(), 2u);
    Ref<Counted> moved = std::move(derived);
    EXPECT_EQ(moved->ref_count_for_test(), 2u);
  }
  EXPECT_EQ(deaths, 1);
}

TEST(Ref, LeakAndAdoptKeepTheCount) {
  int deaths = 0;
  Ref<Counted> ref = make_ref<Counted>(&deaths);
  Counted* raw = ref.leak();
  EXPECT_EQ(raw->ref_count_for_test(), 1u);
  {
    Ref<Counted> shared = Ref<Counted>::share(*raw);
    EXPECT_EQ(raw->ref_count_for_test(), 2u);
  }
  ref = Ref<Counted>::adopt(raw);
  EXPECT_EQ(deaths, 0);
}

TEST(RefDeathTest, NullIsRefused) { EXPECT_DEATH(Ref<Counted>::adopt(nullptr), "CHECK\\(object\\) failed"); }

TEST(Ref, CountsAreThreadSafe) {
  int deaths = 0;
  {
    Ref<Counted> ref = make_ref<Counted>(&deaths);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([copy = ref] {
        for (int round = 0; round < 10'000; ++round) Ref<Counted> another = copy;
      });
    }
    for (std::thread& thread : threads) thread.join();
    threads.clear();
    EXPECT_EQ(ref->ref_count_for_test(), 1u);
  }
  EXPECT_EQ(deaths, 1);
}

}  // namespace
}  // namespace base
