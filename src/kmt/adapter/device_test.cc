// Devices as Windows has been seen to serve them, and what the pages say of lost ones.
#include "dxgk/object/device.h"

#include "kmt/testing/kmt_fixture.h"

namespace kmt::testing {
namespace {

class DeviceTest : public KmtTest {
 protected:
  NTSTATUS destroy(Program& program, D3DKMT_HANDLE handle) {
    D3DKMT_DESTROYDEVICE args{.hDevice = handle};
    return DestroyDevice(program.client, &args);
  }
  D3DKMT_DEVICEEXECUTION_STATE state(Program& program) {
    D3DKMT_GETDEVICESTATE args{};
    args.hDevice = program.device;
    args.StateType = D3DKMT_DEVICESTATE_EXECUTION;
    EXPECT_EQ(GetDeviceState(program.client, &args), STATUS_SUCCESS);
    return args.ExecutionState;
  }
};

TEST_F(DeviceTest, H1_ADeviceComesAfterItsAdapter) {
  run_program([&](Program& program) { EXPECT_EQ(program.device, program.adapter + 0x40); });
}

TEST_F(DeviceTest, CreateDevice_NullAndZeroed) {
  run_program([&](Program& program) {
    EXPECT_EQ(CreateDevice(program.client, nullptr), STATUS_INVALID_PARAMETER);
    D3DKMT_CREATEDEVICE args{};
    EXPECT_EQ(CreateDevice(program.client, &args), STATUS_INVALID_PARAMETER);
    args.hAdapter = program.device;
    EXPECT_EQ(CreateDevice(program.client, &args), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(DeviceTest, CreateDevice_TellsOfNoBuffers) {
  run_program([&](Program& program) {
    D3DKMT_CREATEDEVICE args;
    std::memset(&args, 0xCD, sizeof(args));
    args.hAdapter = program.adapter;
    args.Flags = {};
    EXPECT_EQ(CreateDevice(program.client, &args), STATUS_SUCCESS);
    expect_next(args.hDevice);
    EXPECT_EQ(args.pCommandBuffer, nullptr);
    EXPECT_EQ(args.CommandBufferSize, 0u);
    EXPECT_EQ(args.pAllocationList, nullptr);
    EXPECT_EQ(args.AllocationListSize, 0u);
    EXPECT_EQ(args.pPatchLocationList, nullptr);
    EXPECT_EQ(args.PatchLocationListSize, 0u);
  });
}

TEST_F(DeviceTest, H3_ADriversRefusalConsumesNothing) {
  run_program([&](Program& program) {
    driver.fail(dxgk::Ddi::CreateDevice, STATUS_NO_MEMORY);
    D3DKMT_CREATEDEVICE args{};
    args.hAdapter = program.adapter;
    EXPECT_EQ(CreateDevice(program.client, &args), STATUS_NO_MEMORY);
    EXPECT_EQ(args.hDevice, 0u);
    expect_next(program.create_device(program.adapter));
    EXPECT_EQ(program.live(ob::ObjectKind::Device), 2u);
  });
}

TEST_F(DeviceTest, ADeviceThatCannotBeToldIsDestroyedAgain) {
  run_program([&](Program& program) {
    EdgePages pages;
    auto* args = static_cast<D3DKMT_CREATEDEVICE*>(pages.before(sizeof(D3DKMT_CREATEDEVICE)));
    args->hAdapter = program.adapter;
    pages.protect(PROT_READ);
    driver.log.clear();
    EXPECT_EQ(CreateDevice(program.client, args), STATUS_INVALID_PARAMETER);
    EXPECT_THAT(driver.log, ::testing::ElementsAre("CreateDevice", "DestroyDevice"));
    expect_next(program.create_device(program.adapter));
  });
}

TEST_F(DeviceTest, DestroyDevice_NullZeroAndTwice) {
  run_program([&](Program& program) {
    EXPECT_EQ(DestroyDevice(program.client, nullptr), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(destroy(program, 0), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(destroy(program, program.device), STATUS_SUCCESS);
    EXPECT_EQ(destroy(program, program.device), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(DeviceTest, DestroyDevice_TakesAlongWhatIsLeft) {
  run_program([&](Program& program) {
    CreateArgs create = CreateArgs::driver(program.device);
    create.args.Flags.CreateResource = 1;
    ASSERT_EQ(create.create(program), STATUS_SUCCESS);
    EXPECT_EQ(destroy(program, program.device), STATUS_SUCCESS);
    EXPECT_EQ(program.live(ob::ObjectKind::Allocation), 0u);
    EXPECT_EQ(program.live(ob::ObjectKind::Resource), 0u);
    EXPECT_EQ(program.client.process().ledger().leaks().size(), 2u);
  });
}

TEST_F(DeviceTest, GetDeviceState) {
  run_program([&](Program& program) {
    EXPECT_EQ(state(program), D3DKMT_DEVICEEXECUTION_ACTIVE);
    D3DKMT_GETDEVICESTATE args{};
    args.hDevice = program.device;
    EXPECT_EQ(GetDeviceState(program.client, &args), STATUS_INVALID_PARAMETER) << "no such state";
    EXPECT_EQ(GetDeviceState(program.client, nullptr), STATUS_INVALID_PARAMETER);
    args.StateType = D3DKMT_DEVICESTATE_RESET;
    EXPECT_EQ(GetDeviceState(program.client, &args), STATUS_SUCCESS);
    EXPECT_EQ(args.ResetState.Value, 0u);
    args.StateType = D3DKMT_DEVICESTATE_PRESENT;
    args.PresentState.VidPnSourceId = 0;
    args.PresentState.PresentStats.PresentCount = 7;
    EXPECT_EQ(GetDeviceState(program.client, &args), STATUS_SUCCESS);
    EXPECT_EQ(args.PresentState.PresentStats.PresentCount, 0u) << "nothing is ever shown";
  });
}

TEST_F(DeviceTest, GetDeviceState_KnowsAPageFaultFromOtherErrors) {
  run_program([&](Program& program) {
    auto device = program.client.find<dxgk::Device>(program.device).take();
    device->mark(dxgk::Device::State::PageFaulted);
    EXPECT_EQ(state(program), D3DKMT_DEVICEEXECUTION_ERROR_DMAPAGEFAULT);
  });
  run_program([&](Program& program) {
    auto device = program.client.find<dxgk::Device>(program.device).take();
    device->mark(dxgk::Device::State::Error);
    EXPECT_EQ(state(program), D3DKMT_DEVICEEXECUTION_ERROR_DMAFAULT);
  });
}

TEST_F(DeviceTest, KC17_KD27_ALostDeviceOnlyDestroys) {
  run_program([&](Program& program) {
    CreateArgs create = CreateArgs::driver(program.device);
    ASSERT_EQ(create.create(program), STATUS_SUCCESS);
    D3DKMT_HANDLE allocation = create.info.hAllocation;
    D3DKMT_MARKDEVICEASERROR mark{.hDevice = program.device, .Reason = D3DKMT_DEVICE_ERROR_REASON_GENERIC};
    EXPECT_EQ(MarkDeviceAsError(program.client, &mark), STATUS_SUCCESS);
    EXPECT_EQ(state(program), D3DKMT_DEVICEEXECUTION_RESET);
    EXPECT_EQ(create.create(program), STATUS_DEVICE_REMOVED);
    D3DKMT_LOCK2 lock{.hDevice = program.device, .hAllocation = allocation, .Flags = {}, .pData = nullptr};
    EXPECT_EQ(Lock2(program.client, &lock), STATUS_DEVICE_REMOVED);
    EXPECT_EQ(destroy_list(program, {allocation}), STATUS_SUCCESS);
    EXPECT_EQ(MarkDeviceAsError(program.client, nullptr), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(DeviceTest, AStoppedAdaptersDeviceOnlyDestroys) {
  run_program([&](Program& program) {
    CreateArgs create = CreateArgs::driver(program.device);
    ASSERT_EQ(create.create(program), STATUS_SUCCESS);
    D3DKMT_HANDLE allocation = create.info.hAllocation;
    adapter().stop();
    EXPECT_EQ(state(program), D3DKMT_DEVICEEXECUTION_STOPPED);
    EXPECT_EQ(create.create(program), STATUS_DEVICE_REMOVED);
    EXPECT_EQ(destroy_list(program, {allocation}), STATUS_SUCCESS);
    EXPECT_EQ(destroy(program, program.device), STATUS_SUCCESS);
  });
}

}  // namespace
}  // namespace kmt::testing
