#include <setjmp.h>
#include <sys/mman.h>

#include <set>

#include "nt/boundary/driver_call.h"
#include "nt/fault/fault.h"
#include "nt/mm/physical_memory.h"
#include "nt/testing/machine_fixture.h"
#include "nt/testing/physical_address.h"
#include "nt/testing/with_try.h"

namespace nt {
namespace {

constexpr ULONG kTag = 0x74736554;  // "Test"

using Strings = std::vector<std::string>;

uint64_t page_of(void* address) { return static_cast<uint64_t>(MmGetPhysicalAddress(address).QuadPart) / PAGE_SIZE; }

// MmProbeAndLockPages as a driver calls it, under a __try. Returns what was raised, or success.
WITH_TRY NTSTATUS try_lock(PMDL mdl, KPROCESSOR_MODE mode, LOCK_OPERATION operation) {
  DRYDOCK_SEH_FRAME frame;
  frame.Code = 0;
  frame.State = DRYDOCK_SEH_PUSHED;
  DrydockSehPush(&frame);
  if (__sigsetjmp(*reinterpret_cast<sigjmp_buf*>(frame.Jump), 0) == 0) {
    MmProbeAndLockPages(mdl, mode, operation);
    DrydockSehPop(&frame);
    return STATUS_SUCCESS;
  }
  DrydockSehFilter(&frame, EXCEPTION_EXECUTE_HANDLER);
  return static_cast<NTSTATUS>(DrydockSehCode());
}

class MdlTest : public MachineTest {
 protected:
  // Of three pages, the first begun in its middle.
  static constexpr size_t kBytes = 2 * PAGE_SIZE + 100;
  char* user() { return memory_ + PAGE_SIZE / 2; }

  MdlTest() {
    memory_ =
        static_cast<char*>(mmap(nullptr, 4 * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
  ~MdlTest() override { munmap(memory_, 4 * PAGE_SIZE); }

  static PMDL allocate(void* address, size_t bytes) {
    return IoAllocateMdl(address, static_cast<ULONG>(bytes), FALSE, FALSE, nullptr);
  }
  static void* pool(size_t bytes, POOL_FLAGS flags = POOL_FLAG_NON_PAGED) {
    return ExAllocatePool2(flags, bytes, kTag);
  }
  // Everything that the root scope has been left with.
  size_t left() { return machine().end_scope(machine().root_scope()); }

  char* memory_;
};

TEST_F(MdlTest, AnMdlDescribesARange) {
  run([&] {
    PMDL mdl = allocate(user(), kBytes);
    EXPECT_EQ(MmGetMdlVirtualAddress(mdl), user());
    EXPECT_EQ(MmGetMdlByteCount(mdl), kBytes);
    EXPECT_EQ(MmGetMdlByteOffset(mdl), PAGE_SIZE / 2);
    EXPECT_EQ(mdl->MdlFlags, 0);
    EXPECT_EQ(mdl->Next, nullptr);
    EXPECT_EQ(MmSizeOfMdl(user(), kBytes), sizeof(MDL) + 3 * sizeof(PFN_NUMBER));
    IoFreeMdl(mdl);
    EXPECT_EQ(allocate(nullptr, 0xFFFF'FFFF), nullptr);
    observer.failing_allocations = 1;
    EXPECT_EQ(allocate(user(), kBytes), nullptr);
    EXPECT_EQ(left(), 0u);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(MdlTest, NonpagedPoolIsDescribedPageByPage) {
  run([&] {
    auto* buffer = static_cast<char*>(pool(3 * PAGE_SIZE));
    PMDL mdl = allocate(buffer + 10, 2 * PAGE_SIZE);
    MmBuildMdlForNonPagedPool(mdl);
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(MmGetMdlPfnArray(mdl)[i], page_of(buffer + i * PAGE_SIZE));
    EXPECT_TRUE(mdl->MdlFlags & MDL_SOURCE_IS_NONPAGED_POOL);
    EXPECT_EQ(MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority | MdlMappingNoExecute), buffer + 10);
    IoFreeMdl(mdl);
    ExFreePool(buffer);
    EXPECT_EQ(left(), 0u);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(MdlTest, AnMdlInTheDriversOwnMemoryIsAsGood) {
  run([&] {
    void* buffer = pool(100);
    auto* mdl = static_cast<PMDL>(pool(MmSizeOfMdl(buffer, 100)));
    MmInitializeMdl(mdl, buffer, 100);
    MmBuildMdlForNonPagedPool(mdl);
    EXPECT_EQ(MmGetMdlPfnArray(mdl)[0], page_of(buffer));
    ExFreePool(mdl);
    ExFreePool(buffer);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(MdlTest, AClientsPagesAreLockedMappedAndUnlocked) {
  run([&] {
    PMDL mdl = allocate(user(), kBytes);
    MmProbeAndLockPages(mdl, UserMode, IoWriteAccess);
    EXPECT_TRUE(mdl->MdlFlags & MDL_PAGES_LOCKED);
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(MmGetMdlPfnArray(mdl)[i], page_of(memory_ + i * PAGE_SIZE));
    EXPECT_NE(MmGetMdlPfnArray(mdl)[0] + 1, MmGetMdlPfnArray(mdl)[1]);
    auto* mapped = static_cast<char*>(MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority | MdlMappingNoExecute));
    ASSERT_NE(mapped, nullptr);
    mapped[kBytes - 1] = 'x';
    EXPECT_EQ(user()[kBytes - 1], 'x');
    EXPECT_EQ(MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority | MdlMappingNoExecute), mapped);  // the same one
    MmUnlockPages(mdl);  // undoes the mapping too
    EXPECT_EQ(mdl->MdlFlags, 0);
    IoFreeMdl(mdl);
    EXPECT_EQ(left(), 0u);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(MdlTest, LockingFailsByAnException) {
  run([&] {
    PMDL mdl = allocate(user(), kBytes);
    observer.failing_allocations = 1;
    EXPECT_EQ(try_lock(mdl, KernelMode, IoWriteAccess), STATUS_INSUFFICIENT_RESOURCES);
    EXPECT_EQ(mdl->MdlFlags & MDL_PAGES_LOCKED, 0);
    EXPECT_EQ(try_lock(mdl, KernelMode, IoWriteAccess), STATUS_SUCCESS);
    MmUnlockPages(mdl);
    IoFreeMdl(mdl);
  });
}

TEST_F(MdlTest, TwoMdlsLockOnePageAsOne) {
  run([&] {
    PMDL a = allocate(user(), 100), b = allocate(user() + 200, 100);
    MmProbeAndLockPages(a, UserMode, IoReadAccess);
    MmProbeAndLockPages(b, UserMode, IoReadAccess);
    uint64_t page = MmGetMdlPfnArray(a)[0];
    EXPECT_EQ(MmGetMdlPfnArray(b)[0], page);
    MmUnlockPages(a);
    EXPECT_TRUE(machine().physical().address(page * PAGE_SIZE));
    MmUnlockPages(b);
    EXPECT_FALSE(machine().physical().address(page * PAGE_SIZE));
    IoFreeMdl(a);
    IoFreeMdl(b);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(MdlTest, WhatIsNotThereRaises) {
  install_fault_handlers();
  mprotect(memory_ + PAGE_SIZE, PAGE_SIZE, PROT_NONE);
  mprotect(memory_ + 2 * PAGE_SIZE, PAGE_SIZE, PROT_READ);
  run([&] {
    void* freed = pool(100);
    ExFreePool(freed);
    struct {
      void* address;
      size_t bytes;
      KPROCESSOR_MODE mode;
      LOCK_OPERATION operation;
      NTSTATUS expected;
    } cases[] = {
        {user(), kBytes, UserMode, IoReadAccess, STATUS_ACCESS_VIOLATION},  // its second page
        {memory_, PAGE_SIZE, UserMode, IoWriteAccess, STATUS_SUCCESS},
        {memory_ + 2 * PAGE_SIZE, PAGE_SIZE, UserMode, IoReadAccess, STATUS_SUCCESS},
        {memory_ + 2 * PAGE_SIZE, PAGE_SIZE, UserMode, IoModifyAccess, STATUS_ACCESS_VIOLATION},
        {reinterpret_cast<void*>(UINTPTR_MAX - 10), 100, UserMode, IoReadAccess, STATUS_ACCESS_VIOLATION},
        {freed, 100, KernelMode, IoReadAccess, STATUS_ACCESS_VIOLATION},
    };
    for (auto& each : cases) {
      PMDL mdl = allocate(each.address, each.bytes);
      NTSTATUS status = try_lock(mdl, each.mode, each.operation);
      EXPECT_EQ(status, each.expected) << &each - cases;
      EXPECT_EQ(mdl->MdlFlags & MDL_PAGES_LOCKED, status == STATUS_SUCCESS ? MDL_PAGES_LOCKED : 0);
      if (status == STATUS_SUCCESS) MmUnlockPages(mdl);
      IoFreeMdl(mdl);
    }
    EXPECT_EQ(left(), 0u);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(MdlTest, TheKernelsMemoryIsNoClients) {
  run([&] {
    void* paged = pool(PAGE_SIZE, POOL_FLAG_PAGED);
    PMDL mdl = allocate(paged, PAGE_SIZE);
    EXPECT_EQ(try_lock(mdl, UserMode, IoReadAccess), STATUS_ACCESS_VIOLATION);
    EXPECT_EQ(try_lock(mdl, KernelMode, IoReadAccess), STATUS_SUCCESS);
    MmUnlockPages(mdl);
    IoFreeMdl(mdl);
    ExFreePool(paged);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(MdlTest, PageableMemoryIsNotLockedAtDispatchLevel) {
  observer.then = Then::GoOn;
  run([&] {
    PMDL mdl = allocate(user(), 1);
    KIRQL irql;
    KeRaiseIrql(DISPATCH_LEVEL, &irql);
    MmProbeAndLockPages(mdl, UserMode, IoReadAccess);
    MmUnlockPages(mdl);
    KeLowerIrql(irql);
    IoFreeMdl(mdl);
  });
  EXPECT_EQ(broken(), Strings{"IrqlTooHigh"});
}

// --- Partial MDLs ---

TEST_F(MdlTest, APartSharesTheMappingThatThereIs) {
  run([&] {
    auto* buffer = static_cast<char*>(pool(3 * PAGE_SIZE));
    PMDL whole = allocate(buffer, 3 * PAGE_SIZE), part = allocate(buffer, 2 * PAGE_SIZE);
    MmBuildMdlForNonPagedPool(whole);
    IoBuildPartialMdl(whole, part, buffer + PAGE_SIZE + 8, 100);
    EXPECT_EQ(MmGetMdlVirtualAddress(part), buffer + PAGE_SIZE + 8);
    EXPECT_EQ(MmGetMdlByteCount(part), 100u);
    EXPECT_EQ(MmGetMdlPfnArray(part)[0], page_of(buffer + PAGE_SIZE));
    EXPECT_EQ(MmGetSystemAddressForMdlSafe(part, NormalPagePriority | MdlMappingNoExecute), buffer + PAGE_SIZE + 8);
    MmPrepareMdlForReuse(part);
    IoBuildPartialMdl(whole, part, buffer + PAGE_SIZE, 0);  // the rest
    EXPECT_EQ(MmGetMdlByteCount(part), 2u * PAGE_SIZE);
    EXPECT_EQ(MmGetMdlPfnArray(part)[1], page_of(buffer + 2 * PAGE_SIZE));
    IoFreeMdl(part);
    IoFreeMdl(whole);
    ExFreePool(buffer);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(MdlTest, APartOfAnUnmappedSourceHasAMappingOfItsOwn) {
  run([&] {
    PMDL whole = allocate(user(), kBytes), part = allocate(user(), kBytes);
    MmProbeAndLockPages(whole, UserMode, IoWriteAccess);
    IoBuildPartialMdl(whole, part, user() + PAGE_SIZE, 50);
    EXPECT_EQ(MmGetSystemAddressForMdlSafe(part, NormalPagePriority | MdlMappingNoExecute), user() + PAGE_SIZE);
    EXPECT_TRUE(part->MdlFlags & MDL_PARTIAL_HAS_BEEN_MAPPED);
    MmPrepareMdlForReuse(part);
    IoBuildPartialMdl(whole, part, user(), 50);
    EXPECT_EQ(MmGetSystemAddressForMdlSafe(part, NormalPagePriority | MdlMappingNoExecute), user());
    IoFreeMdl(part);  // undoes it
    MmUnlockPages(whole);
    IoFreeMdl(whole);
    EXPECT_EQ(left(), 0u);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(MdlTest, WrongPartsAreFound) {
  observer.then = Then::GoOn;
  run([&] {
    PMDL whole = allocate(user(), kBytes), part = allocate(user(), 10);
    IoBuildPartialMdl(whole, part, user(), 10);  // not locked
    MmProbeAndLockPages(whole, UserMode, IoWriteAccess);
    IoBuildPartialMdl(whole, part, user() + kBytes - 5, 10);  // beyond its end
    IoBuildPartialMdl(whole, part, user() - 5, 10);           // before its start
    IoBuildPartialMdl(whole, part, user(), 0);                // three pages into one
    IoBuildPartialMdl(whole, part, user(), 10);
    MmGetSystemAddressForMdlSafe(part, NormalPagePriority | MdlMappingNoExecute);
    IoBuildPartialMdl(whole, part, user(), 10);  // still mapped
    MmUnlockPages(whole);
    IoFreeMdl(part);
    IoFreeMdl(whole);
  });
  EXPECT_EQ(broken(), (Strings{"MdlLockMismatch", "MdlInvalid", "MdlInvalid", "MdlInvalid", "MdlMappingMismatch"}));
}

// --- Pages of its own ---

TEST_F(MdlTest, PagesAreZeroedAndNotContiguous) {
  run([&] {
    PMDL mdl = MmAllocatePagesForMdl(at(0), at(UINT64_MAX), at(0), 5 * PAGE_SIZE - 1);
    ASSERT_NE(mdl, nullptr);
    EXPECT_EQ(MmGetMdlByteCount(mdl), 5u * PAGE_SIZE);
    for (size_t i = 0; i < 4; ++i) EXPECT_NE(MmGetMdlPfnArray(mdl)[i] + 1, MmGetMdlPfnArray(mdl)[i + 1]);
    auto* mapped = static_cast<char*>(MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority | MdlMappingNoExecute));
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(page_of(mapped + i * PAGE_SIZE), MmGetMdlPfnArray(mdl)[i]);
      EXPECT_EQ(mapped[i * PAGE_SIZE], 0);
    }
    MmUnmapLockedPages(mapped, mdl);
    EXPECT_EQ(MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority | MdlMappingNoExecute), mapped);
    MmFreePagesFromMdl(mdl);  // undoes the mapping
    ExFreePool(mdl);
    EXPECT_EQ(left(), 0u);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(MdlTest, PagesObeyTheirLimits) {
  run([&] {
    auto pages = [](uint64_t low, uint64_t high, uint64_t skip, size_t bytes, ULONG flags) {
      return MmAllocatePagesForMdlEx(at(low), at(high), at(skip), bytes, MmCached, flags);
    };
    auto free = [](PMDL mdl) {
      MmFreePagesFromMdl(mdl);
      ExFreePool(mdl);
    };
    PMDL low = pages(0, 0xFFFF'FFFF, 0, 64 * PAGE_SIZE, 0);
    for (size_t i = 0; i < 64; ++i) EXPECT_LT(MmGetMdlPfnArray(low)[i], 0x10'0000u);
    free(low);
    uint64_t start = 10 * kGiB;
    PMDL partly = pages(start, start + 0x100000 - 1, 0, 0x200000, 0);
    EXPECT_EQ(MmGetMdlByteCount(partly), 0x100000u);
    free(partly);
    EXPECT_EQ(pages(start, start + 0x100000 - 1, 0, 0x200000, MM_ALLOCATE_FULLY_REQUIRED), nullptr);
    PMDL next = pages(0x1000, 0x100000, 2 * kGiB, 0x1000, 0);  // the first range has none, the second has
    EXPECT_GE(MmGetMdlPfnArray(next)[0], 2 * kGiB / PAGE_SIZE);
    free(next);
    PMDL block = pages(0, UINT64_MAX, 0, 16 * PAGE_SIZE, MM_ALLOCATE_REQUIRE_CONTIGUOUS_CHUNKS);
    for (size_t i = 1; i < 16; ++i) EXPECT_EQ(MmGetMdlPfnArray(block)[i], MmGetMdlPfnArray(block)[0] + i);
    free(block);
    PMDL chunks = pages(0, UINT64_MAX, 0x10000, 0x20000, MM_ALLOCATE_REQUIRE_CONTIGUOUS_CHUNKS);
    EXPECT_EQ(MmGetMdlPfnArray(chunks)[0] % 16, 0u);
    free(chunks);
    EXPECT_EQ(pages(0, 0xFFFF, 0, PAGE_SIZE, 0), nullptr);
    EXPECT_EQ(pages(0, UINT64_MAX, 100, PAGE_SIZE, 0), nullptr);
    EXPECT_EQ(pages(0, UINT64_MAX, 0, 0, 0), nullptr);
    EXPECT_EQ(pages(0, UINT64_MAX, 0, PAGE_SIZE, MM_ALLOCATE_FAST_LARGE_PAGES), nullptr);
    EXPECT_EQ(left(), 0u);
  });
  EXPECT_TRUE(broken().empty());
}

// --- Misuse ---

TEST_F(MdlTest, EverythingLeftBehindIsFound) {
  run([&] {
    PMDL mdl = allocate(user(), 10);
    MmProbeAndLockPages(mdl, UserMode, IoReadAccess);
    MmMapLockedPagesSpecifyCache(mdl, UserMode, MmCached, nullptr, FALSE, NormalPagePriority | MdlMappingNoExecute);
    MmAllocatePagesForMdl(at(0), at(UINT64_MAX), at(0), PAGE_SIZE);
    observer.then = Then::GoOn;
    left();
  });
  Strings found;
  for (const ViolationReport& violation : observer.violations)
    found.push_back(violation.sentence.substr(0, violation.sentence.find(" obt")));
  EXPECT_EQ(found, (Strings{"an MDL", "a lock on the pages of an MDL", "a client's mapping of an MDL", "a pool block",
                            "the pages of an MDL"}));
}

TEST_F(MdlTest, FreeingWhatIsInUseIsFound) {
  observer.then = Then::GoOn;
  run([&] {
    PMDL mdl = allocate(user(), 10);
    MmProbeAndLockPages(mdl, UserMode, IoReadAccess);
    IoFreeMdl(mdl);
    MmUnlockPages(mdl);
    IoFreeMdl(mdl);
    PMDL pages = MmAllocatePagesForMdl(at(0), at(UINT64_MAX), at(0), PAGE_SIZE);
    IoFreeMdl(pages);
    MmFreePagesFromMdl(pages);
    IoFreeMdl(pages);           // not from IoAllocateMdl
    MmFreePagesFromMdl(pages);  // again
    ExFreePool(pages);
    EXPECT_EQ(left(), 0u);
  });
  EXPECT_EQ(broken(), (Strings{"MdlFreedInUse", "MdlFreedInUse", "MdlInvalid", "MdlInvalid"}));
}

TEST_F(MdlTest, UnevenLocksAreFound) {
  observer.then = Then::GoOn;
  run([&] {
    PMDL mdl = allocate(user(), 10);
    MmUnlockPages(mdl);  // never locked
    MmProbeAndLockPages(mdl, UserMode, IoReadAccess);
    MmProbeAndLockPages(mdl, UserMode, IoReadAccess);
    MmUnlockPages(mdl);
    MmUnlockPages(mdl);
    IoFreeMdl(mdl);
    void* buffer = pool(10);
    PMDL built = allocate(buffer, 10);
    MmBuildMdlForNonPagedPool(built);
    MmProbeAndLockPages(built, KernelMode, IoReadAccess);
    MmUnlockPages(built);
    IoFreeMdl(built);
    ExFreePool(buffer);
    EXPECT_EQ(left(), 0u);
  });
  EXPECT_EQ(broken(), Strings(5, "MdlLockMismatch"));
}

TEST_F(MdlTest, UnevenMappingsAreFound) {
  observer.then = Then::GoOn;
  run([&] {
    auto map = [](PMDL mdl) {
      return MmMapLockedPagesSpecifyCache(mdl, KernelMode, MmCached, nullptr, FALSE,
                                          NormalPagePriority | MdlMappingNoExecute);
    };
    PMDL mdl = allocate(user(), 10);
    EXPECT_EQ(map(mdl), nullptr);  // not locked
    MmProbeAndLockPages(mdl, UserMode, IoReadAccess);
    void* mapped = map(mdl);
    EXPECT_EQ(map(mdl), nullptr);  // mapped already
    MmUnmapLockedPages(user() + 1, mdl);
    MmUnmapLockedPages(mapped, mdl);
    MmUnmapLockedPages(mapped, mdl);
    MmUnlockPages(mdl);
    IoFreeMdl(mdl);
  });
  EXPECT_EQ(broken(), Strings(4, "MdlMappingMismatch"));
}

TEST_F(MdlTest, AKernelMappingIsNotExecutable) {
  observer.then = Then::GoOn;
  run([&] {
    PMDL mdl = allocate(user(), 10);
    MmProbeAndLockPages(mdl, UserMode, IoReadAccess);
    EXPECT_NE(MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority), nullptr);
    EXPECT_NE(MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority), nullptr);  // it is mapped already
    MmUnlockPages(mdl);
    IoFreeMdl(mdl);
  });
  EXPECT_EQ(broken(), Strings{"ExecutableMemory"});
}

TEST_F(MdlTest, AMappingCanBeMadeToFail) {
  run([&] {
    PMDL mdl = allocate(user(), 10);
    MmProbeAndLockPages(mdl, UserMode, IoReadAccess);
    observer.failing_allocations = 1;
    EXPECT_EQ(MmGetSystemAddressForMdlSafe(mdl, LowPagePriority | MdlMappingNoExecute), nullptr);
    EXPECT_NE(MmGetSystemAddressForMdlSafe(mdl, LowPagePriority | MdlMappingNoExecute), nullptr);
    MmUnlockPages(mdl);
    IoFreeMdl(mdl);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(MdlTest, MemoryThatCannotBeDescribedIsFound) {
  observer.then = Then::GoOn;
  run([&] {
    int on_the_stack = 0;
    void* paged = pool(100, POOL_FLAG_PAGED);
    void* freed = pool(100);
    void* block = pool(100);
    ExFreePool(freed);
    struct {
      void* address;
      size_t bytes;
    } wrong[] = {{&on_the_stack, 4}, {paged, 100}, {freed, 100}, {block, 101}, {nullptr, 1}};
    for (auto [address, bytes] : wrong) {
      PMDL mdl = allocate(address, bytes);
      MmBuildMdlForNonPagedPool(mdl);
      EXPECT_EQ(mdl->MdlFlags, 0);
      IoFreeMdl(mdl);
    }
    ExFreePool(paged);
    ExFreePool(block);
  });
  EXPECT_EQ(broken(), Strings(5, "MdlInvalid"));
}

TEST_F(MdlTest, AClientsMappingCanBeMadeTwice) {
  run([&] {
    PMDL mdl = allocate(user(), 10);
    MmProbeAndLockPages(mdl, UserMode, IoReadAccess);
    auto map = [&] {
      return MmMapLockedPagesSpecifyCache(mdl, UserMode, MmCached, nullptr, FALSE, NormalPagePriority);
    };
    void *first = map(), *second = map();
    EXPECT_TRUE(first && second);
    MmUnmapLockedPages(second, mdl);
    MmUnmapLockedPages(first, mdl);
    MmUnlockPages(mdl);
    IoFreeMdl(mdl);
  });
  EXPECT_EQ(broken(), Strings{});
}

// A machine has so many page numbers that a driver could use them up, one lock after another.
TEST_F(MdlTest, PageNumbersAreGivenAgain) {
  run([&] {
    PhysicalMemory& memory = machine().physical();
    auto page = reinterpret_cast<uintptr_t>(user());
    std::set<uint64_t> numbers;
    constexpr size_t kLocks = 100'000;
    for (size_t i = 0; i < kLocks; ++i) {
      numbers.insert(memory.hold(page));
      memory.release(page);
    }
    EXPECT_LT(numbers.size(), kLocks);
    EXPECT_GT(numbers.size(), 10'000u);  // not at once: a late use of an old number is found
  });
}

}  // namespace
}  // namespace nt
