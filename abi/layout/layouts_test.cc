// Holds the structures to layouts.csv, which says of every number where it comes from. The same rows are compiled as C and
// as C++ by the driver's compiler (headers_c_test.c, headers_cxx_test.cc): host and driver agree.
#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <set>
#include <string>
#include <utility>

#include "abi/km/acpiioct.h"
#include "abi/km/dispmprt.h"
#include "abi/km/ntddvdeo.h"
#include "abi/km/wdm.h"
#include "abi/ks/ks.h"
#include "abi/ks/ksmedia.h"
#include "abi/shared/d3dkmthk.h"
#include "abi/shared/d3dkmthk_power.h"
#include "abi/um/d3d10umddi.h"
#include "abi/um/d3dumddi.h"
#include "abi/um/dxgiddi.h"

namespace {

#define TYPE(line, type, size) static_assert(sizeof(type) == size, "layouts.csv:" #line);
#define FIELD(line, type, field, offset, size) \
  static_assert(offsetof(type, field) == offset && sizeof(std::declval<type&>().field) == size, "layouts.csv:" #line);
#include <layouts.inc>
#undef TYPE
#undef FIELD

TEST(Layouts, EveryTypeHasItsSizeOnce) {
  std::ifstream csv(DRYDOCK_LAYOUTS_CSV);
  ASSERT_TRUE(csv.is_open()) << DRYDOCK_LAYOUTS_CSV;
  std::string text;
  std::getline(csv, text);
  std::set<std::string> seen;
  size_t rows = 0;
  for (; std::getline(csv, text); ++rows) {
    std::string key = text.substr(0, text.find(',', text.find(',') + 1));
    EXPECT_TRUE(seen.insert(key).second) << text << " is there twice";
    std::string type = text.substr(0, text.find(',')) + ",";
    EXPECT_TRUE(seen.count(type)) << text << ": the size of the whole comes first";
  }
  EXPECT_GT(rows, 3000u);
}

}  // namespace
