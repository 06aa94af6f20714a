#include "umd/d3d10/frame10.h"

#include <gtest/gtest.h>

namespace umd {
namespace {

TEST(Errors, AreWhatHandlingErrorsAllows) {
  struct Row {
    Errors category;
    bool removed, memory, unsupported, still_drawing;
  };
  const Row rows[] = {
      {Errors::None, false, false, false, false}, {Errors::Removed, true, false, false, false},
      {Errors::Memory, true, true, false, false}, {Errors::Unsupported, true, true, true, false},
      {Errors::Map, true, false, false, true},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(is_allowed(row.category, D3DDDIERR_DEVICEREMOVED), row.removed);
    EXPECT_EQ(is_allowed(row.category, E_OUTOFMEMORY), row.memory);
    EXPECT_EQ(is_allowed(row.category, DXGI_DDI_ERR_UNSUPPORTED), row.unsupported);
    EXPECT_EQ(is_allowed(row.category, DXGI_DDI_ERR_WASSTILLDRAWING), row.still_drawing);
    EXPECT_FALSE(is_allowed(row.category, S_OK)) << "as invalid as E_FAIL";
    EXPECT_FALSE(is_allowed(row.category, E_FAIL));
  }
}

}  // namespace
}  // namespace umd
