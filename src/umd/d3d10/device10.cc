#include "umd/d3d10/device10.h"

#include <fmt/format.h>

#include "umd/callbacks/core_callbacks.h"
#include "umd/common/hresult.h"

namespace umd {

Device10::Device10(Runtime& its_runtime, kmt::Client& client, D3DKMT_HANDLE adapter, nt::Scope& scope,
                   const Device10Setup& setup)
    : Device(its_runtime, client, adapter, scope, setup.era), setup_(setup), dxgi_(*this) {}

Device10::~Device10() { destroy(); }

base::Expected<std::unique_ptr<Device10>, std::string> Device10::create(Runtime& runtime, kmt::Client& client,
                                                                        D3DKMT_HANDLE adapter, nt::Scope& scope,
                                                                        const Device10Setup& setup) {
  auto made = std::unique_ptr<Device10>(new Device10(runtime, client, adapter, scope, setup));
  if (auto kernel = made->create_kernel_device(); !kernel.ok()) return std::string(kernel.failure().why());
  if (std::string wrong = made->create_driver_device(); !wrong.empty()) return wrong;
  return made;
}

D3D10DDIARG_CREATEDEVICE Device10::creation_arguments() {
  D3D10DDIARG_CREATEDEVICE args{};
  args.hRTDevice.handle = handle();
  args.Interface = setup_.interface.version;
  args.Version = setup_.interface.build << 16;
  args.pKTCallbacks = &callbacks_;
  args.p11DeviceFuncs = &functions_.v11;
  args.hDrvDevice = driver_handle();
  args.DXGIBaseDDI = dxgi_.arguments();
  args.hRTCoreLayer = core_layer_of(*this);
  args.p11UMCallbacks = &core_callbacks();
  args.Flags = setup_.flags;
  return args;
}

// Empty, or why there is no device.
std::string Device10::create_driver_device() {
  D3D10DDIARG_CALCPRIVATEDEVICESIZE sized{setup_.interface.version, setup_.interface.build << 16, setup_.flags};
  Frame10 sizing("CalcPrivateDeviceSize", Role::Other, Errors::None);
  memory_ = PrivateBlock(call(sizing, setup_.calc_size, setup_.driver_adapter, &sized), "a device");
  D3D10DDIARG_CREATEDEVICE args = creation_arguments();
  Frame10 frame("CreateDevice", Role::Other, Errors::Memory);
  HRESULT result = call(frame, setup_.create, setup_.driver_adapter, &args);
  judge_errors(frame, result);
  if (FAILED(result)) {
    settle();
    return fmt::format("CreateDevice of {} returned {}", runtime.driver_name(), name_of(result));
  }
  created_ = functions_.v11.pfnDestroyDevice != nullptr;
  if (is_d3d11() && free_threaded()) fixed_slots_.emplace(functions_);
  return find_holes();
}

std::string Device10::find_holes() {
  std::string hole = find_hole(functions_, setup_.interface.ddi, setup_.caps);
  if (hole.empty()) hole = find_hole(dxgi_.functions(), setup_.interface.version);
  if (hole.empty()) return {};
  std::string wrong =
      fmt::format("CreateDevice left {} NULL, which interface version 0x{:X} has", hole, setup_.interface.version);
  report_violation(nt::Violation::UmdTableHole, wrong);
  return wrong;
}

HRESULT Device10::destroy() {
  if (!created_) return S_OK;
  judge_batch_end();
  destroy_everything();
  created_ = false;
  Frame10 frame("DestroyDevice", Role::DestroyDevice, Errors::Removed);
  HRESULT result = told(frame, functions_.v11.pfnDestroyDevice);
  std::vector<Trespass> found;
  {
    RuntimeGuard guard(runtime.lock);
    found = quarantine_.add(std::move(memory_), machine().here_id());
  }
  judge_private_memory(found);
  judge_freed_memory();
  settle();
  destroy_kernel_device();
  return result;
}

// The page of DestroyDevice(D3D10): every object of the device goes first. A staging resource that is still busy is
// destroyed all the same (our policy).
void Device10::destroy_everything() {
  clear_state();
  destroy_released();
  bool busy;
  {
    RuntimeGuard guard(runtime.lock);
    busy = !busy_staging_.empty();
  }
  if (busy) flush();
  for (;;) {
    Resource* left = nullptr;
    Device10Object* other = nullptr;
    {
      RuntimeGuard guard(runtime.lock);
      busy_staging_.clear();
      for (Resource* each = first_resource(); each && !left; each = each->next) {
        if (each->state == ResourceState::Live) left = each;
      }
      if (!children_.empty()) other = &children_.front();
    }
    if (left) {
      destroy_unbound(*left);
    } else if (other) {
      destroy_unbound(*other);
    } else {
      return;
    }
  }
}

bool Device10::free_threaded() const { return is_d3d11() && setup_.caps.threading & D3D11DDICAPS_FREETHREADED; }

bool Device10::removed() {
  RuntimeGuard guard(runtime.lock);
  return removed_;
}

void Device10::lose() {
  RuntimeGuard guard(runtime.lock);
  removed_ = true;
}

HRESULT Device10::prepare() {
  if (removed()) return D3DDDIERR_DEVICEREMOVED;
  destroy_released();
  return S_OK;
}

// What the program is told: an error that the driver may not report loses the device, as "Handling Errors" says.
HRESULT Device10::outcome(const Frame10& frame) {
  if (!frame.reported) return S_OK;
  return is_allowed(frame.allowed, frame.error) ? frame.error : D3DDDIERR_DEVICEREMOVED;
}

// --- From the driver's callbacks ---

// Judged here and not when the function returns, so that the stack shows where the driver found the error.
void Device10::report_error(HRESULT error) {
  auto* caller = static_cast<Frame10*>(frame());
  if (!caller) {
    lose();
    report_violation(
        nt::Violation::UmdWrongThread,
        fmt::format("pfnSetErrorCb reported {} on a thread that is in no function of the device", name_of(error)));
    return;
  }
  bool allowed = is_allowed(caller->allowed, error);
  {
    RuntimeGuard guard(runtime.lock);
    if (!caller->reported) caller->error = error;
    caller->reported = true;
    removed_ |= !allowed || error == D3DDDIERR_DEVICEREMOVED;
  }
  if (allowed) return;
  if (error == E_PENDING && caller->pending) return pending_taken_for_failure(*caller);
  report_violation(caller->rule,
                   fmt::format("{} reported {} through pfnSetErrorCb, which it may not", caller->name, name_of(error)),
                   caller->resource ? stacks_of(*caller->resource) : std::vector<nt::RoleStack>());
}

void Device10::amortized_processing_done() {
  RuntimeGuard guard(runtime.lock);
  for (const auto& context : contexts()) {
    context->owes_amortization = false;
    context->batches_owing = 0;
  }
}

void Device10::disable_deferred_staging_destruction() {
  RuntimeGuard guard(runtime.lock);
  staging_waits_ = false;
}

// --- Judgement ---

// A driver of Direct3D 11 tells the runtime that it has submitted, after each submission or about as often
// ("pfnRenderCb Versus pfnPerformAmortizedProcessingCb"). How seldom is too seldom is ours: not once while this many
// batches ended.
constexpr uint32_t kBatchesWithoutAmortization = 4;

void Device10::judge_batch_end() {
  if (!is_d3d11()) return;
  bool owes = false;
  {
    RuntimeGuard guard(runtime.lock);
    for (const auto& context : contexts()) {
      if (!context->owes_amortization || ++context->batches_owing < kBatchesWithoutAmortization) continue;
      owes = true;
      context->owes_amortization = false;
      context->batches_owing = 0;
    }
  }
  if (owes) {
    report_violation(
        nt::Violation::UmdNotAmortized,
        fmt::format(
            "commands were submitted, {} batches ended since, and pfnPerformAmortizedProcessingCb was not called",
            kBatchesWithoutAmortization));
  }
}

void Device10::after_batch_end() {
  batch_ended();
  judge_table();
  judge_freed_memory();
  destroy_idle_staging();
}

void Device10::judge_private_memory(const std::vector<Trespass>& found) {
  for (const Trespass& each : found) {
    std::vector<nt::RoleStack> stacks;
    if (each.destroyed_at) stacks.push_back({"destroyed", machine().stacks().get(each.destroyed_at)});
    report_violation(
        nt::Violation::UmdPrivateMemory,
        each.destroyed
            ? fmt::format("the memory of {} was written at offset {} of {} after its destruction had returned",
                          each.what, each.offset, each.bytes)
            : fmt::format("more was written to the memory of {} than the {} bytes it was said to need", each.what,
                          each.bytes),
        std::move(stacks));
  }
}

void Device10::judge_freed_memory() {
  std::vector<Trespass> found;
  {
    RuntimeGuard guard(runtime.lock);
    found = quarantine_.check();
  }
  judge_private_memory(found);
}

void Device10::judge_table() {
  if (!fixed_slots_) return;
  while (const char* name = fixed_slots_->changed(functions_)) {
    report_violation(nt::Violation::UmdTableChanged,
                     fmt::format("{} was replaced in the function table of a free-threaded device", name));
  }
}

}  // namespace umd
