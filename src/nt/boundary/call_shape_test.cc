#include "nt/boundary/call_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "abi/km/d3dkmddi.h"

namespace nt {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

template <typename... Params>
std::string described(Params... arguments) {
  const uint64_t values[] = {raw_argument<Params>(arguments)...};
  return describe_call("DxgkDdiX", {kCallShape<Params...>, sizeof...(Params)}, values);
}

TEST(CallShape, NumbersAreSmallOrHexadecimal) { EXPECT_EQ(described(17u, 0x12345u), "DxgkDdiX(17, 0x12345)"); }

TEST(CallShape, TheTextContainsNoAddress) {
  int local = 0;
  EXPECT_EQ(described(&local, static_cast<int*>(nullptr)), "DxgkDdiX(an address, NULL)");
}

TEST(CallShape, StructuresAreReadByTheirLayout) {
  DXGKARG_CREATEALLOCATION create{};
  create.NumAllocations = 2;
  create.Flags.Resource = 1;
  std::string text = described(&create);
  EXPECT_THAT(text, HasSubstr("DXGKARG_CREATEALLOCATION {"));
  EXPECT_THAT(text, HasSubstr("NumAllocations 2"));
  EXPECT_THAT(text, HasSubstr("Flags 1"));
  EXPECT_THAT(text, HasSubstr("hResource 0"));
}

TEST(CallShape, MembersOfAUnionArePrintedOnce) {
  DXGK_ALLOCATIONINFO info{};
  info.Flags.CpuVisible = 1;
  EXPECT_THAT(described(&info), Not(HasSubstr("FlagsWddm2")));
}

}  // namespace
}  // namespace nt
