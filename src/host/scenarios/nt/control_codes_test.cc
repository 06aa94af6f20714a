#include "host/scenarios/nt/control_codes.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace host {
namespace {

constexpr ULONG kCode = CTL_CODE(FILE_DEVICE_UNKNOWN, 0x801, METHOD_BUFFERED, FILE_ANY_ACCESS);
constexpr DEVICE_TYPE kTypes[] = {FILE_DEVICE_UNKNOWN, 0x8001};

std::vector<uint8_t> with(std::initializer_list<ULONG> numbers, size_t offset) {
  std::vector<uint8_t> bytes(offset, 0x90);
  for (ULONG number : numbers) {
    bytes.insert(bytes.end(), {0x81, 0xF9});  // cmp ecx, imm32
    const auto* raw = reinterpret_cast<const uint8_t*>(&number);
    bytes.insert(bytes.end(), raw, raw + sizeof(number));
  }
  return bytes;
}

bool finds(const std::vector<uint8_t>& bytes, ULONG code) {
  std::vector<ULONG> codes = find_control_codes(bytes, kTypes);
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

TEST(ControlCodes, AreFoundInInstructionsAtAnyOffset) {
  for (size_t offset = 0; offset < 4; ++offset) EXPECT_TRUE(finds(with({kCode}, offset), kCode)) << offset;
}

TEST(ControlCodes, AreFoundWhereACompilerSubtractsThem) { EXPECT_TRUE(finds(with({0 - kCode}, 1), kCode)); }

TEST(ControlCodes, OfOtherDeviceTypesAreNot) {
  EXPECT_FALSE(finds(with({CTL_CODE(0x23, 0x801, METHOD_BUFFERED, FILE_ANY_ACCESS)}, 0),
                     CTL_CODE(0x23, 0x801, METHOD_BUFFERED, FILE_ANY_ACCESS)));
  EXPECT_TRUE(find_control_codes(std::vector<uint8_t>(64, 0), kTypes).empty());
}

TEST(ControlCodes, AreSortedAndThereOnce) {
  std::vector<ULONG> codes = find_control_codes(with({kCode + 4, kCode, kCode}, 0), kTypes);
  EXPECT_TRUE(std::is_sorted(codes.begin(), codes.end()));
  EXPECT_EQ(std::count(codes.begin(), codes.end(), kCode), 1);
  EXPECT_EQ(std::count(codes.begin(), codes.end(), kCode + 4), 1);
}

TEST(ControlCodes, NeedFourBytes) {
  std::vector<uint8_t> bytes = with({kCode}, 0);
  bytes.pop_back();
  EXPECT_FALSE(finds(bytes, kCode));
  EXPECT_TRUE(find_control_codes(std::span<const uint8_t>(), kTypes).empty());
}

}  // namespace
}  // namespace host
