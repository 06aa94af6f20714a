#include "adapter.h"

namespace softgpu {
namespace {

// The kernel-mode driver answers in its own structure: another driver's would not look like it.
HRESULT ask_hardware(HANDLE runtime, const D3DDDI_ADAPTERCALLBACKS& callbacks, SOFTGPU_ADAPTER* answer) {
  D3DDDICB_QUERYADAPTERINFO args = {answer, sizeof(*answer)};
  HRESULT result = callbacks.pfnQueryAdapterInfoCb(runtime, &args);
  if (FAILED(result)) return result;
  bool ours = answer->magic == SOFTGPU_USER_MAGIC && answer->version == SOFTGPU_USER_VERSION;
  return ours ? S_OK : E_NOINTERFACE;
}

}  // namespace

Adapter* open_adapter(HANDLE runtime, const D3DDDI_ADAPTERCALLBACKS& callbacks, UINT version, HRESULT* result) {
  Adapter adapter = {};
  adapter.runtime = runtime;
  adapter.version = version;
  *result = ask_hardware(runtime, callbacks, &adapter.hardware);
  if (FAILED(*result)) return nullptr;
  Adapter* opened = new Adapter{};
  if (!opened) {
    *result = E_OUTOFMEMORY;
    return nullptr;
  }
  *opened = adapter;
  return opened;
}

}  // namespace softgpu
