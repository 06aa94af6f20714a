#include "nt/machine/fiber.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "base/sanitizer.h"
#include "nt/mm/address_space.h"

namespace nt {
namespace {

// A switch orders nothing for ThreadSanitizer; these fibers are never parallel.
void hand_over(Fiber& from, Fiber& to) {
  base::happens_before(&StackArena::instance());
  Fiber::switch_to(from, to);
  base::happens_after(&StackArena::instance());
}

// Fibers that run in turn: each writes its letter, then gives control to the next one.
struct Ring {
  struct Seat {
    Ring* ring;
    size_t index;
    Fiber fiber;
  };
  explicit Ring(size_t count) {
    home.adopt_current();
    for (size_t i = 0; i < count; ++i) {
      seats.push_back(std::make_unique<Seat>());
      seats[i]->ring = this;
      seats[i]->index = i;
      seats[i]->fiber.prepare(StackArena::instance().take(), &sit, seats[i].get());
    }
  }
  ~Ring() {
    for (size_t i = seats.size(); i-- > 0;) StackArena::instance().give_back(seats[i]->fiber.stack());
  }
  static void sit(void* raw) {
    base::happens_after(&StackArena::instance());
    auto& seat = *static_cast<Seat*>(raw);
    Ring& ring = *seat.ring;
    char mark[512];  // must survive every switch
    memset(mark, static_cast<int>('a' + seat.index), sizeof(mark));
    for (;;) {
      ring.said += mark[0];
      Fiber& next = seat.index + 1 < ring.seats.size() ? ring.seats[seat.index + 1]->fiber : ring.home;
      hand_over(seat.fiber, next);
      for (char c : mark) ASSERT_EQ(c, static_cast<char>('a' + seat.index));
    }
  }
  void round() { hand_over(home, seats[0]->fiber); }

  Fiber home;
  std::vector<std::unique_ptr<Seat>> seats;
  std::string said;
};

TEST(FiberTest, EachKeepsItsPlaceAndItsLocals) {
  Ring ring(4);
  for (int i = 0; i < 3; ++i) ring.round();
  EXPECT_EQ(ring.said, "abcdabcdabcd");
}

TEST(FiberTest, RunsOnTheStackItWasGiven) {
  struct Seen {
    Fiber* self;
    Fiber* home;
    uintptr_t address = 0;
  } seen{};
  Fiber fiber, home;
  home.adopt_current();
  seen.self = &fiber;
  seen.home = &home;
  base::StackBounds stack = StackArena::instance().take();
  fiber.prepare(
      stack,
      [](void* raw) {
        auto& out = *static_cast<Seen*>(raw);
        out.address = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
        hand_over(*out.self, *out.home);
      },
      &seen);
  hand_over(home, fiber);
  EXPECT_GE(seen.address, stack.lo);
  EXPECT_LT(seen.address, stack.hi);
  StackArena::instance().give_back(stack);
}

TEST(StackArenaTest, StacksLieAtFixedPlacesApartByAGuardPage) {
  StackArena& arena = StackArena::instance();
  arena.rewind();
  base::StackBounds first = arena.take();
  base::StackBounds second = arena.take();
  EXPECT_EQ(first.hi, kStackArena.base + StackArena::kStackBytes);
  EXPECT_EQ(second.lo - first.hi, first.lo - kStackArena.base);
  EXPECT_GE(second.lo - first.hi, 4096u);
  arena.give_back(first);
  EXPECT_EQ(arena.take().lo, first.lo);
  arena.give_back(second);
  arena.rewind();
  EXPECT_EQ(arena.take().lo, first.lo);
  EXPECT_EQ(arena.take().lo, second.lo);
  arena.rewind();
}

TEST(StackArenaTest, ThePageBelowAStackFaults) {
  base::StackBounds stack = StackArena::instance().take();
  EXPECT_DEATH(*reinterpret_cast<volatile char*>(stack.lo - 1) = 1, "");
  StackArena::instance().give_back(stack);
}

}  // namespace
}  // namespace nt
