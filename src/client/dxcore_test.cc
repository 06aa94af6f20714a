// What was observed of DXCore on Windows, over two made-up adapters.
#include "client/dxcore.h"

#include <gtest/gtest.h>

#include <cstring>

#include "client/dxcore_api.h"

namespace client {
namespace {

std::vector<AdapterFacts> two_adapters() {
  AdapterFacts drawing;
  drawing.luid_low = 7;
  drawing.description = "Painter";
  drawing.vendor = 0x1234;
  drawing.device = 0x5678;
  drawing.subsystem = 0xAA;
  drawing.subvendor = 0xBB;
  drawing.dedicated_adapter_memory = 256 << 20;
  drawing.graphics = drawing.compute = true;
  AdapterFacts computing;
  computing.luid_low = 8;
  computing.description = "Reckoner";
  computing.compute = true;
  return {drawing, computing};
}

const GUID kUnknownIid = {0x12345678, 0, 0, {1, 2, 3, 4, 5, 6, 7, 8}};

class Dxcore : public ::testing::Test {
 protected:
  Dxcore() { EXPECT_EQ(create(__uuidof(IDXCoreAdapterFactory), &factory_), S_OK); }
  ~Dxcore() override { EXPECT_EQ(factory_->Release(), 0u) << "somebody still has it"; }

  template <typename T>
  static HRESULT create(REFIID iid, T** out) {
    return create_adapter_factory(&two_adapters, iid, reinterpret_cast<void**>(out));
  }
  IDXCoreAdapterList* list(REFGUID attribute = DXCORE_ADAPTER_ATTRIBUTE_D3D12_CORE_COMPUTE) {
    IDXCoreAdapterList* made = nullptr;
    EXPECT_EQ(factory_->CreateAdapterList(1, &attribute, &made), S_OK);
    return made;
  }
  IDXCoreAdapter* adapter(uint32_t low_luid) {
    IDXCoreAdapter* found = nullptr;
    EXPECT_EQ(factory_->GetAdapterByLuid(LUID{low_luid, 0}, &found), S_OK);
    return found;
  }

  IDXCoreAdapterFactory* factory_ = nullptr;
};

TEST_F(Dxcore, ThereIsOneFactory) {
  IDXCoreAdapterFactory* again = nullptr;
  EXPECT_EQ(create(__uuidof(IDXCoreAdapterFactory), &again), S_OK);
  EXPECT_EQ(again, factory_);
  EXPECT_EQ(again->Release(), 1u);
}

TEST_F(Dxcore, TheFactoryIsRefusedUnderOtherNames) {
  EXPECT_EQ(create<void>(__uuidof(IDXCoreAdapterFactory), nullptr), E_POINTER);
  void* out = this;
  EXPECT_EQ(create(kUnknownIid, &out), E_NOINTERFACE);
  EXPECT_EQ(out, nullptr);
  EXPECT_EQ(factory_->QueryInterface(__uuidof(IDXCoreAdapterList), &out), E_NOINTERFACE);
  IUnknown* unknown = nullptr;
  EXPECT_EQ(factory_->QueryInterface(__uuidof(IUnknown), reinterpret_cast<void**>(&unknown)), S_OK);
  EXPECT_EQ(unknown->Release(), 1u);
}

TEST_F(Dxcore, AListNeedsAttributes) {
  const GUID& attribute = DXCORE_ADAPTER_ATTRIBUTE_D3D12_CORE_COMPUTE;
  REFIID iid = __uuidof(IDXCoreAdapterList);
  void* out = this;
  EXPECT_EQ(factory_->CreateAdapterList(0, &attribute, iid, &out), E_INVALIDARG);
  EXPECT_EQ(out, nullptr);
  EXPECT_EQ(factory_->CreateAdapterList(0, nullptr, iid, &out), E_INVALIDARG);
  EXPECT_EQ(factory_->CreateAdapterList(1, nullptr, iid, &out), E_INVALIDARG);
  EXPECT_EQ(factory_->CreateAdapterList(1, &attribute, kUnknownIid, &out), E_NOINTERFACE);
  EXPECT_EQ(factory_->CreateAdapterList(1, &attribute, iid, nullptr), E_POINTER);
}

TEST_F(Dxcore, EveryListIsANewOneOfTheAdaptersThatQualify) {
  IDXCoreAdapterList *computing = list(), *again = list(), *drawing = list(DXCORE_ADAPTER_ATTRIBUTE_D3D12_GRAPHICS);
  EXPECT_NE(computing, again);
  EXPECT_EQ(computing->GetAdapterCount(), 2u);
  EXPECT_EQ(drawing->GetAdapterCount(), 1u);
  IDXCoreAdapterList* none = list(kUnknownIid);
  EXPECT_EQ(none->GetAdapterCount(), 0u);
  for (IDXCoreAdapterList* each : {computing, again, drawing, none}) EXPECT_EQ(each->Release(), 0u);
}

TEST_F(Dxcore, AnAdapterIsKeptByItsListAndByTheFactory) {
  IDXCoreAdapterList* adapters = list();
  IDXCoreAdapter *one = nullptr, *two = nullptr;
  EXPECT_EQ(adapters->GetAdapter(0, &one), S_OK);
  EXPECT_EQ(adapters->GetAdapter(0, &two), S_OK);
  EXPECT_EQ(one, two);
  EXPECT_EQ(two->Release(), 3u);
  EXPECT_EQ(one->Release(), 2u);
  adapters->Release();
}

TEST_F(Dxcore, AnAdapterIsRefusedUnderOtherNames) {
  IDXCoreAdapterList* adapters = list();
  void* out = this;
  EXPECT_EQ(adapters->GetAdapter(99, __uuidof(IDXCoreAdapter), nullptr), E_POINTER);
  EXPECT_EQ(adapters->GetAdapter(99, __uuidof(IDXCoreAdapter), &out), E_INVALIDARG);
  EXPECT_EQ(out, nullptr);
  EXPECT_EQ(adapters->GetAdapter(0, kUnknownIid, &out), E_NOINTERFACE);
  EXPECT_EQ(factory_->GetAdapterByLuid(LUID{99, 0}, __uuidof(IDXCoreAdapter), &out), E_INVALIDARG);
  adapters->Release();
}

TEST_F(Dxcore, AListMayOutliveTheFactory) {
  IDXCoreAdapterList* adapters = list();
  EXPECT_EQ(factory_->Release(), 0u);
  IDXCoreAdapter* one = nullptr;
  EXPECT_EQ(adapters->GetAdapter(1, &one), S_OK);
  EXPECT_TRUE(one->IsValid());
  EXPECT_EQ(one->Release(), 1u) << "the list's";
  EXPECT_EQ(adapters->Release(), 0u);
  EXPECT_EQ(create(__uuidof(IDXCoreAdapterFactory), &factory_), S_OK) << "a new one";
}

TEST_F(Dxcore, PropertiesHaveTheirSizesAndNoMoreIsWritten) {
  IDXCoreAdapter* painter = adapter(7);
  const std::pair<DXCoreAdapterProperty, size_t> sizes[] = {
      {DXCoreAdapterProperty::InstanceLuid, 8},
      {DXCoreAdapterProperty::HardwareID, 16},
      {DXCoreAdapterProperty::HardwareIDParts, 20},
      {DXCoreAdapterProperty::DedicatedAdapterMemory, 8},
      {DXCoreAdapterProperty::DedicatedSystemMemory, 8},
      {DXCoreAdapterProperty::SharedSystemMemory, 8},
      {DXCoreAdapterProperty::IsHardware, 1},
      {DXCoreAdapterProperty::DriverVersion, 8},
      {DXCoreAdapterProperty::DriverDescription, 8},
  };
  for (auto [property, bytes] : sizes) {
    size_t told = 0;
    EXPECT_EQ(painter->GetPropertySize(property, &told), S_OK);
    EXPECT_EQ(told, bytes) << static_cast<uint32_t>(property);
    EXPECT_EQ(painter->GetPropertySize(property, nullptr), E_POINTER);
    char data[64];
    std::memset(data, 0x5A, sizeof(data));
    EXPECT_EQ(painter->GetProperty(property, bytes, nullptr), E_POINTER);
    EXPECT_EQ(painter->GetProperty(property, bytes - 1, data), E_INVALIDARG);
    EXPECT_EQ(painter->GetProperty(property, sizeof(data), data), S_OK);
    EXPECT_EQ(data[bytes], 0x5A) << static_cast<uint32_t>(property);
  }
  painter->Release();
}

TEST_F(Dxcore, PropertiesTellWhatTheKernelSaid) {
  IDXCoreAdapter* painter = adapter(7);
  LUID luid{};
  DXCoreHardwareID id{};
  uint64_t memory = 0;
  EXPECT_EQ(painter->GetProperty(DXCoreAdapterProperty::InstanceLuid, &luid), S_OK);
  EXPECT_EQ(luid.LowPart, 7u);
  EXPECT_EQ(painter->GetProperty(DXCoreAdapterProperty::HardwareID, &id), S_OK);
  EXPECT_EQ(id.vendorID, 0x1234u);
  EXPECT_EQ(id.deviceID, 0x5678u);
  EXPECT_EQ(id.subSysID, 0xAA00BBu);
  EXPECT_EQ(painter->GetProperty(DXCoreAdapterProperty::DedicatedAdapterMemory, &memory), S_OK);
  EXPECT_EQ(memory, uint64_t{256} << 20);
  EXPECT_FALSE(painter->IsPropertySupported(DXCoreAdapterProperty{999}));
  EXPECT_EQ(painter->GetProperty(DXCoreAdapterProperty{999}, &memory), DXGI_ERROR_INVALID_CALL);
  painter->Release();
}

TEST_F(Dxcore, ADescriptionThatDoesNotFitIsEmptied) {
  IDXCoreAdapter* painter = adapter(7);
  char text[8] = "#######";
  EXPECT_EQ(painter->GetProperty(DXCoreAdapterProperty::DriverDescription, 0, text), E_INVALIDARG);
  EXPECT_EQ(text[0], '#');
  EXPECT_EQ(painter->GetProperty(DXCoreAdapterProperty::DriverDescription, 7, text), E_INVALIDARG);
  EXPECT_EQ(text[0], 0);
  EXPECT_EQ(painter->GetProperty(DXCoreAdapterProperty::DriverDescription, 8, text), S_OK);
  EXPECT_STREQ(text, "Painter");
  painter->Release();
}

}  // namespace
}  // namespace client
