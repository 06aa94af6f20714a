#pragma once

#include <memory>
#include <string>

#include "umd/callbacks/adapter_callbacks.h"
#include "umd/d3d10/device10.h"

namespace umd {

struct Adapter10Options {
  UINT highest = D3D11_0_7_DDI_INTERFACE_VERSION;  // that the runtime offers
  Era era = Era::Wddm20;                           // of the Windows it belongs to, which decides the kernel's callbacks
};

// An adapter that a program opened through the driver's OpenAdapter10_2, or through OpenAdapter10 when there is no
// other: the entries of Direct3D 10 and 11. Owned by the program's owner, and used on its threads; its devices go
// first.
class Adapter10 {
 public:
  // The error, when the driver is refused, is one sentence that names what is wrong.
  static base::Expected<std::unique_ptr<Adapter10>, std::string> open(Runtime& runtime, kmt::Client& client,
                                                                      D3DKMT_HANDLE adapter,
                                                                      const Adapter10Options& options = {});
  ~Adapter10();
  Adapter10(const Adapter10&) = delete;
  Adapter10& operator=(const Adapter10&) = delete;

  // `flags`: D3D11DDI_CREATEDEVICE_FLAG_…, for example SINGLETHREADED; the pipeline level is added.
  base::Expected<std::unique_ptr<Device10>, std::string> create_device(UINT flags = 0);
  HRESULT get_caps(D3D10_2DDICAPS_TYPE type, void* data, UINT bytes, void* info = nullptr);

  const Interface10& interface() const { return interface_; }  // that both sides speak
  const Caps10& caps() const { return caps_; }
  bool opened_by_10_2() const { return second_; }

 private:
  Adapter10(Runtime& runtime, kmt::Client& client, D3DKMT_HANDLE adapter, const Adapter10Options& options);
  std::string open_driver();
  std::string call_open(PFND3D10DDI_OPENADAPTER entry, const char* name, UINT version);
  std::string judge_functions(const char* name);
  std::string negotiate();
  std::string ask_versions(std::vector<UINT64>& versions);
  std::string ask_caps();
  std::string refuse(nt::Violation rule, std::string wrong);
  UINT pipeline_flags() const;
  template <typename R, typename... Params, typename... Args>
  R call(const char* name, R (*function)(Params...), Args&&... args);

  Runtime& runtime_;
  kmt::Client& client_;
  const D3DKMT_HANDLE kernel_;
  const Adapter10Options options_;
  nt::Scope scope_;  // what the driver's heap gave since it was opened
  AskedAdapter asked_;
  HANDLE handle_ = nullptr;
  D3D10DDI_HADAPTER driver_handle_{};
  bool opened_ = false;
  bool second_ = false;  // by OpenAdapter10_2
  Interface10 interface_{};
  Caps10 caps_;
  D3DDDI_ADAPTERCALLBACKS callbacks_{};
  D3D10_2DDI_ADAPTERFUNCS functions_{};
};

}  // namespace umd
