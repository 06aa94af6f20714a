#include "ks/object/descriptor_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "abi/ks/ksmedia.h"

namespace ks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

NTSTATUS process_pin(PKSPIN) { return STATUS_SUCCESS; }
NTSTATUS process_filter(PKSFILTER, PKSPROCESSPIN_INDEXENTRY) { return STATUS_SUCCESS; }
NTSTATUS initialize(PKSPIN, PKSALLOCATOR_FRAMING, PVOID*) { return STATUS_SUCCESS; }
void remove(PVOID) {}
void* allocate(PVOID) { return nullptr; }
void free_frame(PVOID, PVOID) {}
NTSTATUS handler(PIRP, PKSIDENTIFIER, PVOID) { return STATUS_SUCCESS; }

const KSALLOCATOR_DISPATCH kAllocator = {initialize, remove, allocate, free_frame};
const GUID kCapture[] = {KSCATEGORY_VIDEO, KSCATEGORY_CAPTURE};
const GUID kDecoder[] = {KSMFT_CATEGORY_VIDEO_DECODER};
DECLARE_SIMPLE_FRAMING_EX(kFraming, STATIC_KSMEMORY_TYPE_KERNEL_NONPAGED,
                          KSALLOCATOR_REQUIREMENTF_SYSTEM_MEMORY | KSALLOCATOR_REQUIREMENTF_PREFERENCES_ONLY, 2, 0,
                          153600, 153600);

// A driver whose tables are as public samples have theirs: one capture filter, pin-centric, two pins.
class DescriptorCheck : public testing::Test {
 protected:
  DescriptorCheck() {
    pin_dispatch.Process = process_pin;
    for (KSPIN_DESCRIPTOR_EX& pin : pins) {
      pin.Dispatch = &pin_dispatch;
      pin.PinDescriptor.DataFlow = KSPIN_DATAFLOW_OUT;
      pin.PinDescriptor.Communication = KSPIN_COMMUNICATION_BOTH;
      pin.InstancesPossible = 1;
      pin.InstancesNecessary = 1;
      pin.AllocatorFraming = &kFraming;
    }
    filter.Dispatch = &filter_dispatch;
    filter.Version = KSFILTER_DESCRIPTOR_VERSION;
    filter.PinDescriptorsCount = 2;
    filter.PinDescriptorSize = sizeof(KSPIN_DESCRIPTOR_EX);
    filter.PinDescriptors = pins;
    filter.CategoriesCount = 2;
    filter.Categories = kCapture;
    filter.NodeDescriptorSize = sizeof(KSNODE_DESCRIPTOR);
    device.FilterDescriptorsCount = 1;
    device.FilterDescriptors = filters;
    device.Version = KSDEVICE_DESCRIPTOR_VERSION;
  }

  static std::vector<std::string> names(const std::vector<Complaint>& complaints) {
    std::vector<std::string> found;
    for (const Complaint& complaint : complaints) found.push_back(nt::to_string(complaint.what));
    return found;
  }
  std::vector<std::string> complaints() const { return names(judge_device(&device)); }
  std::string sentence() const {
    auto found = judge_device(&device);
    return found.empty() ? "" : found[0].sentence;
  }

  KSPIN_DISPATCH pin_dispatch{};
  KSFILTER_DISPATCH filter_dispatch{};
  KSPIN_DESCRIPTOR_EX pins[2] = {};
  KSFILTER_DESCRIPTOR filter{};
  const KSFILTER_DESCRIPTOR* filters[1] = {&filter};
  KSDEVICE_DESCRIPTOR device{};
};

TEST_F(DescriptorCheck, GoodTablesAreGood) {
  EXPECT_THAT(complaints(), IsEmpty());
  device.Version = 0;
  EXPECT_THAT(complaints(), IsEmpty());
  device.Version = KSDEVICE_DESCRIPTOR_VERSION_2;
  EXPECT_THAT(complaints(), IsEmpty());
}

TEST_F(DescriptorCheck, ADriverMayHaveNoTables) {
  EXPECT_THAT(judge_device(nullptr), IsEmpty());
  device.FilterDescriptorsCount = 0;
  device.FilterDescriptors = nullptr;
  EXPECT_THAT(complaints(), IsEmpty());
}

TEST_F(DescriptorCheck, PinsMayComeLater) {
  filter.PinDescriptorsCount = 0;
  filter.PinDescriptorSize = 0;
  filter.PinDescriptors = nullptr;
  filter.CategoriesCount = 0;
  filter.Categories = nullptr;
  EXPECT_THAT(complaints(), IsEmpty());
}

TEST_F(DescriptorCheck, FramingAsAPinEditsItIsGood) {
  KSALLOCATOR_FRAMING_EX edited = kFraming;
  edited.FramingItem[0].FramingRange.Range = {153600, 153600, 0};
  edited.FramingItem[0].PhysicalRange = {153600, 153600, 0};
  pins[0].AllocatorFraming = &edited;
  EXPECT_THAT(complaints(), IsEmpty());
}

// --- Flags ---

TEST_F(DescriptorCheck, FlagsExcludeEachOther) {
  const ULONG pairs[][2] = {
      {KSPIN_FLAG_CRITICAL_PROCESSING, KSPIN_FLAG_HYPERCRITICAL_PROCESSING},
      {KSPIN_FLAG_DO_NOT_INITIATE_PROCESSING, KSPIN_FLAG_INITIATE_PROCESSING_ON_EVERY_ARRIVAL},
      {KSPIN_FLAG_FRAMES_NOT_REQUIRED_FOR_PROCESSING, KSPIN_FLAG_SOME_FRAMES_REQUIRED_FOR_PROCESSING},
      {KSPIN_FLAG_PROCESS_IN_RUN_STATE_ONLY, KSPIN_FLAG_PROCESS_IF_ANY_IN_RUN_STATE},
  };
  for (const auto& [one, other] : pairs) {
    for (ULONG alone : {one, other}) {
      pins[1].Flags = alone;
      EXPECT_THAT(complaints(), IsEmpty()) << alone;
    }
    pins[1].Flags = one | other;
    EXPECT_THAT(complaints(), ElementsAre("KsDescriptorFlags")) << pins[1].Flags;
    EXPECT_THAT(sentence(), HasSubstr("pin 1 of filter 0"));
  }
  pins[1].Flags = 0;
  filter.Flags = KSFILTER_FLAG_CRITICAL_PROCESSING | KSFILTER_FLAG_HYPERCRITICAL_PROCESSING;
  EXPECT_THAT(complaints(), ElementsAre("KsDescriptorFlags"));
}

TEST_F(DescriptorCheck, ASplitterHasSeveralInstances) {
  pins[0].Flags = KSPIN_FLAG_SPLITTER;
  EXPECT_THAT(complaints(), ElementsAre("KsDescriptorFlags"));
  pins[0].InstancesPossible = 2;
  EXPECT_THAT(complaints(), IsEmpty());
  pins[0].InstancesPossible = KSINSTANCE_INDETERMINATE;
  EXPECT_THAT(complaints(), IsEmpty());
}

TEST_F(DescriptorCheck, APinThatDoesNotInitiateProcessingHasSomethingToAttempt) {
  KSPIN_DISPATCH idle{};
  pins[0].Flags = KSPIN_FLAG_DO_NOT_INITIATE_PROCESSING;
  EXPECT_THAT(complaints(), IsEmpty());
  pins[0].Dispatch = &idle;
  EXPECT_THAT(complaints(), ElementsAre("KsDescriptorFlags"));
  pins[0].Dispatch = nullptr;
  EXPECT_THAT(complaints(), ElementsAre("KsDescriptorFlags"));
  pins[0].Flags |= KSPIN_FLAG_DO_NOT_USE_STANDARD_TRANSPORT;
  EXPECT_THAT(complaints(), IsEmpty());
  pins[0].Flags |= KSPIN_FLAG_USE_STANDARD_TRANSPORT;
  EXPECT_THAT(complaints(), ElementsAre("KsDescriptorFlags"));
  pins[0].Flags = KSPIN_FLAG_DO_NOT_INITIATE_PROCESSING;
  pins[0].PinDescriptor.Communication = KSPIN_COMMUNICATION_BRIDGE;
  EXPECT_THAT(complaints(), IsEmpty());
}

TEST_F(DescriptorCheck, EitherTheFilterOrThePinProcesses) {
  filter_dispatch.Process = process_filter;
  EXPECT_THAT(complaints(), ElementsAre("KsTwoProcessors", "KsTwoProcessors"));
  pins[0].Dispatch = pins[1].Dispatch = nullptr;
  EXPECT_THAT(complaints(), IsEmpty());
}

// --- Shape ---

TEST_F(DescriptorCheck, DescriptorsHaveAKnownVersion) {
  device.Version = 0x101;
  EXPECT_THAT(complaints(), ElementsAre("KsDescriptorShape"));
  device.Version = KSDEVICE_DESCRIPTOR_VERSION;
  filter.Version = 0;
  EXPECT_THAT(complaints(), ElementsAre("KsDescriptorShape"));
  EXPECT_THAT(sentence(), HasSubstr("filter 0"));
}

TEST_F(DescriptorCheck, PinDescriptorsAreLongEnough) {
  filter.PinDescriptorSize = sizeof(KSPIN_DESCRIPTOR_EX) - 8;
  EXPECT_THAT(complaints(), ElementsAre("KsDescriptorShape"));
  filter.PinDescriptorSize = sizeof(KSPIN_DESCRIPTOR_EX) + 4;
  EXPECT_THAT(complaints(), ElementsAre("KsDescriptorShape"));
}

TEST_F(DescriptorCheck, LongerPinDescriptorsAreReadAtTheirSize) {
  struct Longer {
    KSPIN_DESCRIPTOR_EX pin;
    ULONGLONG more;
  } longer[2] = {{pins[0], 1}, {pins[1], 2}};
  longer[1].pin.Flags = KSPIN_FLAG_SPLITTER;
  filter.PinDescriptorSize = sizeof(Longer);
  filter.PinDescriptors = &longer[0].pin;
  EXPECT_THAT(complaints(), ElementsAre("KsDescriptorFlags"));
  EXPECT_THAT(sentence(), HasSubstr("pin 1 of filter 0"));
}

TEST_F(DescriptorCheck, CountsHaveTheirArrays) {
  filter.Categories = nullptr;
  EXPECT_THAT(complaints(), ElementsAre("KsDescriptorShape"));
  filter.Categories = kCapture;
  filter.PinDescriptors = nullptr;
  EXPECT_THAT(complaints(), ElementsAre("KsDescriptorShape"));
  filter.PinDescriptors = pins;
  filter.NodeDescriptorsCount = 1;
  EXPECT_THAT(complaints(), ElementsAre("KsDescriptorShape"));
  filter.NodeDescriptorsCount = 0;
  filter.ConnectionsCount = 1;
  EXPECT_THAT(complaints(), ElementsAre("KsDescriptorShape"));
  filter.ConnectionsCount = 0;
  pins[0].PinDescriptor.DataRangesCount = 1;
  EXPECT_THAT(complaints(), ElementsAre("KsDescriptorShape"));
  pins[0].PinDescriptor.DataRangesCount = 0;
  filters[0] = nullptr;
  EXPECT_THAT(complaints(), ElementsAre("KsDescriptorShape"));
  device.FilterDescriptors = nullptr;
  EXPECT_THAT(complaints(), ElementsAre("KsDescriptorShape"));
}

// --- Allocators ---

TEST_F(DescriptorCheck, AnAllocatorIsWhole) {
  KSALLOCATOR_DISPATCH allocator = kAllocator;
  pin_dispatch.Allocator = &allocator;
  EXPECT_THAT(complaints(), IsEmpty());
  allocator.Free = nullptr;
  filter.PinDescriptorsCount = 1;
  EXPECT_THAT(complaints(), ElementsAre("KsAllocatorDispatchPartial"));
  EXPECT_EQ(sentence(), "pin 0 of filter 0 has an allocator without Free");
}

TEST_F(DescriptorCheck, TheClassAnswersForAnAllocatorUnlessTheDriverDoes) {
  KSPROPERTY_ITEM items[] = {DEFINE_KSPROPERTY_ITEM(KSPROPERTY_STREAM_ALLOCATOR, handler, sizeof(KSPROPERTY),
                                                    sizeof(HANDLE), nullptr, nullptr, 0, nullptr, nullptr, 0)};
  const KSPROPERTY_SET sets[] = {{&KSPROPSETID_Stream, 1, items, 0, nullptr}};
  const KSAUTOMATION_TABLE table = {1, sizeof(KSPROPERTY_ITEM), sets,    0,      sizeof(KSMETHOD_ITEM), nullptr,
                                    0, sizeof(KSEVENT_ITEM),    nullptr, nullptr};
  pin_dispatch.Allocator = &kAllocator;
  pins[0].AutomationTable = &table;
  EXPECT_THAT(complaints(), IsEmpty());
  items[0].GetPropertyHandler = nullptr;
  EXPECT_THAT(complaints(), ElementsAre("KsAllocatorPropertyMissing"));
  items[0].PropertyId = KSPROPERTY_STREAM_QUALITY;
  EXPECT_THAT(complaints(), IsEmpty());
}

TEST_F(DescriptorCheck, FewFramesAreAFaultOfCodecsOnly) {
  EXPECT_THAT(complaints(), IsEmpty());
  filter.CategoriesCount = 1;
  filter.Categories = kDecoder;
  EXPECT_THAT(complaints(), ElementsAre("KsFramingFewFrames", "KsFramingFewFrames"));
}

// --- One at a time ---

TEST_F(DescriptorCheck, AFilterOrAPinIsJudgedByItself) {
  pins[1].Flags = KSPIN_FLAG_SPLITTER;
  EXPECT_THAT(names(judge_filter(filter)), ElementsAre("KsDescriptorFlags"));
  EXPECT_THAT(judge_filter(filter)[0].sentence, HasSubstr("pin 1 of the filter"));
  EXPECT_THAT(names(judge_pin(pins[0], filter)), IsEmpty());
  EXPECT_THAT(names(judge_pin(pins[1], filter)), ElementsAre("KsDescriptorFlags"));
  EXPECT_THAT(judge_pin(pins[1], filter)[0].sentence, testing::StartsWith("the pin "));
}

}  // namespace
}  // namespace ks
