#include "dxgk/object/standard_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dxgk/testing/graphics_fixture.h"

namespace dxgk {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using testing::GraphicsTest;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr UINT kBytes = 64 * 1024;

// What the driver answers. Static: a driver's function knows no test.
struct Answer {
  UINT pitch = kBytes;
  UINT allocation_bytes = 8, resource_bytes = 0;
} answer;

class StandardDataTest : public GraphicsTest {
 protected:
  StandardDataTest() {
    observer.then = nt::Then::GoOn;
    answer = {};
    driver.table.DxgkDdiGetStandardAllocationDriverData =
        [](IN_CONST_HANDLE, INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args) -> NTSTATUS {
      args->pCreateGdiSurfaceData->Pitch = answer.pitch;
      args->AllocationPrivateDriverDataSize = answer.allocation_bytes;
      args->ResourcePrivateDriverDataSize = answer.resource_bytes;
      return STATUS_SUCCESS;
    };
  }
  void ask() {
    run_started([](Adapter& adapter) {
      auto data = standard_data(adapter, kBytes, StandardKind::Staging);
      ASSERT_TRUE(data.ok());
      EXPECT_THAT(data.value().allocation, SizeIs(answer.allocation_bytes));
      EXPECT_THAT(data.value().resource, SizeIs(answer.resource_bytes));
    });
  }
};

TEST_F(StandardDataTest, ARightAnswerIsNoFinding) {
  ask();
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(StandardDataTest, ARowHasRoomForItsPixels) {
  for (UINT pitch : {0u, kBytes - 1}) {
    answer.pitch = pitch;
    ask();
  }
  EXPECT_THAT(broken(), SizeIs(2));
  EXPECT_THAT(broken(), Each("StandardDataWrong"));
}

TEST_F(StandardDataTest, ARowMayBeLonger) {
  answer.pitch = 2 * kBytes;
  ask();
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(StandardDataTest, MoreDataThanThereCanBeIsRefused) {
  answer.resource_bytes = UINT_MAX;
  run_started([](Adapter& adapter) {
    auto data = standard_data(adapter, kBytes, StandardKind::Staging);
    ASSERT_FALSE(data.ok());
    EXPECT_EQ(data.status(), STATUS_NO_MEMORY);
  });
  EXPECT_THAT(broken(), ElementsAre("StandardDataWrong"));
}

TEST_F(StandardDataTest, EitherTheAllocationOrTheResourceHasData) {
  answer.allocation_bytes = 0;
  answer.resource_bytes = 8;
  ask();
  EXPECT_THAT(broken(), IsEmpty());
  answer.resource_bytes = 0;
  ask();
  EXPECT_THAT(broken(), ElementsAre("StandardDataWrong"));
}

class ComputeOnlyStandardData : public GraphicsTest {
 protected:
  ComputeOnlyStandardData() : GraphicsTest(testing::Model::ComputeOnly) {}
};

// B4
TEST_F(ComputeOnlyStandardData, NoSurfaceIsAskedFor) {
  run_started([&](Adapter& adapter) {
    auto data = standard_data(adapter, kBytes, StandardKind::Staging);
    ASSERT_FALSE(data.ok());
    EXPECT_EQ(data.status(), STATUS_NOT_SUPPORTED);
    EXPECT_EQ(driver.calls(Ddi::GetStandardAllocationDriverData), 0u);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

}  // namespace
}  // namespace dxgk
