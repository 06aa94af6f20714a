#include "umd/callbacks/adapter_callbacks.h"

#include <fmt/format.h>

#include "kmt/client/thunks.h"
#include "nt/boundary/kernel_code.h"
#include "nt/boundary/own_scope.h"
#include "umd/common/hresult.h"
#include "umd/common/runtime.h"

namespace umd {
namespace {

AskedAdapter* find(HANDLE handle, const char* callback) {
  Runtime& runtime = Runtime::current();
  Handles::Found found;
  {
    RuntimeGuard guard(runtime.lock);
    found = runtime.handles.find(handle);
  }
  if (found.live && found.kind == HandleKind::Adapter) return static_cast<AskedAdapter*>(found.object);
  runtime.machine().report_violation(nt::Violation::UmdWrongHandle,
                                     fmt::format("{}: {} was called with {} and not with that of an adapter",
                                                 runtime.driver_name(), callback, to_string(found.kind)));
  return nullptr;
}

HRESULT ask_driver(AskedAdapter& adapter, VOID* data, UINT bytes) {
  D3DKMT_QUERYADAPTERINFO query{};
  query.hAdapter = adapter.kernel;
  query.Type = KMTQAITYPE_UMDRIVERPRIVATE;
  query.pPrivateDriverData = data;
  query.PrivateDriverDataSize = bytes;
  return to_hresult(kmt::QueryAdapterInfo(adapter.client, &query));
}

HRESULT APIENTRY query_adapter_info(HANDLE handle, const D3DDDICB_QUERYADAPTERINFO* args) {
  nt::KernelCode code;
  nt::OwnScope kernel;
  AskedAdapter* adapter = find(handle, "pfnQueryAdapterInfoCb");
  return adapter && args ? ask_driver(*adapter, args->pPrivateDriverData, args->PrivateDriverDataSize) : E_INVALIDARG;
}

HRESULT APIENTRY query_adapter_info2(HANDLE handle, const D3DDDICB_QUERYADAPTERINFO2* args) {
  nt::KernelCode code;
  nt::OwnScope kernel;
  AskedAdapter* adapter = find(handle, "pfnQueryAdapterInfoCb2");
  if (!adapter || !args) return E_INVALIDARG;
  if (args->QueryType != D3DDDI_QUERYADAPTERTYPE_DRIVERPRIVATE) return E_NOTIMPL;
  return ask_driver(*adapter, args->pPrivateDriverData, args->PrivateDriverDataSize);
}

// No display, no methods.
HRESULT APIENTRY get_multisample_methods(HANDLE handle, D3DDDICB_GETMULTISAMPLEMETHODLIST* args) {
  nt::KernelCode code;
  nt::OwnScope kernel;
  AskedAdapter* adapter = find(handle, "pfnGetMultisampleMethodListCb");
  if (!adapter || !args) return E_INVALIDARG;
  args->MethodCount = 0;
  return S_OK;
}

}  // namespace

D3DDDI_ADAPTERCALLBACKS adapter_callbacks() {
  D3DDDI_ADAPTERCALLBACKS table{};
  table.pfnQueryAdapterInfoCb = query_adapter_info;
  table.pfnGetMultisampleMethodListCb = get_multisample_methods;
  table.pfnQueryAdapterInfoCb2 = query_adapter_info2;
  return table;
}

}  // namespace umd
