#include "client/dxcore.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <string_view>

#define INITGUID  // this file holds the identifiers
#include "client/dxcore_api.h"

namespace client {
namespace {

class Factory;

// The live factory, and the lock under which it is created and destroyed.
constinit std::mutex g_factory_lock;
constinit Factory* g_factory = nullptr;

HRESULT current_factory(REFIID iid, void** out);

// COM's interfaces have no virtual destructor: Release deletes the object by its own type.
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"

// IUnknown of an object with one interface. It is deleted by its last Release.
template <typename Self, typename Interface>
class Unknown : public Interface {
 public:
  Unknown() = default;
  Unknown(const Unknown&) = delete;
  Unknown& operator=(const Unknown&) = delete;

  HRESULT QueryInterface(REFIID iid, void** out) override {
    if (!out) return E_POINTER;
    *out = nullptr;
    if (iid != __uuidof(IUnknown) && iid != __uuidof(Interface)) return E_NOINTERFACE;
    this->AddRef();
    *out = static_cast<Interface*>(this);
    return S_OK;
  }
  ULONG AddRef() override { return refs_.fetch_add(1, std::memory_order_relaxed) + 1; }
  ULONG Release() override {
    ULONG left = refs_.fetch_sub(1, std::memory_order_acq_rel) - 1;
    if (left == 0) delete static_cast<Self*>(this);
    return left;
  }

 protected:
  ~Unknown() = default;

  std::atomic<ULONG> refs_{1};
};

// --- Adapter ---

class Adapter final : public Unknown<Adapter, IDXCoreAdapter> {
 public:
  explicit Adapter(AdapterFacts facts) : facts_(std::move(facts)) {}

  bool has(const LUID& luid) const { return luid.LowPart == facts_.luid_low && luid.HighPart == facts_.luid_high; }

  bool IsValid() override { return true; }

  bool IsAttributeSupported(REFGUID attribute) override {
    if (attribute == DXCORE_ADAPTER_ATTRIBUTE_D3D12_CORE_COMPUTE) return facts_.compute;
    return facts_.graphics && (attribute == DXCORE_ADAPTER_ATTRIBUTE_D3D11_GRAPHICS ||
                               attribute == DXCORE_ADAPTER_ATTRIBUTE_D3D12_GRAPHICS);
  }

  bool IsPropertySupported(DXCoreAdapterProperty property) override { return !value_of(property).empty(); }

  HRESULT GetPropertySize(DXCoreAdapterProperty property, size_t* bytes) override {
    if (!bytes) return E_POINTER;
    *bytes = value_of(property).size();
    return *bytes ? S_OK : DXGI_ERROR_INVALID_CALL;
  }

  HRESULT GetProperty(DXCoreAdapterProperty property, size_t bytes, void* data) override {
    std::string value = value_of(property);
    if (value.empty()) return DXGI_ERROR_INVALID_CALL;
    if (!data) return E_POINTER;
    if (bytes < value.size()) {
      bool text = property == DXCoreAdapterProperty::DriverDescription;
      if (text && bytes != 0) *static_cast<char*>(data) = 0;  // observed
      return E_INVALIDARG;
    }
    std::memcpy(data, value.data(), value.size());
    return S_OK;
  }

  bool IsQueryStateSupported(DXCoreAdapterState state) override {
    return state == DXCoreAdapterState::IsDriverUpdateInProgress;
  }

  HRESULT QueryState(DXCoreAdapterState state, size_t, const void*, size_t bytes, void* out) override {
    if (!IsQueryStateSupported(state)) return DXGI_ERROR_INVALID_CALL;
    if (!out) return E_POINTER;
    if (bytes < sizeof(bool)) return E_INVALIDARG;
    std::memset(out, 0, sizeof(bool));
    return S_OK;
  }

  bool IsSetStateSupported(DXCoreAdapterState) override { return false; }
  HRESULT SetState(DXCoreAdapterState, size_t, const void*, size_t, const void*) override {
    return DXGI_ERROR_INVALID_CALL;
  }
  HRESULT GetFactory(REFIID iid, void** out) override { return current_factory(iid, out); }

 private:
  // The bytes of a property; none for one that is not reported.
  std::string value_of(DXCoreAdapterProperty property) const {
    switch (property) {
      case DXCoreAdapterProperty::InstanceLuid:
        return bytes_of(LUID{facts_.luid_low, facts_.luid_high});
      case DXCoreAdapterProperty::DriverVersion:
        return bytes_of(facts_.driver_version);
      case DXCoreAdapterProperty::DriverDescription:
        return facts_.description + '\0';
      case DXCoreAdapterProperty::HardwareID:
        return bytes_of(
            DXCoreHardwareID{facts_.vendor, facts_.device, facts_.subsystem << 16 | facts_.subvendor, facts_.revision});
      case DXCoreAdapterProperty::HardwareIDParts:
        return bytes_of(
            DXCoreHardwareIDParts{facts_.vendor, facts_.device, facts_.subsystem, facts_.subvendor, facts_.revision});
      case DXCoreAdapterProperty::DedicatedAdapterMemory:
        return bytes_of(facts_.dedicated_adapter_memory);
      case DXCoreAdapterProperty::DedicatedSystemMemory:
        return bytes_of(facts_.dedicated_system_memory);
      case DXCoreAdapterProperty::SharedSystemMemory:
        return bytes_of(facts_.shared_system_memory);
      case DXCoreAdapterProperty::IsHardware:
        return bytes_of(true);  // to a client, a device model is hardware
      case DXCoreAdapterProperty::AcgCompatible:
      case DXCoreAdapterProperty::IsIntegrated:
      case DXCoreAdapterProperty::IsDetachable:
        return bytes_of(false);
      default:
        return {};
    }
  }

  template <typename T>
  static std::string bytes_of(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof(value)};
  }

  const AdapterFacts facts_;
};

using Adapters = std::vector<Adapter*>;  // a reference each

void release_all(const Adapters& adapters) {
  for (Adapter* adapter : adapters) adapter->Release();
}

// --- List ---

class AdapterList final : public Unknown<AdapterList, IDXCoreAdapterList> {
 public:
  explicit AdapterList(Adapters adapters) : adapters_(std::move(adapters)) {
    for (Adapter* adapter : adapters_) adapter->AddRef();
  }
  ~AdapterList() { release_all(adapters_); }

  HRESULT GetAdapter(uint32_t index, REFIID iid, void** out) override {
    if (!out) return E_POINTER;
    *out = nullptr;
    return index < adapters_.size() ? adapters_[index]->QueryInterface(iid, out) : E_INVALIDARG;
  }
  uint32_t GetAdapterCount() override { return static_cast<uint32_t>(adapters_.size()); }
  bool IsStale() override { return false; }
  HRESULT GetFactory(REFIID iid, void** out) override { return current_factory(iid, out); }
  // All adapters are equal in every preference.
  HRESULT Sort(uint32_t count, const DXCoreAdapterPreference* preferences) override {
    return count != 0 && preferences ? S_OK : E_INVALIDARG;
  }
  bool IsAdapterPreferenceSupported(DXCoreAdapterPreference preference) override {
    return preference <= DXCoreAdapterPreference::HighPerformance;
  }

 private:
  const Adapters adapters_;
};

// --- Factory ---

class Factory final : public Unknown<Factory, IDXCoreAdapterFactory> {
 public:
  explicit Factory(const std::vector<AdapterFacts>& all) {
    for (const AdapterFacts& facts : all) adapters_.push_back(new Adapter(facts));
  }
  ~Factory() { release_all(adapters_); }

  // Another thread may ask for the factory while its last reference goes: one lock for both.
  ULONG Release() override {
    std::unique_lock lock(g_factory_lock);
    ULONG left = refs_.fetch_sub(1, std::memory_order_acq_rel) - 1;
    if (left != 0) return left;
    g_factory = nullptr;
    lock.unlock();
    delete this;
    return 0;
  }

  HRESULT CreateAdapterList(uint32_t count, const GUID* attributes, REFIID iid, void** out) override {
    if (!out) return E_POINTER;
    *out = nullptr;
    if (count == 0 || !attributes) return E_INVALIDARG;
    Adapters chosen;
    std::ranges::copy_if(adapters_, std::back_inserter(chosen), [&](Adapter* adapter) {
      return std::all_of(attributes, attributes + count,
                         [&](const GUID& attribute) { return adapter->IsAttributeSupported(attribute); });
    });
    auto* list = new AdapterList(std::move(chosen));
    HRESULT result = list->QueryInterface(iid, out);
    list->Release();
    return result;
  }

  HRESULT GetAdapterByLuid(const LUID& luid, REFIID iid, void** out) override {
    if (!out) return E_POINTER;
    *out = nullptr;
    auto found = std::ranges::find_if(adapters_, [&](Adapter* adapter) { return adapter->has(luid); });
    return found != adapters_.end() ? (*found)->QueryInterface(iid, out) : E_INVALIDARG;
  }

  // Adapters neither come nor go in an embedded kernel, so there is nothing to be notified of.
  bool IsNotificationTypeSupported(DXCoreNotificationType) override { return false; }
  HRESULT RegisterEventNotification(IUnknown*, DXCoreNotificationType, PFN_DXCORE_NOTIFICATION_CALLBACK, void*,
                                    uint32_t*) override {
    return DXGI_ERROR_INVALID_CALL;
  }
  HRESULT UnregisterEventNotification(uint32_t) override { return E_INVALIDARG; }

 private:
  Adapters adapters_;
};

HRESULT current_factory(REFIID iid, void** out) {
  if (!out) return E_POINTER;
  *out = nullptr;
  std::lock_guard lock(g_factory_lock);
  return g_factory ? g_factory->QueryInterface(iid, out) : E_NOINTERFACE;
}

}  // namespace

int32_t create_adapter_factory(AdapterSource source, const GUID& iid, void** out) {
  if (!out) return E_POINTER;
  *out = nullptr;
  if (iid != __uuidof(IUnknown) && iid != __uuidof(IDXCoreAdapterFactory)) return E_NOINTERFACE;
  std::vector<AdapterFacts> adapters = source();
  std::lock_guard lock(g_factory_lock);
  if (g_factory) return g_factory->QueryInterface(iid, out);
  g_factory = new Factory(adapters);
  *out = static_cast<IDXCoreAdapterFactory*>(g_factory);
  return S_OK;
}

}  // namespace client
