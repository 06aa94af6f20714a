// Creation: the order of the driver's calls, what is undone when one of them fails, and what the driver's answers are
// judged by.
#include "dxgk/object/create.h"

#include "dxgk/object/allocation_info.h"
#include "dxgk/testing/client_fixture.h"

namespace dxgk {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Made;

class CreateTest : public testing::ClientTest {
 protected:
  // What is left after a creation that failed: nothing.
  void expect_nothing_left(const Client& client, uint32_t handles_before) {
    EXPECT_EQ(client.process->handles().open_count(), handles_before);
    EXPECT_EQ(driver.calls(Ddi::OpenAllocation), driver.calls(Ddi::CloseAllocation) + failed_opens);
  }
  size_t failed_opens = 0;
};

TEST_F(CreateTest, CreatesOpensAndPublishes) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(true), 2);
    EXPECT_EQ(made.status, STATUS_SUCCESS);
    EXPECT_THAT(driver.log, ElementsAre("CreateAllocation(2)", "OpenAllocation(2)"));
    EXPECT_EQ(made.allocations[0], made.resource + 0x40) << "the resource has the lower handle";
    EXPECT_EQ(made.allocations[1], made.resource + 0x80);
    EXPECT_EQ(made.global_share, 0u);
    client.process->end();
  });
  EXPECT_THAT(driver.complaints, IsEmpty());
}

TEST_F(CreateTest, RefusedByTheDriverLeavesNothingToUndo) {
  driver.fail(Ddi::CreateAllocation, STATUS_NO_MEMORY);
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    uint32_t before = client.process->handles().open_count();
    EXPECT_EQ(create(client, flags(true, true), 2).status, STATUS_NO_MEMORY);
    EXPECT_THAT(driver.log, ElementsAre("CreateAllocation(2)"));
    expect_nothing_left(client, before);
    client.process->end();
  });
  EXPECT_TRUE(driver.empty());
}

TEST_F(CreateTest, FailedOpenIsUndoneWithDestroy) {
  driver.fail(Ddi::OpenAllocation, STATUS_NO_MEMORY);
  failed_opens = 1;
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    uint32_t before = client.process->handles().open_count();
    EXPECT_EQ(create(client, flags(true), 2).status, STATUS_NO_MEMORY);
    EXPECT_THAT(driver.log, ElementsAre("CreateAllocation(2)", "OpenAllocation(2)", "DestroyAllocation(2, resource)"));
    expect_nothing_left(client, before);
    Made next = create(client, flags(true), 1);
    EXPECT_EQ(next.resource, client.device->handle + 0x40) << "a failed call consumes no handle";
    client.process->end();
  });
  EXPECT_TRUE(driver.empty());
  EXPECT_THAT(driver.complaints, IsEmpty());
}

TEST_F(CreateTest, UncommittedCreationIsClosedAndDestroyed) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    uint32_t before = client.process->handles().open_count();
    {
      ParkingLock lock(client.device->mutex());
      AllocationRequest one;
      CreateRequest request;
      request.flags = flags(true, true);
      request.allocations = {&one, 1};
      auto creation = Creation::begin(*client.device, request);
      ASSERT_TRUE(creation.ok());
      EXPECT_FALSE(resolves(client, one.handle)) << "not before commit()";
    }
    EXPECT_THAT(driver.log, ElementsAre("CreateAllocation(1)", "OpenAllocation(1)", "CloseAllocation(1)",
                                        "DestroyAllocation(1, resource)"));
    expect_nothing_left(client, before);
    EXPECT_EQ(kernel().global_handles().size(), 0u);
    client.process->end();
  });
  EXPECT_TRUE(driver.empty());
}

TEST_F(CreateTest, AddedAllocationGetsTheResourcesHandleOfTheDriver) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(true), 1);
    auto resource = client.process->handles().get<ResourceView>(made.resource).take();
    Made more = create(client, flags(false), 1, &*resource);
    EXPECT_EQ(more.status, STATUS_SUCCESS);
    driver.log.clear();
    EXPECT_EQ(destroy(client, made), STATUS_SUCCESS);
    EXPECT_THAT(driver.log, ElementsAre("CloseAllocation(2)", "DestroyAllocation(2, resource)"));
    EXPECT_FALSE(resolves(client, more.allocations[0]));
    client.process->end();
  });
  EXPECT_TRUE(driver.empty());
  EXPECT_THAT(driver.complaints, IsEmpty());
}

// OC-03: the driver may change the private data only for the creator of the allocation.
TEST_F(CreateTest, AnOpenersPrivateDataIsNotTheDriversToChange) {
  observer.then = nt::Then::GoOn;
  driver.scribble_on_open = true;
  run_started([&](Adapter& adapter) {
    Client creator = open(adapter, "creator"), opener = open(adapter, "opener");
    uint64_t bytes = 4096;
    Made made = create_shared(creator, bytes);
    ASSERT_EQ(made.status, STATUS_SUCCESS);
    EXPECT_THAT(broken(), IsEmpty());
    EXPECT_NE(bytes, 4096u) << "the creator sees the driver's edit";
    {
      ParkingLock lock(opener.device->mutex());
      auto opening = Opening::begin(*opener.device, find_shared(kernel(), made.global_share).take(), false);
      ASSERT_TRUE(opening.ok());
      opening.take().commit();
    }
    EXPECT_THAT(broken(), ElementsAre("OpenerDataChanged"));
    creator.process->end();
    opener.process->end();
  });
}

// --- What the driver answers ---

struct WrongAnswer {
  const char* name;
  void (*spoil)(DXGK_ALLOCATIONINFO& info, UINT index);
  const char* violation;
  bool refused;
};

class WrongAnswerTest : public testing::ClientTest, public ::testing::WithParamInterface<WrongAnswer> {};

TEST_P(WrongAnswerTest, IsAFinding) {
  observer.then = nt::Then::GoOn;
  driver.describe = GetParam().spoil;
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(false), 2);
    EXPECT_EQ(made.status, GetParam().refused ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS);
    EXPECT_THAT(broken(), ::testing::Each(GetParam().violation));
    EXPECT_FALSE(broken().empty());
    client.process->end();
  });
}

INSTANTIATE_TEST_SUITE_P(
    Answers, WrongAnswerTest,
    ::testing::Values(
        WrongAnswer{"NoSize", [](DXGK_ALLOCATIONINFO& answer, UINT) { answer.Size = 0; }, "AllocationSizeWrong", true},
        WrongAnswer{"HugeSize", [](DXGK_ALLOCATIONINFO& answer, UINT) { answer.Size = SIZE_MAX; },
                    "AllocationSizeWrong", true},
        WrongAnswer{"SmallPitch", [](DXGK_ALLOCATIONINFO& answer, UINT) { answer.PitchAlignedSize = 1; },
                    "AllocationSizeWrong", false},
        WrongAnswer{"NoPriority", [](DXGK_ALLOCATIONINFO& answer, UINT) { answer.AllocationPriority = 0; },
                    "AllocationPriorityZero", false},
        WrongAnswer{"UnknownSegment",
                    [](DXGK_ALLOCATIONINFO& answer, UINT) { answer.SupportedWriteSegmentSet = 1u << 20; },
                    "AllocationSegmentsWrong", true},
        WrongAnswer{"EvictedToLocal", [](DXGK_ALLOCATIONINFO& answer, UINT) { answer.EvictionSegmentSet = 2; },
                    "EvictionSegmentsWrong", false},
        WrongAnswer{"ForReadingAlone",
                    [](DXGK_ALLOCATIONINFO& answer, UINT) {
                      answer.PreferredSegment.Value = 0;
                      answer.SupportedReadSegmentSet = 1;
                      answer.SupportedWriteSegmentSet = 0;
                    },
                    "WriteSegmentsMissing", false},
        WrongAnswer{"CachedInvisible",
                    [](DXGK_ALLOCATIONINFO& answer, UINT) {
                      answer.Flags.Value = 0;
                      answer.Flags.Cached = 1;
                    },
                    "AllocationFlagsWrong", false},
        WrongAnswer{"ProtectedExisting",
                    [](DXGK_ALLOCATIONINFO& answer, UINT) {
                      answer.Flags.Protected = 1;
                      answer.Flags.ExistingKernelSysMem = 1;
                    },
                    "FlagsExclusive", false},
        WrongAnswer{"ExistingWithoutMemory", [](DXGK_ALLOCATIONINFO& answer, UINT) { answer.Flags.ExistingSysMem = 1; },
                    "ExistingMemoryMissing", false},
        WrongAnswer{"Notified",
                    [](DXGK_ALLOCATIONINFO& answer, UINT) { answer.FlagsWddm2.ExplicitResidencyNotification = 1; },
                    "ResidencyNotificationAlone", false},
        WrongAnswer{"OfThePast", [](DXGK_ALLOCATIONINFO& answer, UINT) { answer.Flags.SynchronousPaging = 1; },
                    "FlagsOfOtherVersion", false},
        WrongAnswer{"ReservedBit", [](DXGK_ALLOCATIONINFO& answer, UINT) { answer.Flags.Value |= 1u << 31; },
                    "FlagsReserved", false}),
    [](const auto& wrong) { return wrong.param.name; });

// B4: by the id after the last, as published drivers name it. It stands for the aperture.
TEST_F(CreateTest, TheSystemsSegmentCanBeNamed) {
  driver.describe = [](DXGK_ALLOCATIONINFO& answer, UINT) {
    answer.SupportedWriteSegmentSet = 1u << 2;
    answer.PreferredSegment.Value = 0;
    answer.PreferredSegment.SegmentId0 = 3;
    answer.EvictionSegmentSet = 1u << 2;
  };
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Made made = create(client, flags(true, true), 1);
    EXPECT_EQ(made.status, STATUS_SUCCESS);
    EXPECT_EQ(adapter.caps().described_segments(1u << 2), adapter.caps().aperture_set());
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST(AlignmentOf, TheUnionIsReadAsWhatItCanBe) {
  AdapterCaps old, wddm2;
  old.version = DXGKDDI_INTERFACE_VERSION_WDDM1_3;
  wddm2.version = DXGKDDI_INTERFACE_VERSION_WDDM2_0;
  EXPECT_EQ(alignment_of(0x10000, wddm2), 0x10000u);
  EXPECT_EQ(alignment_of(256, wddm2), 256u);
  EXPECT_EQ(alignment_of(0x3000, wddm2), 0x3000u);
  EXPECT_EQ(alignment_of(0x0010'0001, wddm2), 4096u) << "4 KiB at least, 64 KiB recommended";
  EXPECT_EQ(alignment_of(0x0010'0010, wddm2), 65536u);
  EXPECT_EQ(alignment_of(0x0010'0001, old), 0x0010'0001u);
}

TEST_F(CreateTest, ACrossAdapterResourceStaysInTheApertures) {
  observer.then = nt::Then::GoOn;
  driver.describe = [](DXGK_ALLOCATIONINFO& answer, UINT) {
    answer.Flags.Value = 0;
    answer.SupportedWriteSegmentSet = 3;
  };
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    auto across = flags(true, true);
    EXPECT_EQ(create(client, across, 1).status, STATUS_SUCCESS);
    EXPECT_THAT(broken(), IsEmpty());
    across.CrossAdapter = 1;
    create(client, across, 1);
    EXPECT_THAT(broken(), ElementsAre("CrossAdapterWrong"));
    client.process->end();
  });
}

// SH-22, CA-19: what only later versions can say.
TEST_F(CreateTest, LaterFlagsAreReadOfLaterDriversOnly) {
  observer.then = nt::Then::GoOn;
  driver.describe = [](DXGK_ALLOCATIONINFO& answer, UINT) { answer.Flags2.ShareBackingStoreWithKmd = 1; };
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    EXPECT_EQ(create(client, flags(true, true), 1).status, STATUS_SUCCESS);
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
  driver.table.Version = DXGKDDI_INTERFACE_VERSION_WDDM3_1;
  driver.describe = [](DXGK_ALLOCATIONINFO& answer, UINT) {
    answer.Flags2.ShareBackingStoreWithKmd = 1;
    answer.FlagsWddm2.MapApertureCpuVisible = 1;
  };
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    EXPECT_EQ(create(client, flags(true, true), 1).status, STATUS_INVALID_PARAMETER);
    client.process->end();
  });
  EXPECT_THAT(broken(), ElementsAre("MapApertureUnsupported", "BackingStoreWrong"));
}

TEST_F(CreateTest, APrimaryIsNotCached) {
  observer.then = nt::Then::GoOn;
  driver.describe = [](DXGK_ALLOCATIONINFO& answer, UINT) { answer.Flags.CpuVisible = answer.Flags.Cached = 1; };
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    AllocationRequest one;
    one.primary = true;
    CreateRequest request;
    request.flags = flags(true);
    request.allocations = {&one, 1};
    {
      ParkingLock lock(client.device->mutex());
      EXPECT_TRUE(Creation::begin(*client.device, request).ok());
    }
    EXPECT_THAT(broken(), ElementsAre("PrimaryFlagsWrong"));
    one.primary = false;
    ParkingLock lock(client.device->mutex());
    EXPECT_TRUE(Creation::begin(*client.device, request).ok());
  });
  EXPECT_EQ(broken().size(), 1u);
}

class CreateTest13 : public testing::ClientTest {
 protected:
  CreateTest13() : ClientTest(testing::Model::Wddm13) {}
};

TEST_F(CreateTest13, OnlyAPrimaryHasAnAlternateAddress) {
  observer.then = nt::Then::GoOn;
  driver.describe = [](DXGK_ALLOCATIONINFO& answer, UINT) {
    answer.Flags.UseAlternateVA = answer.Flags.SynchronousPaging = 1;
  };
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    EXPECT_EQ(create(client, flags(true), 1).status, STATUS_INVALID_PARAMETER);
    EXPECT_THAT(broken(), ElementsAre("AlternateVaWithoutPrimary"));
    client.process->end();
  });
}

}  // namespace
}  // namespace dxgk
