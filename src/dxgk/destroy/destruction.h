#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dxgk/object/device.h"
#include "dxgk/work/completion.h"
#include "dxgk/work/timeline.h"

namespace dxgk {

// D3DDDICB_DESTROYALLOCATION2FLAGS, as far as they change what is waited for.
struct DestroyFlags {
  bool assume_not_in_use = false;
};

// The destruction of some allocations of one device, from the moment their handles are closed.
//
// clang-format off
//   Waiting ──────► Leaving ──────► (close) ──────► Holding ──────► Releasing ────► (destroy) ────► done
//   the device's    GPU addresses   DxgkDdiClose-   the driver's    video memory    DxgkDdiDestroy-
//   queued work,    and residency   Allocation      own references  and what is     Allocation, memory
//   paging work     lists                                           left of both    reclaimed
// clang-format on
//
// Leaving and Releasing are work of the memory manager's (VideoMemory); an allocation that the GPU never reached has
// none. advance() goes as far as it can, on the caller's thread, with the process's mutex held. What it cannot finish
// waits in the adapter's destruction queue; the queue's worker advances it when a fence or a reference has changed.
// Owned by the caller of advance().
class Destruction {
 public:
  // Either stand-alone allocations or some allocations of one resource; or a resource with all of its allocations.
  // Their handles are closed already. With the mutex held.
  Destruction(Device& device, std::span<const base::Ref<AllocationView>> views, DestroyFlags flags);
  Destruction(Device& device, base::Ref<ResourceView> resource, DestroyFlags flags);
  // A shared resource that was closed by its last opener: there is nothing left to close.
  explicit Destruction(base::Ref<Resource> ended);
  ~Destruction();
  Destruction(const Destruction&) = delete;
  Destruction& operator=(const Destruction&) = delete;

  // With mutex() held. True when the destruction is done.
  bool advance();
  // What the destruction waits for now. One obstacle at a time: when it has passed there may be another.
  struct Obstacle {
    enum class Kind : uint8_t {
      None,      // none is known: what the driver still holds is found out by advance()
      Timeline,  // `value` of `timeline`
      Memory,    // work of the memory manager up to `value`
      Children,  // destructions of single allocations of the resource
    };
    Kind kind = Kind::None;
    const Timeline* timeline = nullptr;
    uint64_t value = 0;
  };
  Obstacle obstacle() const;
  ParkingMutex& mutex() const;
  Device* device() const { return device_ ? &**device_ : nullptr; }

  // SynchronousDestroy: signalled when it is done. Before it is queued.
  std::shared_ptr<Completion> completion;

 private:
  enum class Stage : uint8_t { Waiting, Leaving, Holding, Releasing, Done };

  void remember_work(DestroyFlags flags);
  Obstacle queued_work() const;
  bool memory_has_passed() const;
  void leave();
  bool open_elsewhere(const AllocationView& view) const;
  void release();
  void close_views();
  void take_resource();
  void take_views_allocations();
  // Single allocations of a resource, which stays.
  bool of_children() const { return device_ && resource_ && !resource_view_; }
  bool driver_let_go();
  void destroy();
  void reclaim();

  std::optional<base::Ref<Device>> device_;
  Adapter& adapter_;
  std::vector<base::Ref<AllocationView>> views_;
  std::optional<base::Ref<ResourceView>> resource_view_;  // destroyed with its allocations
  std::optional<base::Ref<Resource>> resource_;           // the one that the allocations belong to
  std::vector<base::Ref<Allocation>> dead_;               // no view of them is left
  bool destroy_resource_ = false;
  size_t let_go_ = 0;  // how many of dead_ the driver has released
  Stage stage_ = Stage::Waiting;
  Moment work_;
  uint64_t paging_fence_ = 0;
  uint64_t memory_work_ = 0;  // the last work that the memory manager has to carry out first
};

}  // namespace dxgk
