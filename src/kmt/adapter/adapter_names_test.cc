#include "kmt/adapter/adapter_names.h"

#include <gtest/gtest.h>

namespace kmt {
namespace {

TEST(DisplayNumber, CountsFromOne) {
  EXPECT_EQ(display_number(u"\\\\.\\DISPLAY1"), 1u);
  EXPECT_EQ(display_number(u"\\\\.\\DISPLAY27"), 27u);
  EXPECT_EQ(display_number(u"\\\\.\\display9999"), 9999u);
}

TEST(DisplayNumber, OtherNamesHaveNone) {
  for (std::u16string_view name :
       {u"", u"\\\\.\\DISPLAY", u"\\\\.\\DISPLAY0", u"\\\\.\\DISPLAY01", u"\\\\.\\DISPLAY1 ", u"\\\\.\\DISPLAY12345",
        u"\\\\.\\DISPLAYx", u"DISPLAY1", u"\\\\.\\MONITOR1", u"\\\\.\\D\u0130SPLAY1"}) {
    EXPECT_FALSE(display_number(name));
  }
}

TEST(NamesAdapter, TakesTheArrivalInterfaceOnly) {
  EXPECT_TRUE(names_adapter(u"\\\\?\\softgpu#{1ca05180-a699-450a-9a0c-de4fbe3ddd89}", "softgpu"));
  EXPECT_TRUE(names_adapter(u"\\\\?\\SoftGPU#{1CA05180-A699-450A-9A0C-DE4FBE3DDD89}", "softgpu"));
  EXPECT_FALSE(names_adapter(u"\\\\?\\softgpu#{5b45201d-f2f2-4f3b-85bb-30ff1f953599}", "softgpu"))
      << "GUID_DEVINTERFACE_DISPLAY_ADAPTER";
  EXPECT_FALSE(names_adapter(u"\\\\?\\softgpu2#{1ca05180-a699-450a-9a0c-de4fbe3ddd89}", "softgpu"));
  EXPECT_FALSE(names_adapter(u"softgpu", "softgpu"));
  EXPECT_FALSE(names_adapter(u"", ""));
}

}  // namespace
}  // namespace kmt
