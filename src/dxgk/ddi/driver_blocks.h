#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "abi/km/d3dkmddi.h"
#include "base/mutex.h"

namespace nt {
class Machine;
class Scope;
}  // namespace nt

namespace dxgk {

// The pool block at an address that a driver uses as a handle. A block that is allocated there later is another one.
struct DriverBlock {
  uintptr_t address;
  uint32_t ordinal;
  bool is_handle = true;  // false: it was found otherwise
};

// Empty when the handle is no such address, or on a machine that does not check.
std::optional<DriverBlock> driver_block(nt::Machine& machine, HANDLE handle);
// Whether the driver has freed it since.
bool freed(nt::Machine& machine, const DriverBlock& block);

// Allocations whose memory was still there when DxgkDdiDestroyAllocation had returned: what hAllocation points to, and
// whatever else the driver obtained in the DxgkDdiCreateAllocation of which no allocation is left. A driver may keep
// such memory for reuse, and free it with the adapter or in a later call of that function; memory freed between two
// calls was released too late (DA-02).
//
// What hAllocation does not point to may belong to other objects too: a table that grows, a slab of the driver's own
// allocator. Policy: such memory is judged only where it is freed outside of the functions that make or destroy other
// objects (see Elsewhere).
//
// Owned by the adapter; any thread.
class LateReleases {
 public:
  explicit LateReleases(nt::Machine& machine) : machine_(machine) {}

  // Around each call of DxgkDdiDestroyAllocation.
  void enter();
  void leave(const std::vector<DriverBlock>& destroyed);
  // The last allocation of a DxgkDdiCreateAllocation is gone; the scope has what the driver still has of that call.
  void creation_over(nt::Scope& creation);
  // Around a function of the driver that makes or destroys objects of another kind.
  class Elsewhere {
   public:
    explicit Elsewhere(LateReleases& releases) : releases_(releases) { releases_.look(); }
    ~Elsewhere() { releases_.exempt(); }
    Elsewhere(const Elsewhere&) = delete;
    Elsewhere& operator=(const Elsewhere&) = delete;

   private:
    LateReleases& releases_;
  };
  // The driver has used this block for a new allocation.
  void reused(HANDLE handle);
  // Before DxgkDdiStopDevice.
  void judge();

 private:
  bool checks() const;
  void look();    // tells of what was freed so far
  void exempt();  // forgets what was freed meanwhile and is no handle
  std::vector<DriverBlock> take_freed() REQUIRES(lock_);
  void tell(const std::vector<DriverBlock>& late);

  nt::Machine& machine_;
  base::Mutex<base::LockRank::Adapter> lock_;
  std::vector<DriverBlock> kept_ GUARDED_BY(lock_);
  uint32_t inside_ GUARDED_BY(lock_) = 0;
};

}  // namespace dxgk
