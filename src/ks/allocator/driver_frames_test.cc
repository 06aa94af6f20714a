#include "ks/allocator/driver_frames.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "ks/allocator/pool_frames.h"
#include "nt/mm/pool.h"
#include "nt/testing/machine_fixture.h"

namespace ks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint32_t kTag = 'f';

// A driver's allocator over pool, which can be told to do one thing wrong.
struct FakeAllocator {
  size_t bytes = 4096;
  size_t offset = 0;
  POOL_FLAGS pool = POOL_FLAG_NON_PAGED;
  NTSTATUS status = STATUS_SUCCESS;
  bool sets_context = true;
  bool takes_block = false;  // at Initialize, and forgets it
  bool has_frames = true;
  int initialized = 0, deleted = 0, allocated = 0, freed = 0;
  KIRQL irql = 0xFF;
  KIRQL life_irql = PASSIVE_LEVEL;  // the highest of initialize and remove
  void* seen_context = nullptr;
  std::vector<void*> contexts;  // of every call but the first
  const KSALLOCATOR_FRAMING* shown = nullptr;

  static NTSTATUS initialize(void* given, PKSALLOCATOR_FRAMING framing, PVOID* context) {
    auto* self = static_cast<FakeAllocator*>(given);
    ++self->initialized;
    self->life_irql = std::max(self->life_irql, KeGetCurrentIrql());
    self->shown = framing;
    if (self->takes_block) ExAllocatePool2(POOL_FLAG_NON_PAGED, 40, kTag);
    if (self->sets_context) *context = self;
    current = self;
    return self->status;
  }
  static void* allocate(void* context) {
    FakeAllocator& self = *current;
    self.seen_context = context;
    self.contexts.push_back(context);
    self.irql = KeGetCurrentIrql();
    ++self.allocated;
    if (!self.has_frames) return nullptr;
    return static_cast<char*>(ExAllocatePool2(self.pool, self.bytes, kTag)) + self.offset;
  }
  static void free(void* context, void* frame) {
    ++current->freed;
    current->contexts.push_back(context);
    ExFreePool(static_cast<char*>(frame) - current->offset);
  }
  static void remove(void* context) {
    ++current->deleted;
    current->contexts.push_back(context);
    current->life_irql = std::max(current->life_irql, KeGetCurrentIrql());
  }

  AllocatorRoutines routines() {
    return {.initialize_context = this,
            .allocate = allocate,
            .free = free,
            .initialize_pin = nullptr,
            .initialize = initialize,
            .remove = remove};
  }
  static FakeAllocator* current;
};
FakeAllocator* FakeAllocator::current = nullptr;

class DriverFramesTest : public nt::MachineTest {
 protected:
  DriverFramesTest() { observer.then = nt::Then::GoOn; }

  DriverFrames frames(Stress stress = Stress::No) {
    return DriverFrames(machine(), stress, fake.routines(), framing, "the allocator of pin 0", &machine().root_scope());
  }
  std::string sentence() const { return observer.violations.empty() ? "" : observer.violations.back().sentence; }

  FakeAllocator fake;
  KSALLOCATOR_FRAMING framing{{KSALLOCATOR_OPTIONF_SYSTEM_MEMORY}, NonPagedPool, 3, 4096, {15}, 0};
};

TEST_F(DriverFramesTest, AWellBehavedAllocatorIsQuiet) {
  run([&] {
    DriverFrames source = frames();
    ASSERT_EQ(source.initialise(), STATUS_SUCCESS);
    EXPECT_EQ(fake.shown->FrameSize, 4096u);
    void* frame = source.allocate();
    ASSERT_NE(frame, nullptr);
    EXPECT_EQ(fake.seen_context, &fake);
    EXPECT_EQ(fake.irql, PASSIVE_LEVEL);
    source.free(frame);
    EXPECT_EQ(source.remove(), 0u);
  });
  EXPECT_THAT(broken(), IsEmpty());
  EXPECT_EQ(fake.initialized + fake.allocated + fake.freed + fake.deleted, 4);
}

TEST_F(DriverFramesTest, EveryRoutineGetsTheContextThatInitializeGave) {
  run([&] {
    DriverFrames source = frames();
    ASSERT_EQ(source.initialise(), STATUS_SUCCESS);
    source.free(source.allocate());
    source.remove();
  });
  EXPECT_THAT(fake.contexts, ElementsAre(&fake, &fake, &fake)) << "allocate, free, delete";
}

TEST_F(DriverFramesTest, AllocatorsAreMadeAndDeletedAtPassiveLevel) {
  run([&] {
    DriverFrames source = frames(Stress::Yes);
    source.initialise();
    source.free(source.allocate());
    source.remove();
  });
  EXPECT_EQ(fake.irql, DISPATCH_LEVEL) << "the stress was there";
  EXPECT_EQ(fake.life_irql, PASSIVE_LEVEL);
  EXPECT_EQ(fake.deleted, 1);
}

TEST_F(DriverFramesTest, WhatDeleteLeavesIsNamedWithItsStack) {
  fake.takes_block = true;
  run([&] {
    DriverFrames source = frames();
    source.initialise();
    source.allocate();  // never freed
    EXPECT_EQ(source.remove(), 2u);
  });
  EXPECT_THAT(broken(), ElementsAre("KsAllocatorLeak", "KsAllocatorLeak"));
  EXPECT_THAT(sentence(), HasSubstr("the allocator of pin 0"));
  EXPECT_EQ(observer.violations.back().stacks.back().role, "obtained");
}

TEST_F(DriverFramesTest, AFailedInitializeKeepsNothing) {
  fake.takes_block = true;
  fake.status = STATUS_DEVICE_NOT_READY;
  run([&] { EXPECT_EQ(frames().initialise(), STATUS_DEVICE_NOT_READY); });
  EXPECT_THAT(broken(), ElementsAre("KsAllocatorInitLeak"));
  EXPECT_EQ(fake.deleted, 0);
}

TEST_F(DriverFramesTest, PendingIsAFailure) {
  fake.status = STATUS_PENDING;
  run([&] { EXPECT_EQ(frames().initialise(), STATUS_UNSUCCESSFUL); });
  EXPECT_THAT(broken(), ElementsAre("KsPendingWithoutIrp"));
}

TEST_F(DriverFramesTest, AnUnsetContextIsSeenAndIsNull) {
  fake.sets_context = false;
  run([&] {
    DriverFrames source = frames();
    EXPECT_EQ(source.initialise(), STATUS_SUCCESS);
    source.free(source.allocate());
    EXPECT_EQ(fake.seen_context, nullptr);
    source.remove();
  });
  EXPECT_THAT(broken(), ElementsAre("KsAllocatorContextUnset"));
}

TEST_F(DriverFramesTest, AFrameThatIsTooSmallGoesBack) {
  fake.bytes = 4095;
  run([&] {
    DriverFrames source = frames();
    source.initialise();
    EXPECT_EQ(source.allocate(), nullptr);
    EXPECT_EQ(fake.freed, 1);
    source.remove();
  });
  EXPECT_THAT(broken(), ElementsAre("KsFrameTooSmall"));
  EXPECT_THAT(sentence(), HasSubstr("4096"));
}

TEST_F(DriverFramesTest, AFrameThatBeginsTooLateIsTooSmall) {
  fake.offset = 16;
  run([&] {
    DriverFrames source = frames();
    source.initialise();
    EXPECT_EQ(source.allocate(), nullptr);
    source.remove();
  });
  EXPECT_THAT(broken(), ElementsAre("KsFrameTooSmall"));
}

TEST_F(DriverFramesTest, AMisalignedFrameIsNamedAndUsed) {
  fake.offset = 8;
  fake.bytes = 4096 + 8;
  run([&] {
    DriverFrames source = frames();
    source.initialise();
    void* frame = source.allocate();
    EXPECT_NE(frame, nullptr);
    source.free(frame);
    source.remove();
  });
  EXPECT_THAT(broken(), ElementsAre("KsFrameMisaligned"));
  EXPECT_THAT(sentence(), HasSubstr("8 bytes off the alignment of 16"));
}

TEST_F(DriverFramesTest, TheWrongPoolIsSeenOnlyForSystemMemory) {
  fake.pool = POOL_FLAG_PAGED;
  auto use = [&] {
    DriverFrames source = frames();
    source.initialise();
    source.free(source.allocate());
    source.remove();
  };
  run(use);
  EXPECT_THAT(broken(), ElementsAre("KsFrameWrongPool"));
  observer.violations.clear();
  framing.OptionsFlags = 0;
  run(use);
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(DriverFramesTest, MemoryThatIsNoPoolIsTheWrongPool) {
  alignas(16) static char memory[4096];
  static FakeAllocator* self = nullptr;
  self = &fake;
  AllocatorRoutines routines = fake.routines();
  routines.allocate = [](void*) -> void* { return memory; };
  routines.free = [](void*, void*) { ++self->freed; };
  run([&] {
    DriverFrames source(machine(), Stress::No, routines, framing, "the allocator", &machine().root_scope());
    source.initialise();
    source.free(source.allocate());
    source.remove();
  });
  EXPECT_THAT(broken(), ElementsAre("KsFrameWrongPool"));
  EXPECT_EQ(fake.freed, 1);
}

TEST_F(DriverFramesTest, StressCallsAtDispatchLevelWhereThatIsAllowed) {
  run([&] {
    {
      DriverFrames source = frames(Stress::Yes);
      source.initialise();
      source.free(source.allocate());
      EXPECT_EQ(fake.irql, DISPATCH_LEVEL);
      EXPECT_EQ(KeGetCurrentIrql(), PASSIVE_LEVEL);
      source.remove();
    }
    framing.PoolType = PagedPool;
    fake.pool = POOL_FLAG_PAGED;
    DriverFrames source = frames(Stress::Yes);
    source.initialise();
    source.free(source.allocate());
    EXPECT_EQ(fake.irql, PASSIVE_LEVEL);
    source.remove();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(DriverFramesTest, NoFrameIsNoFinding) {
  fake.has_frames = false;
  run([&] {
    DriverFrames source = frames();
    source.initialise();
    EXPECT_EQ(source.allocate(), nullptr);
    source.remove();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// --- The default allocator's ---

TEST_F(DriverFramesTest, PoolFramesAreAlignedUsedAgainAndGone) {
  for (ULONG alignment : {0u, 3u, 63u, 511u, 4095u}) {
    for (ULONG bytes : {1u, 100u, 4096u, 100000u}) {
      framing = {{KSALLOCATOR_OPTIONF_SYSTEM_MEMORY}, NonPagedPool, 3, bytes, {alignment}, 0};
      run([&] {
        PoolFrames source(machine(), framing, "the allocator", &machine().root_scope());
        ASSERT_EQ(source.initialise(), STATUS_SUCCESS);
        void* first = source.allocate();
        void* second = source.allocate();
        EXPECT_EQ(reinterpret_cast<uintptr_t>(first) & alignment, 0u);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(second) & alignment, 0u);
        memset(first, 1, bytes);
        memset(second, 2, bytes);
        source.free(first);
        EXPECT_EQ(source.allocate(), first);
        EXPECT_EQ(machine().pool().stats().live_blocks, 2u);
        source.free(first);
        source.free(second);
        EXPECT_EQ(source.remove(), 0u);
        EXPECT_EQ(machine().pool().stats().live_blocks, 0u);
      });
      EXPECT_THAT(broken(), IsEmpty());
    }
  }
}

TEST_F(DriverFramesTest, PoolFramesSurviveWantOfMemory) {
  run([&] {
    PoolFrames source(machine(), framing, "the allocator", &machine().root_scope());
    source.initialise();
    observer.failing_allocations = 1;
    EXPECT_EQ(source.allocate(), nullptr);
    void* frame = source.allocate();
    EXPECT_NE(frame, nullptr);
    source.free(frame);
    source.remove();
  });
}

TEST_F(DriverFramesTest, ADefaultAllocatorNeedsASize) {
  framing.FrameSize = 0;
  run([&] {
    EXPECT_EQ(PoolFrames(machine(), framing, "the allocator", nullptr).initialise(), STATUS_INVALID_PARAMETER);
  });
}

}  // namespace
}  // namespace ks
