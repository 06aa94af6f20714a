#include "umd/testing/fake_driver9.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace umd::testing {
namespace {

FakeDriver9* g_driver = nullptr;

// Every slot: a function of its own type that says S_OK.
template <typename Function>
struct Agree;
template <typename R, typename... Params>
struct Agree<R (*)(Params...)> {
  static R APIENTRY call(Params...) { return R(); }
  static void fill(R (*&slot)(Params...)) { slot = &call; }
};
template <>
struct Agree<VOID*> {
  static void fill(VOID*&) {}
};

// The driver, for a call about one of its devices.
FakeDriver9& driver_of(HANDLE device) {
  g_driver->serve(device);
  return *g_driver;
}

HRESULT APIENTRY create_resource2(HANDLE device, D3DDDIARG_CREATERESOURCE2* args) {
  FakeDriver9& driver = driver_of(device);
  return driver.on_create ? driver.on_create(*args) : driver.create(*args);
}

HRESULT APIENTRY create_resource(HANDLE device, D3DDDIARG_CREATERESOURCE* args) {
  D3DDDIARG_CREATERESOURCE2 newer{};
  std::memcpy(&newer, args, sizeof(*args));
  HRESULT result = create_resource2(device, &newer);
  args->hResource = newer.hResource;
  return result;
}

HRESULT APIENTRY open_resource(HANDLE device, D3DDDIARG_OPENRESOURCE* args) {
  FakeDriver9& driver = driver_of(device);
  if (driver.on_open) return driver.on_open(*args);
  HANDLE runtime_handle = args->hResource;
  args->hResource = driver.new_handle();
  driver.resources[args->hResource] = {runtime_handle, args->NumAllocations};
  return S_OK;
}

HRESULT APIENTRY destroy_resource(HANDLE device, HANDLE resource) {
  FakeDriver9& driver = driver_of(device);
  return driver.on_destroy ? driver.on_destroy(resource) : driver.destroy(resource);
}

HRESULT APIENTRY lock(HANDLE device, D3DDDIARG_LOCK* args) {
  FakeDriver9& driver = driver_of(device);
  return driver.on_lock ? driver.on_lock(*args) : S_OK;
}

HRESULT APIENTRY set_texture(HANDLE device, UINT stage, HANDLE texture) {
  FakeDriver9& driver = driver_of(device);
  return driver.on_set_texture ? driver.on_set_texture(stage, texture) : S_OK;
}

HRESULT APIENTRY draw_primitive(HANDLE device, const D3DDDIARG_DRAWPRIMITIVE*, const UINT*) {
  FakeDriver9& driver = driver_of(device);
  return driver.on_draw ? driver.on_draw() : S_OK;
}

HRESULT APIENTRY flush(HANDLE device) {
  FakeDriver9& driver = driver_of(device);
  return driver.on_flush ? driver.on_flush() : S_OK;
}

HRESULT APIENTRY destroy_device(HANDLE device) {
  FakeDriver9& driver = driver_of(device);
  HRESULT result = driver.on_destroy_device ? driver.on_destroy_device() : S_OK;
  if (SUCCEEDED(result)) driver.devices.erase(device);
  return result;
}

HRESULT APIENTRY get_caps(HANDLE, const D3DDDIARG_GETCAPS*) { return S_OK; }

HRESULT APIENTRY close_adapter(HANDLE) {
  ++g_driver->closed;
  return S_OK;
}

}  // namespace

FakeDriver9::FakeDriver9() {
  CHECK(!g_driver);
  g_driver = this;
}

FakeDriver9::~FakeDriver9() { g_driver = nullptr; }

Exports FakeDriver9::exports() { return {.open_adapter = &open_adapter}; }

HRESULT FakeDriver9::open_adapter(D3DDDIARG_OPENADAPTER* args) {
  if (FAILED(g_driver->open_result)) return g_driver->open_result;
  args->DriverVersion = g_driver->version ? g_driver->version : args->Version;
  args->hAdapter = g_driver;
  *args->pAdapterFuncs = {&get_caps, &create_device, &close_adapter};
  if (g_driver->hole == "pfnGetCaps") args->pAdapterFuncs->pfnGetCaps = nullptr;
  return S_OK;
}

HRESULT FakeDriver9::create_device(HANDLE, D3DDDIARG_CREATEDEVICE* args) {
  g_driver->callbacks = args->pCallbacks;
  g_driver->device = args->hDevice;
  HANDLE handle = g_driver->new_handle();
  g_driver->devices[handle] = args->hDevice;
  D3DDDI_DEVICEFUNCS& table = *args->pDeviceFuncs;
#define SLOT(index, name, since) Agree<decltype(table.name)>::fill(table.name);
#include "abi/um/d3dumddi_slots.def"
#undef SLOT
  table.pfnCreateResource = &create_resource;
  table.pfnCreateResource2 = &create_resource2;
  table.pfnOpenResource = &open_resource;
  table.pfnDestroyResource = &destroy_resource;
  table.pfnLock = &lock;
  table.pfnSetTexture = &set_texture;
  table.pfnDrawPrimitive = &draw_primitive;
  table.pfnFlush = &flush;
  table.pfnDestroyDevice = &destroy_device;
#define SLOT(index, name, since) \
  if (g_driver->hole == #name) table.name = nullptr;
#include "abi/um/d3dumddi_slots.def"
#undef SLOT
  args->hDevice = handle;
  return S_OK;
}

void FakeDriver9::serve(HANDLE driver_handle) {
  auto found = devices.find(driver_handle);
  CHECK(found != devices.end());
  device = found->second;
}

HANDLE FakeDriver9::new_handle() { return next_handle = static_cast<char*>(next_handle) + 16; }

HRESULT FakeDriver9::create(D3DDDIARG_CREATERESOURCE2& args) {
  HANDLE runtime_handle = args.hResource;
  bool own_memory = args.Pool != D3DDDIPOOL_SYSTEMMEM;
  if (own_memory) {
    if (HRESULT result = allocate(runtime_handle, args.SurfCount); FAILED(result)) return result;
  }
  args.hResource = new_handle();
  resources[args.hResource] = {runtime_handle, own_memory ? args.SurfCount : 0};
  return S_OK;
}

HRESULT FakeDriver9::destroy(HANDLE resource) {
  auto found = resources.find(resource);
  CHECK(found != resources.end());
  Made made = found->second;
  resources.erase(found);
  return made.surfaces ? deallocate(made.runtime_handle) : S_OK;
}

HRESULT FakeDriver9::allocate(HANDLE resource, UINT count, D3DKMT_HANDLE* allocations) {
  uint8_t data[16] = {};
  std::vector<D3DDDI_ALLOCATIONINFO> infos(count);
  for (D3DDDI_ALLOCATIONINFO& info : infos) {
    info.pPrivateDriverData = data;
    info.PrivateDriverDataSize = sizeof(data);
  }
  D3DDDICB_ALLOCATE args{};
  args.hResource = resource;
  args.NumAllocations = count;
  args.pAllocationInfo = infos.data();
  HRESULT result = callbacks->pfnAllocateCb(device, &args);
  for (UINT i = 0; allocations && i < count; ++i) allocations[i] = infos[i].hAllocation;
  return result;
}

HRESULT FakeDriver9::deallocate(HANDLE resource) {
  D3DDDICB_DEALLOCATE args{};
  args.hResource = resource;
  return callbacks->pfnDeallocateCb(device, &args);
}

HRESULT FakeDriver9::deallocate(std::vector<D3DKMT_HANDLE> allocations) {
  D3DDDICB_DEALLOCATE args{};
  args.NumAllocations = static_cast<UINT>(allocations.size());
  args.HandleList = allocations.data();
  return callbacks->pfnDeallocateCb(device, &args);
}

}  // namespace umd::testing
