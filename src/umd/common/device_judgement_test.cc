// What a lost device says of the driver. How results are judged: device9_test.cc, device10_test.cc.
#include "kmt/testing/kernel_objects.h"
#include "umd/testing/umd_fixture.h"

namespace umd::testing {
namespace {

using State = dxgk::Device::State;

class DeviceJudgementTest : public UmdTest {
 protected:
  void lose(State state) {
    auto lost = program().client.find<dxgk::Device>(device().kernel()).take();
    adapter().gpu().lose(*lost, state);
  }
  HRESULT try_allocate() {
    D3DDDI_ALLOCATIONINFO info{};
    D3DDDICB_ALLOCATE args{};
    args.NumAllocations = 1;
    args.pAllocationInfo = &info;
    return table().pfnAllocateCb(handle(), &args);
  }
};

TEST_F(DeviceJudgementTest, APageFaultIsTheDriversAndToldOnce) {
  run_driver([&] {
    lose(State::PageFaulted);
    EXPECT_EQ(try_allocate(), D3DDDIERR_DEVICEREMOVED);
    expect_found({"UmdCommandsFaulted"});
    EXPECT_EQ(try_allocate(), D3DDDIERR_DEVICEREMOVED);
    expect_found({});
  });
}

TEST_F(DeviceJudgementTest, OtherLossesAreNot) {
  for (State state : {State::Reset, State::Hung, State::Error}) {
    run_driver([&] {
      lose(state);
      EXPECT_EQ(try_allocate(), D3DDDIERR_DEVICEREMOVED);
      expect_found({});
    });
  }
}

// One that the host only says is removed is what the kernel still calls active.
TEST_F(DeviceJudgementTest, AFailureOnPurposeIsNot) {
  run_driver([&] {
    device().fail_callback({.callback = Callback::Allocate, .nth = 1, .result = D3DDDIERR_DEVICEREMOVED});
    EXPECT_EQ(try_allocate(), D3DDDIERR_DEVICEREMOVED);
    expect_found({});
  });
}

}  // namespace
}  // namespace umd::testing
