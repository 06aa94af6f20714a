#include "umd/testing/fake_driver10.h"

#include <fmt/format.h>

#include <cstring>

#include "base/check.h"

namespace umd::testing {
namespace {

FakeDriver10* g_driver = nullptr;

constexpr SIZE_T kPrivateBytes = 64;

void log(std::string line) { g_driver->log.push_back(std::move(line)); }
void complain(std::string what) { g_driver->complaints.push_back(std::move(what)); }

// Every slot: a function of its own type that does nothing. What it needs to know of an object fits in kPrivateBytes.
template <typename Function>
struct Agree;
template <typename R, typename... Params>
struct Agree<R (*)(Params...)> {
  static R APIENTRY call(Params...) {
    if constexpr (std::is_same_v<R, SIZE_T>) return kPrivateBytes;
    if constexpr (!std::is_same_v<R, SIZE_T> && !std::is_void_v<R>) return R();
  }
  static void fill(R (*&slot)(Params...)) { slot = &call; }
};

FakeResource10& record_of(D3D10DDI_HRESOURCE resource) { return *static_cast<FakeResource10*>(resource.pDrvPrivate); }

// --- Resources ---

void APIENTRY create_resource(D3D10DDI_HDEVICE, const D3D11DDIARG_CREATERESOURCE* args, D3D10DDI_HRESOURCE resource,
                              D3D10DDI_HRTRESOURCE own) {
  log("CreateResource");
  if (g_driver->on_create) return g_driver->on_create(*args, resource, own.handle);
  g_driver->create(*args, resource, own.handle);
}

void APIENTRY create_resource10(D3D10DDI_HDEVICE device, const D3D10DDIARG_CREATERESOURCE* args,
                                D3D10DDI_HRESOURCE resource, D3D10DDI_HRTRESOURCE own) {
  D3D11DDIARG_CREATERESOURCE newer{};
  std::memcpy(&newer, args, sizeof(*args));
  create_resource(device, &newer, resource, own);
}

void APIENTRY open_resource(D3D10DDI_HDEVICE, const D3D10DDIARG_OPENRESOURCE* args, D3D10DDI_HRESOURCE resource,
                            D3D10DDI_HRTRESOURCE own) {
  log("OpenResource");
  if (g_driver->on_open) return g_driver->on_open(*args, resource, own.handle);
  record_of(resource) = {own.handle, true, false};
}

void APIENTRY destroy_resource(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE resource) {
  log("DestroyResource");
  if (g_driver->vertex_buffers.contains(resource.pDrvPrivate)) complain("a resource that is bound was destroyed");
  for (const auto& [view, its] : g_driver->views) {
    if (its == resource.pDrvPrivate) complain("a resource was destroyed before its views");
  }
  g_driver->on_destroy ? g_driver->on_destroy(resource) : g_driver->destroy(resource);
}

BOOL APIENTRY is_staging_busy(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE) {
  log("ResourceIsStagingBusy");
  return g_driver->staging_busy;
}

template <const char* name>
void APIENTRY map(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, UINT, D3D10_DDI_MAP, UINT,
                  D3D10DDI_MAPPED_SUBRESOURCE* mapped) {
  static uint8_t memory[256];
  log(name);
  mapped->pData = memory;
  mapped->RowPitch = 64;
  if (g_driver->on_map) g_driver->on_map(*mapped);
}

constexpr char kMapIa[] = "DynamicIABufferMapDiscard", kMapIaNo[] = "DynamicIABufferMapNoOverwrite",
               kMapConstants[] = "DynamicConstantBufferMapDiscard", kMapDynamic[] = "DynamicResourceMapDiscard",
               kMapStaging[] = "StagingResourceMap";

// --- Views and states ---

template <const char* name, typename Args, typename Handle, typename Own>
void APIENTRY create_view(D3D10DDI_HDEVICE, const Args* args, Handle handle, Own) {
  log(name);
  std::memset(handle.pDrvPrivate, 1, kPrivateBytes);
  if (g_driver->on_create_view) return g_driver->on_create_view();
  g_driver->views[handle.pDrvPrivate] = args->hDrvResource.pDrvPrivate;
}
template <const char* name, typename Args, typename Handle, typename Own>
void fill_view(void (*&slot)(D3D10DDI_HDEVICE, const Args*, Handle, Own)) {
  slot = &create_view<name, Args, Handle, Own>;
}
template <const char* name, typename Handle>
void APIENTRY destroy_object(D3D10DDI_HDEVICE, Handle handle) {
  log(name);
  void* memory = handle.pDrvPrivate;
  if (g_driver->targets.contains(memory) || g_driver->pixel_views.contains(memory)) {
    complain(fmt::format("{} of a view that is bound", name));
  }
  g_driver->views.erase(memory);
}
template <const char* name, typename Handle>
void fill_destroy(void (*&slot)(D3D10DDI_HDEVICE, Handle)) {
  slot = &destroy_object<name, Handle>;
}

constexpr char kTarget[] = "CreateRenderTargetView", kDepth[] = "CreateDepthStencilView",
               kView[] = "CreateShaderResourceView", kNoTarget[] = "DestroyRenderTargetView",
               kNoDepth[] = "DestroyDepthStencilView", kNoView[] = "DestroyShaderResourceView",
               kNoSampler[] = "DestroySampler", kNoShader[] = "DestroyShader";

void APIENTRY set_render_targets(D3D10DDI_HDEVICE, const D3D10DDI_HRENDERTARGETVIEW* views, UINT count, UINT unbound,
                                 D3D10DDI_HDEPTHSTENCILVIEW depth, const D3D11DDI_HUNORDEREDACCESSVIEW*, const UINT*,
                                 UINT, UINT, UINT, UINT) {
  g_driver->targets = {depth.pDrvPrivate};
  for (UINT i = 0; i < count; ++i) g_driver->targets.insert(views[i].pDrvPrivate);
  std::string which;
  for (UINT i = 0; i < count; ++i) which += views[i].pDrvPrivate ? "x" : "0";
  log(fmt::format("SetRenderTargets({}, -{}, {})", which, unbound, depth.pDrvPrivate ? "depth" : "0"));
}

void APIENTRY set_render_targets10(D3D10DDI_HDEVICE device, const D3D10DDI_HRENDERTARGETVIEW* views, UINT count,
                                   UINT unbound, D3D10DDI_HDEPTHSTENCILVIEW depth) {
  set_render_targets(device, views, count, unbound, depth, nullptr, nullptr, 0, 0, 0, 0);
}

template <const char* name, typename Handle>
void APIENTRY set_range(D3D10DDI_HDEVICE, UINT first, UINT count, const Handle* handles) {
  std::string which;
  for (UINT i = 0; i < count; ++i) which += handles[i].pDrvPrivate ? "x" : "0";
  log(fmt::format("{}({}: {})", name, first, which));
}
template <const char* name, typename Handle>
void fill_range(void (*&slot)(D3D10DDI_HDEVICE, UINT, UINT, const Handle*)) {
  slot = &set_range<name, Handle>;
}

// Known as bound are those of the last call that began with the first slot.
template <typename Handle>
void remember(std::set<void*>& bound, UINT first, UINT count, const Handle* handles) {
  if (first != 0) return;
  bound.clear();
  for (UINT i = 0; i < count; ++i) bound.insert(handles[i].pDrvPrivate);
}

void APIENTRY set_pixel_views(D3D10DDI_HDEVICE device, UINT first, UINT count,
                              const D3D10DDI_HSHADERRESOURCEVIEW* handles) {
  static constexpr char kName[] = "PsSetShaderResources";
  set_range<kName, D3D10DDI_HSHADERRESOURCEVIEW>(device, first, count, handles);
  remember(g_driver->pixel_views, first, count, handles);
}

constexpr char kVsConstants[] = "VsSetConstantBuffers", kPsSamplers[] = "PsSetSamplers";

void APIENTRY set_vertex_buffers(D3D10DDI_HDEVICE device, UINT first, UINT count, const D3D10DDI_HRESOURCE* handles,
                                 const UINT*, const UINT*) {
  static constexpr char kName[] = "IaSetVertexBuffers";
  set_range<kName, D3D10DDI_HRESOURCE>(device, first, count, handles);
  remember(g_driver->vertex_buffers, first, count, handles);
}

void APIENTRY set_viewports(D3D10DDI_HDEVICE, UINT count, UINT cleared, const D3D10_DDI_VIEWPORT*) {
  log(fmt::format("SetViewports({}, -{})", count, cleared));
}

// --- Commands ---

void APIENTRY draw(D3D10DDI_HDEVICE, UINT, UINT) {
  log("Draw");
  g_driver->on_draw ? g_driver->on_draw() : g_driver->draw();
}

void APIENTRY flush(D3D10DDI_HDEVICE) {
  log("Flush");
  g_driver->on_flush ? g_driver->on_flush() : g_driver->flush();
}

void APIENTRY destroy_device(D3D10DDI_HDEVICE) {
  log("DestroyDevice");
  if (g_driver->on_destroy_device) return g_driver->on_destroy_device();
  g_driver->flush();
  if (!g_driver->context) return;
  D3DDDICB_DESTROYCONTEXT args{std::exchange(g_driver->context, nullptr)};
  g_driver->callbacks->pfnDestroyContextCb(g_driver->device, &args);
}

HRESULT APIENTRY present_dxgi(DXGI_DDI_ARG_PRESENT* args) {
  log("PresentDXGI");
  return g_driver->on_present ? g_driver->on_present(*args) : g_driver->present(*args);
}

HRESULT APIENTRY rotate_dxgi(DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES* args) {
  log(fmt::format("RotateResourceIdentitiesDXGI({})", args->Resources));
  return S_OK;
}

// --- Tables ---

void fill_common(D3D11DDI_DEVICEFUNCS& table) {
  table.pfnOpenResource = &open_resource;
  table.pfnDestroyResource = &destroy_resource;
  table.pfnResourceIsStagingBusy = &is_staging_busy;
  table.pfnDynamicIABufferMapDiscard = &map<kMapIa>;
  table.pfnDynamicIABufferMapNoOverwrite = &map<kMapIaNo>;
  table.pfnDynamicConstantBufferMapDiscard = &map<kMapConstants>;
  table.pfnDynamicResourceMapDiscard = &map<kMapDynamic>;
  table.pfnStagingResourceMap = &map<kMapStaging>;
  fill_view<kTarget>(table.pfnCreateRenderTargetView);
  fill_destroy<kNoTarget>(table.pfnDestroyRenderTargetView);
  fill_destroy<kNoDepth>(table.pfnDestroyDepthStencilView);
  fill_destroy<kNoView>(table.pfnDestroyShaderResourceView);
  fill_destroy<kNoSampler>(table.pfnDestroySampler);
  fill_destroy<kNoShader>(table.pfnDestroyShader);
  table.pfnPsSetShaderResources = &set_pixel_views;
  fill_range<kVsConstants>(table.pfnVsSetConstantBuffers);
  fill_range<kPsSamplers>(table.pfnPsSetSamplers);
  table.pfnIaSetVertexBuffers = &set_vertex_buffers;
  table.pfnSetViewports = &set_viewports;
  table.pfnDraw = &draw;
  table.pfnFlush = &flush;
  table.pfnDestroyDevice = &destroy_device;
}

template <typename Table>
void fill_10(Table& table, D3D11DDI_DEVICEFUNCS& same) {
#define SLOT10(index, name) Agree<decltype(table.name)>::fill(table.name);
#include "abi/um/d3d10umddi_slots.def"
  fill_common(same);
  table.pfnCreateResource = &create_resource10;
  table.pfnSetRenderTargets = &set_render_targets10;
  fill_view<kDepth>(table.pfnCreateDepthStencilView);
  fill_view<kView>(table.pfnCreateShaderResourceView);
}

void fill_11(D3D11DDI_DEVICEFUNCS& table) {
#define SLOT11(index, name) Agree<decltype(table.name)>::fill(table.name);
#include "abi/um/d3d10umddi_slots.def"
  fill_common(table);
  table.pfnCreateResource = &create_resource;
  table.pfnSetRenderTargets = &set_render_targets;
  fill_view<kDepth>(table.pfnCreateDepthStencilView);
  fill_view<kView>(table.pfnCreateShaderResourceView);
#define SLOT11(index, name) \
  if (g_driver->hole == #name) table.name = nullptr;
#include "abi/um/d3d10umddi_slots.def"
}

void fill_dxgi(DXGI_DDI_BASE_FUNCTIONS& table) {
  Agree<decltype(table.pfnGetGammaCaps)>::fill(table.pfnGetGammaCaps);
  Agree<decltype(table.pfnSetDisplayMode)>::fill(table.pfnSetDisplayMode);
  Agree<decltype(table.pfnSetResourcePriority)>::fill(table.pfnSetResourcePriority);
  Agree<decltype(table.pfnQueryResourceResidency)>::fill(table.pfnQueryResourceResidency);
  Agree<decltype(table.pfnBlt)>::fill(table.pfnBlt);
  table.pfnRotateResourceIdentities = &rotate_dxgi;
  table.pfnPresent = g_driver->hole == "pfnPresent" ? nullptr : &present_dxgi;
}

// --- Adapter ---

SIZE_T APIENTRY calc_private_device_size(D3D10DDI_HADAPTER, const D3D10DDIARG_CALCPRIVATEDEVICESIZE*) {
  return kPrivateBytes;
}

HRESULT APIENTRY create_device(D3D10DDI_HADAPTER, D3D10DDIARG_CREATEDEVICE* args) {
  FakeDriver10& self = *g_driver;
  if (FAILED(self.create_device_result)) return self.create_device_result;
  self.serve(*args);
  std::memset(args->hDrvDevice.pDrvPrivate, 0, kPrivateBytes);
  if (args->Interface >= D3D11_0_DDI_INTERFACE_VERSION) {
    fill_11(*args->p11DeviceFuncs);
  } else if (args->Interface == D3D10_1_DDI_INTERFACE_VERSION) {
    fill_10(*args->p10_1DeviceFuncs, *args->p11DeviceFuncs);
    Agree<PFND3D10DDI_RESOURCECOPY>::fill(args->p10_1DeviceFuncs->pfnResourceConvert);
    Agree<PFND3D10DDI_RESOURCECOPYREGION>::fill(args->p10_1DeviceFuncs->pfnResourceConvertRegion);
  } else {
    fill_10(*args->pDeviceFuncs, *args->p11DeviceFuncs);
  }
  fill_dxgi(*args->DXGIBaseDDI.pDXGIDDIBaseFunctions);
  return S_OK;
}

HRESULT APIENTRY close_adapter(D3D10DDI_HADAPTER) {
  ++g_driver->closed;
  return S_OK;
}

HRESULT APIENTRY get_supported_versions(D3D10DDI_HADAPTER, UINT32* count, UINT64* versions) {
  if (versions) std::copy(g_driver->versions.begin(), g_driver->versions.end(), versions);
  *count = static_cast<UINT32>(g_driver->versions.size());
  return S_OK;
}

HRESULT APIENTRY get_caps(D3D10DDI_HADAPTER, const D3D10_2DDIARG_GETCAPS* args) {
  UINT value = args->Type == D3D11DDICAPS_THREADING ? g_driver->threading : g_driver->pipelines;
  std::memcpy(args->pData, &value, sizeof(value));
  return S_OK;
}

HRESULT APIENTRY open_adapter10(D3D10DDIARG_OPENADAPTER* args) {
  if (args->Interface > g_driver->highest_of_open) return E_FAIL;
  args->hAdapter.pDrvPrivate = g_driver;
  *args->pAdapterFuncs = {&calc_private_device_size, &create_device, &close_adapter};
  return g_driver->open_result;
}

HRESULT APIENTRY open_adapter10_2(D3D10DDIARG_OPENADAPTER* args) {
  args->hAdapter.pDrvPrivate = g_driver;
  *args->pAdapterFuncs_2 = {&calc_private_device_size, &create_device, &close_adapter, &get_supported_versions,
                            &get_caps};
  if (g_driver->hole == "pfnGetCaps") args->pAdapterFuncs_2->pfnGetCaps = nullptr;
  return g_driver->open_result;
}

}  // namespace

FakeDriver10::FakeDriver10() {
  CHECK(!g_driver);
  g_driver = this;
}

FakeDriver10::~FakeDriver10() { g_driver = nullptr; }

Exports FakeDriver10::exports() {
  return {.open_adapter = nullptr, .open_adapter10 = &open_adapter10, .open_adapter10_2 = &open_adapter10_2};
}

void FakeDriver10::serve(const D3D10DDIARG_CREATEDEVICE& device_arguments) {
  created = device_arguments;
  callbacks = created.pKTCallbacks;
  core_callbacks = created.p11UMCallbacks;
  dxgi_callbacks = created.DXGIBaseDDI.pDXGIBaseCallbacks;
  device = created.hRTDevice.handle;
  core = created.hRTCoreLayer;
  table = created.p11DeviceFuncs;
}

void FakeDriver10::create(const D3D11DDIARG_CREATERESOURCE& args, D3D10DDI_HRESOURCE resource, HANDLE runtime_handle) {
  bool shared = args.MiscFlags & D3D10_DDI_RESOURCE_MISC_SHARED;
  record_of(resource) = {runtime_handle, true, args.pPrimaryDesc && !shared};
  if (args.pPrimaryDesc) args.pPrimaryDesc->DriverFlags |= DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT;
  if (HRESULT result = allocate(runtime_handle); FAILED(result)) set_error(result);
}

void FakeDriver10::destroy(D3D10DDI_HRESOURCE resource) {
  FakeResource10& record = record_of(resource);
  if (record.at_once) {
    deallocate(record.runtime_handle);
  } else if (record.allocated) {
    deferred.push_back(record.runtime_handle);
  }
}

void FakeDriver10::flush() {
  submit();
  release_deferred();
}

void FakeDriver10::submit() {
  if (batched == 0) return;
  if (!context) {
    D3DDDICB_CREATECONTEXTVIRTUAL args{};
    CHECK(callbacks->pfnCreateContextVirtualCb(device, &args) == S_OK);
    context = args.hContext;
  }
  D3DDDICB_SUBMITCOMMAND args{};
  args.Commands = 0x1000;
  args.CommandLength = 64;
  args.BroadcastContextCount = 1;
  args.BroadcastContext[0] = context;
  HRESULT result = callbacks->pfnSubmitCommandCb(device, &args);
  if (result == D3DDDIERR_DEVICEREMOVED) set_error(result);
  batched = 0;
  if (created.Interface >= D3D11_0_DDI_INTERFACE_VERSION) core_callbacks->pfnPerformAmortizedProcessingCb(core);
}

void FakeDriver10::release_deferred() {
  for (HANDLE each : std::exchange(deferred, {})) deallocate(each);
}

HRESULT FakeDriver10::present(DXGI_DDI_ARG_PRESENT&) {
  flush();
  return S_OK;
}

HRESULT FakeDriver10::allocate(HANDLE resource, D3DKMT_HANDLE* allocation) {
  uint8_t data[16] = {};
  D3DDDI_ALLOCATIONINFO info{};
  info.pPrivateDriverData = data;
  info.PrivateDriverDataSize = sizeof(data);
  D3DDDICB_ALLOCATE args{};
  args.hResource = resource;
  args.NumAllocations = 1;
  args.pAllocationInfo = &info;
  HRESULT result = callbacks->pfnAllocateCb(device, &args);
  if (allocation) *allocation = info.hAllocation;
  return result;
}

HRESULT FakeDriver10::deallocate(HANDLE resource) {
  D3DDDICB_DEALLOCATE args{};
  args.hResource = resource;
  return callbacks->pfnDeallocateCb(device, &args);
}

}  // namespace umd::testing
