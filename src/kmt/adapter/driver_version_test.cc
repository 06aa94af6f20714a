#include "kmt/adapter/driver_version.h"

#include <gtest/gtest.h>

#include "abi/shared/d3dkmthk.h"

namespace kmt {
namespace {

TEST(DriverVersion, FollowsTheDeclaredInterface) {
  EXPECT_EQ(driver_version(0x1052), KMT_DRIVERVERSION_WDDM_1_0);
  EXPECT_EQ(driver_version(0x1053), KMT_DRIVERVERSION_WDDM_1_0);
  EXPECT_EQ(driver_version(0x2005), KMT_DRIVERVERSION_WDDM_1_1);
  EXPECT_EQ(driver_version(0x300E), KMT_DRIVERVERSION_WDDM_1_2);
  EXPECT_EQ(driver_version(0x4002), KMT_DRIVERVERSION_WDDM_1_3);
  EXPECT_EQ(driver_version(0x5023), KMT_DRIVERVERSION_WDDM_2_0);
  EXPECT_EQ(driver_version(0xB004), KMT_DRIVERVERSION_WDDM_2_6);
  EXPECT_EQ(driver_version(0x10004), KMT_DRIVERVERSION_WDDM_3_1);
  EXPECT_EQ(driver_version(0x11007), KMT_DRIVERVERSION_WDDM_3_1) << "not older than the newest that is known";
}

}  // namespace
}  // namespace kmt
