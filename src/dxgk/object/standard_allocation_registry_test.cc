#include "dxgk/object/standard_allocation_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "dxgk/testing/graphics_fixture.h"

namespace dxgk {
namespace {

using ::testing::ElementsAre;
using testing::GraphicsTest;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StandardAllocationRegistryTest : public GraphicsTest {
 protected:
  StandardAllocationRegistryTest() { observer.then = nt::Then::GoOn; }

  // One allocation of `bytes` after the driver has described `described`.
  CreateRequest one(std::span<uint8_t> bytes) {
    allocations[0].private_data = bytes;
    CreateRequest request;
    request.allocations = allocations;
    return request;
  }

  std::array<AllocationRequest, 1> allocations;
  std::array<uint8_t, 8> described{1, 2, 3}, other{3, 2, 1};
};

TEST_F(StandardAllocationRegistryTest, ADriverMustTakeItsOwnDescription) {
  run_started([&](Adapter& adapter) {
    StandardAllocationRegistry book;
    book.add(StandardKind::Staging, described);
    book.judge_refusal(adapter, one(described), STATUS_GRAPHICS_DRIVER_MISMATCH);
  });
  ASSERT_THAT(broken(), ElementsAre("StandardDataRefused"));
  EXPECT_THAT(observer.violations[0].sentence, HasSubstr("0xC01E0009"));
}

TEST_F(StandardAllocationRegistryTest, WhatItMayRefuse) {
  run_started([&](Adapter& adapter) {
    StandardAllocationRegistry book;
    book.add(StandardKind::Staging, described);
    book.judge_refusal(adapter, one(described), STATUS_NO_MEMORY);
    book.judge_refusal(adapter, one(other), STATUS_INVALID_PARAMETER);
    CreateRequest in_resource = one(described);
    in_resource.flags.CreateResource = 1;
    book.judge_refusal(adapter, in_resource, STATUS_INVALID_PARAMETER);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(StandardAllocationRegistryTest, ADriverWithoutDataHasDescribedNothing) {
  run_started([&](Adapter& adapter) {
    StandardAllocationRegistry book;
    book.add(StandardKind::Staging, {});
    book.judge_refusal(adapter, one({}), STATUS_INVALID_PARAMETER);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(StandardAllocationRegistryTest, WhatTheCpuDrawsInIsVisible) {
  DXGK_ALLOCATIONINFO info{};
  run_started([&](Adapter& adapter) {
    StandardAllocationRegistry book;
    book.add(StandardKind::Staging, described);
    book.add(StandardKind::CrossAdapter, other);
    book.judge_visibility(adapter, one(described), {&info, 1});
    book.judge_visibility(adapter, one(other), {&info, 1});
    info.Flags.CpuVisible = 1;
    book.judge_visibility(adapter, one(described), {&info, 1});
  });
  EXPECT_THAT(broken(), ElementsAre("StandardInvisible"));
}

}  // namespace
}  // namespace dxgk
