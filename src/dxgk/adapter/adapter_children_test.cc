// The children of an adapter, as its start asks for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dxgk/testing/graphics_fixture.h"

namespace dxgk {
namespace {

using ::testing::ElementsAre;
using testing::GraphicsTest;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Model;

// What the one output of the driver says of itself. Static: a driver's function knows no test.
DXGK_CHILD_DEVICE_HPD_AWARENESS awareness;
ULONG descriptors_written;
bool connected;

NTSTATUS name_children(const PVOID, PDXGK_CHILD_DESCRIPTOR children, ULONG) {
  for (ULONG i = 0; i < descriptors_written; ++i) {
    children[i].ChildDeviceType = TypeVideoOutput;
    children[i].ChildCapabilities.HpdAwareness = awareness;
    children[i].ChildUid = 7;
  }
  return STATUS_SUCCESS;
}

class ChildrenOf : public GraphicsTest {
 protected:
  ChildrenOf() : GraphicsTest(Model::Wddm13) {
    awareness = HpdAwarenessInterruptible;
    descriptors_written = 1;
    connected = true;
    asked.clear();
    driver.table.DxgkDdiQueryChildRelations = &name_children;
    driver.table.DxgkDdiQueryChildStatus = [](const PVOID, PDXGK_CHILD_STATUS status, BOOLEAN gently) -> NTSTATUS {
      asked.push_back("status of " + std::to_string(status->ChildUid) + (gently ? ", gently" : ""));
      status->HotPlug.Connected = connected;
      return STATUS_SUCCESS;
    };
    driver.table.DxgkDdiQueryDeviceDescriptor = [](const PVOID, ULONG uid, PDXGK_DEVICE_DESCRIPTOR to) -> NTSTATUS {
      asked.push_back("block " + std::to_string(to->DescriptorOffset) + " of " + std::to_string(uid));
      return STATUS_SUCCESS;
    };
  }

  static inline std::vector<std::string> asked;
};

TEST_F(ChildrenOf, AreAskedForTheirMonitor) {
  run_started([](Adapter&) {});
  EXPECT_THAT(asked, ElementsAre("status of 7, gently", "block 0 of 7"));
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(ChildrenOf, HaveNoDescriptorWithoutAMonitor) {
  connected = false;
  run_started([](Adapter&) {});
  EXPECT_THAT(asked, ElementsAre("status of 7, gently"));
}

TEST_F(ChildrenOf, AreNotAskedForWhatIsAlwaysThere) {
  awareness = HpdAwarenessAlwaysConnected;
  run_started([](Adapter&) {});
  EXPECT_THAT(asked, ElementsAre("block 0 of 7"));
}

TEST_F(ChildrenOf, EndWithAZeroedDescriptor) {
  descriptors_written = 2;
  run_registered([&] {
    EXPECT_FALSE(add_adapter().ok());
    EXPECT_THAT(kernel().adapters().back()->refusal(), HasSubstr("must remain zeroed"));
  });
}

TEST_F(ChildrenOf, AreTooMany) {
  driver.children = 0xFFFFFFFF;
  run_registered([&] {
    EXPECT_FALSE(add_adapter().ok());
    EXPECT_THAT(kernel().adapters().back()->refusal(), HasSubstr("NumberOfChildren"));
  });
}

// B4
TEST_F(ChildrenOf, NeedNoFunctionWhereThereAreNone) {
  driver.children = 0;
  driver.table.DxgkDdiQueryChildRelations = [](const PVOID, PDXGK_CHILD_DESCRIPTOR, ULONG) -> NTSTATUS {
    return STATUS_NOT_IMPLEMENTED;
  };
  bool started = false;
  run_started([&](Adapter&) { started = true; });
  EXPECT_TRUE(started);
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(ChildrenOf, AreNamedWhereThereAreSome) {
  driver.table.DxgkDdiQueryChildRelations = [](const PVOID, PDXGK_CHILD_DESCRIPTOR, ULONG) -> NTSTATUS {
    return STATUS_NOT_IMPLEMENTED;
  };
  run_registered([&] { EXPECT_FALSE(add_adapter().ok()); });
}

}  // namespace
}  // namespace dxgk
