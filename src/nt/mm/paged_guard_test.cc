#include "nt/mm/paged_guard.h"

#include "base/sanitizer.h"
#include "nt/boundary/driver_call.h"
#include "nt/boundary/kernel_code.h"
#include "nt/fault/fault.h"
#include "nt/mm/physical_memory.h"
#include "nt/mm/pool.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Strings = std::vector<std::string>;

constexpr ULONG kTag = 0x65676150;  // "Page"

class PagedGuardTest : public MachineTest {
 protected:
  PagedGuardTest() { install_fault_handlers(); }

  // Calls a routine of the driver with a block, at DISPATCH_LEVEL.
  auto at_dispatch_level(PoolKind kind, void (*routine)(volatile ULONG*)) {
    return [this, kind, routine] {
      void* block = machine().pool().allocate(64, kTag, kind, PoolFill::Zero);
      machine().raise_irql(DISPATCH_LEVEL);
      call_driver(machine(), "DPC routine", nullptr, routine, static_cast<volatile ULONG*>(block));
      machine().lower_irql(PASSIVE_LEVEL);
      machine().pool().free(block, kTag);
    };
  }
  void raised(PoolKind kind, void (*routine)(volatile ULONG*)) { run(at_dispatch_level(kind, routine)); }
};

#if !DRYDOCK_TSAN
TEST_F(PagedGuardTest, ADriverThatTouchesPagedPoolRaisedIsFound) {
  run_to_stop(at_dispatch_level(PoolKind::Paged, [](volatile ULONG* block) { *block = 1; }));
  EXPECT_EQ(broken(), Strings{"PoolPagedRaised"});
  EXPECT_EQ(observer.violations.at(0).sentence,
            "the 64-byte pool block 1 with tag 'Page', which is paged, is touched at DISPATCH_LEVEL");
}
#endif

TEST_F(PagedGuardTest, NonpagedPoolIsOpenAtEveryLevel) {
  raised(PoolKind::NonPaged, [](volatile ULONG* block) { *block = 1; });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(PagedGuardTest, PagedPoolIsOpenBelowDispatchLevel) {
  raised(PoolKind::Paged, [](volatile ULONG* block) {
    KernelCode code;  // the routine was called raised, and lowers here as the machine would
    Machine::current()->lower_irql(APC_LEVEL);
    *block = 1;
    Machine::current()->raise_irql(DISPATCH_LEVEL);
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(PagedGuardTest, OurOwnCodeMayTouchIt) {
  raised(PoolKind::Paged, [](volatile ULONG* block) {
    KernelCode code;
    *block = 1;
    EXPECT_EQ(*block, 1u);
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(PagedGuardTest, LockedPagesMayBeTouched) {
  raised(PoolKind::Paged, [](volatile ULONG* block) {
    auto address = reinterpret_cast<uintptr_t>(block);
    Machine::current()->physical().hold(address);
    *block = 1;
    Machine::current()->physical().release(address);
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(PagedGuardTest, ObjectsThatMustBeResidentAreRefusedInIt) {
  observer.then = Then::GoOn;
  run([&] {
    void* block = machine().pool().allocate(512, kTag, PoolKind::Paged, PoolFill::Zero);
    KeInitializeEvent(static_cast<KEVENT*>(block), NotificationEvent, FALSE);
    KeInitializeSpinLock(static_cast<KSPIN_LOCK*>(block));
    KeInitializeDpc(
        static_cast<KDPC*>(block), +[](PKDPC, PVOID, PVOID, PVOID) {}, nullptr);
    machine().pool().free(block, kTag);
    KEVENT on_the_stack;
    KeInitializeEvent(&on_the_stack, NotificationEvent, FALSE);
  });
  EXPECT_EQ(broken(), (Strings{"ObjectPaged", "ObjectPaged", "ObjectPaged"}));
}

}  // namespace
}  // namespace nt
