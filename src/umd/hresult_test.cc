#include "umd/hresult.h"

#include <gtest/gtest.h>

#include "abi/shared/ntstatus.h"

namespace umd {
namespace {

TEST(Hresult, EachDocumentedStatusHasItsResult) {
  EXPECT_EQ(to_hresult(STATUS_SUCCESS), S_OK);
  EXPECT_EQ(to_hresult(STATUS_PENDING), E_PENDING);
  EXPECT_EQ(to_hresult(STATUS_INVALID_PARAMETER), E_INVALIDARG);
  EXPECT_EQ(to_hresult(STATUS_INVALID_HANDLE), D3DDDIERR_INVALIDHANDLE);
  EXPECT_EQ(to_hresult(STATUS_NO_MEMORY), E_OUTOFMEMORY);
  EXPECT_EQ(to_hresult(STATUS_GRAPHICS_NO_VIDEO_MEMORY), D3DERR_OUTOFVIDEOMEMORY);
  EXPECT_EQ(to_hresult(STATUS_DEVICE_REMOVED), D3DDDIERR_DEVICEREMOVED);
  EXPECT_EQ(to_hresult(STATUS_GRAPHICS_ALLOCATION_BUSY), D3DDDIERR_WASSTILLDRAWING);
}

TEST(Hresult, AnUnknownStatusKeepsItsSide) {
  EXPECT_EQ(to_hresult(STATUS_OBJECT_NAME_COLLISION), E_FAIL);
  EXPECT_EQ(to_hresult(STATUS_REPARSE), S_OK);
}

TEST(Hresult, HasNames) {
  EXPECT_STREQ(name_of(S_OK), "S_OK");
  EXPECT_STREQ(name_of(D3DDDIERR_DEVICEREMOVED), "D3DDDIERR_DEVICEREMOVED");
  EXPECT_STREQ(name_of(static_cast<HRESULT>(0x80001234)), "another result");
}

}  // namespace
}  // namespace umd
