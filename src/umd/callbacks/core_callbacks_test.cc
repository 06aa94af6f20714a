#include "umd/callbacks/core_callbacks.h"

#include <cstring>

#include "umd/testing/device10_fixture.h"

namespace umd::testing {
namespace {

class CoreCallbacksTest : public Device10Test {};

TEST_F(CoreCallbacksTest, EverySlotIsFilled) {
  const auto& table = core_callbacks();
  for (size_t i = 0; i < sizeof(table) / sizeof(void*); ++i) {
    void* slot;
    std::memcpy(&slot, reinterpret_cast<const char*>(&table) + i * sizeof(slot), sizeof(slot));
    EXPECT_NE(slot, nullptr) << "slot " << i;
  }
}

TEST_F(CoreCallbacksTest, TheTwoHandlesOfADeviceAreNotTheSame) {
  run_device10([&](Device10& device) {
    umd.on_draw = [&] { umd.core_callbacks->pfnSetErrorCb({umd.device}, D3DDDIERR_DEVICEREMOVED); };
    EXPECT_EQ(device.draw(3, 0), S_OK);
    expect_found({"UmdWrongHandle"});
    umd.on_draw = [&] {
      D3DDDICB_DEALLOCATE args{};
      EXPECT_EQ(umd.callbacks->pfnDeallocateCb(umd.core.handle, &args), E_INVALIDARG);
    };
    EXPECT_EQ(device.draw(3, 0), S_OK);
    expect_found({"UmdWrongHandle"});
  });
}

TEST_F(CoreCallbacksTest, AHandleDiesWithItsDevice) {
  run_device10([](Device10&) {});
  run_adapter10([&](Adapter10&) { umd.set_error(E_FAIL); });
  expect_found({"UmdWrongHandle"});
}

TEST_F(CoreCallbacksTest, AnErrorBelongsToAFunction) {
  run_device10([&](Device10& device) {
    on_other_thread([&] { umd.set_error(D3DDDIERR_DEVICEREMOVED); });
    expect_found({"UmdWrongThread"});
    EXPECT_TRUE(device.removed());
  });
}

TEST_F(CoreCallbacksTest, AmortizedProcessingBelongsToTheThreadThatEntered) {
  run_device10([&](Device10&) {
    on_other_thread([&] { umd.core_callbacks->pfnPerformAmortizedProcessingCb(umd.core); });
    expect_found({"UmdWrongThread"});
    on_other_thread([&] { umd.core_callbacks->pfnStateRsScissorCb(umd.core); });
    expect_found({"UmdWrongThread"});
  });
}

TEST_F(CoreCallbacksTest, TheFirstErrorCounts) {
  umd.on_create = [&](const auto&, D3D10DDI_HRESOURCE, HANDLE) {
    umd.set_error(E_OUTOFMEMORY);
    umd.set_error(D3DDDIERR_DEVICEREMOVED);
  };
  run_device10([&](Device10& device) {
    Resource* resource;
    EXPECT_EQ(device.create_resource(texture(), &resource), E_OUTOFMEMORY);
    EXPECT_TRUE(device.removed());
  });
  expect_found({});
}

}  // namespace
}  // namespace umd::testing
