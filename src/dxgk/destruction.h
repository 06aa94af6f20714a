#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dxgk/completion.h"
#include "dxgk/device.h"
#include "dxgk/timeline.h"

namespace dxgk {

// D3DDDICB_DESTROYALLOCATION2FLAGS, as far as they change what is waited for.
struct DestroyFlags {
  bool assume_not_in_use = false;
};

// The end of some allocations of one device: what the client has destroyed, from the moment their handles are dead.
//
//   Waiting ──► Leaving ──► (close) ──► Holding ──► Releasing ──► (destroy) ──► done
//   the device's    GPU addresses   DxgkDdiClose-  the driver's    video memory    DxgkDdiDestroy-
//   queued work,    and residency   Allocation     own references  and what is     Allocation, memory
//   paging work     lists                                          left of both    reclaimed
//
// Leaving and Releasing are work of the memory manager's (VideoMemory); an allocation that the GPU never reached has
// none. advance() goes as far as it can, on the caller's thread, inside of the process's gate; what it cannot finish
// waits in the adapter's destruction queue and is advanced by its worker when something has moved. Owned by whoever
// advances it.
class Destruction {
 public:
  // One of the two: stand-alone allocations or some children of one resource; or a resource with all that it has.
  // Their handles are dead already. Inside of the gate.
  Destruction(Device& device, std::span<const base::Ref<AllocationView>> views, DestroyFlags flags);
  Destruction(Device& device, base::Ref<ResourceView> resource, DestroyFlags flags);
  // A shared resource whose last opener has gone: nothing left to close.
  explicit Destruction(base::Ref<Resource> ended);
  ~Destruction();
  Destruction(const Destruction&) = delete;
  Destruction& operator=(const Destruction&) = delete;

  // Inside of gate(). True when it is done.
  bool advance();
  // Why it would get no further now. One thing at a time: when that has passed there may be another.
  struct Obstacle {
    enum class Kind : uint8_t {
      None,      // it could be tried: what the driver still holds is known only then
      Timeline,  // `value` of `timeline`
      Memory,    // work of the memory manager up to `value`
      Children,  // destructions of single children of the resource
    };
    Kind kind = Kind::None;
    const Timeline* timeline = nullptr;
    uint64_t value = 0;
  };
  Obstacle obstacle() const;
  Gate& gate() const;
  Device* device() const { return device_ ? &**device_ : nullptr; }

  // The resource's last opener was this destruction.
  void resource_ended(Resource& resource);
  static Destruction* current();  // the one that this thread is advancing

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
  void take_views_allocations();
  // Single children of a resource, which stays.
  bool of_children() const { return device_ && resource_ && !resource_view_; }
  bool driver_let_go();
  void destroy();
  void reclaim();

  std::optional<base::Ref<Device>> device_;
  Adapter& adapter_;
  std::vector<base::Ref<AllocationView>> views_;
  std::optional<base::Ref<ResourceView>> resource_view_;  // it goes too
  std::optional<base::Ref<Resource>> resource_;           // which the allocations belong to
  std::vector<base::Ref<Allocation>> dead_;               // nobody has a view any more
  bool destroy_resource_ = false;
  size_t let_go_ = 0;  // how many of dead_ the driver has let go of
  Stage stage_ = Stage::Waiting;
  Moment work_;
  uint64_t paging_fence_ = 0;
  uint64_t memory_work_ = 0;  // what the memory manager has to carry out first
};

}  // namespace dxgk
