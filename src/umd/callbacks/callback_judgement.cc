#include "umd/callbacks/callback_judgement.h"

#include <fmt/format.h>

namespace umd {
namespace {

enum class Standing : uint8_t { Live, Dead, Unknown };

Standing standing_of(Device& device, D3DKMT_HANDLE handle) {
  RuntimeGuard guard(device.runtime.lock);
  if (device.allocations().find(handle)) return Standing::Live;
  return device.allocations().dead(handle) ? Standing::Dead : Standing::Unknown;
}

HRESULT refuse_dead(Device& device, Callback callback, D3DKMT_HANDLE handle) {
  device.report_violation(
      nt::Violation::UmdUsedAfterDeallocation,
      fmt::format("{} names allocation 0x{:X}, which was deallocated before", name_of(callback), handle));
  return E_INVALIDARG;
}

}  // namespace

HRESULT judge_allocations(Device& device, Callback callback, std::span<const D3DKMT_HANDLE> handles) {
  for (D3DKMT_HANDLE handle : handles) {
    Standing standing = standing_of(device, handle);
    if (standing == Standing::Live) continue;
    if (standing == Standing::Dead) return refuse_dead(device, callback, handle);
    device.report_violation(
        nt::Violation::UmdWrongHandle,
        fmt::format("{} names allocation 0x{:X}, which is none of the device's", name_of(callback), handle));
    return E_INVALIDARG;
  }
  return S_OK;
}

HRESULT judge_allocations(Device& device, Callback callback, const D3DKMT_HANDLE* list, UINT count) {
  kmt::HandleScratch copy;
  if (HRESULT refusal = read_list(device, list, count, copy); FAILED(refusal)) return refusal;
  return judge_allocations(device, callback, copy.span());
}

HRESULT judge_not_dead(Device& device, Callback callback, D3DKMT_HANDLE handle) {
  return standing_of(device, handle) == Standing::Dead ? refuse_dead(device, callback, handle) : S_OK;
}

HRESULT find_resource(Device& device, Callback callback, HANDLE handle, D3DKMT_HANDLE* kernel) {
  Handles::Found found;
  {
    RuntimeGuard guard(device.runtime.lock);
    found = device.runtime.handles.find(handle);
    if (found.kind == HandleKind::Resource && found.live) {
      *kernel = static_cast<Resource*>(found.object)->kernel;
      return *kernel ? S_OK : E_INVALIDARG;  // no memory was ever allocated for it
    }
  }
  if (found.kind == HandleKind::Resource) {
    device.report_violation(
        nt::Violation::UmdUsedAfterDeallocation,
        fmt::format("{} was called with the handle of a resource that is no more", name_of(callback)));
  } else {
    device.report_violation(nt::Violation::UmdWrongHandle, fmt::format("{} was called with {} instead of a resource's",
                                                                       name_of(callback), to_string(found.kind)));
  }
  return E_INVALIDARG;
}

}  // namespace umd
