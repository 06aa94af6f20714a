#include "umd/d3d9/device9.h"

#include <fmt/format.h>

#include "umd/common/function_table.h"
#include "umd/common/hresult.h"

namespace umd {
namespace {

constexpr UINT kInterface9 = 9;

}  // namespace

Device9::Device9(Runtime& its_runtime, kmt::Client& client, D3DKMT_HANDLE adapter, nt::Scope& scope, UINT version,
                 Era era)
    : Device(its_runtime, client, adapter, scope, era), version_(version) {}

Device9::~Device9() { destroy(); }

base::Expected<std::unique_ptr<Device9>, std::string> Device9::create(Runtime& runtime, kmt::Client& client,
                                                                      D3DKMT_HANDLE adapter, HANDLE driver_adapter,
                                                                      PFND3DDDI_CREATEDEVICE entry, nt::Scope& scope,
                                                                      UINT version, Era era) {
  auto made = std::unique_ptr<Device9>(new Device9(runtime, client, adapter, scope, version, era));
  if (auto kernel = made->create_kernel_device(); !kernel.ok()) return std::string(kernel.failure().why());
  if (std::string wrong = made->create_driver_device(driver_adapter, entry); !wrong.empty()) return wrong;
  return made;
}

// Empty, or why there is no device.
std::string Device9::create_driver_device(HANDLE driver_adapter, PFND3DDDI_CREATEDEVICE entry) {
  D3DDDIARG_CREATEDEVICE args{};
  args.hDevice = handle();
  args.Interface = kInterface9;
  args.Version = version_;
  args.pCallbacks = &callbacks_;
  args.pDeviceFuncs = &functions_;
  Frame frame{.name = "CreateDevice"};
  HRESULT result = finish(frame, call(frame, entry, driver_adapter, &args));
  if (FAILED(result)) {
    settle();
    return fmt::format("CreateDevice of {} returned {}", runtime.driver_name(), name_of(result));
  }
  driver_handle_ = args.hDevice;
  created_ = functions_.pfnDestroyDevice != nullptr;
  const char* missing = missing_function(functions_, era());
  if (!missing) return {};
  std::string wrong = fmt::format("CreateDevice left {} NULL, which interface version 0x{:X} has", missing, version_);
  report_violation(nt::Violation::UmdTableHole, wrong);
  return wrong;
}

HRESULT Device9::destroy() {
  if (!created_) return S_OK;
  created_ = false;
  std::vector<Resource*> left;
  {
    RuntimeGuard guard(runtime.lock);
    for (Resource* each = first_resource(); each; each = each->next) {
      if (each->state == ResourceState::Live) left.push_back(each);
    }
  }
  for (Resource* each : left) destroy_resource(each);
  Frame frame{.name = "DestroyDevice", .role = Role::DestroyDevice};
  HRESULT result = call(frame, functions_.pfnDestroyDevice, driver_handle_);
  settle();
  destroy_kernel_device();
  return result;
}

HRESULT Device9::finish(Frame& frame, HRESULT result) {
  judge_errors(frame, result);
  return result;
}

}  // namespace umd
