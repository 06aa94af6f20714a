#pragma once

#include <vector>

#include "abi/km/dispmprt.h"
#include "base/result.h"

namespace dxgk {

class Adapter;

// What Windows itself creates at a driver: its process, its two devices and the context for paging work. Owned by the
// adapter, from its start to its stop. Paging buffers, page tables and DxgkDdiSetRootPageTable come with the video
// memory manager.
class SystemDevices {
 public:
  explicit SystemDevices(Adapter& adapter) : adapter_(adapter) {}
  // Whatever was created has been destroyed.
  ~SystemDevices();
  SystemDevices(const SystemDevices&) = delete;
  SystemDevices& operator=(const SystemDevices&) = delete;

  // In this order, with no mutex held. What a failure leaves is taken away by destroy().
  base::Result<> create_process();
  base::Result<> create_devices();
  base::Result<> create_paging_context();

  // DxgkDdiDestroyContext, DxgkDdiDestroyDevice for each, DxgkDdiDestroyProcess (observed).
  void destroy();

  HANDLE process() const { return process_; }
  const std::vector<HANDLE>& devices() const { return devices_; }
  HANDLE context() const { return context_; }
  // What the driver said of the paging context; zero without one.
  const DXGK_CONTEXTINFO& context_info() const { return context_info_; }

 private:
  Adapter& adapter_;
  HANDLE process_ = nullptr;
  std::vector<HANDLE> devices_;  // the last one holds the context
  HANDLE context_ = nullptr;
  bool has_context_ = false;
  DXGK_CONTEXTINFO context_info_{};
};

}  // namespace dxgk
