// Runs what headers_c_test.c and headers_cxx_test.cc compiled as drivers, over the smallest exception host.
#include <gtest/gtest.h>
#include <setjmp.h>

#include <cstdint>
#include <cstring>

#include "abi/km/wdm.h"

extern "C" int DrydockHeadersC();
extern "C" int DrydockHeadersCxx();

namespace {

static_assert(sizeof(sigjmp_buf) <= sizeof(DRYDOCK_SEH_FRAME::Jump));
static_assert(alignof(DRYDOCK_SEH_FRAME) >= alignof(sigjmp_buf));

// One thread, so one list. The frames belong to the guarded functions' stacks.
DRYDOCK_SEH_FRAME* innermost = nullptr;
ULONG latest_code = 0;

[[noreturn]] void jump(DRYDOCK_SEH_FRAME* frame) { siglongjmp(*reinterpret_cast<sigjmp_buf*>(frame->Jump), 1); }

[[noreturn]] void raise_code(ULONG code) {
  if (innermost == nullptr) abort();
  latest_code = code;
  innermost->Code = code;
  jump(innermost);
}

}  // namespace

extern "C" {

void DrydockSehPush(DRYDOCK_SEH_FRAME* frame) {
  EXPECT_EQ(frame->State, DRYDOCK_SEH_PUSHED);
  frame->Previous = innermost;
  innermost = frame;
}

void DrydockSehPop(DRYDOCK_SEH_FRAME* frame) {
  if (innermost == frame) innermost = frame->Previous;
}

int DrydockSehFilter(DRYDOCK_SEH_FRAME* frame, int filter_value) {
  EXPECT_EQ(innermost, frame);
  innermost = frame->Previous;
  frame->State = DRYDOCK_SEH_HANDLED;
  if (filter_value == EXCEPTION_CONTINUE_SEARCH) raise_code(frame->Code);
  return 1;
}

void DrydockSehLeave(DRYDOCK_SEH_FRAME* frame) {
  innermost = frame->Previous;
  frame->State = DRYDOCK_SEH_LEFT;
  jump(frame);
}

ULONG DrydockSehCode() { return latest_code; }

PEXCEPTION_POINTERS DrydockSehInformation() { return nullptr; }

void ExRaiseStatus(NTSTATUS status) { raise_code(static_cast<ULONG>(status)); }

// What the compiler puts into the code of drivers.
void __sanitizer_cov_trace_pc_guard(uint32_t*) {}
void __sanitizer_cov_trace_pc_guard_init(uint32_t*, uint32_t*) {}
void __sanitizer_cov_pcs_init(const uintptr_t*, const uintptr_t*) {}

}  // extern "C"

namespace {

TEST(Headers, WorkAsC11) {
  EXPECT_EQ(DrydockHeadersC(), 0);
  EXPECT_EQ(innermost, nullptr);
}

TEST(Headers, WorkAsCxx17) {
  EXPECT_EQ(DrydockHeadersCxx(), 0);
  EXPECT_EQ(innermost, nullptr);
}

}  // namespace
