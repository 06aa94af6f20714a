#include "ks/property/event_list.h"

#include <gmock/gmock.h>

#include "ks/property/automation.h"
#include "ks/testing/ks_fixture.h"
#include "nt/ke/dispatcher.h"
#include "nt/mm/pool.h"

namespace ks {
namespace {

using ::testing::ElementsAre;

constexpr GUID kSet = {0x77777777, 1, 1, {1, 1, 2, 3, 5, 8, 13, 21}};
enum : ULONG { kPlain, kAdded, kRemoved };

struct Seen {
  int added = 0, removed = 0;
  KIRQL removed_at = PASSIVE_LEVEL;
  KSEVENT_ENTRY* entry = nullptr;
  NTSTATUS add_says = STATUS_SUCCESS;
};
Seen* seen;

NTSTATUS add_event_of_driver(PIRP irp, PKSEVENTDATA data, PKSEVENT_ENTRY entry) {
  ++seen->added;
  seen->entry = entry;
  if (!NT_SUCCESS(seen->add_says)) return seen->add_says;
  *reinterpret_cast<ULONG*>(entry + 1) = 5;  // the extra bytes
  return KsDefaultAddEventHandler(irp, data, entry);
}

void remove_event_of_driver(PFILE_OBJECT, PKSEVENT_ENTRY entry) {
  ++seen->removed;
  seen->removed_at = KeGetCurrentIrql();
  RemoveEntryList(&entry->ListEntry);
}

const KSEVENT_ITEM kItems[] = {
    DEFINE_KSEVENT_ITEM(kPlain, sizeof(KSEVENTDATA), 0, nullptr, nullptr, nullptr),
    DEFINE_KSEVENT_ITEM(kAdded, sizeof(KSEVENTDATA), sizeof(ULONG), add_event_of_driver, nullptr, nullptr),
    DEFINE_KSEVENT_ITEM(kRemoved, sizeof(KSEVENTDATA), 0, nullptr, remove_event_of_driver, nullptr),
};
const KSEVENT_SET kSets[] = {DEFINE_KSEVENT_SET(&kSet, std::size(kItems), kItems)};
const KSAUTOMATION_TABLE kTable = {DEFINE_KSAUTOMATION_PROPERTIES_NULL, DEFINE_KSAUTOMATION_METHODS_NULL,
                                   DEFINE_KSAUTOMATION_EVENTS(kSets)};

class EventListTest : public testing::KsTest {
 protected:
  EventListTest() {
    seen = &seen_;
    driver.pins[0].AutomationTable = &kTable;
  }

  // An event of the program, and how it is to be notified.
  HANDLE make_event(KSEVENTDATA& data) {
    HANDLE event = program().process().create_event(SynchronizationEvent, false).take();
    data = {};
    data.NotificationType = KSEVENTF_EVENT_HANDLE;
    data.EventHandle.Event = event;
    return event;
  }

  NTSTATUS enable(HANDLE file, ULONG id, ULONG flags, KSEVENTDATA& data, const GUID& set = kSet) {
    KSEVENT request{};
    request.Set = set;
    request.Id = id;
    request.Flags = flags;
    return program().control(file, IOCTL_KS_ENABLE_EVENT, &request, sizeof(request), &data, sizeof(data));
  }

  NTSTATUS disable(HANDLE file, KSEVENTDATA* data) {
    return program().control(file, IOCTL_KS_DISABLE_EVENT, data, data ? sizeof(*data) : 0, nullptr, 0);
  }

  bool signalled(HANDLE event) {
    void* object = program().process().find(event, *ExEventObjectType).take().body;
    void* const objects[] = {object};
    return machine().dispatcher().wait(objects, WaitAny, 0) == STATUS_WAIT_0;
  }

  void generate(HANDLE pin, ULONG id, PFNKSGENERATEEVENTCALLBACK test = nullptr, void* context = nullptr) {
    KsGenerateEvents(&*pin_of(pin), &kSet, id, 0, nullptr, test, context);
  }

  Seen seen_;
};

TEST_F(EventListTest, NotifiesTheClientThatEnabledTheEvent) {
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 0);
    KSEVENTDATA data;
    HANDLE event = make_event(data);
    EXPECT_EQ(enable(pin, kPlain, KSEVENT_TYPE_ENABLE, data), STATUS_SUCCESS);
    EXPECT_FALSE(signalled(event));
    generate(pin, kAdded);
    EXPECT_FALSE(signalled(event));
    generate(pin, kPlain);
    EXPECT_TRUE(signalled(event));
    generate(pin, kPlain);
    EXPECT_TRUE(signalled(event));
    EXPECT_EQ(disable(pin, &data), STATUS_SUCCESS);
    generate(pin, kPlain);
    EXPECT_FALSE(signalled(event));
    EXPECT_EQ(disable(pin, &data), STATUS_UNSUCCESSFUL);
  });
  EXPECT_THAT(broken(), ElementsAre());
}

TEST_F(EventListTest, AOneShotEventIsSignalledOnce) {
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 0);
    KSEVENTDATA data;
    HANDLE event = make_event(data);
    EXPECT_EQ(enable(pin, kRemoved, KSEVENT_TYPE_ONESHOT, data), STATUS_SUCCESS);
    generate(pin, kRemoved);
    EXPECT_TRUE(signalled(event));
    EXPECT_EQ(seen_.removed, 1);
    EXPECT_EQ(seen_.removed_at, DISPATCH_LEVEL);
    generate(pin, kRemoved);
    EXPECT_FALSE(signalled(event));
    EXPECT_TRUE(pin_of(pin).events().empty());
  });
  EXPECT_THAT(broken(), ElementsAre());
}

TEST_F(EventListTest, TheDriversHandlersAdd) {
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 0);
    KSEVENTDATA data, other;
    HANDLE event = make_event(data);
    make_event(other);
    EXPECT_EQ(enable(pin, kAdded, KSEVENT_TYPE_ENABLE, data), STATUS_SUCCESS);
    EXPECT_EQ(seen_.added, 1);
    EXPECT_EQ(KsGenerateEvent(seen_.entry), STATUS_SUCCESS);
    EXPECT_TRUE(signalled(event));
    seen_.add_says = STATUS_INVALID_DEVICE_STATE;
    EXPECT_EQ(enable(pin, kAdded, KSEVENT_TYPE_ENABLE, other), STATUS_INVALID_DEVICE_STATE);
    EXPECT_EQ(disable(pin, &other), STATUS_UNSUCCESSFUL);
  });
  EXPECT_THAT(broken(), ElementsAre());
}

TEST_F(EventListTest, EventsGoWithTheirFile) {
  run_driver([&] {
    HANDLE filter = open_filter();
    HANDLE pin = open_pin(filter, 0);
    KSEVENTDATA data[3];
    for (KSEVENTDATA& each : data) {
      make_event(each);
      EXPECT_EQ(enable(pin, kRemoved, KSEVENT_TYPE_ENABLE, each), STATUS_SUCCESS);
    }
    EXPECT_EQ(disable(pin, nullptr), STATUS_SUCCESS);
    EXPECT_EQ(seen_.removed, 3);
    EXPECT_EQ(enable(pin, kRemoved, KSEVENT_TYPE_ENABLE, data[0]), STATUS_SUCCESS);
    EXPECT_EQ(program().close(pin), STATUS_SUCCESS);
    EXPECT_EQ(seen_.removed, 4);
  });
  EXPECT_THAT(broken(), ElementsAre());
}

TEST_F(EventListTest, WrongRequestsAreRefused) {
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 0);
    KSEVENTDATA data;
    make_event(data);
    EXPECT_EQ(enable(pin, 9, KSEVENT_TYPE_ENABLE, data), STATUS_NOT_FOUND);
    EXPECT_EQ(enable(pin, 0, KSEVENT_TYPE_ENABLE, data, KSPROPSETID_Pin), STATUS_PROPSET_NOT_FOUND);
    EXPECT_EQ(enable(pin, kPlain, KSEVENT_TYPE_ENABLE | KSEVENT_TYPE_BASICSUPPORT, data), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(enable(pin, kPlain, KSEVENT_TYPE_BASICSUPPORT, data), STATUS_SUCCESS);
    data.EventHandle.Event = reinterpret_cast<HANDLE>(uintptr_t{0x4444});
    EXPECT_EQ(enable(pin, kPlain, KSEVENT_TYPE_ENABLE, data), STATUS_INVALID_HANDLE);
    data.NotificationType = KSEVENTF_DPC;  // only for kernel mode
    EXPECT_EQ(enable(pin, kPlain, KSEVENT_TYPE_ENABLE, data), STATUS_INVALID_PARAMETER);
    KSEVENT request{};
    request.Set = kSet;
    request.Flags = KSEVENT_TYPE_ENABLE;
    EXPECT_EQ(program().control(pin, IOCTL_KS_ENABLE_EVENT, &request, sizeof(request), &data, sizeof(data) - 1),
              STATUS_INVALID_BUFFER_SIZE);
    EXPECT_TRUE(pin_of(pin).events().empty());
  });
}

TEST_F(EventListTest, BufferedNotificationsAreKeptUntilAskedFor) {
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 0);
    KSEVENTDATA data{};
    EXPECT_EQ(enable(pin, kPlain, KSEVENT_TYPE_ENABLE | KSEVENT_TYPE_ENABLEBUFFERED, data), STATUS_SUCCESS);
    for (ULONG number : {3u, 4u}) {
      void* block = machine().pool().allocate(4, 0, nt::PoolKind::NonPaged, nt::PoolFill::Zero);
      *static_cast<ULONG*>(block) = number;
      KsGenerateEvents(&*pin_of(pin), &kSet, kPlain, sizeof(ULONG), block, nullptr, nullptr);
      machine().pool().free(block, 0);
    }
    KSQUERYBUFFER query{};
    query.Event.Set = kSet;
    query.Event.Flags = KSEVENT_TYPE_QUERYBUFFER;
    query.EventData = &data;
    ULONG number = 0;
    auto next = [&] {
      return program().control(pin, IOCTL_KS_ENABLE_EVENT, &query, sizeof(query), &number, sizeof(number));
    };
    EXPECT_EQ(next(), STATUS_SUCCESS);
    EXPECT_EQ(number, 3u);
    EXPECT_EQ(next(), STATUS_SUCCESS);
    EXPECT_EQ(number, 4u);
    EXPECT_EQ(next(), STATUS_NO_MORE_ENTRIES);
  });
}

BOOLEAN only_at_dispatch(PVOID context, PKSEVENT_ENTRY) {
  *static_cast<KIRQL*>(context) = KeGetCurrentIrql();
  return FALSE;
}

TEST_F(EventListTest, TheDriversTestDecidesAtDispatchLevel) {
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 0);
    KSEVENTDATA data;
    HANDLE event = make_event(data);
    EXPECT_EQ(enable(pin, kPlain, KSEVENT_TYPE_ENABLE, data), STATUS_SUCCESS);
    KIRQL seen_at = PASSIVE_LEVEL;
    generate(pin, kPlain, only_at_dispatch, &seen_at);
    EXPECT_EQ(seen_at, DISPATCH_LEVEL);
    EXPECT_FALSE(signalled(event));
  });
}

TEST_F(EventListTest, PagedDataIsAFinding) {
  observer.then = nt::Then::GoOn;
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 0);
    void* paged = machine().pool().allocate(16, 0, nt::PoolKind::Paged, nt::PoolFill::Zero);
    KsGenerateEvents(&*pin_of(pin), &kSet, kPlain, 16, paged, nullptr, nullptr);
    KsGenerateEvents(&*pin_of(pin), &kSet, kPlain, 0, nullptr, only_at_dispatch, paged);
    machine().pool().free(paged, 0);
  });
  EXPECT_THAT(broken(), ElementsAre("KsEventContextPaged", "KsEventContextPaged"));
}

TEST_F(EventListTest, ConnectionEventsAreTheClasses) {
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 1);
    KSEVENTDATA data;
    HANDLE event = make_event(data);
    EXPECT_EQ(enable(pin, KSEVENT_CONNECTION_ENDOFSTREAM, KSEVENT_TYPE_ENABLE, data, KSEVENTSETID_Connection),
              STATUS_SUCCESS);
    pin_of(pin).events().generate(KSEVENTSETID_Connection, KSEVENT_CONNECTION_ENDOFSTREAM);
    EXPECT_TRUE(signalled(event));
  });
}

}  // namespace
}  // namespace ks
