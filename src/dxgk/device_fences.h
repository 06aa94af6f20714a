#pragma once

#include "base/mutex.h"
#include "dxgk/fences.h"

namespace dxgk {

class SyncObject;

// The monitored fences that a device has created or opened. When the device is lost each of them gets its maximum, so
// that who waits for one goes on, on whatever device: documented for a TDR (d3dukmdt.h,
// D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::NoSignalMaxValueOnTdr) and for a device that is removed (d3d12.h,
// ID3D12Device5::RemoveDevice). Part of a device; any thread.
class DeviceFences {
 public:
  // That the device has one fence. Part of a view of the fence, which may outlive the device.
  struct Use {
    DeviceFences* device = nullptr;  // null: on no list. All of it is under the lock of all fences.
    SyncObject* fence = nullptr;
    Use *previous = nullptr, *next = nullptr;
  };

  explicit DeviceFences(Fences& fences) : fences_(fences) {}
  ~DeviceFences();
  DeviceFences(const DeviceFences&) = delete;
  DeviceFences& operator=(const DeviceFences&) = delete;

  // `fence` is there until remove().
  void add(Use& use, SyncObject& fence);
  // If it is on a list.
  static void remove(Fences& fences, Use& use);
  // At any IRQL up to DISPATCH_LEVEL, outside of every lock.
  void signal_maximum();

 private:
  static void unlink(Use& use);

  Fences& fences_;
  Use* first_ = nullptr;  // under the lock of all fences
};

}  // namespace dxgk
