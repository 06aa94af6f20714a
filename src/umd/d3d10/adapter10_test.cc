#include "umd/d3d10/adapter10.h"

#include "umd/testing/device10_fixture.h"

namespace umd::testing {
namespace {

using ::testing::HasSubstr;

class Adapter10Test : public Device10Test {};

TEST_F(Adapter10Test, SpeaksTheHighestThatBothDo) {
  run_adapter10([&](Adapter10& adapter) {
    EXPECT_TRUE(adapter.opened_by_10_2());
    EXPECT_EQ(adapter.interface().version, UINT{D3D11_0_DDI_INTERFACE_VERSION});
    EXPECT_EQ(adapter.caps().threading, UINT{D3D11DDICAPS_FREETHREADED});
  });
  EXPECT_EQ(umd.closed, 1u);
  expect_found({});
}

TEST_F(Adapter10Test, SpeaksNoHigherThanItIsTold) {
  options.highest = D3D10_1_DDI_INTERFACE_VERSION;
  run_adapter10([&](Adapter10& adapter) {
    EXPECT_EQ(adapter.interface().ddi, Ddi10::D3D10_1);
    EXPECT_EQ(adapter.caps().threading, 0u);
  });
}

TEST_F(Adapter10Test, PassesOverVersionsOfLaterRuntimes) {
  umd.versions = {D3D11_1_DDI_SUPPORTED, D3D10_0_DDI_SUPPORTED, D3DWDDM2_0_DDI_SUPPORTED};
  run_adapter10([&](Adapter10& adapter) { EXPECT_EQ(adapter.interface().ddi, Ddi10::D3D10_0); });
  expect_found({});
}

TEST_F(Adapter10Test, FallsBackToTheOlderEntry) {
  exports.open_adapter10_2 = nullptr;
  run_adapter10([&](Adapter10& adapter) {
    EXPECT_FALSE(adapter.opened_by_10_2());
    EXPECT_EQ(adapter.interface().ddi, Ddi10::D3D10_1);
    UINT caps;
    EXPECT_EQ(adapter.get_caps(D3D11DDICAPS_THREADING, &caps, sizeof(caps)), E_NOTIMPL);
  });
  expect_found({});
}

TEST_F(Adapter10Test, TriesTheOlderEntryWithAnOlderVersion) {
  exports.open_adapter10_2 = nullptr;
  umd.highest_of_open = D3D10_0_DDI_INTERFACE_VERSION;
  run_adapter10([&](Adapter10& adapter) { EXPECT_EQ(adapter.interface().ddi, Ddi10::D3D10_0); });
}

TEST_F(Adapter10Test, TellsTheDeviceItsVersionAndPipeline) {
  umd.pipelines |= D3D11DDI_ENCODE_3DPIPELINESUPPORT_CAP(D3D11DDI_3DPIPELINELEVEL_10_1);
  run_adapter10([&](Adapter10& adapter) {
    auto device = adapter.create_device(D3D11DDI_CREATEDEVICE_FLAG_SINGLETHREADED);
    ASSERT_TRUE(device.ok()) << device.error();
    EXPECT_EQ(umd.created.Interface, UINT{D3D11_0_DDI_INTERFACE_VERSION});
    EXPECT_TRUE(umd.created.Flags & D3D11DDI_CREATEDEVICE_FLAG_SINGLETHREADED);
    EXPECT_EQ(D3D11DDI_EXTRACT_3DPIPELINELEVEL_FROM_FLAGS(umd.created.Flags), D3D11DDI_3DPIPELINELEVEL_10_1);
  });
}

// --- Refusals ---

TEST_F(Adapter10Test, RefusesADriverWithoutAnEntry) {
  exports = {};
  EXPECT_THAT(refusal(), HasSubstr("exports neither OpenAdapter10_2 nor OpenAdapter10"));
  expect_found({});
}

TEST_F(Adapter10Test, RefusesAVersionThatThereIsNot) {
  umd.versions = {UINT64{0x00250001} << 32};
  EXPECT_THAT(refusal(), HasSubstr("0x250001, which there is not"));
  expect_found({"UmdVersionImpossible"});
  EXPECT_EQ(umd.closed, 1u);
}

TEST_F(Adapter10Test, LeavesMinorVersionsThatItDoesNotKnowToOthers) {
  UINT64 later = (UINT64{D3D10_1_DDI_INTERFACE_VERSION} + 7) << 32;
  umd.versions = {later};
  EXPECT_THAT(refusal(), HasSubstr("speaks no interface version"));
  umd.versions = {later, D3D10_1_DDI_SUPPORTED};
  run_adapter10(
      [&](Adapter10& adapter) { EXPECT_EQ(adapter.interface().version, UINT{D3D10_1_DDI_INTERFACE_VERSION}); });
  expect_found({});
}

TEST_F(Adapter10Test, RefusesADriverThatIsTooNew) {
  umd.versions = {D3D11_1_DDI_SUPPORTED};
  EXPECT_THAT(refusal(), HasSubstr("speaks no interface version"));
  expect_found({});
}

TEST_F(Adapter10Test, RefusesAnAdapterTableWithAHole) {
  umd.hole = "pfnGetCaps";
  EXPECT_THAT(refusal(), HasSubstr("left pfnGetCaps NULL"));
  expect_found({"UmdTableHole"});
}

TEST_F(Adapter10Test, RefusesADeviceTableWithAHole) {
  umd.hole = "pfnDestroyResource";
  EXPECT_THAT(refusal(), HasSubstr("left pfnDestroyResource NULL"));
  expect_found({"UmdTableHole"});
  EXPECT_THAT(umd.log, ElementsAre("DestroyDevice")) << "what was created is destroyed";
}

TEST_F(Adapter10Test, RefusesADxgiTableWithAHole) {
  umd.hole = "pfnPresent";
  EXPECT_THAT(refusal(), HasSubstr("left pfnPresent NULL"));
  expect_found({"UmdTableHole"});
}

TEST_F(Adapter10Test, RefusesCommandListsWithoutFreeThreading) {
  umd.threading = D3D11DDICAPS_COMMANDLISTS_BUILD_2;
  EXPECT_THAT(refusal(), HasSubstr("not free-threaded"));
  expect_found({"UmdIllegalResult"});
}

TEST_F(Adapter10Test, HandsOnWhatTheDriverRefusesWith) {
  umd.create_device_result = E_OUTOFMEMORY;
  EXPECT_THAT(refusal(), HasSubstr("CreateDevice of fake.dll returned E_OUTOFMEMORY"));
  expect_found({});
}

}  // namespace
}  // namespace umd::testing
