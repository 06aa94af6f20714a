#include "ks/device/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ks/testing/ks_fixture.h"

namespace ks::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A driver that makes its filter in Start, as the public capture samples do: if the device is not started yet.
struct Routines {
  const KSFILTER_DESCRIPTOR* filter = nullptr;
  ULONG flags = 0;
  std::vector<BOOLEAN> started;  // as each Start and PostStart saw it
  NTSTATUS made = STATUS_UNSUCCESSFUL;
  NTSTATUS returns = STATUS_SUCCESS;
};
Routines* t_routines = nullptr;

NTSTATUS start(PKSDEVICE device, PIRP, PCM_RESOURCE_LIST, PCM_RESOURCE_LIST) {
  Routines& routines = *t_routines;
  routines.started.push_back(device->Started);
  if (!device->Started) {
    routines.made = KsCreateFilterFactory(device->FunctionalDeviceObject, routines.filter, nullptr, nullptr,
                                          routines.flags, nullptr, nullptr, nullptr);
  }
  return NT_SUCCESS(routines.made) ? routines.returns : routines.made;
}

NTSTATUS post_start(PKSDEVICE device) {
  t_routines->started.push_back(device->Started);
  return STATUS_SUCCESS;
}

class DeviceTest : public KsTest {
 protected:
  DeviceTest() {
    t_routines = &routines_;
    routines_.filter = &driver.filter_descriptor;
    driver.descriptor.FilterDescriptorsCount = 0;
    driver.descriptor.FilterDescriptors = nullptr;
    driver.device.Start = start;
    driver.device.PostStart = post_start;
  }
  ~DeviceTest() override { t_routines = nullptr; }

  Routines routines_;
};

TEST_F(DeviceTest, IsNotStartedBeforeItsDriverStartedIt) {
  run_driver([&] {
    EXPECT_THAT(routines_.started, ElementsAre(FALSE, TRUE));
    EXPECT_EQ(device().factories().size(), 1u);
    EXPECT_NE(open_filter(), nullptr);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(DeviceTest, AFactoryThatGoesWithTheStopIsMadeAgainByTheNextStart) {
  routines_.flags = KSCREATE_ITEM_FREEONSTOP;
  run_driver([&] {
    ASSERT_EQ(slot().stop(), STATUS_SUCCESS);
    EXPECT_THAT(device().factories(), IsEmpty());
    ASSERT_EQ(slot().start(), STATUS_SUCCESS);
    EXPECT_EQ(routines_.made, STATUS_SUCCESS);
    EXPECT_THAT(routines_.started, ElementsAre(FALSE, TRUE, FALSE, TRUE));
    EXPECT_EQ(device().factories().size(), 1u);
    EXPECT_NE(open_filter(), nullptr);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(DeviceTest, AFactoryWithoutTheFlagStays) {
  run_driver([&] {
    ASSERT_EQ(slot().stop(), STATUS_SUCCESS);
    EXPECT_EQ(device().factories().size(), 1u);
    EXPECT_EQ(slot().start(), STATUS_OBJECT_NAME_COLLISION);
    EXPECT_FALSE((*device()).Started);
  });
}

TEST_F(DeviceTest, AFactoryWhoseFilterIsOpenGivesItsNameUpAndGoesLater) {
  routines_.flags = KSCREATE_ITEM_FREEONSTOP;
  run_driver([&] {
    HANDLE filter = open_filter();
    ASSERT_EQ(slot().stop(), STATUS_SUCCESS);
    ASSERT_EQ(slot().start(), STATUS_SUCCESS);
    EXPECT_EQ(device().factories().size(), 2u);
    HANDLE second = open_filter();
    EXPECT_NE(&filter_of(filter).factory(), &filter_of(second).factory());
    EXPECT_NE(open_pin(filter, 0), nullptr);
    end_program();
    ASSERT_EQ(slot().stop(), STATUS_SUCCESS);
    EXPECT_THAT(device().factories(), IsEmpty());
  });
  EXPECT_THAT(broken(), IsEmpty());
}

}  // namespace
}  // namespace ks::testing
