#include "umd/d3d9/adapter9.h"

#include <fmt/format.h>

#include <algorithm>

#include "kmt/client/thunks.h"
#include "umd/callbacks/adapter_callbacks.h"
#include "umd/common/function_table.h"
#include "umd/common/hresult.h"

namespace umd {
namespace {

constexpr UINT kInterface9 = 9;
// The newest version that this runtime speaks. A driver may be built with a newer header, and reports that version, as
// its page asks for: it is then used as one of this version.
constexpr UINT kNewest = D3D_UMD_INTERFACE_VERSION_WDDM2_0;
// A version that no header has: memory that was never written. The newest that is documented is 0x11001.
constexpr UINT kNone = 0x100000;

}  // namespace

Adapter9::Adapter9(Runtime& runtime, kmt::Client& client, D3DKMT_HANDLE adapter)
    : runtime_(runtime),
      client_(client),
      kernel_(adapter),
      scope_(nt::ScopeKind::Adapter, runtime.driver_name(), &runtime.machine().root_scope()),
      asked_{client, adapter, runtime.machine()} {
  RuntimeGuard guard(runtime.lock);
  handle_ = runtime.handles.add(HandleKind::Adapter, &asked_);
}

Adapter9::~Adapter9() {
  if (opened_ && functions_.pfnCloseAdapter) {
    nt::call_driver<nt::DriverCall::Mode::User>(runtime_.machine(), "CloseAdapter", &scope_, functions_.pfnCloseAdapter,
                                                driver_handle_);
  }
  runtime_.machine().end_scope(scope_);
  RuntimeGuard guard(runtime_.lock);
  runtime_.handles.remove(handle_);
}

base::Expected<std::unique_ptr<Adapter9>, std::string> Adapter9::open(Runtime& runtime, kmt::Client& client,
                                                                      D3DKMT_HANDLE adapter) {
  auto made = std::unique_ptr<Adapter9>(new Adapter9(runtime, client, adapter));
  if (std::string wrong = made->open_driver(); !wrong.empty()) return wrong;
  return made;
}

// Empty, or what is wrong with the driver.
std::string Adapter9::open_driver() {
  PFND3DDDI_OPENADAPTER entry = runtime_.driver().open_adapter;
  if (!entry) return fmt::format("{} exports no OpenAdapter", runtime_.driver_name());
  callbacks_ = adapter_callbacks();
  D3DDDIARG_OPENADAPTER args{};
  args.hAdapter = handle_;
  args.Interface = kInterface9;
  args.Version = kNewest;
  args.pAdapterCallbacks = &callbacks_;
  args.pAdapterFuncs = &functions_;
  HRESULT result =
      nt::call_driver<nt::DriverCall::Mode::User>(runtime_.machine(), "OpenAdapter", &scope_, entry, &args);
  if (FAILED(result)) {
    return fmt::format("OpenAdapter of {} returned {}", runtime_.driver_name(), name_of(result));
  }
  driver_handle_ = args.hAdapter;
  opened_ = true;
  return judge(args.DriverVersion);
}

// What OpenAdapter filled in. A driver reports the version that it was built with (d3dumddi/_D3DDDIARG_OPENADAPTER).
std::string Adapter9::judge(UINT driver_version) {
  std::string wrong;
  if (!functions_.pfnGetCaps || !functions_.pfnCreateDevice || !functions_.pfnCloseAdapter) {
    wrong = fmt::format("OpenAdapter of {} left {} NULL", runtime_.driver_name(),
                        !functions_.pfnGetCaps        ? "pfnGetCaps"
                        : !functions_.pfnCreateDevice ? "pfnCreateDevice"
                                                      : "pfnCloseAdapter");
    runtime_.machine().report_violation(nt::Violation::UmdTableHole, wrong);
  } else if (driver_version < D3D_UMD_INTERFACE_VERSION_VISTA || driver_version >= kNone) {
    wrong = fmt::format("OpenAdapter of {} reported interface version 0x{:X}, which there is not: the first is 0x{:X}",
                        runtime_.driver_name(), driver_version, D3D_UMD_INTERFACE_VERSION_VISTA);
    runtime_.machine().report_violation(nt::Violation::UmdVersionImpossible, wrong);
  }
  version_ = std::min(driver_version, kNewest);
  era_ = era_of(version_);
  return wrong;
}

base::Expected<std::unique_ptr<Device9>, std::string> Adapter9::create_device() {
  return Device9::create(runtime_, client_, kernel_, driver_handle_, functions_.pfnCreateDevice, scope_, version_,
                         era_);
}

HRESULT Adapter9::get_caps(D3DDDICAPS_TYPE type, void* data, UINT bytes, void* info) {
  D3DDDIARG_GETCAPS args{.Type = type, .pInfo = info, .pData = data, .DataSize = bytes};
  return nt::call_driver<nt::DriverCall::Mode::User>(runtime_.machine(), "GetCaps", &scope_, functions_.pfnGetCaps,
                                                     driver_handle_, &args);
}

}  // namespace umd
