#include "ks/property/property_request.h"

#include <gmock/gmock.h>

#include <cstring>

#include "ks/property/automation.h"
#include "ks/testing/ks_fixture.h"

namespace ks {
namespace {

using ::testing::ElementsAre;

constexpr GUID kSet = {0x1f2e3d4c, 0x1111, 0x2222, {1, 1, 2, 3, 5, 8, 13, 21}};
constexpr GUID kOtherSet = {0x1f2e3d4c, 0x1111, 0x2222, {1, 1, 2, 3, 5, 8, 13, 22}};
enum : ULONG { kNumber, kPending, kList, kReadOnly, kTooMuch };

// What the driver of these tests keeps and saw.
struct Seen {
  ULONG number = 7;
  ULONG calls = 0;
  const void* client = nullptr;  // the client's memory: handlers must never be shown it
  bool shown_clients = false;
  bool rows_right = true;
  IRP* pending = nullptr;
  void* pending_data = nullptr;
};
Seen* seen;

const KSPROPERTY_ITEM* item_of(IRP* irp) {
  return static_cast<const KSPROPERTY_ITEM*>(irp->Tail.Overlay.DriverContext[3]);
}

void look(IRP* irp, KSIDENTIFIER* request, const void* data) {
  ++seen->calls;
  seen->shown_clients |= data == seen->client;
  seen->rows_right &= item_of(irp)->PropertyId == request->Id;
}

NTSTATUS get_number(PIRP irp, PKSIDENTIFIER request, PVOID data) {
  look(irp, request, data);
  *static_cast<ULONG*>(data) = seen->number;
  return STATUS_SUCCESS;
}

NTSTATUS set_number(PIRP irp, PKSIDENTIFIER request, PVOID data) {
  look(irp, request, data);
  seen->number = *static_cast<ULONG*>(data);
  return STATUS_SUCCESS;
}

NTSTATUS get_later(PIRP irp, PKSIDENTIFIER request, PVOID data) {
  look(irp, request, data);
  IoMarkIrpPending(irp);
  seen->pending = irp;
  seen->pending_data = data;
  return STATUS_PENDING;
}

NTSTATUS get_list(PIRP irp, PKSIDENTIFIER request, PVOID data) {
  look(irp, request, data);
  static const ULONG kItems[] = {11, 22, 33};
  return KsHandleSizedListQuery(irp, 3, sizeof(ULONG), kItems);
}

NTSTATUS get_too_much(PIRP irp, PKSIDENTIFIER, PVOID) {
  irp->IoStatus.Information = 4096;
  return STATUS_SUCCESS;
}

const LONG kBounds[] = {0, 100};
const LONG kDefault[] = {50};
const KSPROPERTY_MEMBERSLIST kLists[] = {
    {{KSPROPERTY_MEMBER_RANGES, sizeof(kBounds), 1, 0}, kBounds},
    {{KSPROPERTY_MEMBER_VALUES, sizeof(kDefault), 1, KSPROPERTY_MEMBER_FLAG_DEFAULT}, kDefault},
};
const KSPROPERTY_VALUES kValues = {{{{KSPROPTYPESETID_General, 3, 0}}}, 2, kLists};
const KSPROPERTY kRelations[] = {{{{kSet, kReadOnly, 0}}}};

const KSPROPERTY_ITEM kItems[] = {
    DEFINE_KSPROPERTY_ITEM(kNumber, get_number, sizeof(KSPROPERTY), sizeof(ULONG), set_number, &kValues, 1, kRelations,
                           nullptr, sizeof(ULONG)),
    DEFINE_KSPROPERTY_ITEM(kPending, get_later, sizeof(KSPROPERTY), sizeof(ULONG), nullptr, nullptr, 0, nullptr,
                           nullptr, 0),
    DEFINE_KSPROPERTY_ITEM(kList, get_list, sizeof(KSPROPERTY), 0, nullptr, nullptr, 0, nullptr, nullptr, 0),
    DEFINE_KSPROPERTY_ITEM(kReadOnly, get_number, sizeof(KSP_NODE), sizeof(ULONG), nullptr, nullptr, 0, nullptr,
                           nullptr, 0),
    DEFINE_KSPROPERTY_ITEM(kTooMuch, get_too_much, sizeof(KSPROPERTY), 0, nullptr, nullptr, 0, nullptr, nullptr, 0),
};
const KSPROPERTY_SET kSets[] = {DEFINE_KSPROPERTY_SET(&kSet, std::size(kItems), kItems, 0, nullptr)};
const KSAUTOMATION_TABLE kTable = {DEFINE_KSAUTOMATION_PROPERTIES(kSets), DEFINE_KSAUTOMATION_METHODS_NULL,
                                   DEFINE_KSAUTOMATION_EVENTS_NULL};
const GUID kNodeType = KSCATEGORY_BRIDGE;
const KSNODE_DESCRIPTOR kNodes[] = {{nullptr, &kNodeType, nullptr}, {&kTable, &kNodeType, nullptr}};

class PropertyRequestTest : public testing::KsTest {
 protected:
  PropertyRequestTest() {
    seen = &seen_;
    driver.filter_descriptor.AutomationTable = &kTable;
    driver.filter_descriptor.NodeDescriptorsCount = 2;
    driver.filter_descriptor.NodeDescriptorSize = sizeof(KSNODE_DESCRIPTOR);
    driver.filter_descriptor.NodeDescriptors = kNodes;
  }

  struct Answer {
    NTSTATUS status;
    ULONG bytes;
    bool operator==(const Answer& other) const { return status == other.status && bytes == other.bytes; }
    friend std::ostream& operator<<(std::ostream& out, const Answer& answer) {
      return out << std::hex << answer.status << " with " << std::dec << answer.bytes << " bytes";
    }
  };

  Answer ask(HANDLE file, ULONG id, ULONG flags, void* data, ULONG bytes, const GUID& set = kSet) {
    KSPROPERTY request{};
    request.Set = set;
    request.Id = id;
    request.Flags = flags;
    seen_.client = data;
    Answer answer{};
    answer.status = program().control(file, IOCTL_KS_PROPERTY, &request, sizeof(request), data, bytes, &answer.bytes);
    return answer;
  }

  // ask() for a property of a topology node.
  Answer ask_node(HANDLE file, ULONG node, ULONG id, void* data, ULONG bytes) {
    KSP_NODE request{};
    request.Property.Set = kSet;
    request.Property.Id = id;
    request.Property.Flags = KSPROPERTY_TYPE_GET | KSPROPERTY_TYPE_TOPOLOGY;
    request.NodeId = node;
    Answer answer{};
    answer.status = program().control(file, IOCTL_KS_PROPERTY, &request, sizeof(request), data, bytes, &answer.bytes);
    return answer;
  }

  Seen seen_;
};

TEST_F(PropertyRequestTest, GetsAndSetsThroughCopies) {
  run_driver([&] {
    HANDLE filter = open_filter();
    ULONG number = 0;
    EXPECT_EQ(ask(filter, kNumber, KSPROPERTY_TYPE_GET, &number, sizeof(number)), (Answer{STATUS_SUCCESS, 4}));
    EXPECT_EQ(number, 7u);
    number = 9;
    EXPECT_EQ(ask(filter, kNumber, KSPROPERTY_TYPE_SET, &number, sizeof(number)), (Answer{STATUS_SUCCESS, 0}));
    EXPECT_EQ(seen_.number, 9u);
    EXPECT_FALSE(seen_.shown_clients);
    EXPECT_TRUE(seen_.rows_right);
  });
  EXPECT_THAT(broken(), ElementsAre());
}

TEST_F(PropertyRequestTest, SaysHowMuchRoomIsNeeded) {
  run_driver([&] {
    HANDLE filter = open_filter();
    uint16_t small = 0;
    EXPECT_EQ(ask(filter, kNumber, KSPROPERTY_TYPE_GET, nullptr, 0), (Answer{STATUS_BUFFER_OVERFLOW, 4}));
    EXPECT_EQ(ask(filter, kNumber, KSPROPERTY_TYPE_GET, &small, 2), (Answer{STATUS_BUFFER_TOO_SMALL, 0}));
    EXPECT_EQ(ask(filter, kNumber, KSPROPERTY_TYPE_SET, &small, 2), (Answer{STATUS_BUFFER_TOO_SMALL, 0}));
    EXPECT_EQ(seen_.calls, 0u);
  });
}

TEST_F(PropertyRequestTest, RefusesWhatIsNotThere) {
  run_driver([&] {
    HANDLE filter = open_filter();
    ULONG number = 0;
    auto get = [&](ULONG id, const GUID& set) {
      return ask(filter, id, KSPROPERTY_TYPE_GET, &number, sizeof(number), set).status;
    };
    EXPECT_EQ(get(kNumber, kOtherSet), STATUS_PROPSET_NOT_FOUND);
    EXPECT_EQ(get(99, kSet), STATUS_NOT_FOUND);
    EXPECT_EQ(ask(filter, kList, KSPROPERTY_TYPE_SET, &number, 4).status, STATUS_NOT_FOUND);
    EXPECT_EQ(get(kReadOnly, kSet), STATUS_INVALID_BUFFER_SIZE);  // wants a KSP_NODE
    EXPECT_EQ(ask(filter, kNumber, KSPROPERTY_TYPE_GET | KSPROPERTY_TYPE_SET, &number, 4).status,
              STATUS_INVALID_PARAMETER);
    KSPROPERTY request{};
    EXPECT_EQ(program().control(filter, IOCTL_KS_PROPERTY, &request, sizeof(request) - 1, nullptr, 0),
              STATUS_INVALID_BUFFER_SIZE);
    EXPECT_EQ(ask(filter, 0, KSPROPERTY_TYPE_SETSUPPORT, nullptr, 0).status, STATUS_SUCCESS);
    EXPECT_EQ(ask(filter, 0, KSPROPERTY_TYPE_SETSUPPORT, nullptr, 0, kOtherSet).status, STATUS_PROPSET_NOT_FOUND);
  });
}

TEST_F(PropertyRequestTest, AProgramThatLiesAboutItsMemoryIsRefused) {
  run_driver([&] {
    HANDLE filter = open_filter();
    auto* nowhere = reinterpret_cast<void*>(uintptr_t{16});
    void* kernels = &*filter_of(filter);
    EXPECT_EQ(ask(filter, kNumber, KSPROPERTY_TYPE_GET, nowhere, 4).status, STATUS_ACCESS_VIOLATION);
    EXPECT_EQ(ask(filter, kNumber, KSPROPERTY_TYPE_SET, nowhere, 4).status, STATUS_ACCESS_VIOLATION);
    EXPECT_EQ(ask(filter, kNumber, KSPROPERTY_TYPE_GET, kernels, 4).status, STATUS_ACCESS_VIOLATION);
    EXPECT_EQ(program().control(filter, IOCTL_KS_PROPERTY, nowhere, 24, nullptr, 0), STATUS_ACCESS_VIOLATION);
    EXPECT_EQ(program().control(filter, IOCTL_KS_PROPERTY, kernels, 24, nullptr, 0), STATUS_ACCESS_VIOLATION);
    EXPECT_EQ(seen_.calls, 0u);
  });
}

TEST_F(PropertyRequestTest, ARequestMayPend) {
  run_driver([&] {
    HANDLE filter = open_filter();
    ULONG number = 0;
    machine().create_thread("completes", [&] {
      while (!seen_.pending) machine().executor().yield(base::Point::Wait);
      *static_cast<ULONG*>(seen_.pending_data) = 1234;
      seen_.pending->IoStatus.Status = STATUS_SUCCESS;
      seen_.pending->IoStatus.Information = sizeof(ULONG);
      KsCompletePendingRequest(seen_.pending);
    });
    EXPECT_EQ(ask(filter, kPending, KSPROPERTY_TYPE_GET, &number, sizeof(number)), (Answer{STATUS_SUCCESS, 4}));
    EXPECT_EQ(number, 1234u);
  });
  EXPECT_THAT(broken(), ElementsAre());
}

TEST_F(PropertyRequestTest, MoreThanThereIsRoomForIsAFinding) {
  observer.then = nt::Then::GoOn;
  run_driver([&] {
    ULONG number = 0;
    EXPECT_EQ(ask(open_filter(), kTooMuch, KSPROPERTY_TYPE_GET, &number, sizeof(number)).status, STATUS_SUCCESS);
  });
  EXPECT_THAT(broken(), ElementsAre("IrpInformationTooLarge"));
}

TEST_F(PropertyRequestTest, ListsComeInThreeSizes) {
  run_driver([&] {
    HANDLE filter = open_filter();
    ULONG list[5] = {};
    auto get = [&](ULONG bytes) { return ask(filter, kList, KSPROPERTY_TYPE_GET, list, bytes); };
    EXPECT_EQ(get(0), (Answer{STATUS_BUFFER_OVERFLOW, sizeof(list)}));
    EXPECT_EQ(get(4), (Answer{STATUS_SUCCESS, 4}));
    EXPECT_EQ(list[0], sizeof(list));
    EXPECT_EQ(get(8), (Answer{STATUS_SUCCESS, 8}));
    EXPECT_EQ(list[1], 3u);
    EXPECT_EQ(get(16), (Answer{STATUS_BUFFER_TOO_SMALL, 0}));
    EXPECT_EQ(get(20), (Answer{STATUS_SUCCESS, 20}));
    EXPECT_THAT(list, ElementsAre(20u, 3u, 11u, 22u, 33u));
  });
}

TEST_F(PropertyRequestTest, BasicSupportDescribesValues) {
  run_driver([&] {
    HANDLE filter = open_filter();
    struct {
      KSPROPERTY_DESCRIPTION description;
      KSPROPERTY_MEMBERSHEADER ranges;
      LONG bounds[2];
      KSPROPERTY_MEMBERSHEADER values;
      LONG value;
    } all{};
    constexpr ULONG kAll = offsetof(decltype(all), value) + sizeof(LONG);
    constexpr ULONG kDescribed = sizeof(KSPROPERTY_DESCRIPTION);
    auto support = [&](ULONG flags, ULONG bytes) { return ask(filter, kNumber, flags, &all, bytes); };
    EXPECT_EQ(support(KSPROPERTY_TYPE_BASICSUPPORT, 0), (Answer{STATUS_BUFFER_OVERFLOW, kAll}));
    EXPECT_EQ(support(KSPROPERTY_TYPE_BASICSUPPORT, 4), (Answer{STATUS_SUCCESS, 4}));
    EXPECT_EQ(all.description.AccessFlags, ULONG{KSPROPERTY_TYPE_GET | KSPROPERTY_TYPE_SET});
    EXPECT_EQ(support(KSPROPERTY_TYPE_BASICSUPPORT, kDescribed), (Answer{STATUS_SUCCESS, kDescribed}));
    EXPECT_EQ(all.description.DescriptionSize, kAll);
    EXPECT_EQ(all.description.MembersListCount, 2u);
    EXPECT_EQ(support(KSPROPERTY_TYPE_BASICSUPPORT, sizeof(all)), (Answer{STATUS_SUCCESS, kAll}));
    EXPECT_EQ(all.bounds[1], 100);
    EXPECT_EQ(all.value, 50);
    ULONG defaults = kDescribed + sizeof(KSPROPERTY_MEMBERSHEADER) + sizeof(LONG);
    EXPECT_EQ(support(KSPROPERTY_TYPE_DEFAULTVALUES, sizeof(all)), (Answer{STATUS_SUCCESS, defaults}));
    EXPECT_EQ(all.description.MembersListCount, 1u);
  });
}

TEST_F(PropertyRequestTest, RelationsAreAList) {
  run_driver([&] {
    struct {
      KSMULTIPLE_ITEM head;
      KSPROPERTY relation;
    } answer{};
    EXPECT_EQ(ask(open_filter(), kNumber, KSPROPERTY_TYPE_RELATIONS, &answer, sizeof(answer)),
              (Answer{STATUS_SUCCESS, sizeof(answer)}));
    EXPECT_EQ(answer.relation.Id, ULONG{kReadOnly});
  });
}

TEST_F(PropertyRequestTest, ASetIsSerialisedAndBack) {
  run_driver([&] {
    HANDLE filter = open_filter();
    Answer size = ask(filter, 0, KSPROPERTY_TYPE_SERIALIZESET, nullptr, 0);
    EXPECT_EQ(size, (Answer{STATUS_BUFFER_OVERFLOW, sizeof(KSPROPERTY_SERIALHDR) + sizeof(KSPROPERTY_SERIAL) + 4}));
    std::vector<uint8_t> bytes(size.bytes);
    seen_.number = 77;
    EXPECT_EQ(ask(filter, 0, KSPROPERTY_TYPE_SERIALIZESET, bytes.data(), size.bytes).status, STATUS_SUCCESS);
    seen_.number = 0;
    EXPECT_EQ(ask(filter, 0, KSPROPERTY_TYPE_UNSERIALIZESET, bytes.data(), size.bytes).status, STATUS_SUCCESS);
    EXPECT_EQ(seen_.number, 77u);
    // Whatever is cut off, or claimed, nothing is read behind the end.
    for (ULONG cut = 0; cut < size.bytes; ++cut) {
      std::vector<uint8_t> less(bytes.begin(), bytes.begin() + cut);
      EXPECT_EQ(ask(filter, 0, KSPROPERTY_TYPE_UNSERIALIZESET, less.data(), cut).status, STATUS_INVALID_BUFFER_SIZE);
    }
    reinterpret_cast<KSPROPERTY_SERIALHDR*>(bytes.data())->Count = 1000;
    EXPECT_EQ(ask(filter, 0, KSPROPERTY_TYPE_UNSERIALIZESET, bytes.data(), size.bytes).status,
              STATUS_INVALID_BUFFER_SIZE);
  });
}

TEST_F(PropertyRequestTest, NodesHaveTheirOwnTables) {
  run_driver([&] {
    HANDLE filter = open_filter();
    ULONG number = 0;
    EXPECT_EQ(ask_node(filter, 1, kReadOnly, &number, 4), (Answer{STATUS_SUCCESS, 4}));
    EXPECT_EQ(ask_node(filter, 0, kReadOnly, &number, 4).status, STATUS_PROPSET_NOT_FOUND);
    EXPECT_EQ(ask_node(filter, 2, kReadOnly, &number, 4).status, STATUS_INVALID_DEVICE_REQUEST);
    HANDLE pin = open_pin(filter, 0);
    EXPECT_EQ(ask_node(pin, 1, kReadOnly, &number, 4), (Answer{STATUS_SUCCESS, 4}));
  });
}

NTSTATUS own_types(PIRP irp, PKSIDENTIFIER, PVOID data) {
  *static_cast<ULONG*>(data) = 42;
  irp->IoStatus.Information = sizeof(ULONG);
  return STATUS_SUCCESS;
}

TEST_F(PropertyRequestTest, TheDriversPropertySupersedesTheClasses) {
  const KSPROPERTY_ITEM items[] = {DEFINE_KSPROPERTY_ITEM(KSPROPERTY_PIN_CTYPES, own_types, sizeof(KSPROPERTY),
                                                          sizeof(ULONG), nullptr, nullptr, 0, nullptr, nullptr, 0)};
  const KSPROPERTY_SET sets[] = {DEFINE_KSPROPERTY_SET(&KSPROPSETID_Pin, 1, items, 0, nullptr)};
  const KSAUTOMATION_TABLE table = {DEFINE_KSAUTOMATION_PROPERTIES(sets), DEFINE_KSAUTOMATION_METHODS_NULL,
                                    DEFINE_KSAUTOMATION_EVENTS_NULL};
  driver.filter_descriptor.AutomationTable = &table;
  run_driver([&] {
    HANDLE filter = open_filter();
    ULONG types = 0;
    EXPECT_EQ(ask(filter, KSPROPERTY_PIN_CTYPES, KSPROPERTY_TYPE_GET, &types, 4, KSPROPSETID_Pin).status,
              STATUS_SUCCESS);
    EXPECT_EQ(types, 42u);
    // The set's other properties are the class's still.
    EXPECT_TRUE(program().get_pin(filter, KSPROPERTY_PIN_CINSTANCES, 0).ok());
  });
}

}  // namespace
}  // namespace ks
