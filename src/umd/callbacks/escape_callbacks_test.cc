#include "umd/callbacks/adapter_callbacks.h"
#include "umd/testing/umd_fixture.h"

namespace umd::testing {
namespace {

DXGKARG_ESCAPE g_last;

NTSTATUS APIENTRY add_one(IN_CONST_HANDLE, IN_CONST_PDXGKARG_ESCAPE args) {
  g_last = *args;
  ++*static_cast<uint8_t*>(args->pPrivateDriverData);
  return STATUS_SUCCESS;
}

class EscapeCallbackTest : public UmdTest {
 protected:
  EscapeCallbackTest() { driver.table.DxgkDdiEscape = &add_one; }

  // With the handle of an adapter, as a driver has it from OpenAdapter.
  void run_adapter_driver(const std::function<void(HANDLE)>& body) {
    run_driver([&] {
      AskedAdapter asked{program().client, program().adapter, machine()};
      HANDLE adapter;
      {
        RuntimeGuard guard(device().runtime.lock);
        adapter = device().runtime.handles.add(HandleKind::Adapter, &asked);
      }
      body(adapter);
      RuntimeGuard guard(device().runtime.lock);
      device().runtime.handles.remove(adapter);
    });
  }
  D3DDDICB_ESCAPE escape() {
    D3DDDICB_ESCAPE args{};
    args.pPrivateDriverData = &data;
    args.PrivateDriverDataSize = 1;
    return args;
  }
  uint8_t data = 41;
};

TEST_F(EscapeCallbackTest, OfTheAdapterOfADeviceAndOfAContext) {
  run_adapter_driver([&](HANDLE adapter) {
    auto args = escape();
    EXPECT_EQ(table().pfnEscapeCb(adapter, &args), S_OK);
    EXPECT_EQ(data, 42);
    EXPECT_EQ(g_last.hDevice, nullptr);
    EXPECT_EQ(table().pfnEscapeCb(handle(), &args), S_OK) << "the device's handle in its place";
    EXPECT_EQ(g_last.hDevice, nullptr);
    args.hDevice = handle();
    EXPECT_EQ(table().pfnEscapeCb(adapter, &args), S_OK);
    EXPECT_NE(g_last.hDevice, nullptr);
    EXPECT_EQ(g_last.hContext, nullptr);
    args.hContext = make_virtual_context();
    EXPECT_EQ(table().pfnEscapeCb(adapter, &args), S_OK);
    EXPECT_NE(g_last.hContext, nullptr);
    EXPECT_EQ(data, 45);
    expect_found({});
  });
}

TEST_F(EscapeCallbackTest, AContextComesWithItsDevice) {
  run_adapter_driver([&](HANDLE adapter) {
    auto args = escape();
    args.hContext = make_virtual_context();
    EXPECT_EQ(table().pfnEscapeCb(adapter, &args), E_INVALIDARG);
    EXPECT_EQ(table().pfnEscapeCb(handle(), &args), E_INVALIDARG);
    expect_found({});
    args.hDevice = handle();
    args.hContext = make_virtual_context(&other_device());
    EXPECT_EQ(table().pfnEscapeCb(adapter, &args), E_INVALIDARG);
    expect_found({"UmdWrongHandle"});
    args.hDevice = adapter;
    EXPECT_EQ(table().pfnEscapeCb(adapter, &args), E_INVALIDARG);
    expect_found({"UmdWrongHandle"});
    EXPECT_EQ(data, 41);
  });
}

TEST_F(EscapeCallbackTest, OfALostDevice) {
  run_adapter_driver([&](HANDLE adapter) {
    auto args = escape();
    args.hDevice = handle();
    lose_device();
    EXPECT_EQ(table().pfnEscapeCb(adapter, &args), D3DDDIERR_DEVICEREMOVED);
    expect_found({});
  });
}

TEST_F(EscapeCallbackTest, MarkersAreIgnored) {
  run_driver([&] {
    D3DDDICB_LOGUMDMARKER args{};
    EXPECT_EQ(table().pfnLogUMDMarkerCb(handle(), &args), S_OK);
    expect_found({});
  });
}

TEST_F(EscapeCallbackTest, WithoutADisplayThereAreNoModes) {
  run_driver([&] {
    D3DDDICB_SETDISPLAYMODE args{};
    args.hPrimaryAllocation = allocate();
    EXPECT_EQ(table().pfnSetDisplayModeCb(handle(), &args), E_NOTIMPL);
    expect_found({});
  });
}

}  // namespace
}  // namespace umd::testing
