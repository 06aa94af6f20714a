#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>

#include "abi/km/wdm.h"
#include "base/testing/seed.h"

namespace {

TEST(RtlCompareMemory, CountsEqualBytesUpToTheFirstDifference) {
  EXPECT_EQ(RtlCompareMemory("abcdef", "abcxef", 6), 3u);
  EXPECT_EQ(RtlCompareMemory("abcdef", "abcdef", 6), 6u);
  EXPECT_EQ(RtlCompareMemory("x", "y", 1), 0u);
  EXPECT_EQ(RtlCompareMemory("x", "y", 0), 0u);
}

TEST(RtlGetVersion, FillsWhatItsSizeNames) {
  RTL_OSVERSIONINFOEXW info;
  std::memset(&info, 0xcc, sizeof(info));
  info.dwOSVersionInfoSize = sizeof(RTL_OSVERSIONINFOW);
  EXPECT_EQ(RtlGetVersion(reinterpret_cast<PRTL_OSVERSIONINFOW>(&info)), STATUS_SUCCESS);
  EXPECT_EQ(info.dwMajorVersion, 10u);
  EXPECT_EQ(info.dwMinorVersion, 0u);
  EXPECT_EQ(info.dwBuildNumber, 22631u);
  EXPECT_EQ(info.dwPlatformId, 2u);
  EXPECT_EQ(info.szCSDVersion[0], 0);
  EXPECT_EQ(info.wProductType, 0xcc);  // not part of the shorter structure

  info.dwOSVersionInfoSize = sizeof(info);
  EXPECT_EQ(RtlGetVersion(reinterpret_cast<PRTL_OSVERSIONINFOW>(&info)), STATUS_SUCCESS);
  EXPECT_EQ(info.wProductType, 1);
  EXPECT_EQ(info.wServicePackMajor, 0);
}

TEST(RtlRandomEx, SameSeedSameNumbers) {
  ULONG a = 42;
  ULONG b = 42;
  std::set<ULONG> values;
  for (int i = 0; i < 10000; ++i) {
    const ULONG value = RtlRandomEx(&a);
    ASSERT_EQ(value, RtlRandomEx(&b));
    ASSERT_LT(value, static_cast<ULONG>(MAXLONG));
    values.insert(value);
  }
  EXPECT_GT(values.size(), 9990u);
}

TIME_FIELDS fields_of(LONGLONG time) {
  LARGE_INTEGER value;
  value.QuadPart = time;
  TIME_FIELDS fields;
  RtlTimeToTimeFields(&value, &fields);
  return fields;
}

void expect_fields(const TIME_FIELDS& actual, const TIME_FIELDS& expected) {
  EXPECT_EQ(std::memcmp(&actual, &expected, sizeof(actual)), 0)
      << actual.Year << '-' << actual.Month << '-' << actual.Day << ' ' << actual.Hour << ':' << actual.Minute << ':'
      << actual.Second << '.' << actual.Milliseconds << " weekday " << actual.Weekday;
}

TEST(RtlTime, KnownMoments) {
  expect_fields(fields_of(0), {1601, 1, 1, 0, 0, 0, 0, 1});                             // a Monday
  expect_fields(fields_of(116444736000000000), {1970, 1, 1, 0, 0, 0, 0, 4});            // the Unix epoch, a Thursday
  expect_fields(fields_of(125962560000000000 - 1), {2000, 2, 28, 23, 59, 59, 999, 1});  // before a leap day
  expect_fields(fields_of(125962560000000000), {2000, 2, 29, 0, 0, 0, 0, 2});
}

TEST(RtlTime, RefusesWhatIsNoMoment) {
  LARGE_INTEGER time;
  time.QuadPart = 77;
  const TIME_FIELDS bad[] = {
      {1600, 12, 31, 0, 0, 0, 0, 0}, {30828, 1, 1, 0, 0, 0, 0, 0}, {2023, 2, 29, 0, 0, 0, 0, 0},
      {1900, 2, 29, 0, 0, 0, 0, 0},  {2024, 0, 1, 0, 0, 0, 0, 0},  {2024, 13, 1, 0, 0, 0, 0, 0},
      {2024, 1, 0, 0, 0, 0, 0, 0},   {2024, 4, 31, 0, 0, 0, 0, 0}, {2024, 1, 1, 24, 0, 0, 0, 0},
      {2024, 1, 1, 0, 60, 0, 0, 0},  {2024, 1, 1, 0, 0, 60, 0, 0}, {2024, 1, 1, 0, 0, 0, 1000, 0},
      {2024, 1, 1, -1, 0, 0, 0, 0}};
  for (TIME_FIELDS fields : bad)
    EXPECT_FALSE(RtlTimeFieldsToTime(&fields, &time)) << fields.Year << '-' << fields.Month;
  EXPECT_EQ(time.QuadPart, 77);
}

TEST(RtlTime, ThereAndBack) {
  const auto seed = static_cast<uint32_t>(base::seed_for_test(std::random_device{}()));
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20000; ++i) {
    const LONGLONG milliseconds = static_cast<LONGLONG>(random() % 922314988800000);  // until the end of 30827
    TIME_FIELDS fields = fields_of(milliseconds * 10000 + static_cast<LONGLONG>(random() % 10000));
    fields.Weekday = 99;  // ignored
    LARGE_INTEGER back;
    ASSERT_TRUE(RtlTimeFieldsToTime(&fields, &back)) << milliseconds;
    ASSERT_EQ(back.QuadPart, milliseconds * 10000);
  }
}

}  // namespace
