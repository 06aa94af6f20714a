// Adapters as Windows has been seen to serve them (Wine's tests), and what the pages say beyond that.
#include "kmt/adapter/open_adapter.h"
#include "kmt/testing/kmt_fixture.h"

namespace kmt::testing {
namespace {

using dxgk::testing::Model;

class AdapterTest : public KmtTest {
 protected:
  using KmtTest::KmtTest;
  NTSTATUS close(Program& program, D3DKMT_HANDLE handle) {
    D3DKMT_CLOSEADAPTER args{.hAdapter = handle};
    return CloseAdapter(program.client, &args);
  }
  D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME display(std::u16string_view name) {
    D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME args{};
    std::copy(name.begin(), name.end(), args.DeviceName);
    return args;
  }
  template <typename T>
  NTSTATUS ask(Program& program, KMTQUERYADAPTERINFOTYPE type, T& answer, size_t bytes = sizeof(T)) {
    D3DKMT_QUERYADAPTERINFO args{.hAdapter = program.adapter,
                                 .Type = type,
                                 .pPrivateDriverData = &answer,
                                 .PrivateDriverDataSize = static_cast<UINT>(bytes)};
    return QueryAdapterInfo(program.client, &args);
  }
};

TEST_F(AdapterTest, H2_ClosedHandlesAreNotReusedAtOnce) {
  run_program([&](Program& program) {
    for (int i = 0; i < 20; ++i) {
      D3DKMT_HANDLE handle = program.open_adapter(adapter());
      expect_next(handle);
      EXPECT_EQ(close(program, handle), STATUS_SUCCESS);
      EXPECT_EQ(close(program, handle), STATUS_INVALID_PARAMETER);
    }
    EXPECT_EQ(program.live(ob::ObjectKind::Adapter), 1u);
  });
}

TEST_F(AdapterTest, EnumAdapters2_ACapacityAndThenTheAdapters) {
  run_program([&](Program& program) {
    EXPECT_EQ(EnumAdapters2(program.client, nullptr), STATUS_INVALID_PARAMETER);
    D3DKMT_ENUMADAPTERS2 args{};
    EXPECT_EQ(EnumAdapters2(program.client, &args), STATUS_SUCCESS);
    EXPECT_EQ(args.NumAdapters, 34u);
    D3DKMT_ADAPTERINFO infos[34]{};
    args.pAdapters = infos;
    EXPECT_EQ(EnumAdapters2(program.client, &args), STATUS_SUCCESS);
    EXPECT_EQ(args.NumAdapters, 1u);
    expect_next(infos[0].hAdapter);
    EXPECT_EQ(infos[0].AdapterLuid.LowPart, adapter().luid().LowPart);
    EXPECT_EQ(infos[0].NumOfSources, 1u);
    EXPECT_EQ(close(program, infos[0].hAdapter), STATUS_SUCCESS);
    args.NumAdapters = 0;
    EXPECT_EQ(EnumAdapters2(program.client, &args), STATUS_BUFFER_TOO_SMALL);
  });
}

TEST_F(AdapterTest, EnumAdapters2_WslTellsTheRealNumber) {
  policy.flavour = dxgk::Flavour::Wsl;
  run_program([&](Program& program) {
    D3DKMT_ENUMADAPTERS2 args{};
    EXPECT_EQ(EnumAdapters2(program.client, &args), STATUS_SUCCESS);
    EXPECT_EQ(args.NumAdapters, 1u);
    D3DKMT_ADAPTERINFO info{};
    args = {.NumAdapters = 65, .pAdapters = &info};
    EXPECT_EQ(EnumAdapters2(program.client, &args), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(AdapterTest, H3_AnEnumerationThatCannotBeToldOpensNothing) {
  run_program([&](Program& program) {
    EdgePages pages;
    auto* args = static_cast<D3DKMT_ENUMADAPTERS2*>(pages.before(sizeof(D3DKMT_ENUMADAPTERS2)));
    *args = {.NumAdapters = 4, .pAdapters = static_cast<D3DKMT_ADAPTERINFO*>(pages.before(4))};
    EXPECT_EQ(EnumAdapters2(program.client, args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(args->NumAdapters, 4u);
    expect_next(program.open_adapter(adapter()));
    EXPECT_EQ(program.live(ob::ObjectKind::Adapter), 2u);
  });
}

class ComputeAdapterTest : public AdapterTest {
 protected:
  ComputeAdapterTest() : AdapterTest(Model::ComputeOnly) {}
};

TEST_F(ComputeAdapterTest, EnumAdapters3_ComputeOnlyIsListedOnRequest) {
  run_program([&](Program& program) {
    D3DKMT_ADAPTERINFO infos[4]{};
    D3DKMT_ENUMADAPTERS3 args{.Filter = {}, .NumAdapters = 4, .pAdapters = infos};
    EXPECT_EQ(EnumAdapters3(program.client, &args), STATUS_SUCCESS);
    EXPECT_EQ(args.NumAdapters, 0u);
    args.Filter.IncludeComputeOnly = 1;
    args.NumAdapters = 4;
    EXPECT_EQ(EnumAdapters3(program.client, &args), STATUS_SUCCESS);
    EXPECT_EQ(args.NumAdapters, 1u);
    args.Filter.Reserved = 1;
    EXPECT_EQ(EnumAdapters3(program.client, &args), STATUS_INVALID_PARAMETER);
    auto nobody = display(u"\\\\.\\DISPLAY1");
    EXPECT_EQ(OpenAdapterFromGdiDisplayName(program.client, &nobody), STATUS_UNSUCCESSFUL) << "it has no display";
  });
}

TEST_F(AdapterTest, OpenAdapterFromLuid) {
  run_program([&](Program& program) {
    EXPECT_EQ(OpenAdapterFromLuid(program.client, nullptr), STATUS_INVALID_PARAMETER);
    D3DKMT_OPENADAPTERFROMLUID args{.AdapterLuid = {0x1234, 0}, .hAdapter = kNoHandle};
    EXPECT_EQ(OpenAdapterFromLuid(program.client, &args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(args.hAdapter, kNoHandle) << "H5";
    args.AdapterLuid = adapter().luid();
    EXPECT_EQ(OpenAdapterFromLuid(program.client, &args), STATUS_SUCCESS);
    expect_next(args.hAdapter);
  });
}

TEST_F(AdapterTest, OpenAdapterFromGdiDisplayName_SaysUnsuccessful) {
  run_program([&](Program& program) {
    EXPECT_EQ(OpenAdapterFromGdiDisplayName(program.client, nullptr), STATUS_UNSUCCESSFUL);
    D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME args{};
    EXPECT_EQ(OpenAdapterFromGdiDisplayName(program.client, &args), STATUS_UNSUCCESSFUL);
    args = display(u"\\\\.\\DISPLAY2");
    EXPECT_EQ(OpenAdapterFromGdiDisplayName(program.client, &args), STATUS_UNSUCCESSFUL);
    args = display(u"\\\\.\\DISPLAY1");
    EXPECT_EQ(OpenAdapterFromGdiDisplayName(program.client, &args), STATUS_SUCCESS);
    expect_next(args.hAdapter);
    EXPECT_EQ(args.AdapterLuid.LowPart, adapter().luid().LowPart);
    EXPECT_EQ(args.VidPnSourceId, 0u);
    D3DKMT_HANDLE first = args.hAdapter;
    EXPECT_EQ(OpenAdapterFromGdiDisplayName(program.client, &args), STATUS_SUCCESS);
    EXPECT_NE(args.hAdapter, first);
  });
}

TEST_F(AdapterTest, OpenAdapterFromDeviceName) {
  run_program([&](Program& program) {
    EXPECT_EQ(OpenAdapterFromDeviceName(program.client, nullptr), STATUS_INVALID_PARAMETER);
    D3DKMT_OPENADAPTERFROMDEVICENAME args{};
    EXPECT_EQ(OpenAdapterFromDeviceName(program.client, &args), STATUS_INVALID_PARAMETER);
    args.pDeviceName = u"\\\\?\\adapter 1#{5b45201d-f2f2-4f3b-85bb-30ff1f953599}";
    EXPECT_EQ(OpenAdapterFromDeviceName(program.client, &args), STATUS_INVALID_PARAMETER);
    args.pDeviceName = u"\\\\?\\adapter 1#{1ca05180-a699-450a-9a0c-de4fbe3ddd89}";
    EXPECT_EQ(OpenAdapterFromDeviceName(program.client, &args), STATUS_SUCCESS);
    expect_next(args.hAdapter);
    std::u16string endless(5000, u'x');
    args.pDeviceName = endless.c_str();
    EXPECT_EQ(OpenAdapterFromDeviceName(program.client, &args), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(AdapterTest, CloseAdapter_NullAndZero) {
  run_program([&](Program& program) {
    EXPECT_EQ(CloseAdapter(program.client, nullptr), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(close(program, 0), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(close(program, program.device), STATUS_INVALID_PARAMETER) << "a device is no adapter";
    D3DKMT_DESTROYDEVICE still{.hDevice = program.device};
    EXPECT_EQ(close(program, program.adapter), STATUS_SUCCESS);
    EXPECT_EQ(DestroyDevice(program.client, &still), STATUS_SUCCESS) << "a device outlives the handle it came through";
  });
}

TEST_F(AdapterTest, QueryAdapterInfo_SizesAndValues) {
  run_program([&](Program& program) {
    BOOL updating = TRUE;
    EXPECT_EQ(ask(program, KMTQAITYPE_CHECKDRIVERUPDATESTATUS, updating, 3), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(updating, TRUE);
    EXPECT_EQ(ask(program, KMTQAITYPE_CHECKDRIVERUPDATESTATUS, updating), STATUS_SUCCESS);
    EXPECT_EQ(updating, FALSE);
    UINT version = 0;
    EXPECT_EQ(ask(program, KMTQAITYPE_DRIVERVERSION, version, 3), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(ask(program, KMTQAITYPE_DRIVERVERSION, version), STATUS_SUCCESS);
    EXPECT_EQ(version, static_cast<UINT>(KMT_DRIVERVERSION_WDDM_2_0));
    D3DKMT_QUERYADAPTERINFO args{.hAdapter = program.adapter,
                                 .Type = KMTQAITYPE_DRIVERVERSION,
                                 .pPrivateDriverData = nullptr,
                                 .PrivateDriverDataSize = 4};
    EXPECT_EQ(QueryAdapterInfo(program.client, &args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(ask(program, KMTQAITYPE_XBOX, version), STATUS_INVALID_PARAMETER) << "unknown here";
  });
}

TEST_F(AdapterTest, QueryAdapterInfo_WhatTheDriverSaid) {
  driver.nodes = 2;
  run_program([&](Program& program) {
    D3DKMT_ADAPTERTYPE type{};
    EXPECT_EQ(ask(program, KMTQAITYPE_ADAPTERTYPE, type), STATUS_SUCCESS);
    EXPECT_TRUE(type.RenderSupported);
    EXPECT_TRUE(type.DisplaySupported);
    EXPECT_FALSE(type.ComputeOnly);
    D3DKMT_SEGMENTSIZEINFO sizes{};
    EXPECT_EQ(ask(program, KMTQAITYPE_GETSEGMENTSIZE, sizes), STATUS_SUCCESS);
    EXPECT_EQ(sizes.DedicatedVideoMemorySize, 0x0400'0000u);
    EXPECT_EQ(sizes.SharedSystemMemorySize, 0x1000'0000u);
    D3DKMT_WDDM_2_0_CAPS caps{};
    EXPECT_EQ(ask(program, KMTQAITYPE_WDDM_2_0_CAPS, caps), STATUS_SUCCESS);
    EXPECT_TRUE(caps.GpuMmuSupported);
    D3DKMT_PHYSICAL_ADAPTER_COUNT count{};
    EXPECT_EQ(ask(program, KMTQAITYPE_PHYSICALADAPTERCOUNT, count), STATUS_SUCCESS);
    EXPECT_EQ(count.Count, 1u);
    D3DKMT_NODEMETADATA node{};
    node.NodeOrdinalAndAdapterIndex = 1;
    EXPECT_EQ(ask(program, KMTQAITYPE_NODEMETADATA, node), STATUS_SUCCESS);
    EXPECT_EQ(node.NodeData.EngineType, DXGK_ENGINE_TYPE_3D);
    node.NodeOrdinalAndAdapterIndex = 2;
    EXPECT_EQ(ask(program, KMTQAITYPE_NODEMETADATA, node), STATUS_INVALID_PARAMETER);
    D3DKMT_QUERY_ADAPTER_UNIQUE_GUID guid{};
    EXPECT_EQ(ask(program, KMTQAITYPE_QUERY_ADAPTER_UNIQUE_GUID, guid), STATUS_SUCCESS);
    EXPECT_EQ(std::u16string(guid.AdapterUniqueGUID).size(), 38u);
    D3DDDI_QUERYREGISTRY_INFO registry{};
    EXPECT_EQ(ask(program, KMTQAITYPE_QUERYREGISTRY, registry), STATUS_SUCCESS);
    EXPECT_EQ(registry.Status, D3DDDI_QUERYREGISTRY_STATUS_FAIL) << "there is no registry";
  });
}

TEST_F(AdapterTest, QueryAdapterInfo_UmDriverPrivateIsTheDriversOwn) {
  run_program([&](Program& program) {
    uint64_t data = 7;
    driver.query_status[DXGKQAITYPE_UMDRIVERPRIVATE] = STATUS_SUCCESS;
    driver.log.clear();
    EXPECT_EQ(ask(program, KMTQAITYPE_UMDRIVERPRIVATE, data), STATUS_SUCCESS);
    EXPECT_EQ(data, 7u);
    EXPECT_THAT(driver.log, ::testing::ElementsAre("QueryAdapterInfo(0)"));
    driver.query_status[DXGKQAITYPE_UMDRIVERPRIVATE] = STATUS_NOT_SUPPORTED;
    EXPECT_EQ(ask(program, KMTQAITYPE_UMDRIVERPRIVATE, data), STATUS_NOT_SUPPORTED);
  });
}

TEST_F(AdapterTest, QueryVideoMemoryInfo) {
  run_program([&](Program& program) {
    auto fresh = [&](UINT group) {
      D3DKMT_QUERYVIDEOMEMORYINFO args{};
      args.hAdapter = program.adapter;
      std::memcpy(&args.MemorySegmentGroup, &group, sizeof(group));
      return args;
    };
    for (UINT group : {0u, 1u}) {
      auto args = fresh(group);
      EXPECT_EQ(QueryVideoMemoryInfo(program.client, &args), STATUS_SUCCESS);
      EXPECT_GE(args.Budget, args.AvailableForReservation);
      EXPECT_LE(args.CurrentUsage, args.Budget);
      EXPECT_EQ(args.CurrentReservation, 0u);
      EXPECT_NE(args.Budget, 0u);
      args.hProcess = reinterpret_cast<HANDLE>(~uintptr_t{0});
      EXPECT_EQ(QueryVideoMemoryInfo(program.client, &args), STATUS_SUCCESS);
      args.hProcess = reinterpret_cast<HANDLE>(0xDEADBEEF);
      EXPECT_EQ(QueryVideoMemoryInfo(program.client, &args), STATUS_INVALID_HANDLE);
    }
    auto args = fresh(2);
    EXPECT_EQ(QueryVideoMemoryInfo(program.client, &args), STATUS_INVALID_PARAMETER);
    args = fresh(0);
    args.PhysicalAdapterIndex = 99;
    EXPECT_EQ(QueryVideoMemoryInfo(program.client, &args), STATUS_INVALID_PARAMETER);
    args = fresh(0);
    args.hAdapter = 0xDEADBEEF;
    EXPECT_EQ(QueryVideoMemoryInfo(program.client, &args), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(AdapterTest, AStoppedAdapterIsRemoved) {
  run_program([&](Program& program) {
    adapter().stop();
    BOOL updating;
    EXPECT_EQ(ask(program, KMTQAITYPE_CHECKDRIVERUPDATESTATUS, updating), STATUS_DEVICE_REMOVED);
    D3DKMT_OPENADAPTERFROMLUID args{.AdapterLuid = adapter().luid(), .hAdapter = 0};
    EXPECT_EQ(OpenAdapterFromLuid(program.client, &args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(close(program, program.adapter), STATUS_SUCCESS);
  });
}

}  // namespace
}  // namespace kmt::testing
