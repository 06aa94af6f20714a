// DXCore (2.7), which alone of all this is C++. No header of abi/ goes with Microsoft's.
#include <cstring>
#include <vector>

#define INITGUID  // the attributes are defined here
#include "client/dxcore_api.h"

extern "C" {
void behaviour(const char* id);
void check_that(int holds, const char* what, int line);
void test_dxcore(void);
}
#define CHECK(condition) check_that((condition) != 0, #condition, __LINE__)

namespace {

const GUID kUnknown = {0x12345678, 0, 0, {1, 2, 3, 4, 5, 6, 7, 8}};
constexpr HRESULT kInvalidCall = static_cast<HRESULT>(0x887A0001);  // DXGI_ERROR_INVALID_CALL

template <typename T>
HRESULT create(REFIID iid, T** out) {
  return DXCoreCreateAdapterFactory(iid, reinterpret_cast<void**>(out));
}

void test_factory(IDXCoreAdapterFactory* factory) {
  behaviour("DXCoreFactory");
  CHECK(DXCoreCreateAdapterFactory(__uuidof(IDXCoreAdapterFactory), nullptr) == E_POINTER);
  void* none = factory;
  CHECK(DXCoreCreateAdapterFactory(kUnknown, &none) == E_NOINTERFACE && none == nullptr);
  IDXCoreAdapterFactory* again = nullptr;
  CHECK(create(__uuidof(IDXCoreAdapterFactory), &again) == S_OK && again == factory);
  if (again) CHECK(again->Release() == 1);
  behaviour("DXCoreQueryInterface");
  IUnknown* unknown = nullptr;
  CHECK(factory->QueryInterface(__uuidof(IUnknown), reinterpret_cast<void**>(&unknown)) == S_OK);
  if (unknown) unknown->Release();
  CHECK(factory->QueryInterface(__uuidof(IDXCoreAdapterList), &none) == E_NOINTERFACE);
}

void test_lists(IDXCoreAdapterFactory* factory, IDXCoreAdapterList** list) {
  behaviour("DXCoreList");
  const GUID wanted = DXCORE_ADAPTER_ATTRIBUTE_D3D12_CORE_COMPUTE;
  auto make = [&](uint32_t count, const GUID* attributes, REFIID iid, void** out) {
    return factory->CreateAdapterList(count, attributes, iid, out);
  };
  void* none = factory;
  CHECK(make(0, &wanted, __uuidof(IDXCoreAdapterList), &none) == E_INVALIDARG && none == nullptr);
  CHECK(make(0, nullptr, __uuidof(IDXCoreAdapterList), &none) == E_INVALIDARG);
  CHECK(make(1, nullptr, __uuidof(IDXCoreAdapterList), &none) == E_INVALIDARG);
  CHECK(make(1, &wanted, kUnknown, &none) == E_NOINTERFACE);
  CHECK(make(1, &wanted, __uuidof(IDXCoreAdapterList), nullptr) == E_POINTER);
  void* first = nullptr;
  void* second = nullptr;
  CHECK(make(1, &wanted, __uuidof(IDXCoreAdapterList), &first) == S_OK);
  CHECK(make(1, &wanted, __uuidof(IDXCoreAdapterList), &second) == S_OK && first != second);
  if (second) static_cast<IDXCoreAdapterList*>(second)->Release();
  *list = static_cast<IDXCoreAdapterList*>(first);
}

IDXCoreAdapter* test_adapters_of(IDXCoreAdapterList* list) {
  behaviour("DXCoreAdapter");
  CHECK(list->GetAdapterCount() == 1);
  void* none = list;
  CHECK(list->GetAdapter(99, __uuidof(IDXCoreAdapter), nullptr) == E_POINTER);
  CHECK(list->GetAdapter(list->GetAdapterCount(), __uuidof(IDXCoreAdapter), &none) == E_INVALIDARG && none == nullptr);
  CHECK(list->GetAdapter(0, kUnknown, &none) == E_NOINTERFACE);
  void* first = nullptr;
  void* second = nullptr;
  CHECK(list->GetAdapter(0, __uuidof(IDXCoreAdapter), &first) == S_OK);
  CHECK(list->GetAdapter(0, __uuidof(IDXCoreAdapter), &second) == S_OK && first == second);
  if (second) static_cast<IDXCoreAdapter*>(second)->Release();
  return static_cast<IDXCoreAdapter*>(first);
}

void test_properties(IDXCoreAdapter* adapter) {
  behaviour("DXCoreProperty");
  uint8_t room[32];
  CHECK(adapter->GetProperty(static_cast<DXCoreAdapterProperty>(0xdead), sizeof(room), room) == kInvalidCall);
  const struct {
    DXCoreAdapterProperty property;
    size_t bytes;
  } sizes[] = {{DXCoreAdapterProperty::InstanceLuid, 8},
               {DXCoreAdapterProperty::HardwareID, 16},
               {DXCoreAdapterProperty::DedicatedAdapterMemory, 8},
               {DXCoreAdapterProperty::SharedSystemMemory, 8},
               {DXCoreAdapterProperty::IsHardware, 1},
               {DXCoreAdapterProperty::DriverVersion, 8}};
  for (const auto& one : sizes) {
    size_t bytes = 0;
    CHECK(adapter->GetPropertySize(one.property, &bytes) == S_OK && bytes == one.bytes);
    std::memset(room, 0xCD, sizeof(room));
    CHECK(adapter->GetProperty(one.property, one.bytes, static_cast<void*>(nullptr)) == E_POINTER);
    CHECK(adapter->GetProperty(one.property, one.bytes - 1, room) == E_INVALIDARG);
    CHECK(adapter->GetProperty(one.property, sizeof(room), room) == S_OK && room[one.bytes] == 0xCD);
  }
  CHECK(adapter->GetPropertySize(DXCoreAdapterProperty::InstanceLuid, nullptr) == E_POINTER);
  size_t bytes = 0;
  CHECK(adapter->GetPropertySize(DXCoreAdapterProperty::DriverDescription, &bytes) == S_OK && bytes > 1);
  std::vector<char> text(bytes, 'x');
  CHECK(adapter->GetProperty(DXCoreAdapterProperty::DriverDescription, bytes - 1, text.data()) == E_INVALIDARG);
  CHECK(text[0] == 0);
  CHECK(adapter->GetProperty(DXCoreAdapterProperty::DriverDescription, bytes, text.data()) == S_OK);
  CHECK(std::strlen(text.data()) == bytes - 1);
}

}  // namespace

void test_dxcore(void) {
  IDXCoreAdapterFactory* factory = nullptr;
  if (create(__uuidof(IDXCoreAdapterFactory), &factory) != S_OK) return;
  test_factory(factory);
  IDXCoreAdapterList* list = nullptr;
  test_lists(factory, &list);
  if (!list) return;
  IDXCoreAdapter* adapter = test_adapters_of(list);
  if (!adapter) return;
  test_properties(adapter);
  behaviour("DXCoreLuid");
  LUID luid{};
  CHECK(adapter->GetProperty(DXCoreAdapterProperty::InstanceLuid, sizeof(luid), &luid) == S_OK);
  void* found = nullptr;
  CHECK(factory->GetAdapterByLuid(luid, __uuidof(IDXCoreAdapter), &found) == S_OK && found == adapter);
  if (found) static_cast<IDXCoreAdapter*>(found)->Release();
  adapter->Release();
  list->Release();
  factory->Release();
}
