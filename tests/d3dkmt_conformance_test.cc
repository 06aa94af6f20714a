// What Windows was seen to answer to D3DKMT calls, asked of softgpu by a Linux client (clients/d3dkmt): the same
// numbers as in src/kmt, where a fake driver lies below.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "base/sanitizer.h"
#include "program.h"

namespace tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Every number that a render adapter can show in one process. S20 takes two; K15, N31 and R11 take Direct3D.
std::set<std::string> behaviours() {
  std::set<std::string> all;
  auto add = [&](const char* family, int first, int last) {
    for (int i = first; i <= last; ++i) all.insert(family + std::to_string(i));
  };
  add("H", 1, 4);
  add("H", 6, 7);  // H5 is a part of each refusal
  add("S", 1, 19);
  add("S", 21, 24);
  add("K", 1, 14);
  add("A", 0, 22);
  add("R", 1, 10);
  add("N", 1, 30);
  for (const char* call :
       {"OpenAdapterFromGdiDisplayName", "OpenAdapterFromDeviceName", "EnumAdapters2", "CloseAdapter", "CreateDevice",
        "CreateDeviceBuffers", "DestroyDevice", "QueryAdapterInfo", "QueryVideoMemoryInfo", "Escape", "DXCoreFactory",
        "DXCoreQueryInterface", "DXCoreList", "DXCoreAdapter", "DXCoreProperty", "DXCoreLuid"}) {
    all.insert(call);
  }
  return all;
}

#ifndef DRYDOCK_D3DKMT
#define DRYDOCK_D3DKMT ""  // a sanitized tree has no such library
#endif

TEST(D3dkmtConformance, SoftgpuAnswersAsWindowsDoes) {
  if (base::kSanitizer != base::Sanitizer::None) GTEST_SKIP() << "libdxcore.so is built without sanitizers only";
  Outcome outcome = drydock({"run", "--driver", driver("softgpu/softgpu"), "--", DRYDOCK_D3DKMT});
  EXPECT_THAT(outcome.out, HasSubstr(" behaviours, 0 failed\n"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("FAILED"))) << "above";
  std::set<std::string> tried;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("behaviour ", 0) == 0) tried.insert(line.substr(10));
  }
  EXPECT_EQ(tried, behaviours());
}

}  // namespace
}  // namespace tests
