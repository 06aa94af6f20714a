#include "umd/d3d10/adapter10.h"

#include <fmt/format.h>

#include <algorithm>

#include "umd/common/hresult.h"

namespace umd {
namespace {

UINT interface_of(UINT64 supported) { return static_cast<UINT>(supported >> 32); }

// Major versions that Direct3D has had. Which minor ones there are is for other runtimes to know: they are "bumped
// every time a breaking change is introduced", and artificially too
// (display/version-numbers-for-direct3d-version-10-1).
bool exists(UINT interface) {
  UINT major = interface >> 16;
  return major == D3D10_DDI_MAJOR_VERSION || major == D3D11_DDI_MAJOR_VERSION;
}

}  // namespace

Adapter10::Adapter10(Runtime& runtime, kmt::Client& client, D3DKMT_HANDLE adapter, const Adapter10Options& options)
    : runtime_(runtime),
      client_(client),
      kernel_(adapter),
      options_(options),
      scope_(nt::ScopeKind::Adapter, runtime.driver_name(), &runtime.machine().root_scope()),
      asked_{client, adapter, runtime.machine()} {
  RuntimeGuard guard(runtime.lock);
  handle_ = runtime.handles.add(HandleKind::Adapter, &asked_);
}

Adapter10::~Adapter10() {
  if (opened_ && functions_.pfnCloseAdapter) call("CloseAdapter", functions_.pfnCloseAdapter, driver_handle_);
  runtime_.machine().end_scope(scope_);
  RuntimeGuard guard(runtime_.lock);
  runtime_.handles.remove(handle_);
}

template <typename R, typename... Params, typename... Args>
R Adapter10::call(const char* name, R (*function)(Params...), Args&&... args) {
  return nt::call_driver<nt::DriverCall::Mode::User>(runtime_.machine(), name, &scope_, function,
                                                     std::forward<Args>(args)...);
}

base::Expected<std::unique_ptr<Adapter10>, std::string> Adapter10::open(Runtime& runtime, kmt::Client& client,
                                                                        D3DKMT_HANDLE adapter,
                                                                        const Adapter10Options& options) {
  auto made = std::unique_ptr<Adapter10>(new Adapter10(runtime, client, adapter, options));
  if (std::string wrong = made->open_driver(); !wrong.empty()) return wrong;
  return made;
}

// --- Opening: each step is empty, or says what is wrong with the driver ---

std::string Adapter10::open_driver() {
  callbacks_ = adapter_callbacks();
  const Exports& driver = runtime_.driver();
  if (driver.open_adapter10_2) {
    second_ = true;
    std::string wrong = call_open(driver.open_adapter10_2, "OpenAdapter10_2", options_.highest);
    return wrong.empty() ? negotiate() : wrong;
  }
  if (!driver.open_adapter10) {
    return fmt::format("{} exports neither OpenAdapter10_2 nor OpenAdapter10", runtime_.driver_name());
  }
  // OpenAdapter10 cannot report a driver's versions: the driver can only refuse one.
  std::string wrong;
  for (UINT version : {D3D10_1_DDI_INTERFACE_VERSION, D3D10_0_DDI_INTERFACE_VERSION}) {
    if (version > options_.highest) continue;
    interface_ = *find_interface(version);
    wrong = call_open(driver.open_adapter10, "OpenAdapter10", version);
    if (opened_) return wrong;
  }
  return wrong;
}

std::string Adapter10::call_open(PFND3D10DDI_OPENADAPTER entry, const char* name, UINT version) {
  D3D10DDIARG_OPENADAPTER args{};
  args.hRTAdapter.handle = handle_;
  args.Interface = version;
  args.Version = find_interface(version)->build << 16;
  args.pAdapterCallbacks = &callbacks_;
  args.pAdapterFuncs_2 = &functions_;  // which begins with those of Direct3D 10
  HRESULT result = call(name, entry, &args);
  if (FAILED(result)) return fmt::format("{} of {} returned {}", name, runtime_.driver_name(), name_of(result));
  driver_handle_ = args.hAdapter;
  opened_ = true;
  return judge_functions(name);
}

std::string Adapter10::judge_functions(const char* name) {
  const char* hole = !functions_.pfnCalcPrivateDeviceSize             ? "pfnCalcPrivateDeviceSize"
                     : !functions_.pfnCreateDevice                    ? "pfnCreateDevice"
                     : !functions_.pfnCloseAdapter                    ? "pfnCloseAdapter"
                     : second_ && !functions_.pfnGetSupportedVersions ? "pfnGetSupportedVersions"
                     : second_ && !functions_.pfnGetCaps              ? "pfnGetCaps"
                                                                      : nullptr;
  if (!hole) return {};
  return refuse(nt::Violation::UmdTableHole, fmt::format("{} of {} left {} NULL", name, runtime_.driver_name(), hole));
}

std::string Adapter10::refuse(nt::Violation rule, std::string wrong) {
  runtime_.machine().report_violation(rule, wrong);
  return wrong;
}

// The highest version that both sides speak.
std::string Adapter10::negotiate() {
  std::vector<UINT64> versions;
  if (std::string wrong = ask_versions(versions); !wrong.empty()) return wrong;
  for (UINT64 each : versions) {
    UINT version = interface_of(each);
    if (!exists(version)) {
      return refuse(nt::Violation::UmdVersionImpossible,
                    fmt::format("GetSupportedVersions of {} reported interface version 0x{:X}, which there is not",
                                runtime_.driver_name(), version));
    }
    const Interface10* known = find_interface(version);
    if (known && version <= options_.highest && version >= interface_.version) interface_ = *known;
  }
  if (interface_.version == 0) {
    return fmt::format("{} speaks no interface version up to the runtime's 0x{:X}", runtime_.driver_name(),
                       options_.highest);
  }
  return interface_.ddi == Ddi10::D3D11_0 ? ask_caps() : std::string();
}

// Asked twice: how many, and which.
std::string Adapter10::ask_versions(std::vector<UINT64>& versions) {
  UINT32 count = 0;
  HRESULT result = call("GetSupportedVersions", functions_.pfnGetSupportedVersions, driver_handle_, &count, nullptr);
  if (SUCCEEDED(result)) {
    UINT32 room = count;
    versions.resize(room);
    result = call("GetSupportedVersions", functions_.pfnGetSupportedVersions, driver_handle_, &count, versions.data());
    if (count > room) {
      return refuse(nt::Violation::UmdIllegalResult,
                    fmt::format("GetSupportedVersions of {} returned {} versions, and {} when it was asked how many",
                                runtime_.driver_name(), count, room));
    }
    versions.resize(count);
  }
  return SUCCEEDED(result)
             ? std::string()
             : fmt::format("GetSupportedVersions of {} returned {}", runtime_.driver_name(), name_of(result));
}

// "Supporting Threading, Command Lists, and 3-D Pipeline".
std::string Adapter10::ask_caps() {
  D3D11DDI_THREADING_CAPS threading{};
  D3D11DDI_3DPIPELINESUPPORT_CAPS pipelines{};
  HRESULT result = get_caps(D3D11DDICAPS_THREADING, &threading, sizeof(threading));
  if (SUCCEEDED(result)) result = get_caps(D3D11DDICAPS_3DPIPELINESUPPORT, &pipelines, sizeof(pipelines));
  if (FAILED(result)) return fmt::format("GetCaps of {} returned {}", runtime_.driver_name(), name_of(result));
  caps_ = {threading.Caps, pipelines.Caps};
  if (caps_.pipelines == 0) {
    return refuse(nt::Violation::UmdRefused, fmt::format("{} supports no 3-D pipeline", runtime_.driver_name()));
  }
  if (caps_.threading & D3D11DDICAPS_COMMANDLISTS_BUILD_2 && !(caps_.threading & D3D11DDICAPS_FREETHREADED)) {
    return refuse(nt::Violation::UmdIllegalResult,
                  fmt::format("{} supports command lists, and is not free-threaded", runtime_.driver_name()));
  }
  return {};
}

// --- In use ---

HRESULT Adapter10::get_caps(D3D10_2DDICAPS_TYPE type, void* data, UINT bytes, void* info) {
  if (!second_) return E_NOTIMPL;
  D3D10_2DDIARG_GETCAPS args{.Type = type, .pInfo = info, .pData = data, .DataSize = bytes};
  return call("GetCaps", functions_.pfnGetCaps, driver_handle_, &args);
}

// The highest pipeline of Direct3D 10 and 11.0 that the driver has.
UINT Adapter10::pipeline_flags() const {
  if (interface_.ddi != Ddi10::D3D11_0) return 0;
  UINT level = D3D11DDI_3DPIPELINELEVEL_10_0;
  for (UINT each : {D3D11DDI_3DPIPELINELEVEL_10_1, D3D11DDI_3DPIPELINELEVEL_11_0}) {
    if (caps_.has_pipeline(static_cast<D3D11DDI_3DPIPELINELEVEL>(each))) level = each;
  }
  return level << D3D11DDI_CREATEDEVICE_FLAG_3DPIPELINESUPPORT_SHIFT;
}

base::Expected<std::unique_ptr<Device10>, std::string> Adapter10::create_device(UINT flags) {
  Device10Setup setup;
  setup.driver_adapter = driver_handle_;
  setup.calc_size = functions_.pfnCalcPrivateDeviceSize;
  setup.create = functions_.pfnCreateDevice;
  setup.interface = interface_;
  setup.caps = caps_;
  setup.era = options_.era;
  setup.flags = flags | pipeline_flags();
  return Device10::create(runtime_, client_, kernel_, scope_, setup);
}

}  // namespace umd
