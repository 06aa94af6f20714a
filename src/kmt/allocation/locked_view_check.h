#pragma once

#include <span>
#include <vector>

#include "dxgk/object/device.h"
#include "kmt/client/client.h"

namespace kmt {

// What a client is about to destroy although it is locked (KD-28). Costs nothing while the client has nothing locked.
// Made before the call to the kernel, without the mutex; lives on the calling thread's stack.
class LockedViewCheck {
 public:
  LockedViewCheck(Client& client, dxgk::Device& device, D3DKMT_HANDLE resource);
  LockedViewCheck(Client& client, dxgk::Device& device, std::span<const D3DKMT_HANDLE> allocations);
  // Everything of the device.
  LockedViewCheck(Client& client, dxgk::Device& device);

  bool any() const { return !locked_.empty(); }
  // They are gone, and their locks with them.
  void destroyed(nt::Violation rule = nt::Violation::DestroyLocked);

 private:
  struct Locked {
    base::Ref<dxgk::Allocation> allocation;
    uint32_t locks;
  };
  void look_at(const dxgk::AllocationView& view);

  Client& client_;
  dxgk::Adapter& adapter_;
  std::vector<Locked> locked_;
};

}  // namespace kmt
