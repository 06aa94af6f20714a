#include "softgpu/hw/context_state.h"

#include <gtest/gtest.h>

#include "softgpu/hw/testing/card.h"

namespace softgpu {
namespace {

// Contexts 1, 2, …, each with an image in local memory.
class ContextStateTest : public CardTest {
 protected:
  static uint64_t image(uint64_t context) { return kFree + 0x1000 * context; }
  static constexpr uint64_t kOut = kFree + 0x10000;

  // Its register 0 begins with this.
  void make_image(uint64_t context, uint64_t value) {
    card.poke(image(context), SOFTGPU_CONTEXT_MAGIC);
    for (uint32_t i = 0; i < SOFTGPU_CONTEXT_REGISTERS; ++i) card.poke(saved(context, i), i == 0 ? value : 0);
  }
  static uint64_t saved(uint64_t context, uint32_t index) { return image(context) + 8 + 8 * index; }
  static Qwords switch_to(uint64_t context) {
    return row({save_state(context), restore_state(context, local(image(context)))});
  }
  void run(const Qwords& packets, uint32_t engine = kCopy) {
    card.submit(engine, packets);
    card.run_all();
    ASSERT_EQ(card.state(engine), SOFTGPU_STATE_IDLE);
  }
  uint64_t loaded(uint32_t engine = kCopy) { return card.get64(engine, SOFTGPU_ENGINE_CONTEXT); }
};

TEST_F(ContextStateTest, LivesFromOneBufferToTheNext) {
  run(row({set_state(3, 40), add_state(3, 2)}));
  run(store_state(3, local(kOut)));
  EXPECT_EQ(card.peek(kOut), 42u);
}

TEST_F(ContextStateTest, EachEngineHasItsOwn) {
  run(set_state(0, 1), kRender);
  run(store_state(0, local(kOut)), kCopy);
  EXPECT_EQ(card.peek(kOut), 0u);
}

TEST_F(ContextStateTest, KernelsUseTheRegisters) {
  for (uint32_t i = 0; i < 3; ++i) card.poke(kOut + 4 * i, i, 4);
  run(row({set_state(7, 0x5'0000'0064), kernel(SOFTGPU_KERNEL_ADD_STATE, local(kOut), 0, local(kOut), 3, 7)}), kRender);
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(card.peek(kOut + 4 * i, 4), 100 + i);
}

TEST_F(ContextStateTest, TwoContextsDoNotSeeEachOther) {
  make_image(1, 100);
  make_image(2, 200);
  for (uint64_t turn = 1; turn <= 3; ++turn) {
    for (uint64_t context : {1, 2}) {
      run(row({switch_to(context), add_state(0, 1), store_state(0, local(kOut))}));
      EXPECT_EQ(card.peek(kOut), context * 100 + turn);
      EXPECT_EQ(loaded(), context);
    }
  }
  run(save_state(0));
  EXPECT_EQ(loaded(), 0u);
  EXPECT_EQ(card.peek(saved(1, 0)), 103u);
  EXPECT_EQ(card.peek(saved(2, 0)), 203u);
}

TEST_F(ContextStateTest, TheOneThatIsLoadedIsNeitherSavedNorRestored) {
  make_image(1, 5);
  run(row({switch_to(1), add_state(0, 1)}));
  make_image(1, 1000);  // this is not read
  run(row({switch_to(1), add_state(0, 1), store_state(0, local(kOut))}));
  EXPECT_EQ(card.peek(kOut), 7u);
  EXPECT_EQ(card.peek(saved(1, 0)), 1000u);
}

// Between two submissions the image may have moved.
TEST_F(ContextStateTest, IsSavedWhereItBelongsNow) {
  make_image(1, 5);
  make_image(2, 0);
  run(switch_to(1));
  run(row({restore_state(1, local(image(2))), add_state(0, 1), save_state(0)}));
  EXPECT_EQ(card.peek(saved(1, 0)), 5u);
  EXPECT_EQ(card.peek(saved(2, 0)), 6u);
}

TEST_F(ContextStateTest, SavingLeavesZerosBehind) {
  make_image(1, 5);
  run(row({switch_to(1), save_state(0), store_state(0, local(kOut))}));
  EXPECT_EQ(card.peek(kOut), 0u);
  run(row({set_state(0, 9), clear_state(), store_state(0, local(kOut))}));
  EXPECT_EQ(card.peek(kOut), 0u);
}

TEST_F(ContextStateTest, AResetLosesIt) {
  make_image(1, 5);
  run(row({switch_to(1), add_state(0, 1)}));
  card.control(kCopy, SOFTGPU_CONTROL_RESET);
  card.start(kCopy);
  EXPECT_EQ(loaded(), 0u);
  run(row({save_state(0), store_state(0, local(kOut))}));
  EXPECT_EQ(card.peek(kOut), 0u);
  EXPECT_EQ(card.peek(saved(1, 0)), 5u);
}

TEST_F(ContextStateTest, AForgottenOneIsNeverSaved) {
  make_image(1, 5);
  run(row({switch_to(1), add_state(0, 1)}));
  card.set64(kCopy, SOFTGPU_ENGINE_CONTEXT, 2);
  EXPECT_EQ(loaded(), 1u);
  card.set64(kCopy, SOFTGPU_ENGINE_CONTEXT, 1);
  EXPECT_EQ(loaded(), 0u);
  run(row({save_state(0), store_state(0, local(kOut))}));
  EXPECT_EQ(card.peek(kOut), 0u);
  EXPECT_EQ(card.peek(saved(1, 0)), 5u);
}

TEST_F(ContextStateTest, OnlyAnImageCanBeRestored) {
  card.submit(kCopy, restore_state(1, local(image(1))));
  card.run_all();
  EXPECT_EQ(card.get(kCopy, SOFTGPU_ENGINE_FAULT_STATUS), SOFTGPU_FAULT_STATE | SOFTGPU_FAULT_READ);
  EXPECT_EQ(card.get64(kCopy, SOFTGPU_ENGINE_FAULT_ADDRESS), local(image(1)));
  EXPECT_EQ(loaded(), 0u);
}

TEST_F(ContextStateTest, ImagesAreAligned) {
  card.submit(kCopy, restore_state(1, local(image(1) + 4)));
  card.run_all();
  EXPECT_EQ(card.fault_kind(kCopy), SOFTGPU_FAULT_ADDRESS);
}

// Clients use it but do not decide whose it is.
TEST_F(ContextStateTest, SwitchingIsPrivileged) {
  uint64_t bytes = card.put(kFree, save_state(0));
  card.submit(kCopy, indirect(local(kFree), bytes, 0, SOFTGPU_FLAG_UNPRIVILEGED));
  card.run_all();
  EXPECT_EQ(card.fault_kind(kCopy), SOFTGPU_FAULT_PRIVILEGE);
}

// A preemption that drops the packets of a switch leaves the context that was loaded, and the next switch saves it.
TEST_F(ContextStateTest, ADiscardedSwitchDidNotHappen) {
  make_image(1, 5);
  make_image(2, 50);
  run(row({switch_to(1), add_state(0, 1), fence(1)}));
  card.submit(kCopy, row({fill(local(kOut), 1 << 16, 0), fence(2), switch_to(2), add_state(0, 1), fence(3)}));
  card.run(300);
  card.control(kCopy, SOFTGPU_CONTROL_PREEMPT_AT_FENCE);
  card.run_all();
  EXPECT_EQ(card.fence_of(kCopy), 2u);
  EXPECT_EQ(loaded(), 1u);
  card.control(kCopy, SOFTGPU_CONTROL_DISCARD);
  run(row({switch_to(2), add_state(0, 1), fence(4), save_state(0)}));
  EXPECT_EQ(card.peek(saved(1, 0)), 6u);
  EXPECT_EQ(card.peek(saved(2, 0)), 51u);
}

}  // namespace
}  // namespace softgpu
