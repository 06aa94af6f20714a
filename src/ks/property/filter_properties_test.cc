#include <gmock/gmock.h>

#include <cstring>

#include "ks/pin/data_intersection.h"
#include "ks/testing/ks_fixture.h"
#include "nt/store/registry.h"

namespace ks {
namespace {

using ::testing::ElementsAre;

const GUID kCategory = KSCATEGORY_CAPTURE;
const GUID kNodeType = {0x5555, 1, 2, {3, 4, 5, 6, 7, 8, 9, 10}};
const GUID kNodeName = {0x5555, 1, 2, {3, 4, 5, 6, 7, 8, 9, 11}};
const KSNODE_DESCRIPTOR kNodes[] = {{nullptr, &kNodeType, &kNodeName}};
const KSTOPOLOGY_CONNECTION kConnections[] = {{KSFILTER_NODE, 1, 0, 1}, {0, 0, KSFILTER_NODE, 0}};
const KSCOMPONENTID kComponent = {{1, 0, 0, {}}, {2, 0, 0, {}}, {3, 0, 0, {}}, {4, 0, 0, {}}, 5, 6};

template <typename T>
T as(const base::Result<std::vector<uint8_t>>& answer) {
  T value{};
  EXPECT_TRUE(answer.ok());
  if (answer.ok()) {
    EXPECT_EQ(answer.value().size(), sizeof(T));
    memcpy(&value, answer.value().data(), std::min(sizeof(T), answer.value().size()));
  }
  return value;
}

// A list in the multiple item format.
template <typename T>
std::vector<T> list(const base::Result<std::vector<uint8_t>>& answer) {
  EXPECT_TRUE(answer.ok());
  if (!answer.ok()) return {};
  KSMULTIPLE_ITEM head;
  memcpy(&head, answer.value().data(), sizeof(head));
  EXPECT_EQ(head.Size, answer.value().size());
  std::vector<T> items(head.Count);
  EXPECT_EQ(answer.value().size(), sizeof(head) + items.size() * sizeof(T));
  memcpy(items.data(), answer.value().data() + sizeof(head), items.size() * sizeof(T));
  return items;
}

class FilterPropertiesTest : public testing::KsTest {
 protected:
  FilterPropertiesTest() {
    driver.filter_descriptor.NodeDescriptorsCount = 1;
    driver.filter_descriptor.NodeDescriptorSize = sizeof(KSNODE_DESCRIPTOR);
    driver.filter_descriptor.NodeDescriptors = kNodes;
    driver.filter_descriptor.ConnectionsCount = 2;
    driver.filter_descriptor.Connections = kConnections;
    driver.filter_descriptor.ComponentId = &kComponent;
    driver.pins[1].InstancesNecessary = 1;
  }
};

TEST_F(FilterPropertiesTest, AnswersThePropertiesOfItsPins) {
  run_driver([&] {
    HANDLE filter = open_filter();
    auto pin = [&](ULONG member, ULONG id) { return program().get_pin(filter, member, id); };
    EXPECT_EQ(as<ULONG>(program().get(filter, KSPROPSETID_Pin, KSPROPERTY_PIN_CTYPES)), 2u);
    EXPECT_EQ(as<ULONG>(pin(KSPROPERTY_PIN_DATAFLOW, 1)), ULONG{KSPIN_DATAFLOW_IN});
    EXPECT_EQ(as<ULONG>(pin(KSPROPERTY_PIN_COMMUNICATION, 0)), ULONG{KSPIN_COMMUNICATION_BOTH});
    EXPECT_EQ(as<ULONG>(pin(KSPROPERTY_PIN_NECESSARYINSTANCES, 1)), 1u);
    EXPECT_EQ(as<GUID>(pin(KSPROPERTY_PIN_CATEGORY, 0)), kCategory);
    EXPECT_EQ(list<KSPIN_INTERFACE>(pin(KSPROPERTY_PIN_INTERFACES, 0)).size(), 1u);
    EXPECT_EQ(list<KSPIN_MEDIUM>(pin(KSPROPERTY_PIN_MEDIUMS, 0)).size(), 1u);
    EXPECT_EQ(list<KSDATARANGE>(pin(KSPROPERTY_PIN_DATARANGES, 0)).size(), 1u);
    EXPECT_EQ(list<KSDATARANGE>(pin(KSPROPERTY_PIN_CONSTRAINEDDATARANGES, 0)).size(), 1u);
    EXPECT_EQ(pin(KSPROPERTY_PIN_DATAFLOW, 2).status(), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(pin(KSPROPERTY_PIN_GLOBALCINSTANCES, 0).status(), STATUS_NOT_FOUND);
  });
}

TEST_F(FilterPropertiesTest, CountsInstances) {
  run_driver([&] {
    HANDLE filter = open_filter();
    auto count = [&] { return as<KSPIN_CINSTANCES>(program().get_pin(filter, KSPROPERTY_PIN_CINSTANCES, 0)); };
    EXPECT_EQ(count().PossibleCount, 2u);
    EXPECT_EQ(count().CurrentCount, 0u);
    HANDLE pin = open_pin(filter, 0);
    EXPECT_EQ(count().CurrentCount, 1u);
    EXPECT_EQ(program().close(pin), STATUS_SUCCESS);
    EXPECT_EQ(count().CurrentCount, 0u);
  });
}

TEST_F(FilterPropertiesTest, TellsItsTopologyAndComponent) {
  run_driver([&] {
    HANDLE filter = open_filter();
    auto topology = [&](ULONG member) { return program().get(filter, KSPROPSETID_Topology, member); };
    EXPECT_EQ(list<GUID>(topology(KSPROPERTY_TOPOLOGY_CATEGORIES)), std::vector<GUID>{kCategory});
    EXPECT_EQ(list<GUID>(topology(KSPROPERTY_TOPOLOGY_NODES)), std::vector<GUID>{kNodeType});
    auto connections = list<KSTOPOLOGY_CONNECTION>(topology(KSPROPERTY_TOPOLOGY_CONNECTIONS));
    ASSERT_EQ(connections.size(), 2u);
    EXPECT_EQ(connections[1].ToNode, KSFILTER_NODE);
    auto component = program().get(filter, KSPROPSETID_General, KSPROPERTY_GENERAL_COMPONENTID);
    EXPECT_EQ(as<KSCOMPONENTID>(component).Revision, 6u);
  });
}

TEST_F(FilterPropertiesTest, NamesComeFromTheRegistry) {
  run_driver([&] {
    HANDLE filter = open_filter();
    ULONG node[2] = {0, 0};
    auto name = [&] {
      return program().get(filter, KSPROPSETID_Topology, KSPROPERTY_TOPOLOGY_NAME,
                           {reinterpret_cast<const uint8_t*>(node), sizeof(node)});
    };
    EXPECT_EQ(name().status(), STATUS_NOT_FOUND);
    ASSERT_TRUE(machine()
                    .registry()
                    .set_string(u"\\Registry\\Machine\\System\\CurrentControlSet\\Control\\MediaCategories\\"
                                u"{00005555-0001-0002-0304-05060708090B}",
                                u"Name", u"Volume")
                    .ok());
    auto found = name();
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found.value().size(), sizeof(u"Volume"));
    EXPECT_EQ(memcmp(found.value().data(), u"Volume", sizeof(u"Volume")), 0);
    node[0] = 1;
    EXPECT_EQ(name().status(), STATUS_INVALID_PARAMETER);
  });
}

// --- Data intersection ---

struct Asked {
  const void* context = nullptr;
  int calls = 0;
  NTSTATUS first = STATUS_SUCCESS;  // what the handler says the first time
};
Asked* asked;

NTSTATUS intersect_fixed(PVOID context, PIRP, PKSP_PIN, PKSDATARANGE range, PKSDATARANGE, ULONG room, PVOID data,
                         PULONG bytes) {
  asked->context = context;
  if (++asked->calls == 1 && asked->first != STATUS_SUCCESS) return asked->first;
  *bytes = sizeof(KSDATAFORMAT) + 4;
  if (room == 0) return STATUS_BUFFER_OVERFLOW;
  if (room < *bytes) return STATUS_BUFFER_TOO_SMALL;
  memcpy(data, range, sizeof(KSDATAFORMAT));
  static_cast<KSDATAFORMAT*>(data)->FormatSize = *bytes;
  return STATUS_SUCCESS;
}

class DataIntersectionTest : public FilterPropertiesTest {
 protected:
  DataIntersectionTest() {
    asked = &asked_;
    driver.range.MajorFormat = KSDATAFORMAT_TYPE_VIDEO;
    driver.range.Specifier = KSDATAFORMAT_SPECIFIER_NONE;
  }

  // `count` equal ranges behind the request.
  std::vector<uint8_t> request(ULONG count, const KSDATARANGE& range) {
    KSP_PIN pin{};
    pin.Property.Set = KSPROPSETID_Pin;
    pin.Property.Id = KSPROPERTY_PIN_DATAINTERSECTION;
    pin.Property.Flags = KSPROPERTY_TYPE_GET;
    KSMULTIPLE_ITEM head{static_cast<ULONG>(sizeof(KSMULTIPLE_ITEM) + count * sizeof(range)), count};
    std::vector<uint8_t> bytes(sizeof(pin) + head.Size);
    memcpy(bytes.data(), &pin, sizeof(pin));
    memcpy(bytes.data() + sizeof(pin), &head, sizeof(head));
    for (ULONG i = 0; i < count; ++i) {
      memcpy(bytes.data() + sizeof(pin) + sizeof(head) + i * sizeof(range), &range, sizeof(range));
    }
    return bytes;
  }

  KSDATARANGE wildcard() {
    KSDATARANGE range{};
    range.FormatSize = sizeof(range);
    return range;
  }

  Asked asked_;
};

TEST_F(DataIntersectionTest, WithoutAHandlerTheClassKnowsFormatsWithoutSpecifier) {
  run_driver([&] {
    auto format = as<KSDATAFORMAT>(program().intersect(open_filter(), 0, wildcard()));
    EXPECT_EQ(format.MajorFormat, KSDATAFORMAT_TYPE_VIDEO);
    EXPECT_EQ(format.Specifier, KSDATAFORMAT_SPECIFIER_NONE);
    EXPECT_EQ(format.FormatSize, sizeof(KSDATAFORMAT));
  });
}

TEST_F(DataIntersectionTest, OtherTypesDoNotMatch) {
  run_driver([&] {
    KSDATARANGE audio = wildcard();
    audio.MajorFormat = KSDATAFORMAT_TYPE_AUDIO;
    EXPECT_EQ(program().intersect(open_filter(), 0, audio).status(), STATUS_NO_MATCH);
  });
}

TEST_F(DataIntersectionTest, TheHandlerGetsTheFilterAndEveryRangeUntilOneMatches) {
  driver.pins[0].IntersectHandler = intersect_fixed;
  asked_.first = STATUS_NO_MATCH;
  run_driver([&] {
    HANDLE filter = open_filter();
    std::vector<uint8_t> in = request(3, wildcard());
    std::vector<uint8_t> out(sizeof(KSDATAFORMAT) + 4);
    ULONG returned = 0;
    auto ask = [&](ULONG room) {
      return program().control(filter, IOCTL_KS_PROPERTY, in.data(), static_cast<ULONG>(in.size()), out.data(), room,
                               &returned);
    };
    EXPECT_EQ(ask(0), STATUS_BUFFER_OVERFLOW);
    EXPECT_EQ(returned, out.size());
    EXPECT_EQ(asked_.calls, 2);
    EXPECT_EQ(asked_.context, &*filter_of(filter));
    EXPECT_EQ(ask(8), STATUS_BUFFER_TOO_SMALL);
    EXPECT_EQ(ask(static_cast<ULONG>(out.size())), STATUS_SUCCESS);
    EXPECT_EQ(returned, out.size());
    EXPECT_EQ(reinterpret_cast<KSDATAFORMAT*>(out.data())->FormatSize, out.size());
  });
}

TEST_F(DataIntersectionTest, AnErrorEndsTheSearch) {
  driver.pins[0].IntersectHandler = intersect_fixed;
  asked_.first = STATUS_INSUFFICIENT_RESOURCES;
  run_driver([&] {
    EXPECT_EQ(program().intersect(open_filter(), 0, wildcard()).status(), STATUS_INSUFFICIENT_RESOURCES);
    EXPECT_EQ(asked_.calls, 1);
  });
}

// Whatever is cut off, nothing is read behind the request.
TEST_F(DataIntersectionTest, RangesThatAreCutShortAreRefused) {
  run_driver([&] {
    HANDLE filter = open_filter();
    const std::vector<uint8_t> whole = request(2, wildcard());
    for (size_t cut = sizeof(KSP_PIN); cut < whole.size(); ++cut) {
      std::vector<uint8_t> less(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(cut));
      EXPECT_EQ(program().control(filter, IOCTL_KS_PROPERTY, less.data(), static_cast<ULONG>(cut), nullptr, 0),
                STATUS_INVALID_BUFFER_SIZE)
          << cut;
    }
    std::vector<uint8_t> lying = whole;
    reinterpret_cast<KSMULTIPLE_ITEM*>(lying.data() + sizeof(KSP_PIN))->Count = 1000;
    auto* first = reinterpret_cast<KSDATARANGE*>(lying.data() + sizeof(KSP_PIN) + sizeof(KSMULTIPLE_ITEM));
    first->MajorFormat = KSDATAFORMAT_TYPE_AUDIO;
    EXPECT_EQ(program().control(filter, IOCTL_KS_PROPERTY, lying.data(), static_cast<ULONG>(lying.size()), nullptr, 0),
              STATUS_INVALID_BUFFER_SIZE);
    first->FormatSize = UINT32_MAX;
    EXPECT_EQ(program().control(filter, IOCTL_KS_PROPERTY, lying.data(), static_cast<ULONG>(lying.size()), nullptr, 0),
              STATUS_INVALID_BUFFER_SIZE);
  });
}

TEST_F(DataIntersectionTest, AttributeListsAreNoRanges) {
  KSDATARANGE with{}, plain{};
  with.FormatSize = plain.FormatSize = sizeof(KSDATARANGE);
  with.Flags = KSDATARANGE_ATTRIBUTES;
  KSATTRIBUTE_LIST attributes{};
  PKSDATARANGE table[] = {&with, reinterpret_cast<PKSDATARANGE>(&attributes), &plain};
  EXPECT_THAT(data_ranges(table, 3), ElementsAre(&with, &plain));
}

}  // namespace
}  // namespace ks
