#pragma once

#include <memory>
#include <string>

#include "umd/callbacks/adapter_callbacks.h"
#include "umd/d3d9/device9.h"

namespace umd {

// An adapter that a program opened through the driver's OpenAdapter, the entry of Direct3D 9. Owned by the program's
// owner, and used on its threads; its devices go first.
class Adapter9 {
 public:
  // The error, when the driver is refused, is one sentence that names what is wrong.
  static base::Expected<std::unique_ptr<Adapter9>, std::string> open(Runtime& runtime, kmt::Client& client,
                                                                     D3DKMT_HANDLE adapter);
  ~Adapter9();
  Adapter9(const Adapter9&) = delete;
  Adapter9& operator=(const Adapter9&) = delete;

  base::Expected<std::unique_ptr<Device9>, std::string> create_device();
  HRESULT get_caps(D3DDDICAPS_TYPE type, void* data, UINT bytes, void* info = nullptr);

  Era era() const { return era_; }
  UINT version() const { return version_; }  // that both sides speak

 private:
  Adapter9(Runtime& runtime, kmt::Client& client, D3DKMT_HANDLE adapter);
  std::string open_driver();
  std::string judge(UINT driver_version);

  Runtime& runtime_;
  kmt::Client& client_;
  const D3DKMT_HANDLE kernel_;
  nt::Scope scope_;  // what the driver's heap gave since it was opened
  AskedAdapter asked_;
  HANDLE handle_ = nullptr;
  HANDLE driver_handle_ = nullptr;
  bool opened_ = false;
  UINT version_ = 0;
  Era era_ = Era::Vista;
  D3DDDI_ADAPTERCALLBACKS callbacks_{};
  D3DDDI_ADAPTERFUNCS functions_{};
};

}  // namespace umd
