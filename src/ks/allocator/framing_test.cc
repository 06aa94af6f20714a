#include "ks/allocator/framing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "abi/ks/ksmedia.h"

namespace ks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr ULONG kSystem = KSALLOCATOR_REQUIREMENTF_SYSTEM_MEMORY;

NTSTATUS initialize(PKSPIN, PKSALLOCATOR_FRAMING, PVOID*) { return STATUS_SUCCESS; }
void remove(PVOID) {}
void* allocate(PVOID) { return nullptr; }
void free_frame(PVOID, PVOID) {}
NTSTATUS handler(PIRP, PKSIDENTIFIER, PVOID) { return STATUS_SUCCESS; }

const KSALLOCATOR_DISPATCH kWhole = {initialize, remove, allocate, free_frame};
const KSPROPERTY_ITEM kSupported = DEFINE_KSPROPERTY_ITEM(KSPROPERTY_STREAM_ALLOCATOR, handler, sizeof(KSPROPERTY),
                                                          sizeof(HANDLE), nullptr, nullptr, 0, nullptr, nullptr, 0);

KSALLOCATOR_FRAMING_EX framing_ex(const GUID& memory, ULONG flags, ULONG frames, KS_FRAMING_RANGE range) {
  KSALLOCATOR_FRAMING_EX framing{};
  framing.CountItems = 1;
  framing.FramingItem[0].MemoryType = memory;
  framing.FramingItem[0].Flags = flags;
  framing.FramingItem[0].Frames = frames;
  framing.FramingItem[0].PhysicalRange = range;
  framing.FramingItem[0].FramingRange.Range = range;
  return framing;
}

// A pin with some of what the lint looks at.
struct TestPin {
  KSPIN_DISPATCH dispatch{};
  KSPIN_DESCRIPTOR_EX descriptor{};

  TestPin(const KSALLOCATOR_DISPATCH* allocator, const KSALLOCATOR_FRAMING_EX* framing) {
    dispatch.Allocator = allocator;
    descriptor.Dispatch = &dispatch;
    descriptor.AllocatorFraming = framing;
  }
  std::vector<std::string> complaints(const KSPROPERTY_ITEM* item = &kSupported, bool codec = false) const {
    std::vector<std::string> names;
    for (const FramingComplaint& complaint : judge_framing({descriptor, item, codec})) {
      names.push_back(nt::to_string(complaint.what));
    }
    return names;
  }
};

// --- An allocator's framing ---

KSALLOCATOR_FRAMING good() { return {{KSALLOCATOR_OPTIONF_SYSTEM_MEMORY}, NonPagedPool, 3, 4096, {63}, 0}; }

TEST(FramingTest, AGoodFramingIsTaken) { EXPECT_TRUE(judge(good()).ok()); }

TEST(FramingTest, MembersThatNameNothingAreRefused) {
  auto refused = [](auto&& change) {
    KSALLOCATOR_FRAMING framing = good();
    change(framing);
    return judge(framing).status() == STATUS_INVALID_PARAMETER;
  };
  EXPECT_TRUE(refused([](auto& framing) { framing.Reserved = 1; }));
  EXPECT_TRUE(refused([](auto& framing) { framing.OptionsFlags = 4; }));
  EXPECT_TRUE(refused([](auto& framing) { framing.PoolType = static_cast<POOL_TYPE>(2048); }));
  EXPECT_TRUE(refused([](auto& framing) { framing.FileAlignment = 62; }));
  EXPECT_TRUE(refused([](auto& framing) { framing.FileAlignment = 8191; }));
}

TEST(FramingTest, PageableMemoryCannotBeHadAtDispatchLevel) {
  KSALLOCATOR_FRAMING framing = good();
  EXPECT_TRUE(serves_dispatch_level(framing));
  framing.PoolType = PagedPool;
  EXPECT_FALSE(serves_dispatch_level(framing));
  framing.OptionsFlags = 0;  // it was only preferred
  EXPECT_FALSE(serves_dispatch_level(framing));
}

// --- Lint ---

TEST(FramingLintTest, TheMacrosOwnFramingIsQuiet) {
  DECLARE_SIMPLE_FRAMING_EX(framing, STATIC_KSMEMORY_TYPE_KERNEL_NONPAGED, kSystem, 2, 0, 4096, 4096);
  EXPECT_THAT(TestPin(nullptr, &framing).complaints(), IsEmpty());
  EXPECT_THAT(TestPin(&kWhole, nullptr).complaints(), IsEmpty());
}

TEST(FramingLintTest, EachMissingRoutineOfAnAllocatorIsNamed) {
  KSALLOCATOR_DISPATCH partial = kWhole;
  partial.DeleteAllocator = nullptr;
  TestPin pin(&partial, nullptr);
  EXPECT_THAT(pin.complaints(), ElementsAre("KsAllocatorDispatchPartial"));
  EXPECT_THAT(judge_framing({pin.descriptor, &kSupported, false})[0].sentence, HasSubstr("DeleteAllocator"));
}

TEST(FramingLintTest, AnAllocatorWithoutItsPropertyIsSeen) {
  KSPROPERTY_ITEM silent = kSupported;
  silent.GetPropertyHandler = nullptr;
  EXPECT_THAT(TestPin(&kWhole, nullptr).complaints(nullptr), ElementsAre("KsAllocatorPropertyMissing"));
  EXPECT_THAT(TestPin(&kWhole, nullptr).complaints(&silent), ElementsAre("KsAllocatorPropertyMissing"));
  EXPECT_THAT(TestPin(nullptr, nullptr).complaints(nullptr), IsEmpty());
}

TEST(FramingLintTest, CanAllocateNeedsAnAllocator) {
  auto framing = framing_ex(GUID_NULL, kSystem | KSALLOCATOR_FLAG_CAN_ALLOCATE, 3, {1, 8, 1});
  EXPECT_THAT(TestPin(nullptr, &framing).complaints(), ElementsAre("KsCanAllocateUnfounded"));
  EXPECT_THAT(TestPin(&kWhole, &framing).complaints(), IsEmpty());
}

TEST(FramingLintTest, TheDefaultAllocatorWantsSystemMemory) {
  auto framing = framing_ex(GUID_NULL, 0, 3, {1, 8, 1});
  EXPECT_THAT(TestPin(nullptr, &framing).complaints(), IsEmpty()) << "an allocator of others may serve the pin";
  EXPECT_FALSE(fits_default_allocator(&framing));
  EXPECT_TRUE(fits_default_allocator(nullptr));
  framing = framing_ex(GUID_NULL, kSystem | KSALLOCATOR_REQUIREMENTF_PREFERENCES_ONLY, 3, {1, 8, 1});
  EXPECT_TRUE(fits_default_allocator(&framing));
  framing = framing_ex(KSMEMORY_TYPE_KERNEL_NONPAGED, 0, 3, {1, 8, 1});
  EXPECT_TRUE(fits_default_allocator(&framing)) << "its page says that this is the same";
}

TEST(FramingLintTest, FewFramesOfACodec) {
  auto framing = framing_ex(GUID_NULL, kSystem, 2, {1, 8, 1});
  EXPECT_THAT(TestPin(nullptr, &framing).complaints(&kSupported, true), ElementsAre("KsFramingFewFrames"));
  EXPECT_THAT(TestPin(nullptr, &framing).complaints(&kSupported, false), IsEmpty());
  KSFILTER_DESCRIPTOR filter{};
  filter.Categories = &KSCATEGORY_DATACOMPRESSOR;
  filter.CategoriesCount = 1;
  EXPECT_TRUE(is_codec(filter));
  filter.Categories = &KSCATEGORY_CAPTURE;
  EXPECT_FALSE(is_codec(filter));
}

TEST(FramingLintTest, RangesAndReservedMembers) {
  EXPECT_TRUE(well_formed({4096, 4096, 0}));
  EXPECT_TRUE(well_formed({4096, 8192, 4096}));
  EXPECT_FALSE(well_formed({4096, 8192, 4097}));
  EXPECT_FALSE(well_formed({8192, 4096, 1}));
  auto framing = framing_ex(GUID_NULL, kSystem, 3, {1, 8, 1});
  framing.FramingItem[0].FramingRange.Range = {8, 16, 9};
  EXPECT_THAT(TestPin(nullptr, &framing).complaints(), ElementsAre("KsFramingStepping"));
  framing = framing_ex(GUID_NULL, kSystem, 3, {1, 8, 1});
  framing.PinWeight = 1;
  framing.FramingItem[0].FramingRange.InPlaceWeight = 1;
  EXPECT_THAT(TestPin(nullptr, &framing).complaints(), ElementsAre("KsFramingStepping", "KsFramingStepping"));
}

TEST(FramingLintTest, AFramingMustFitItsBuffer) {
  auto framing = framing_ex(GUID_NULL, kSystem, 3, {1, 8, 1});
  EXPECT_TRUE(judge(framing, sizeof(framing)).ok());
  EXPECT_EQ(judge(framing, sizeof(framing) - 1).status(), STATUS_INVALID_BUFFER_SIZE);
  EXPECT_EQ(judge(framing, 3).status(), STATUS_INVALID_BUFFER_SIZE);
  framing.CountItems = 0x10000000;  // whose size would wrap
  EXPECT_EQ(judge(framing, sizeof(framing)).status(), STATUS_INVALID_BUFFER_SIZE);
}

// --- Negotiation ---

TEST(NegotiationTest, TheSourceKnowsTheSizeAndBothAreServed) {
  auto source = framing_ex(KSMEMORY_TYPE_KERNEL_NONPAGED, kSystem, 2, {153600, 153600, 0});
  auto sink = framing_ex(GUID_NULL, 0, 4, {1, UINT32_MAX, 1});
  sink.FramingItem[0].FileAlignment = 31;
  auto agreed = negotiate(&source, &sink, 153600);
  ASSERT_TRUE(agreed.ok());
  EXPECT_EQ(agreed.value().FrameSize, 153600u);
  EXPECT_EQ(agreed.value().Frames, 4u);
  EXPECT_EQ(agreed.value().FileAlignment, 31u);
  EXPECT_EQ(agreed.value().PoolType, NonPagedPool);
  EXPECT_EQ(agreed.value().OptionsFlags, ULONG{KSALLOCATOR_OPTIONF_SYSTEM_MEMORY});
  EXPECT_TRUE(judge(agreed.value()).ok());
}

TEST(NegotiationTest, APreferenceIsNoDemand) {
  constexpr ULONG kPreferred = kSystem | KSALLOCATOR_REQUIREMENTF_PREFERENCES_ONLY;
  auto prefers = framing_ex(KSMEMORY_TYPE_KERNEL_NONPAGED, kPreferred, 2, {64, 64, 0});
  auto demands = framing_ex(KSMEMORY_TYPE_KERNEL_NONPAGED, kSystem, 2, {64, 64, 0});
  EXPECT_EQ(negotiate(&prefers, &prefers, 0).value().OptionsFlags, 0u);
  EXPECT_EQ(negotiate(&prefers, nullptr, 0).value().PoolType, NonPagedPool);
  EXPECT_EQ(negotiate(&prefers, &demands, 0).value().OptionsFlags, ULONG{KSALLOCATOR_OPTIONF_SYSTEM_MEMORY});
  EXPECT_EQ(negotiate(&demands, &prefers, 0).value().OptionsFlags, ULONG{KSALLOCATOR_OPTIONF_SYSTEM_MEMORY});
}

TEST(NegotiationTest, SteppingsMeet) {
  auto source = framing_ex(GUID_NULL, kSystem, 2, {6, 600, 6});
  auto sink = framing_ex(GUID_NULL, kSystem, 2, {4, 400, 4});
  EXPECT_EQ(negotiate(&source, &sink, 0).value().FrameSize, 12u);
  EXPECT_EQ(negotiate(&source, &sink, 13).value().FrameSize, 24u);
  source = framing_ex(GUID_NULL, kSystem, 2, {5, 605, 6});  // odd ones only
  EXPECT_EQ(negotiate(&source, &sink, 0).status(), STATUS_NO_MATCH);
}

TEST(NegotiationTest, TheBestRangeYieldsToWhatIsPossible) {
  auto source = framing_ex(GUID_NULL, kSystem, 2, {1, 100000, 1});
  source.FramingItem[0].FramingRange.Range = {64, 128, 1};
  EXPECT_EQ(negotiate(&source, nullptr, 100).value().FrameSize, 100u);
  EXPECT_EQ(negotiate(&source, nullptr, 5000).value().FrameSize, 5000u);
  EXPECT_EQ(negotiate(&source, nullptr, 200000).status(), STATUS_NO_MATCH);
}

TEST(NegotiationTest, MemoryThatDoesNotAgreeLeadsToTheNextItem) {
  struct {
    KSALLOCATOR_FRAMING_EX head;
    KS_FRAMING_ITEM second;
  } two{};
  two.head = framing_ex(KSMEMORY_TYPE_DEVICE_UNKNOWN, 0, 2, {1, 100, 1});
  two.head.CountItems = 2;
  two.second = framing_ex(KSMEMORY_TYPE_KERNEL_PAGED, kSystem, 5, {50, 100, 1}).FramingItem[0];
  auto sink = framing_ex(KSMEMORY_TYPE_KERNEL_PAGED, kSystem, 1, {1, 100, 1});
  auto agreed = negotiate(&two.head, &sink, 0);
  ASSERT_TRUE(agreed.ok());
  EXPECT_EQ(agreed.value().Frames, 5u);
  EXPECT_EQ(agreed.value().FrameSize, 50u);
  EXPECT_EQ(agreed.value().PoolType, PagedPool);
  two.head.CountItems = 1;
  EXPECT_EQ(negotiate(&two.head, &sink, 0).status(), STATUS_NO_MATCH);
}

TEST(NegotiationTest, TwoPinsWithoutRequirementsGetTheDefaults) {
  auto agreed = negotiate(nullptr, nullptr, 0);
  ASSERT_TRUE(agreed.ok());
  EXPECT_EQ(agreed.value().FrameSize, kFrameBytesUnlessAsked);
  EXPECT_EQ(agreed.value().Frames, kFramesUnlessAsked);
  EXPECT_EQ(negotiate(nullptr, nullptr, 100).value().FrameSize, 100u);
}

TEST(NegotiationTest, ChoosesThePinThatProvidesTheAllocator) {
  auto must = framing_ex(GUID_NULL, KSALLOCATOR_REQUIREMENTF_MUST_ALLOCATE, 2, {1, 8, 1});
  TestPin none(nullptr, nullptr), can(&kWhole, nullptr), insists(&kWhole, &must), cannot(nullptr, &must);
  EXPECT_EQ(choose_provider(none.descriptor, none.descriptor), Provider::Default);
  EXPECT_EQ(choose_provider(can.descriptor, none.descriptor), Provider::Source);
  EXPECT_EQ(choose_provider(can.descriptor, can.descriptor), Provider::Sink);
  EXPECT_EQ(choose_provider(insists.descriptor, can.descriptor), Provider::Source);
  EXPECT_EQ(choose_provider(cannot.descriptor, none.descriptor), Provider::Default);
  must.FramingItem[0].Flags |= KSALLOCATOR_REQUIREMENTF_PREFERENCES_ONLY;
  EXPECT_EQ(choose_provider(insists.descriptor, can.descriptor), Provider::Sink);
}

}  // namespace
}  // namespace ks
