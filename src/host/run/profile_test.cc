#include "host/run/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace host {
namespace {

TEST(ProfileTest, EveryProfileIsFoundByItsName) {
  for (const Profile& profile : all_profiles()) EXPECT_EQ(find_profile(profile.name), &profile) << profile.name;
}

TEST(ProfileTest, AnUnknownNameIsNoProfile) {
  for (const char* name : {"", "wddm", "wddm2", "WDDM2.0", "wddm9.9"}) EXPECT_FALSE(find_profile(name)) << name;
}

TEST(ProfileTest, ProfilesAreListedOldestFirstAndEachOnce) {
  auto profiles = all_profiles();
  EXPECT_TRUE(std::is_sorted(profiles.begin(), profiles.end(), [](const Profile& a, const Profile& b) {
    return a.interface_version < b.interface_version;
  }));
  std::set<std::string> names;
  std::set<uint32_t> versions;
  for (const Profile& profile : profiles) {
    EXPECT_TRUE(names.insert(profile.name).second) << profile.name;
    EXPECT_TRUE(versions.insert(profile.interface_version).second) << profile.name;
  }
}

TEST(ProfileTest, ANamedProfileIsPlayedWithEverySeed) {
  const Profile& profile = all_profiles()[2];
  for (uint64_t seed = 0; seed < 4; ++seed) EXPECT_EQ(graphics_version(profile.name, seed), profile.interface_version);
}

TEST(ProfileTest, WithoutANameNeighbouringSeedsMeetTheNewestAndTheOldestWindows) {
  EXPECT_EQ(graphics_version({}, 0), 0u) << "the newest";
  const uint32_t oldest = graphics_version({}, 1);
  EXPECT_NE(oldest, 0u);
  for (const Profile& profile : all_profiles()) EXPECT_LT(oldest, profile.interface_version);
  EXPECT_EQ(graphics_version({}, 2), graphics_version({}, 0));
  EXPECT_EQ(graphics_version({}, 3), oldest);
}

}  // namespace
}  // namespace host
