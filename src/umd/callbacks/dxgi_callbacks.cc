// What a driver may call on DXGI. Presenting ends in the same place as Direct3D 9's; only how the driver says that it
// answers to a call of PresentDXGI differs.
#include <fmt/format.h>

#include "abi/shared/ntstatus.h"
#include "nt/boundary/kernel_code.h"
#include "nt/boundary/own_scope.h"
#include "umd/common/hresult.h"
#include "umd/d3d10/device10.h"

namespace umd {
namespace {

constexpr char kPresentCb[] = "pfnPresentCb of DXGI";

Device* find_device(HANDLE handle, const char* callback) {
  Runtime& runtime = Runtime::current();
  Handles::Found found;
  {
    RuntimeGuard guard(runtime.lock);
    found = runtime.handles.find(handle);
  }
  if (found.live && found.kind == HandleKind::Device) return static_cast<Device*>(found.object);
  runtime.machine().report_violation(nt::Violation::UmdWrongHandle,
                                     fmt::format("{}: {} was called with {} and not with that of a device",
                                                 runtime.driver_name(), callback, to_string(found.kind)));
  return nullptr;
}

// "Changes from Direct3D 10": only during PresentDXGI, on the thread that called it. DXGIDDICB_PRESENT: with the
// context that came with it.
bool judge_present(Device& device, const DXGIDDICB_PRESENT& args) {
  Frame* frame = device.frame();
  if (!frame || frame->name != Dxgi::kPresentName) {
    device.report_violation(nt::Violation::UmdWrongThread,
                            fmt::format("{} was called outside of PresentDXGI", kPresentCb));
    return false;
  }
  if (args.pDXGIContext == static_cast<Device10&>(device).dxgi().context()) return true;
  device.report_violation(nt::Violation::UmdWrongHandle,
                          fmt::format("{} was called with another pDXGIContext than PresentDXGI had got", kPresentCb));
  return false;
}

D3DDDICB_PRESENT without_context(const DXGIDDICB_PRESENT& args) {
  D3DDDICB_PRESENT present{};
  present.hSrcAllocation = args.hSrcAllocation;
  present.hDstAllocation = args.hDstAllocation;
  present.hContext = args.hContext;
  present.BroadcastContextCount = args.BroadcastContextCount;
  std::copy(std::begin(args.BroadcastContext), std::end(args.BroadcastContext), std::begin(present.BroadcastContext));
  present.BroadcastSrcAllocation = args.BroadcastSrcAllocation;
  present.BroadcastDstAllocation = args.BroadcastDstAllocation;
  present.PrivateDriverDataSize = args.PrivateDriverDataSize;
  present.pPrivateDriverData = args.pPrivateDriverData;
  present.bOptimizeForComposition = args.bOptimizeForComposition;
  present.SyncIntervalOverrideValid = args.SyncIntervalOverrideValid;
  present.SyncIntervalOverride = static_cast<D3DDDI_FLIPINTERVAL_TYPE>(args.SyncIntervalOverride);
  return present;
}

HRESULT APIENTRY present(HANDLE handle, DXGIDDICB_PRESENT* args) {
  nt::KernelCode code;
  nt::OwnScope kernel;
  Device* device = find_device(handle, kPresentCb);
  if (!device || !args || !judge_present(*device, *args)) return E_INVALIDARG;
  D3DDDICB_PRESENT kernels = without_context(*args);
  return device->callbacks().pfnPresentCb(handle, &kernels);
}

// One that the runtime does not serve says so by name.
constexpr char kOverlay[] = "pfnPresentMultiplaneOverlayCb of DXGI",
               kOverlay1[] = "pfnPresentMultiplaneOverlay1Cb of DXGI",
               kQueueBlt[] = "pfnSubmitPresentBltToHwQueueCb of DXGI", kQueue[] = "pfnSubmitPresentToHwQueueCb of DXGI";

template <const char* name, typename Args>
HRESULT APIENTRY refused(HANDLE, Args*) {
  nt::KernelCode code;
  nt::OwnScope kernel;
  Runtime::current().machine().note(
      trace::Refusal{.status = STATUS_NOT_SUPPORTED, .reason = name, .file = __FILE__, .line = __LINE__});
  return E_NOTIMPL;
}

}  // namespace

void fill_dxgi_callbacks(DXGI_DDI_BASE_CALLBACKS& table) {
  table.pfnPresentCb = &present;
  table.pfnPresentMultiplaneOverlayCb = &refused<kOverlay, const DXGIDDICB_PRESENT_MULTIPLANE_OVERLAY>;
  table.pfnPresentMultiplaneOverlay1Cb = &refused<kOverlay1, const DXGIDDICB_PRESENT_MULTIPLANE_OVERLAY1>;
  table.pfnSubmitPresentBltToHwQueueCb = &refused<kQueueBlt, DXGIDDICB_SUBMITPRESENTBLTTOHWQUEUE>;
  table.pfnSubmitPresentToHwQueueCb = &refused<kQueue, DXGIDDICB_SUBMITPRESENTTOHWQUEUE>;
}

}  // namespace umd
