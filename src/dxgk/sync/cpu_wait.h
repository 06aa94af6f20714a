#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dxgk/sync/client_event.h"
#include "dxgk/sync/fences.h"
#include "dxgk/sync/sync_object.h"
#include "dxgk/work/completion.h"

namespace dxgk {

// A wait of the CPU for monitored fences (D3DKMTWaitForSynchronizationObjectFromCpu): a thread blocks, or an event is
// set. Keeps its objects' memory; while it waits it is on the kernel's list, so that it ends with its device.
class CpuWait final : public vidsch::Waiter {
 public:
  using Need = vidsch::Waiter::Need;

  // Returns when it is satisfied. STATUS_DEVICE_REMOVED: the device has been lost, before or meanwhile.
  // STATUS_INVALID_PARAMETER: an object has been destroyed. At PASSIVE_LEVEL, with no mutex held.
  static base::Result<> block(Device& device, std::span<const FenceValue> fences, Need need);
  // Returns at once; the event is set when the wait is satisfied, which may have been before the return, or has become
  // pointless. Refused as above, if there is a reason now.
  static base::Result<> notify(Device& device, std::span<const FenceValue> fences, Need need,
                               base::Ref<ClientEvent> event);

  void wake() override;

 private:
  friend class Fences;

  CpuWait(Device& device, std::span<const FenceValue> fences, std::optional<base::Ref<ClientEvent>> event);
  static base::Result<base::Ref<CpuWait>> start(Device& device, std::span<const FenceValue> fences, Need need,
                                                std::optional<base::Ref<ClientEvent>> event);
  bool begin_listed(std::span<const FenceValue> fences, Need need);
  base::Result<> outcome();

  Fences& fences_;
  const Device& device_;  // only to know it by
  const std::vector<base::Ref<SyncObject>> objects_;
  const std::optional<base::Ref<ClientEvent>> event_;  // none: a thread blocks
  Completion done_;

  // Its place on the kernel's list; under the lock of all fences. Linked by hand: the list is a member of Fences, whose
  // header declares CpuWait and does not define it, as Boost.Intrusive needs.
  bool listed_ = false;
  CpuWait *previous_ = nullptr, *next_ = nullptr;
};

}  // namespace dxgk
