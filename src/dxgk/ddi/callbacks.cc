#include "dxgk/ddi/callbacks.h"

#include <fmt/format.h>

#include <cstring>

#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/kernel.h"
#include "nt/boundary/kernel_entry.h"
#include "nt/boundary/refuse.h"

namespace dxgk {
namespace {

// Fills a slot with a function of the slot's own type that refuses, and reports its name.
template <Cb callback, typename Function>
struct Unsupported;
template <Cb callback, typename R, typename... Params>
struct Unsupported<callback, R (*)(Params...)> {
  static R call(Params...) {
    CallbackCall self(callback);
    NTSTATUS status = self.unsupported();
    if constexpr (std::is_same_v<R, NTSTATUS>) return status;
    if constexpr (!std::is_void_v<R> && !std::is_same_v<R, NTSTATUS>) return R{};
  }
  static void fill(R (*&slot)(Params...)) { slot = &call; }
};
// A function whose parameters are not documented.
template <Cb callback>
struct Unsupported<callback, PVOID> {
  static NTSTATUS call() { return CallbackCall(callback).unsupported(); }
  static void fill(PVOID& slot) { slot = reinterpret_cast<PVOID>(&call); }
};

void fill_with_refusals(DXGKRNL_INTERFACE& interface) {
#define DXGKCB(name, ...) Unsupported<Cb::name, decltype(interface.DxgkCb##name)>::fill(interface.DxgkCb##name);
#include "dxgk/ddi/callbacks.def"
}

}  // namespace

void fill_interface(DXGKRNL_INTERFACE& interface, uint32_t version, HANDLE device_handle) {
  DXGKRNL_INTERFACE whole{};
  fill_with_refusals(whole);
  fill_handle_callbacks(whole);
  fill_memory_callbacks(whole);
  fill_interrupt_callbacks(whole);
  fill_device_callbacks(whole);
  fill_context_callbacks(whole);
  whole.Size = interface_bytes(version);
  whole.Version = version;
  whole.DeviceHandle = device_handle;
  std::memcpy(&interface, &whole, whole.Size);
}

CallbackCall::CallbackCall(Cb callback) : callback_(callback), machine_(*nt::Machine::current()) {
  const CallbackRow& limits = row(callback);
  nt::check_irql(machine_.self(), nt::Violation::CallbackIrql, nt::Violation::CallbackIrql, limits.name,
                 limits.min_irql, limits.max_irql);
  machine_.note(trace::KernelCall{.name = limits.name});
}

Kernel& CallbackCall::kernel() const { return *Kernel::of(machine_); }

Adapter* CallbackCall::adapter(HANDLE device_handle) const {
  std::vector<Adapter*> all = kernel().adapters();
  for (Adapter* adapter : all) {
    if (adapter->device_handle() == device_handle && adapter->state() != Adapter::State::Removed) return adapter;
  }
  const char* what = device_handle ? "a handle that is none" : "NULL";
  for (Adapter* adapter : all) {
    if (device_handle && adapter->context() == device_handle) what = "the driver's own MiniportDeviceContext";
  }
  machine_.report_violation(
      nt::Violation::CallbackBadHandle,
      fmt::format("{} was given {}; it takes the DeviceHandle of DXGKRNL_INTERFACE", row(callback_).name, what));
  return nullptr;
}

NTSTATUS CallbackCall::refuse(const base::Failure& failure) const { return nt::refuse(machine_, failure); }

void CallbackCall::ignore(const char* why) const {
  static_cast<void>(refuse(base::Failure(STATUS_INVALID_PARAMETER, why)));
}

NTSTATUS CallbackCall::unsupported() const {
  std::string reason = fmt::format("{} is not supported", row(callback_).name);
  machine_.note(trace::Refusal{.status = STATUS_NOT_SUPPORTED, .reason = reason, .file = __FILE__, .line = __LINE__});
  return STATUS_NOT_SUPPORTED;
}

}  // namespace dxgk
