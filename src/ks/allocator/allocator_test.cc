#include "ks/allocator/allocator.h"

#include <gmock/gmock.h>

#include <memory>

#include "base/rng.h"
#include "ks/testing/allocator_fixture.h"
#include "nt/io/file_objects.h"
#include "nt/io/irp_buffers.h"
#include "nt/io/irps.h"

namespace ks::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// --- Life ---

TEST_F(AllocatorTest, OneDeleteForOneInitializeAndBeforeThePinsClose) {
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 1);
    PKSPIN body = &*pin_of(pin);
    FILE_OBJECT* file = open(pin, framing(3)).take();
    EXPECT_EQ(allocator.pin, body);
    EXPECT_EQ(allocator.framing.Frames, 3u);
    EXPECT_TRUE(allocator.control_held);
    EXPECT_EQ(node(file).state(), AllocatorState::Initialized);
    void* frame = node(file).allocate();
    EXPECT_TRUE(node(file).free(frame));
    EXPECT_EQ(program().close(pin), STATUS_SUCCESS);
    EXPECT_EQ(allocator.calls, "IAF") << "the allocator keeps its pin";
    close(file);
    EXPECT_EQ(allocator.calls, "IAFDC");
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(AllocatorTest, NoDeleteAfterAFailedInitialize) {
  allocator.status = STATUS_DEVICE_BUSY;
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 1);
    EXPECT_EQ(open(pin, framing(3)).status(), STATUS_DEVICE_BUSY);
    EXPECT_EQ(program().close(pin), STATUS_SUCCESS);
  });
  EXPECT_EQ(allocator.calls, "IC");
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(AllocatorTest, FramesThatNobodyFreedAreFreedBeforeDelete) {
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 1);
    FILE_OBJECT* file = open(pin, framing(0)).take();
    for (int i = 0; i < 3; ++i) node(file).allocate();
    close(file);
    EXPECT_EQ(allocator.calls, "IAAAFFFD");
    auto ledgers = system().allocators().ledgers();
    ASSERT_EQ(ledgers.size(), 1u);
    EXPECT_EQ(ledgers[0].state, AllocatorState::Deleted);
    EXPECT_EQ(ledgers[0].drained, 3u);
    EXPECT_EQ(ledgers[0].freed, 3u);
    EXPECT_EQ(ledgers[0].outstanding, 0u);
    EXPECT_EQ(ledgers[0].most_outstanding, 3u);
    EXPECT_TRUE(ledgers[0].drivers_own);
    EXPECT_THAT(ledgers[0].pin, HasSubstr("pin 1"));
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(AllocatorTest, ADriverGetsNoFrameWhileItsLastOnesAreFreed) {
  run_driver([&] {
    FILE_OBJECT* file = open(open_pin(open_filter(), 1), framing(0)).take();
    KSSTREAMALLOCATOR_FUNCTIONTABLE table{};
    ASSERT_EQ(get(*file, KSPROPERTY_STREAMALLOCATOR_FUNCTIONTABLE, table), STATUS_SUCCESS);
    node(file).allocate();
    std::vector<AllocatorState> seen;
    allocator.in_free = [&] {
      seen.push_back(node(file).state());
      void* frame = nullptr;
      EXPECT_EQ(table.AllocateFrame(file, &frame), STATUS_INSUFFICIENT_RESOURCES);
    };
    close(file);
    EXPECT_THAT(seen, ElementsAre(AllocatorState::Draining));
    EXPECT_EQ(allocator.calls, "IAFD");
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(AllocatorTest, ADeviceThatGoesWhileAnAllocatorIsDeletedLeavesTheFileAlone) {
  run_driver([&] {
    HANDLE filter = open_filter();
    HANDLE sink = open_pin(filter, 1);
    open_pin(filter, 0, sink);
    HANDLE handle = program().open_allocator(sink, framing(1)).take();
    allocator.in_remove = [&] { system().allocators().device_gone(device()); };
    EXPECT_EQ(program().close(handle), STATUS_SUCCESS);
    EXPECT_EQ(allocator.calls, "ID") << "deleted once";
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(AllocatorTest, WhatDeleteLeavesIsFound) {
  allocator.keeps_block = true;
  observer.then = nt::Then::GoOn;
  run_driver([&] {
    close(open(open_pin(open_filter(), 1), framing(1)).take());
    EXPECT_EQ(system().allocators().ledgers()[0].left_in_scope, 1u);
  });
  EXPECT_THAT(broken(), ElementsAre("KsAllocatorLeak"));
}

TEST_F(AllocatorTest, AProgramThatDiesLetsGoOfEverything) {
  run_driver([&] {
    HANDLE filter = open_filter();
    HANDLE sink = open_pin(filter, 1);
    HANDLE source = open_pin(filter, 0, sink);
    auto handle = program().open_allocator(sink, framing(1));
    ASSERT_TRUE(handle.ok());
    EXPECT_EQ(allocator.calls, "I") << "the pin is connected in the kernel";
    EXPECT_EQ(program().assign_allocator(source, handle.value()), STATUS_SUCCESS);
    FILE_OBJECT* file = pin_of(source).allocator_file();
    ASSERT_NE(file, nullptr);
    node(file).allocate();
    AllocRequest waits(machine());
    ASSERT_EQ(waits.send(*file), STATUS_PENDING);
    end_program();
    EXPECT_EQ(waits.wait(), STATUS_CANCELLED);
  });
  EXPECT_EQ(allocator.calls, "IACFDC") << "the source first, which is above nothing; the sink after its allocator";
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(AllocatorTest, SurpriseRemovalEndsTheWaiting) {
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 1);
    auto handle = program().open_allocator(pin, framing(1));
    ASSERT_TRUE(handle.ok());
    FILE_OBJECT* file = machine().files().find(&program().process(), handle.value(), UserMode).take();
    void* frame = node(file).allocate();
    AllocRequest waits(machine());
    ASSERT_EQ(waits.send(*file, UserMode), STATUS_PENDING);
    system().allocators().device_gone(device());
    EXPECT_EQ(waits.wait(), STATUS_CANCELLED);
    AllocRequest late(machine());
    EXPECT_EQ(late.send(*file, UserMode), STATUS_CANCELLED);
    EXPECT_TRUE(node(file).free(frame));
    close(file);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(AllocatorTest, ARequestThatTheEndCancelsBringsNothingBack) {
  run_driver([&] {
    FILE_OBJECT* file = open(open_pin(open_filter(), 1), framing(1)).take();
    void* frame = node(file).allocate();
    KSMETHOD method{{{KSMETHODSETID_StreamAllocator, KSMETHOD_STREAMALLOCATOR_ALLOC, KSMETHOD_TYPE_WRITE}}};
    void* answer = nullptr;
    IRP* irp =
        machine()
            .files()
            .build_control({*file, IOCTL_KS_METHOD, &method, sizeof(method), &answer, sizeof(answer), KernelMode})
            .take();
    irp->IoStatus.Information = 77;  // left from an earlier use
    nt::IoRequest waits(machine());
    ASSERT_EQ(waits.send(machine().files().target(*file), *irp), STATUS_PENDING);
    node(file).stop_waiting();
    EXPECT_EQ(waits.wait(), STATUS_CANCELLED);
    EXPECT_EQ(waits.status().Information, 0u);
    EXPECT_EQ(answer, nullptr);
    EXPECT_TRUE(node(file).free(frame));
    close(file);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// --- Which clients get the driver's allocator ---

TEST_F(AllocatorTest, AProgramOnAPinOfItsOwnGetsTheDefaultOne) {
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 1);
    auto handle = program().open_allocator(pin, framing(1));
    ASSERT_TRUE(handle.ok());
    EXPECT_FALSE(system().allocators().ledgers()[0].drivers_own);
  });
  EXPECT_EQ(allocator.count('I'), 0u);
  EXPECT_EQ(allocator.count('D'), 0u);
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(AllocatorTest, FramesOfADriverNeverReachAProgram) {
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 1);
    FILE_OBJECT* file = open(pin, framing(1)).take();
    AllocRequest alloc(machine());
    EXPECT_EQ(alloc.send(*file, UserMode), STATUS_ACCESS_DENIED);
    void* frame = node(file).allocate();
    EXPECT_EQ(free(*file, frame, UserMode), STATUS_ACCESS_DENIED);
    KSSTREAMALLOCATOR_FUNCTIONTABLE table{};
    EXPECT_EQ(get(*file, KSPROPERTY_STREAMALLOCATOR_FUNCTIONTABLE, table, UserMode), STATUS_ACCESS_DENIED);
    EXPECT_EQ(table.AllocateFrame, nullptr);
    close(file);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(AllocatorTest, BadRequestsAreRefused) {
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 1);
    KSALLOCATOR_FRAMING wanted = framing(1);
    auto open_with = [&](const void* bytes, size_t count) {
      return program().open_child(pin, KSNAME_Allocator, bytes, count).status();
    };
    EXPECT_EQ(open_with(&wanted, sizeof(wanted) - 2), STATUS_INVALID_BUFFER_SIZE);
    EXPECT_EQ(open_with(nullptr, 0), STATUS_INVALID_BUFFER_SIZE);
    wanted.FrameSize = 0;
    EXPECT_EQ(open_with(&wanted, sizeof(wanted)), STATUS_INVALID_PARAMETER);
    wanted = framing(1);
    wanted.FileAlignment = 5;
    EXPECT_EQ(open_with(&wanted, sizeof(wanted)), STATUS_INVALID_PARAMETER);
    EXPECT_TRUE(system().allocators().ledgers().empty());
    FILE_OBJECT* file = open(pin, framing(1)).take();
    IO_STATUS_BLOCK status;
    EXPECT_EQ(machine().files().control({*file, IOCTL_KS_READ_STREAM, nullptr, 0, nullptr, 0, KernelMode}, status),
              STATUS_INVALID_DEVICE_REQUEST);
    close(file);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// --- ALLOC and FREE ---

TEST_F(AllocatorTest, RequestsBeyondTheLimitWaitAndAreServedInOrder) {
  run_driver([&] {
    FILE_OBJECT* file = open(open_pin(open_filter(), 1), framing(2)).take();
    AllocRequest first(machine()), second(machine()), third(machine()), fourth(machine());
    EXPECT_EQ(first.send(*file), STATUS_SUCCESS);
    EXPECT_EQ(second.send(*file), STATUS_SUCCESS);
    EXPECT_NE(first.frame, second.frame);
    EXPECT_EQ(third.send(*file), STATUS_PENDING);
    EXPECT_EQ(fourth.send(*file), STATUS_PENDING);
    EXPECT_EQ(allocator.count('A'), 2u) << "the driver is not asked for more than the framing allows";
    EXPECT_EQ(node(file).ledger().pending, 2u);
    EXPECT_EQ(free(*file, first.frame), STATUS_SUCCESS);
    EXPECT_EQ(third.wait(), STATUS_SUCCESS);
    EXPECT_NE(third.frame, nullptr);
    EXPECT_TRUE(fourth.pending());
    EXPECT_EQ(free(*file, third.frame), STATUS_SUCCESS);
    EXPECT_EQ(fourth.wait(), STATUS_SUCCESS);
    EXPECT_EQ(free(*file, second.frame), STATUS_SUCCESS);
    EXPECT_EQ(free(*file, fourth.frame), STATUS_SUCCESS);
    EXPECT_EQ(node(file).ledger().most_pending, 2u);
    close(file);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(AllocatorTest, AWaitingRequestCanBeCancelled) {
  run_driver([&] {
    FILE_OBJECT* file = open(open_pin(open_filter(), 1), framing(1)).take();
    AllocRequest first(machine()), second(machine()), third(machine());
    first.send(*file);
    second.send(*file);
    third.send(*file);
    second.cancel();
    EXPECT_EQ(second.wait(), STATUS_CANCELLED);
    EXPECT_EQ(free(*file, first.frame), STATUS_SUCCESS);
    EXPECT_EQ(third.wait(), STATUS_SUCCESS);
    close(file);
  });
  EXPECT_EQ(allocator.calls, "IAFAFDC");
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(AllocatorTest, OnlyAFrameThatIsOutCanBeFreed) {
  run_driver([&] {
    FILE_OBJECT* file = open(open_pin(open_filter(), 1), framing(2)).take();
    AllocRequest alloc(machine());
    alloc.send(*file);
    EXPECT_EQ(free(*file, nullptr), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(free(*file, static_cast<char*>(alloc.frame) + 1), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(free(*file, alloc.frame), STATUS_SUCCESS);
    EXPECT_EQ(free(*file, alloc.frame), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(allocator.count('F'), 1u);
    close(file);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(AllocatorTest, ADriverWithoutFramesMakesThemWaitUnlessNoneIsOut) {
  allocator.limit = 1;
  run_driver([&] {
    FILE_OBJECT* file = open(open_pin(open_filter(), 1), framing(0)).take();
    AllocRequest first(machine()), second(machine()), third(machine());
    EXPECT_EQ(first.send(*file), STATUS_SUCCESS);
    EXPECT_EQ(second.send(*file), STATUS_PENDING);
    allocator.limit = 0;
    EXPECT_EQ(free(*file, first.frame), STATUS_SUCCESS);
    EXPECT_EQ(second.wait(), STATUS_INSUFFICIENT_RESOURCES);
    EXPECT_EQ(third.send(*file), STATUS_INSUFFICIENT_RESOURCES);
    close(file);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(AllocatorTest, AFrameHandedOutTwiceIsFoundAndNotUsed) {
  allocator.repeats = true;
  observer.then = nt::Then::GoOn;
  run_driver([&] {
    FILE_OBJECT* file = open(open_pin(open_filter(), 1), framing(0)).take();
    void* frame = node(file).allocate();
    EXPECT_EQ(node(file).allocate(), nullptr);
    EXPECT_TRUE(node(file).free(frame));
    close(file);
  });
  EXPECT_THAT(broken(), ElementsAre("KsFramesOverlap"));
  EXPECT_THAT(observer.violations[0].sentence, HasSubstr("handed out already"));
}

TEST_F(AllocatorTest, ARequestWaitsForTheFrameThatADriverRepeats) {
  allocator.repeats = true;
  observer.then = nt::Then::GoOn;
  run_driver([&] {
    FILE_OBJECT* file = open(open_pin(open_filter(), 1), framing(0)).take();
    void* frame = node(file).allocate();
    AllocRequest waits(machine());
    EXPECT_EQ(waits.send(*file), STATUS_PENDING) << "it will come back";
    EXPECT_EQ(free(*file, frame), STATUS_SUCCESS);
    EXPECT_EQ(waits.wait(), STATUS_SUCCESS);
    EXPECT_NE(waits.frame, nullptr);
    close(file);
  });
}

TEST_F(AllocatorTest, TheLedgerCountsWhatWasRefused) {
  observer.then = nt::Then::GoOn;
  run_driver([&] {
    FILE_OBJECT* file = open(open_pin(open_filter(), 1), framing(2)).take();
    node(file).allocate();
    EXPECT_EQ(node(file).ledger().refused, 0u);
    allocator.limit = 1;
    node(file).allocate();
    EXPECT_EQ(node(file).ledger().refused, 1u) << "the driver has none";
    allocator.limit = 2;
    allocator.repeats = true;
    node(file).allocate();
    EXPECT_EQ(node(file).ledger().refused, 2u) << "the driver's is out already";
    allocator.repeats = false;
    node(file).allocate();
    node(file).allocate();
    EXPECT_EQ(node(file).ledger().refused, 3u) << "as many as the framing allows are out";
    EXPECT_EQ(node(file).ledger().allocated, 2u);
    close(file);
  });
  EXPECT_THAT(broken(), ElementsAre("KsFramesOverlap"));
}

// --- Function table, status, event ---

TEST_F(AllocatorTest, TheFunctionTableServesDispatchLevel) {
  run_driver([&] {
    FILE_OBJECT* file = open(open_pin(open_filter(), 1), framing(1)).take();
    KSSTREAMALLOCATOR_FUNCTIONTABLE table{};
    ASSERT_EQ(get(*file, KSPROPERTY_STREAMALLOCATOR_FUNCTIONTABLE, table), STATUS_SUCCESS);
    void* frame = nullptr;
    void* none = &frame;
    AllocRequest waits(machine());
    KIRQL before;
    KeRaiseIrql(DISPATCH_LEVEL, &before);
    EXPECT_EQ(table.AllocateFrame(file, &frame), STATUS_SUCCESS);
    EXPECT_EQ(table.AllocateFrame(file, &none), STATUS_INSUFFICIENT_RESOURCES);
    EXPECT_EQ(none, nullptr);
    KeLowerIrql(before);
    EXPECT_EQ(waits.send(*file), STATUS_PENDING);
    KeRaiseIrql(DISPATCH_LEVEL, &before);
    table.FreeFrame(file, frame);
    table.FreeFrame(file, frame);  // not out any more: ignored
    EXPECT_TRUE(waits.pending()) << "served by a work item";
    KeLowerIrql(before);
    EXPECT_EQ(waits.wait(), STATUS_SUCCESS);
    EXPECT_EQ(free(*file, waits.frame), STATUS_SUCCESS);
    close(file);
    EXPECT_EQ(table.AllocateFrame(nullptr, &frame), STATUS_INVALID_PARAMETER);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(AllocatorTest, PageableFramesHaveNoFunctionTable) {
  for (KSPIN_DISPATCH& dispatch : driver.pin) dispatch.Allocator = nullptr;
  run_driver([&] {
    KSALLOCATOR_FRAMING wanted = framing(1);
    wanted.PoolType = PagedPool;
    FILE_OBJECT* file = open(open_pin(open_filter(), 1), wanted).take();
    KSSTREAMALLOCATOR_FUNCTIONTABLE table{};
    EXPECT_EQ(get(*file, KSPROPERTY_STREAMALLOCATOR_FUNCTIONTABLE, table), STATUS_NOT_SUPPORTED);
    close(file);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(AllocatorTest, StatusTellsTheFramingAndWhatIsOut) {
  run_driver([&] {
    FILE_OBJECT* file = open(open_pin(open_filter(), 1), framing(5, 100)).take();
    node(file).allocate();
    node(file).allocate();
    KSSTREAMALLOCATOR_STATUS status{};
    EXPECT_EQ(get(*file, KSPROPERTY_STREAMALLOCATOR_STATUS, status), STATUS_SUCCESS);
    EXPECT_EQ(status.AllocatedFrames, 2u);
    EXPECT_EQ(status.Framing.Frames, 5u);
    EXPECT_EQ(status.Framing.FrameSize, 100u);
    close(file);
  });
}

TEST_F(AllocatorTest, AFreedFrameIsAnEvent) {
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 1);
    HANDLE handle = program().open_allocator(pin, framing(1)).take();
    HANDLE event = program().process().create_event(SynchronizationEvent, false).take();
    auto enable = [&](ULONG id) {
      KSEVENT request{{{KSEVENTSETID_StreamAllocator, id, KSEVENT_TYPE_ENABLE}}};
      static KSEVENTDATA data;
      data = {};
      data.NotificationType = KSEVENTF_EVENT_HANDLE;
      data.EventHandle.Event = event;
      return program().control(handle, IOCTL_KS_ENABLE_EVENT, &request, sizeof(request), &data, sizeof(data));
    };
    EXPECT_FALSE(NT_SUCCESS(enable(KSEVENT_STREAMALLOCATOR_INTERNAL_FREEFRAME)));
    ASSERT_EQ(enable(KSEVENT_STREAMALLOCATOR_FREEFRAME), STATUS_SUCCESS);
    FILE_OBJECT* file = machine().files().find(&program().process(), handle, UserMode).take();
    void* frame = node(file).allocate();
    auto* object = static_cast<KEVENT*>(program().process().find(event, nullptr).value().body);
    EXPECT_EQ(KeReadStateEvent(object), 0);
    node(file).free(frame);
    EXPECT_EQ(KeReadStateEvent(object), 1);
    close(file);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(AllocatorTest, EventsOfAFileWithoutAHandleEndWithIt) {
  run_driver([&] {
    FILE_OBJECT* file = open(open_pin(open_filter(), 1), framing(1)).take();
    KEVENT event;
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    KSEVENT request{{{KSEVENTSETID_StreamAllocator, KSEVENT_STREAMALLOCATOR_FREEFRAME, KSEVENT_TYPE_ENABLE}}};
    KSEVENTDATA data{};
    data.NotificationType = KSEVENTF_EVENT_OBJECT;
    data.EventObject.Event = &event;
    IO_STATUS_BLOCK status;
    EXPECT_EQ(machine().files().control(
                  {*file, IOCTL_KS_ENABLE_EVENT, &request, sizeof(request), &data, sizeof(data), KernelMode}, status),
              STATUS_SUCCESS);
    node(file).allocate();
    close(file);
    EXPECT_EQ(allocator.calls, "IAFD");
    EXPECT_EQ(KeReadStateEvent(&event), 0) << "the last frame comes back after the events are gone";
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// --- KsCreateAllocator and related functions ---

TEST_F(AllocatorTest, AKernelClientCreatesOneByHandle) {
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 1);
    HANDLE kernel = machine().files().add_handle(nullptr, pin_of(pin).file(), 0).take();
    KSALLOCATOR_FRAMING wanted = framing(2);
    HANDLE handle = nullptr;
    EXPECT_EQ(KsCreateAllocator(kernel, &wanted, &handle), STATUS_SUCCESS);
    EXPECT_EQ(allocator.calls, "I");
    EXPECT_TRUE(machine().files().close(nullptr, handle).ok());
    EXPECT_EQ(allocator.calls, "ID");
    wanted.Reserved = 1;
    EXPECT_EQ(KsCreateAllocator(kernel, &wanted, &handle), STATUS_INVALID_PARAMETER);
    EXPECT_FALSE(NT_SUCCESS(KsCreateAllocator(nullptr, &wanted, &handle)));
    EXPECT_TRUE(machine().files().close(nullptr, kernel).ok());
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(AllocatorTest, ADriverCreatesOneFromItsRoutines) {
  run_driver([&] {
    KSALLOCATOR_FRAMING wanted = framing(2);
    std::u16string name = make_create_name(KSNAME_Allocator, &wanted, sizeof(wanted));
    FILE_OBJECT file{};
    file.FileName.Buffer = reinterpret_cast<PWSTR>(name.data());
    file.FileName.Length = static_cast<USHORT>(name.size() * sizeof(WCHAR));
    IRP* irp = machine().irps().allocate(1);
    IoSetNextIrpStackLocation(irp);
    IoGetCurrentIrpStackLocation(irp)->FileObject = &file;

    PKSALLOCATOR_FRAMING seen = nullptr;
    EXPECT_EQ(KsValidateAllocatorCreateRequest(irp, &seen), STATUS_SUCCESS);
    ASSERT_NE(seen, nullptr);
    EXPECT_EQ(seen->Frames, 2u);
    auto initialize = [](PVOID given, PKSALLOCATOR_FRAMING shown, PVOID* context) -> NTSTATUS {
      static_cast<TestAllocator*>(given)->framing = *shown;
      *context = given;
      return STATUS_SUCCESS;
    };
    EXPECT_EQ(KsCreateDefaultAllocatorEx(irp, &allocator, TestAllocator::allocate, TestAllocator::free, initialize,
                                         TestAllocator::remove),
              STATUS_SUCCESS);
    std::unique_ptr<AllocatorNode> made(&node(&file));
    EXPECT_TRUE(made->drivers_own());
    EXPECT_TRUE(made->free(made->allocate()));
    EXPECT_EQ(made->close(*irp), STATUS_SUCCESS);
    EXPECT_EQ(allocator.calls, "AFD");

    EXPECT_EQ(KsCreateDefaultAllocator(irp), STATUS_SUCCESS);
    made.reset(&node(&file));
    EXPECT_FALSE(made->drivers_own());
    EXPECT_EQ(made->close(*irp), STATUS_SUCCESS);

    file.FileName.Length -= 2;
    EXPECT_EQ(KsValidateAllocatorCreateRequest(irp, &seen), STATUS_INVALID_BUFFER_SIZE);
    EXPECT_EQ(KsCreateDefaultAllocator(irp), STATUS_INVALID_BUFFER_SIZE);
    nt::release_system_buffer(machine(), *irp);
    machine().irps().free(*irp);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(AllocatorTest, FewerThanAllFourRoutinesAreRefused) {
  observer.then = nt::Then::GoOn;
  driver.pin[1].Create = [](PKSPIN, PIRP irp) -> NTSTATUS {
    EXPECT_EQ(KsCreateDefaultAllocatorEx(irp, nullptr, TestAllocator::allocate, nullptr, nullptr, nullptr),
              STATUS_INVALID_PARAMETER);
    EXPECT_EQ(KsCreateDefaultAllocatorEx(irp, irp, nullptr, nullptr, nullptr, nullptr), STATUS_INVALID_PARAMETER);
    PKSALLOCATOR_FRAMING seen = nullptr;
    EXPECT_EQ(KsValidateAllocatorCreateRequest(irp, &seen), STATUS_INVALID_PARAMETER) << "it creates a pin";
    return STATUS_SUCCESS;
  };
  run_driver([&] { open_pin(open_filter(), 1); });
  EXPECT_THAT(broken(), ElementsAre("KsAllocatorExternalPartial", "KsAllocatorExternalPartial"));
}

TEST_F(AllocatorTest, ADriverIsCalledAtDispatchLevelUnderStressOnly) {
  static KIRQL seen;
  static const KSALLOCATOR_DISPATCH kNoting = {TestAllocator::initialize, TestAllocator::remove,
                                               [](PVOID context) -> PVOID {
                                                 seen = KeGetCurrentIrql();
                                                 return TestAllocator::allocate(context);
                                               },
                                               TestAllocator::free};
  driver.pin[1].Allocator = &kNoting;
  for (bool stress : {true, false}) {
    policy.stress_allocators = stress;
    run_driver([&] {
      FILE_OBJECT* file = open(open_pin(open_filter(), 1), framing(1)).take();
      EXPECT_NE(node(file).allocate(), nullptr);
      EXPECT_EQ(seen, stress ? DISPATCH_LEVEL : PASSIVE_LEVEL);
      close(file);
    });
  }
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(AllocatorTest, AFindingNamesTheRoutineThatItWasMadeIn) {
  static const KSALLOCATOR_DISPATCH kRaising = {[](PKSPIN pin, PKSALLOCATOR_FRAMING shown, PVOID* context) -> NTSTATUS {
                                                  NTSTATUS status = TestAllocator::initialize(pin, shown, context);
                                                  KeRaiseIrqlToDpcLevel();
                                                  return status;
                                                },
                                                [](PVOID context) {
                                                  TestAllocator::remove(context);
                                                  KeRaiseIrqlToDpcLevel();
                                                },
                                                [](PVOID context) -> PVOID {
                                                  void* frame = TestAllocator::allocate(context);
                                                  KeRaiseIrqlToDpcLevel();
                                                  return frame;
                                                },
                                                [](PVOID context, PVOID frame) {
                                                  TestAllocator::free(context, frame);
                                                  KeRaiseIrqlToDpcLevel();
                                                }};
  driver.pin[1].Allocator = &kRaising;
  observer.then = nt::Then::GoOn;
  run_driver([&] {
    FILE_OBJECT* file = open(open_pin(open_filter(), 1), framing(1)).take();
    node(file).allocate();
    close(file);
  });
  std::vector<std::string> routines;
  for (const nt::ViolationReport& violation : observer.violations) routines.push_back(violation.in_call);
  EXPECT_THAT(routines, ElementsAre("AVStrMiniInitializeAllocator", "AVStrMiniAllocate", "AVStrMiniAllocatorFreeFrame",
                                    "AVStrMiniDeleteAllocator"));
}

// --- Many threads ---

// Whatever the schedule: never more frames than allowed, none twice, every request ends, one Delete.
TEST_F(AllocatorTest, ThreadsThatTakeFreeAndCancelLeaveNothing) {
  run_driver_seeds(12, [&] {
    allocator.calls.clear();
    FILE_OBJECT* file = open(open_pin(open_filter(), 1), framing(3)).take();
    int running = 3;
    base::Executor& executor = machine().executor();
    base::Task* self = base::Executor::current();
    for (uint64_t thread = 0; thread < 3; ++thread) {
      machine().create_thread("client " + std::to_string(thread), [&, thread] {
        base::Rng rng(options.seed * 8 + thread);
        for (int step = 0; step < 24; ++step) {
          AllocRequest one(machine()), two(machine());
          one.send(*file);
          two.send(*file);
          if (rng.below(3) == 0) two.cancel();
          for (AllocRequest* request : {&one, &two}) {
            if (request == &two && rng.below(2)) request->cancel();
            if (!NT_SUCCESS(request->wait())) continue;
            EXPECT_EQ(free(*file, request->frame), STATUS_SUCCESS);
          }
        }
        if (--running == 0) executor.unpark(*self);
      });
    }
    executor.park_until([&] { return running == 0; }, base::Point::Wait);
    AllocatorNode::Ledger ledger = node(file).ledger();
    EXPECT_LE(ledger.most_outstanding, 3u);
    EXPECT_EQ(ledger.outstanding, 0u);
    EXPECT_EQ(ledger.pending, 0u);
    EXPECT_EQ(ledger.allocated, ledger.freed);
    close(file);
    EXPECT_EQ(allocator.count('D'), 1u);
    EXPECT_EQ(allocator.count('A'), allocator.count('F'));
  });
  EXPECT_THAT(broken(), IsEmpty());
}

}  // namespace
}  // namespace ks::testing
