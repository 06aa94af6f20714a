// System threads, handles and references.
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

constexpr uint32_t kTag = 0x65657246;

class PsThreadTest : public MachineTest {
 protected:
  void SetUp() override { observer.then = Then::GoOn; }

  HANDLE create(PKSTART_ROUTINE routine, void* context) {
    HANDLE handle = nullptr;
    EXPECT_EQ(PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, nullptr, nullptr, nullptr, routine, context),
              STATUS_SUCCESS);
    return handle;
  }
  static void* reference(HANDLE handle) {
    void* object = nullptr;
    EXPECT_EQ(ObReferenceObjectByHandle(handle, SYNCHRONIZE, *PsThreadType, KernelMode, &object, nullptr),
              STATUS_SUCCESS);
    return object;
  }
  static void wait(void* object) { KeWaitForSingleObject(object, Executive, KernelMode, FALSE, nullptr); }
};

void count(PVOID context) { ++*static_cast<int*>(context); }

TEST_F(PsThreadTest, RunsItsRoutineAndIsSignalledAtItsEnd) {
  run_seeds(10, [&] {
    int runs = 0;
    HANDLE handle = create(&count, &runs);
    void* thread = reference(handle);
    wait(thread);
    EXPECT_EQ(runs, 1);
    ObDereferenceObject(thread);
    EXPECT_EQ(ZwClose(handle), STATUS_SUCCESS);
    EXPECT_TRUE(broken().empty());
  });
}

struct Seen {
  PETHREAD thread = nullptr;
  HANDLE id = nullptr, process_id = nullptr;
  KIRQL irql = 0xFF;
  BOOLEAN apcs_disabled = FALSE;
  bool came_back = false;
};

void look(PVOID context) {
  auto& seen = *static_cast<Seen*>(context);
  seen = {PsGetCurrentThread(), PsGetCurrentThreadId(), PsGetCurrentProcessId(), KeGetCurrentIrql(),
          KeAreApcsDisabled()};
  PsTerminateSystemThread(STATUS_SUCCESS);
  seen.came_back = true;
}

TEST_F(PsThreadTest, TheThreadIsWhatItsHandleSays) {
  run([&] {
    Seen seen;
    HANDLE handle = nullptr;
    CLIENT_ID client_id = {};
    PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, nullptr, nullptr, &client_id, &look, &seen);
    void* thread = reference(handle);
    wait(thread);
    EXPECT_EQ(seen.thread, thread);
    EXPECT_EQ(seen.id, client_id.UniqueThread);
    EXPECT_EQ(seen.id, PsGetThreadId(static_cast<PETHREAD>(thread)));
    EXPECT_NE(seen.id, PsGetCurrentThreadId());
    EXPECT_EQ(seen.process_id, client_id.UniqueProcess);
    EXPECT_EQ(seen.process_id, PsGetProcessId(PsGetCurrentProcess()));
    EXPECT_EQ(seen.irql, PASSIVE_LEVEL);
    EXPECT_TRUE(seen.apcs_disabled);  // documented: it runs inside a critical region
    EXPECT_FALSE(seen.came_back);
    EXPECT_EQ(machine().threads().back()->name, "driver thread 1");
    EXPECT_TRUE(machine().threads().back()->system);
    EXPECT_TRUE(machine().threads().back()->terminated);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(PsThreadTest, OnlyASystemThreadTerminatesItself) {
  run([&] { EXPECT_EQ(PsTerminateSystemThread(STATUS_SUCCESS), STATUS_INVALID_PARAMETER); });
}

TEST_F(PsThreadTest, AThreadNeedsNoHandle) {
  run([&] {
    int runs = 0;
    EXPECT_EQ(PsCreateSystemThread(nullptr, 0, nullptr, nullptr, nullptr, &count, &runs), STATUS_SUCCESS);
    wait(machine().threads().back()->body);
    EXPECT_EQ(runs, 1);
  });
}

TEST_F(PsThreadTest, RefusesWhatTheDocumentationForbids) {
  run([&] {
    HANDLE handle = nullptr;
    int runs = 0;
    OBJECT_ATTRIBUTES attributes;
    InitializeObjectAttributes(&attributes, nullptr, OBJ_KERNEL_HANDLE | OBJ_PERMANENT, nullptr, nullptr);
    EXPECT_EQ(PsCreateSystemThread(&handle, 0, &attributes, nullptr, nullptr, &count, &runs), STATUS_INVALID_PARAMETER);
    HANDLE none = reinterpret_cast<HANDLE>(uintptr_t{0x4444});
    EXPECT_EQ(PsCreateSystemThread(&handle, 0, nullptr, none, nullptr, &count, &runs), STATUS_INVALID_HANDLE);
    EXPECT_EQ(PsCreateSystemThread(&handle, 0, nullptr, NtCurrentThread(), nullptr, &count, &runs),
              STATUS_OBJECT_TYPE_MISMATCH);
    attributes.Attributes = OBJ_KERNEL_HANDLE;
    EXPECT_EQ(PsCreateSystemThread(&handle, 0, &attributes, NtCurrentProcess(), nullptr, &count, &runs),
              STATUS_SUCCESS);
    ZwClose(handle);
  });
}

TEST_F(PsThreadTest, AThreadThatEndsWithALockHeldIsAFinding) {
  run([&] {
    static KSPIN_LOCK lock;
    KeInitializeSpinLock(&lock);
    HANDLE handle = create(
        [](PVOID) {
          KIRQL old;
          KeAcquireSpinLock(&lock, &old);
        },
        nullptr);
    wait(reference(handle));
  });
  ASSERT_GE(broken().size(), 2u);
  EXPECT_EQ(broken()[0], "IrqlNotRestored");
  EXPECT_EQ(observer.violations[0].in_call, "system thread");
}

TEST_F(PsThreadTest, HandlesThatAreNoneGiveTheDocumentedStatus) {
  run([&] {
    int runs = 0;
    void* object = &runs;
    HANDLE handle = create(&count, &runs);
    EXPECT_EQ(ZwClose(handle), STATUS_SUCCESS);
    EXPECT_EQ(ZwClose(handle), STATUS_INVALID_HANDLE);
    EXPECT_EQ(ZwClose(nullptr), STATUS_INVALID_HANDLE);
    EXPECT_EQ(ZwClose(reinterpret_cast<HANDLE>(uintptr_t{0x123456})), STATUS_INVALID_HANDLE);
    EXPECT_EQ(ObReferenceObjectByHandle(handle, 0, nullptr, KernelMode, &object, nullptr), STATUS_INVALID_HANDLE);
    EXPECT_EQ(object, nullptr);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(PsThreadTest, TypesAreCompared) {
  run([&] {
    int runs = 0;
    void* object = nullptr;
    OBJECT_HANDLE_INFORMATION information = {};
    HANDLE handle = create(&count, &runs);
    EXPECT_EQ(ObReferenceObjectByHandle(handle, 0, *ExEventObjectType, KernelMode, &object, nullptr),
              STATUS_OBJECT_TYPE_MISMATCH);
    EXPECT_EQ(ObReferenceObjectByHandle(handle, 0, *PsThreadType, UserMode, &object, nullptr), STATUS_INVALID_HANDLE);
    EXPECT_EQ(ObReferenceObjectByHandle(handle, 0, nullptr, KernelMode, &object, &information), STATUS_SUCCESS);
    EXPECT_EQ(information.GrantedAccess, ACCESS_MASK{THREAD_ALL_ACCESS});
    ObDereferenceObject(object);
    EXPECT_EQ(ObReferenceObjectByHandle(NtCurrentThread(), 0, *PsThreadType, KernelMode, &object, nullptr),
              STATUS_SUCCESS);
    EXPECT_EQ(object, PsGetCurrentThread());
    ObDereferenceObject(object);
    ZwClose(handle);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(PsThreadTest, OneDereferenceTooManyIsAFinding) {
  run([&] {
    int runs = 0;
    HANDLE handle = create(&count, &runs);
    void* thread = reference(handle);
    ObReferenceObject(thread);
    ObDereferenceObject(thread);
    ObDereferenceObject(thread);
    EXPECT_TRUE(broken().empty());
    ObDereferenceObject(thread);  // the handle still keeps it
  });
  EXPECT_EQ(broken(), std::vector<std::string>{"ReferenceUnderflow"});
}

TEST_F(PsThreadTest, AReferenceToNoObjectIsAFinding) {
  run([&] {
    int mine = 0;
    ObReferenceObject(&mine);
  });
  EXPECT_EQ(broken(), std::vector<std::string>{"NotInitialised"});
}

TEST_F(PsThreadTest, WhatIsLeftIsALeakEach) {
  run([&] {
    Scope scope(ScopeKind::Driver, "mill", &machine().root_scope());
    machine().self().scope = &scope;
    int runs = 0;
    HANDLE handle = create(&count, &runs);
    void* thread = nullptr;
    ObReferenceObjectByHandleWithTag(handle, 0, *PsThreadType, KernelMode, kTag, &thread, nullptr);
    wait(thread);
    ObReferenceObject(thread);
    ObDereferenceObjectWithTag(thread, kTag);
    EXPECT_EQ(machine().end_scope(scope), 2u);
    machine().self().scope = &machine().root_scope();
  });
  ASSERT_EQ(broken(), (std::vector<std::string>{"Leak", "Leak"}));
  EXPECT_EQ(observer.violations[0].sentence, "a handle obtained in driver mill was never given back");
  EXPECT_EQ(observer.violations[1].sentence, "a reference to an object obtained in driver mill was never given back");
}

TEST_F(PsThreadTest, AThreadBelongsToItsDriverEvenIfMadeInANarrowerScope) {
  run([&] {
    Scope driver(ScopeKind::Driver, "mill", &machine().root_scope());
    Scope narrow(ScopeKind::Pin, "pin", &driver);
    machine().self().scope = &narrow;
    static Scope* seen;
    HANDLE handle = create([](PVOID) { seen = Thread::current()->scope; }, nullptr);
    wait(reference(handle));
    EXPECT_EQ(seen, &driver);
    machine().self().scope = &machine().root_scope();
  });
}

}  // namespace
}  // namespace nt
