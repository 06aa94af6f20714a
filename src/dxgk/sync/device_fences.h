#pragma once

#include <boost/intrusive/list.hpp>

#include "base/mutex.h"
#include "dxgk/sync/fences.h"

namespace dxgk {

class SyncObject;

// The monitored fences that a device has created or opened. When the device is lost each of them gets its maximum, so
// that every wait for one ends, on whatever device: documented for a TDR (d3dukmdt.h,
// D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::NoSignalMaxValueOnTdr) and for a device that is removed (d3d12.h,
// ID3D12Device5::RemoveDevice). Part of a device; any thread.
class DeviceFences {
 public:
  // That the device has one fence. Part of a view of the fence, which may outlive the device.
  // All of it is under the lock of all fences.
  struct Use : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
    SyncObject* fence = nullptr;
  };

  explicit DeviceFences(Fences& fences) : fences_(fences) {}
  ~DeviceFences();
  DeviceFences(const DeviceFences&) = delete;
  DeviceFences& operator=(const DeviceFences&) = delete;

  // `fence` is there until remove().
  void add(Use& use, SyncObject& fence);
  // If it is on a list.
  static void remove(Fences& fences, Use& use);
  // At any IRQL up to DISPATCH_LEVEL, with no lock held.
  void signal_maximum();

 private:
  Fences& fences_;
  // Under the lock of all fences.
  boost::intrusive::list<Use, boost::intrusive::constant_time_size<false>> uses_;
};

}  // namespace dxgk
