#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "ob/handle_table.h"
#include "ob/testing/test_object.h"

// Random steps against a model that predicts every handle given out and every look-up's answer.
namespace ob {
namespace {

class Model {
 public:
  enum class State { Free, Reserved, Live, Destroyed, Closing };
  struct Slot {
    State state = State::Free;
    uint32_t generation = 1;
    uint32_t pins = 0;
    uint32_t ticket = 0;
    uint32_t object = 0;  // ordinal
  };

  uint32_t reserve() {
    uint32_t index = 0;
    if (!put_back_.empty()) {
      index = put_back_.begin()->second;
      put_back_.erase(put_back_.begin());
    } else {
      if (queue_.size() <= SlotTable::kHeldBack) grow();
      index = queue_.front();
      queue_.pop_front();
      slots_[index].ticket = next_ticket_++;
    }
    slots_[index].state = State::Reserved;
    return handle(index);
  }
  void abort(uint32_t handle) {
    Slot& slot = at(handle);
    slot.state = State::Free;
    put_back_[slot.ticket] = index_of(handle);
  }
  void unpin(uint32_t index) {
    Slot& slot = slots_[index];
    if (--slot.pins == 0 && slot.state == State::Closing) retire(index);
  }
  void close(uint32_t handle) {
    Slot& slot = at(handle);
    slot.state = State::Closing;
    if (slot.pins == 0) retire(index_of(handle));
  }

  // What a look-up for a device must answer; nothing: it resolves.
  std::optional<LookupFault> expected(uint32_t handle, bool ignore_destroyed) const {
    if (index_of(handle) >= slots_.size()) return LookupFault::BadIndex;
    const Slot& slot = slots_[index_of(handle)];
    if (slot.generation != handle >> 30) return LookupFault::StaleGeneration;
    switch (slot.state) {
      case State::Free:
        return LookupFault::Unused;
      case State::Reserved:
        return LookupFault::Reserved;
      case State::Closing:
        return LookupFault::Closing;
      case State::Destroyed:
        if (!ignore_destroyed) return LookupFault::Destroyed;
        return std::nullopt;
      case State::Live:
        return std::nullopt;
    }
    return std::nullopt;
  }

  static uint32_t index_of(uint32_t handle) { return (handle >> 6) & 0xffffff; }
  Slot& at(uint32_t handle) { return slots_[index_of(handle)]; }
  size_t capacity() const { return slots_.size(); }

 private:
  uint32_t handle(uint32_t index) const { return slots_[index].generation << 30 | index << 6; }
  void grow() {
    for (uint32_t i = 0; i < SlotTable::kGrowth; ++i) {
      queue_.push_back(static_cast<uint32_t>(slots_.size()));
      slots_.emplace_back();
    }
  }
  void retire(uint32_t index) {
    slots_[index].state = State::Free;
    slots_[index].generation = slots_[index].generation == 3 ? 1 : slots_[index].generation + 1;
    queue_.push_back(index);
  }

  std::vector<Slot> slots_;
  std::deque<uint32_t> queue_;
  std::map<uint32_t, uint32_t> put_back_;  // by ticket
  uint32_t next_ticket_ = 0;
};

class HandleTablePropertyTest : public testing::TestWithParam<uint64_t> {
 protected:
  using State = Model::State;

  template <typename T>
  T take_any(std::vector<T>& from) {
    std::swap(from[rng_.below(from.size())], from.back());
    T taken = std::move(from.back());
    from.pop_back();
    return taken;
  }
  // Mostly something that is or was a handle here.
  uint32_t some_handle() {
    if (given_.empty() || rng_.chance(1, 10))
      return static_cast<uint32_t>(1 + rng_.below(3)) << 30 | (rng_.next() & 0x3ffc0);
    return given_[rng_.below(given_.size())];
  }

  void reserve() {
    auto reservation = table_.reserve().take();
    ASSERT_EQ(reservation.handle(), model_.reserve());
    given_.push_back(reservation.handle());
    reservations_.push_back(std::move(reservation));
  }
  void abort() {
    if (reservations_.empty()) return;
    auto reservation = take_any(reservations_);
    model_.abort(reservation.handle());
  }
  void publish() {
    if (reservations_.empty()) return;
    auto reservation = take_any(reservations_);
    UnpublishedObject<TestDevice> fresh = TestDevice::create(ordinals_, log_);
    Model::Slot& slot = model_.at(reservation.handle());
    slot.state = State::Live;
    slot.object = fresh->ordinal();
    reservation.publish(std::move(fresh));
  }
  void look_up() {
    uint32_t handle = some_handle();
    check(table_.get<TestDevice>(handle), handle, false);
    check(table_.get_ignore_destroyed<TestDevice>(handle), handle, true);
  }
  void pin() {
    uint32_t handle = some_handle();
    auto pinned = table_.pin<TestDevice>(handle);
    ASSERT_EQ(pinned.ok(), !model_.expected(handle, false));
    if (!pinned.ok()) return;
    ++model_.at(handle).pins;
    pins_.push_back({std::make_unique<Pinned<TestDevice>>(pinned.take()), Model::index_of(handle)});
  }
  void unpin() {
    if (pins_.empty()) return;
    auto pinned = take_any(pins_);
    EXPECT_EQ((*pinned.first)->ordinal(), model_.at(pinned.second << 6).object);
    model_.unpin(pinned.second);
  }
  void mark_destroyed() {
    uint32_t handle = some_handle();
    auto expected = model_.expected(handle, false);
    check(table_.mark_destroyed<TestDevice>(handle), handle, false);
    if (!expected) model_.at(handle).state = State::Destroyed;
  }
  void close() {
    uint32_t handle = some_handle();
    bool ignore = rng_.chance(1, 2);
    auto expected = model_.expected(handle, ignore);
    check(ignore ? table_.close_ignore_destroyed<TestDevice>(handle) : table_.close<TestDevice>(handle), handle,
          ignore);
    if (!expected) model_.close(handle);
  }
  void check(KmtHandleTable::Found<TestDevice> found, uint32_t handle, bool ignore_destroyed) {
    std::optional<LookupFault> expected = model_.expected(handle, ignore_destroyed);
    ASSERT_EQ(found.ok(), !expected) << handle;
    if (expected) {
      ASSERT_EQ(found.error(), *expected) << handle;
    } else {
      ASSERT_EQ(found.value()->ordinal(), model_.at(handle).object);
    }
  }

  void step() {
    uint64_t choice = rng_.below(100);
    if (choice < 25) return reserve();
    if (choice < 30) return abort();
    if (choice < 50) return publish();
    if (choice < 65) return look_up();
    if (choice < 72) return pin();
    if (choice < 79) return unpin();
    if (choice < 82) return mark_destroyed();
    return close();
  }

  base::Rng rng_{GetParam()};
  Ordinals ordinals_;
  TestObjectLog log_;
  Model model_;
  KmtHandleTable table_;
  std::vector<KmtHandleTable::Reservation> reservations_;
  std::vector<std::pair<std::unique_ptr<Pinned<TestDevice>>, uint32_t>> pins_;
  std::vector<uint32_t> given_;
};

TEST_P(HandleTablePropertyTest, AgreesWithTheModelAfterEveryStep) {
  SCOPED_TRACE(testing::Message() << "seed " << GetParam());
  for (int i = 0; i < 850; ++i) {  // not far from growing
    reserve();
    publish();
  }
  for (int i = 0; i < 2'000 && !HasFatalFailure(); ++i) {
    step();
    ASSERT_TRUE(table_.validate()) << "step " << i;
    ASSERT_EQ(table_.capacity(), model_.capacity());
  }
  pins_.clear();
  reservations_.clear();
  table_.close_all();
  ASSERT_TRUE(table_.validate());
  EXPECT_EQ(log_.deaths, log_.last_handles);
  EXPECT_EQ(log_.deaths, ordinals_.next(ObjectKind::Device) - 1);
}

INSTANTIATE_TEST_SUITE_P(Seeds, HandleTablePropertyTest, testing::Values(1, 2, 3, 0xdeadbeef));

}  // namespace
}  // namespace ob
