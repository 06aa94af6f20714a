#include "ob/encoding.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace ob {
namespace {

constexpr uint64_t kSeed = 0x0b01;

TEST(KmtEncodingTest, FirstHandlesAreThoseOfWindows) {
  EXPECT_EQ(LocalKmtEncoding::encode({0, 1}), 0x40000000u);
  EXPECT_EQ(LocalKmtEncoding::encode({1, 1}), 0x40000040u);
  EXPECT_EQ(LocalKmtEncoding::encode({2, 3}), 0xC0000080u);
  EXPECT_EQ(GlobalKmtEncoding::encode({0, 1}), 0x40000002u);
  EXPECT_EQ(LocalKmtEncoding::encode({kIndexLimit - 1, 3}), 0xFFFFFFC0u);
}

TEST(KmtEncodingTest, EveryRefusalHasItsReason) {
  EXPECT_EQ(LocalKmtEncoding::decode(0).error(), LookupFault::Null);
  EXPECT_EQ(LocalKmtEncoding::decode(0x1EADBEED).error(), LookupFault::Malformed);
  EXPECT_EQ(LocalKmtEncoding::decode(0x40000002).error(), LookupFault::WrongTable);
  EXPECT_EQ(GlobalKmtEncoding::decode(0x40000000).error(), LookupFault::WrongTable);
}

TEST(KmtEncodingTest, RandomValuesDecodeToThemselvesOrNotAtAll) {
  SCOPED_TRACE(kSeed);
  base::Rng rng(kSeed);
  uint32_t decoded = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    uint32_t value = static_cast<uint32_t>(rng.next());
    if (rng.chance(1, 2)) value &= ~0x3Fu;
    auto key = LocalKmtEncoding::decode(value);
    bool is_local = value >= 0x40000000u && (value & 0x3F) == 0;
    ASSERT_EQ(key.ok(), is_local) << value;
    if (!key.ok()) continue;
    ++decoded;
    ASSERT_LT(key.value().index, kIndexLimit);
    ASSERT_EQ(LocalKmtEncoding::encode(key.value()), value);
  }
  EXPECT_GT(decoded, 300'000u);
}

TEST(NtEncodingTest, HandlesAreSmallMultiplesOfFour) {
  EXPECT_EQ(NtEncoding::encode({0, 1}), 4u);
  EXPECT_EQ(NtEncoding::encode({1, 3}), 8u);
  EXPECT_EQ(NtEncoding::encode({kIndexLimit - 1, 1}) & 0xC0000000u, 0u);
}

TEST(NtEncodingTest, EveryRefusalHasItsReason) {
  auto signed_handle = [](int64_t value) { return static_cast<uint64_t>(value); };
  EXPECT_EQ(NtEncoding::decode(0).error(), LookupFault::Null);
  EXPECT_EQ(NtEncoding::decode(signed_handle(-1)).error(), LookupFault::Pseudo);
  EXPECT_EQ(NtEncoding::decode(signed_handle(-2)).error(), LookupFault::Pseudo);
  EXPECT_EQ(NtEncoding::decode(signed_handle(-17)).error(), LookupFault::Malformed);
  EXPECT_EQ(NtEncoding::decode(3).error(), LookupFault::Malformed);
  EXPECT_EQ(NtEncoding::decode(0xdeadbeef).error(), LookupFault::BadIndex);
  EXPECT_EQ(NtEncoding::decode(0x100000004).error(), LookupFault::BadIndex);
}

TEST(NtEncodingTest, RandomValuesDecodeToThemselvesWithoutTagBitsOrNotAtAll) {
  SCOPED_TRACE(kSeed);
  base::Rng rng(kSeed);
  uint32_t decoded = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    uint64_t value = rng.next() >> rng.below(64);
    auto key = NtEncoding::decode(value);
    ASSERT_EQ(key.ok(), value >= 4 && value < (uint64_t{kIndexLimit} + 1) * 4) << value;
    if (!key.ok()) continue;
    ++decoded;
    ASSERT_LT(key.value().index, kIndexLimit);
    ASSERT_EQ(NtEncoding::encode(key.value()), value & ~uint64_t{3});
  }
  EXPECT_GT(decoded, 100'000u);
}

}  // namespace
}  // namespace ob
