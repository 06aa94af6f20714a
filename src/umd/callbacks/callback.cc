#include "umd/callbacks/callback.h"

#include <fmt/format.h>

namespace umd {
namespace {

struct Row {
  const char* name;
  Era since;
};

constexpr Row kRows[] = {
#define UMD_CALLBACK(name, era) {"pfn" #name "Cb", Era::era},
#include "umd/callbacks/device_callbacks.def"
#undef UMD_CALLBACK
};

// Fills a slot with a function of the slot's own type that refuses, and reports its name.
template <Callback callback, typename Function>
struct Refusal;
template <Callback callback, typename R, typename... Params>
struct Refusal<callback, R (*)(HANDLE, Params...)> {
  static R APIENTRY call(HANDLE device, Params...) {
    HRESULT result = CallbackCall(callback, device).unsupported();
    if constexpr (!std::is_void_v<R>) return static_cast<R>(result);
  }
  static void fill(R (*&slot)(HANDLE, Params...)) { slot = &call; }
};

void fill_with_refusals(D3DDDI_DEVICECALLBACKS& table) {
#define UMD_CALLBACK(name, era) Refusal<Callback::name, decltype(table.pfn##name##Cb)>::fill(table.pfn##name##Cb);
#include "umd/callbacks/device_callbacks.def"
#undef UMD_CALLBACK
}

// A Windows of that version has a shorter table; here the rest of it is NULL.
void cut_off(D3DDDI_DEVICECALLBACKS& table, Era era) {
#define UMD_CALLBACK(name, since) \
  if (Era::since > era) table.pfn##name##Cb = nullptr;
#include "umd/callbacks/device_callbacks.def"
#undef UMD_CALLBACK
}

}  // namespace

const char* name_of(Callback callback) { return kRows[static_cast<size_t>(callback)].name; }

void fill_device_callbacks(D3DDDI_DEVICECALLBACKS& table, Era era) {
  fill_with_refusals(table);
  fill_memory_callbacks(table);
  fill_lock_callbacks(table);
  fill_residency_callbacks(table);
  fill_context_callbacks(table);
  fill_submission_callbacks(table);
  fill_sync_callbacks(table);
  cut_off(table, era);
}

CallbackCall::CallbackCall(Callback callback, HANDLE device) : callback_(callback) {
  Runtime& runtime = Runtime::current();
  Handles::Found found;
  {
    RuntimeGuard guard(runtime.lock);
    found = runtime.handles.find(device);
  }
  if (!found.live || found.kind != HandleKind::Device) {
    runtime.machine().report_violation(
        nt::Violation::UmdWrongHandle,
        fmt::format("{} was called with {}{} and not with that of a device", name_of(callback), to_string(found.kind),
                    found.kind != HandleKind::None && !found.live ? " that is no more" : ""));
    return;
  }
  auto* owner = static_cast<Device*>(found.object);
  if (!owner->may_call_back()) {
    owner->report_violation(
        nt::Violation::UmdWrongThread,
        fmt::format("{} was called on a thread that is in no function of the device", name_of(callback)));
  }
  device_ = owner;
  wanted_ = owner->next_failure(callback);
}

HRESULT CallbackCall::finish(HRESULT result) {
  if (device_) device_->answered(callback_, result);
  return result;
}

HRESULT CallbackCall::unsupported() {
  nt::Machine& machine = Runtime::current().machine();
  machine.note(
      trace::Refusal{.status = STATUS_NOT_SUPPORTED, .reason = name_of(callback_), .file = __FILE__, .line = __LINE__});
  return finish(E_NOTIMPL);
}

}  // namespace umd
