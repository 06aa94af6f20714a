#include "dxgk/callbacks.h"

#include <fmt/format.h>

#include <cstring>

#include "base/sanitizer.h"
#include "dxgk/adapter.h"
#include "dxgk/kernel.h"
#include "nt/edge.h"
#include "nt/irql.h"
#include "nt/refuse.h"

namespace dxgk {
namespace {

// Fills a slot with a function of the slot's own type that says no, and which function it was.
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
// A function whose parameters nobody documents.
template <Cb callback>
struct Unsupported<callback, PVOID> {
  static NTSTATUS call() { return CallbackCall(callback).unsupported(); }
  static void fill(PVOID& slot) { slot = reinterpret_cast<PVOID>(&call); }
};

void fill_with_refusals(DXGKRNL_INTERFACE& interface) {
#define DXGKCB(name, ...) Unsupported<Cb::name, decltype(interface.DxgkCb##name)>::fill(interface.DxgkCb##name);
#include "dxgk/callbacks.def"
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

KernelEntry::KernelEntry() {
  base::stop_watching_races();
  nt::t_edge.called = true;
#if DRYDOCK_TSAN
  ++nt::Thread::current()->calls;
#endif
}

KernelEntry::~KernelEntry() {
#if DRYDOCK_TSAN
  --nt::Thread::current()->calls;
#endif
  base::watch_races();
}

CallbackCall::CallbackCall(Cb callback) : callback_(callback), machine_(*nt::Machine::current()) {
  const CallbackRow& limits = row(callback);
  KIRQL irql = machine_.self().irql;
  if (irql < limits.min_irql || irql > limits.max_irql) {
    bool high = irql > limits.max_irql;
    machine_.broke(
        nt::Broke::CallbackIrql,
        fmt::format("{} was called at {}; it must be called at {} {}", limits.name, nt::irql_name(irql),
                    nt::irql_name(high ? limits.max_irql : limits.min_irql), high ? "or below" : "or above"));
  }
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
  machine_.broke(
      nt::Broke::CallbackBadHandle,
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
