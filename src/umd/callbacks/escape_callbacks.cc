// pfnEscapeCb, pfnLogUMDMarkerCb: private data for the kernel-mode driver, and markers for a trace.
#include <fmt/format.h>

#include "kmt/client/thunks.h"
#include "umd/callbacks/adapter_callbacks.h"
#include "umd/callbacks/submission_callbacks.h"

namespace umd {
namespace {

D3DKMT_ESCAPE escape_call(const D3DDDICB_ESCAPE& args) {
  D3DKMT_ESCAPE call{};
  call.Type = D3DKMT_ESCAPE_DRIVERPRIVATE;
  call.Flags = args.Flags;
  call.pPrivateDriverData = args.pPrivateDriverData;
  call.PrivateDriverDataSize = args.PrivateDriverDataSize;
  return call;
}

// What concerns a context concerns its device too (D3DDDICB_ESCAPE).
HRESULT escape_to_device(Device& device, const D3DDDICB_ESCAPE& args) {
  if (args.hContext && !args.hDevice) return E_INVALIDARG;
  ContextUse use(device, Callback::Escape);
  D3DKMT_ESCAPE call = escape_call(args);
  if (args.hContext) {
    if (HRESULT refusal = use.add(args.hContext); FAILED(refusal)) return refusal;
    call.hContext = use.first().kernel;
  }
  if (args.Flags.HardwareAccess) device.note_hardware_access();
  call.hAdapter = device.kernel_adapter();
  if (args.hDevice) call.hDevice = device.kernel();
  return to_hresult(kmt::Escape(device.client(), &call));
}

HRESULT escape_to_adapter(AskedAdapter& adapter, const D3DDDICB_ESCAPE& args) {
  if (args.hContext) return E_INVALIDARG;
  D3DKMT_ESCAPE call = escape_call(args);
  call.hAdapter = adapter.kernel;
  return to_hresult(kmt::Escape(adapter.client, &call));
}

AskedAdapter* find_adapter(HANDLE handle) {
  Runtime& runtime = Runtime::current();
  RuntimeGuard guard(runtime.lock);
  Handles::Found found = runtime.handles.find(handle);
  return found.live && found.kind == HandleKind::Adapter ? static_cast<AskedAdapter*>(found.object) : nullptr;
}

// The one callback of a device that takes the adapter's handle, and the device's among its arguments, or none. A
// device's handle in the place of the adapter's is taken too: the table it stands in is the device's (our policy).
HRESULT APIENTRY escape(HANDLE handle, const D3DDDICB_ESCAPE* args) {
  if (args && !args->hDevice) {
    nt::KernelCode code;
    nt::OwnScope kernel;
    if (AskedAdapter* adapter = find_adapter(handle)) return escape_to_adapter(*adapter, *args);
  }
  CallbackCall call(Callback::Escape, args && args->hDevice ? args->hDevice : handle);
  if (!call.device() || !args) return call.finish(E_INVALIDARG);
  if (call.wanted_failure() != S_OK) return call.finish(call.wanted_failure());
  return call.finish(escape_to_device(*call.device(), *args));
}

// For Event Tracing, of which there is none.
HRESULT log_marker(Device&, const D3DDDICB_LOGUMDMARKER&) { return S_OK; }

}  // namespace

void fill_escape_callbacks(D3DDDI_DEVICECALLBACKS& table) {
  table.pfnEscapeCb = &escape;
  fill<Callback::LogUMDMarker, log_marker>(table.pfnLogUMDMarkerCb);
}

}  // namespace umd
