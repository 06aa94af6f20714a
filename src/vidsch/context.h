#pragma once

#include <cstdint>

#include "base/check.h"
#include "base/executor.h"
#include "vidsch/packet.h"
#include "vidsch/priority.h"

namespace vidsch {

struct DeviceTag;  // the contexts of a device
struct WorkTag;    // the contexts that have something to do: in a run queue or waiting for attention

enum class DeviceError : uint8_t {
  None,
  Hung,       // one of its packets timed out
  Fault,      // DXGK_INTERRUPT_DMA_FAULTED
  PageFault,  // DXGK_INTERRUPT_DMA_PAGE_FAULTED
  Refused,    // DxgkDdiSubmitCommandVirtual called its data malformed
  Stopped,    // its owner gave it up: Scheduler::fail
};

// What the scheduler knows of a device. Part of dxgk's device; outlives its contexts. Touched by the scheduler only.
class DeviceState {
 public:
  DeviceState() = default;
  ~DeviceState() { CHECK(contexts_.empty()); }
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;

  DeviceError error() const { return error_; }
  bool failed() const { return error_ != DeviceError::None; }
  bool suspended() const { return suspended_; }
  uint32_t in_hardware() const;  // packets of all its contexts

 private:
  friend class Context;
  friend class Scheduler;

  DeviceError error_ = DeviceError::None;
  bool suspended_ = false;
  IntrusiveList<class Context, DeviceTag> contexts_;
};

struct ContextSettings {
  uint32_t node = 0;  // Scheduler::node_index of its node and engine
  Level level = kNormalLevel;
  base::TimeNs quantum_ns = 0;  // 0: the adapter's
  bool system = false;          // the memory manager's own: paging packets, above every priority, never in error
  bool may_run_long = false;    // DisableGpuTimeout: its packets have no time by which they must end
};

// A queue of packets that reach one node in order. Part of dxgk's context; added to the scheduler before its first
// packet and removed after its last has retired. Touched by the scheduler only.
//
//   packets_   S  R  S  W  R  S  R  R
//              '------issued----' '-- not yet
//                               cursor_
//
// A packet leaves at the front only: what was issued waits there until everything before it is done. To take packets
// back from the hardware is to move the cursor back.
class Context : public Hook<DeviceTag>, public Hook<WorkTag> {
 public:
  Context(DeviceState& device, const ContextSettings& settings) : device_(device), settings_(settings) {}
  ~Context() { CHECK(packets_.empty() && !added_); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  DeviceState& device() const { return device_; }
  uint32_t node() const { return settings_.node; }
  bool system() const { return settings_.system; }
  Level level() const { return settings_.system ? kSystemLevel : settings_.level; }
  bool empty() const { return packets_.empty(); }        // everything enqueued has retired
  uint32_t in_hardware() const { return in_hardware_; }  // packets
  bool suspended() const { return holds_ & kSuspended; }
  bool waiting() const { return wait_ && cursor_ == wait_; }  // for something to be signalled
  Packet* next() const { return cursor_; }                    // the first that was not issued; null if all were

 private:
  friend class Node;
  friend class RunQueue;
  friend class Scheduler;

  // Why nothing may be issued although there is something.
  enum Hold : uint8_t {
    kPreparing = 1,  // the owner makes its device ready
    kSuspended = 2,
  };
  enum class Place : uint8_t { Nowhere, Attention, RunQueue };

  DeviceState& device_;
  ContextSettings settings_;
  IntrusiveList<Packet, QueueTag> packets_;
  Packet* cursor_ = nullptr;  // the first that is not issued
  Packet* wait_ = nullptr;    // the Wait that has begun; nothing passes it
  uint32_t in_hardware_ = 0;
  uint8_t holds_ = 0;
  Place place_ = Place::Nowhere;
  bool cancelling_ = false;  // what is not in the hardware is cancelled
  bool added_ = false;
};

inline uint32_t DeviceState::in_hardware() const {
  uint32_t sum = 0;
  for (const Context* context = contexts_.front(); context; context = contexts_.after(*context)) {
    sum += context->in_hardware();
  }
  return sum;
}

}  // namespace vidsch
