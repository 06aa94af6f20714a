#pragma once

#include <atomic>
#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "abi/km/d3dkmddi.h"
#include "base/debug/stack_table.h"
#include "base/ref.h"
#include "dxgk/work/gpu_uses.h"
#include "nt/machine/scope.h"
#include "ob/unpublished_object.h"
#include "vidmm/backing/backing.h"

namespace dxgk {

class Adapter;
class Device;
class Resource;
class ResourceView;
class VideoBlock;

using Bytes = std::vector<uint8_t>;

// What a driver allocated during one DxgkDdiCreateAllocation, kept by the allocations of that call. What is left when
// the last of them has gone passes to the adapter: a driver may keep a cache, but not beyond the adapter's end.
class CreationScope final : public base::RefCounted {
 public:
  CreationScope(Adapter& adapter, uint32_t ordinal);
  ~CreationScope() override;

  nt::Scope& scope() { return scope_; }

 private:
  Adapter& adapter_;
  nt::Scope scope_;
};

// What the driver said of an allocation (DXGK_ALLOCATIONINFO).
struct AllocationTraits {
  uint64_t size = 0;  // rounded up to pages
  uint64_t alignment = 0;
  uint32_t preferred_segments = 0;
  uint32_t read_segments = 0;
  uint32_t write_segments = 0;
  uint32_t eviction_segments = 0;
  uint32_t flags = 0;
  uint32_t flags2 = 0;
  uint32_t priority = 0;
};

// An allocation as the adapter has it: the driver's value from DxgkDdiCreateAllocation (h5), what the driver said of
// it, and its memory. It ends with DxgkDdiDestroyAllocation, when no device has a view of it and the driver has let go
// of it (DxgkCbReleaseHandleData).
class Allocation final : public base::RefCounted {
 public:
  Allocation(base::Ref<CreationScope> scope, HANDLE driver_handle, const AllocationTraits& traits, uint32_t ordinal);
  ~Allocation() override;

  HANDLE driver_handle() const { return driver_handle_; }
  const AllocationTraits& traits() const { return traits_; }
  uint64_t size() const { return traits_.size; }
  bool known_to_driver() const { return driver_handle_ != nullptr; }  // not with NoKmdAccess
  bool cpu_visible() const { return traits_.flags & 1; }
  uint32_t ordinal() const { return ordinal_; }
  nt::Scope& scope() { return scope_->scope(); }

  // Keeps the driver's object from being destroyed. False once its destruction has begun.
  bool hold();
  // True when this was the last reference and a destruction waits for it.
  bool let_go();
  // From here on hold() fails. False while the allocation is still held; called again after the last let_go().
  bool begin_destroy();

  uint32_t priority() const { return priority_.load(std::memory_order_relaxed); }
  void set_priority(uint32_t priority) { priority_.store(priority, std::memory_order_relaxed); }
  std::atomic<uint64_t> paging_fence{0};  // the last work on Adapter::paging_work() that names it
  GpuUses gpu_uses;
  vidmm::Backing backing;
  // The memory's lock.
  std::unique_ptr<VideoBlock> video;  // from the GPU's first use on
  uint32_t cpu_locks = 0;
  std::unique_ptr<Bytes> private_data;  // what later openers are shown; of shared ones only

 private:
  static constexpr uint32_t kDying = 1u << 31;

  AllocationTraits traits_;
  HANDLE driver_handle_;
  base::Ref<CreationScope> scope_;
  uint32_t ordinal_;
  std::atomic<uint32_t> acquired_{0};
  std::atomic<uint32_t> priority_{0};
};

// A stopped run leaves objects on their lists: a hook that goes does not look whether it is on one.
using ListHook = boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>>;

// An allocation as one device has it: the client's handle (h4) and the driver's value from DxgkDdiOpenAllocation (h7).
// Guarded by its process's mutex, except what never changes.
class AllocationView final : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = ob::ObjectKind::Allocation;

  AllocationView(Device& device, base::Ref<Allocation> allocation, ob::Ordinals& ordinals);

  Device& device() const { return *device_; }
  Allocation& allocation() const { return *allocation_; }
  ResourceView* resource = nullptr;
  HANDLE driver_view = nullptr;
  D3DKMT_HANDLE handle = 0;
  base::StackId created_at = 0;
  // Where presents find it in the process's page tables, once there was one (present_memory.h).
  D3DGPU_VIRTUAL_ADDRESS present_address = 0;
  uint32_t locks = 0;
  uint32_t stamp = 0;  // of the last list it was seen in
  ListHook list_hook;  // on the list of its resource view, or of the device when it stands alone

 private:
  base::Ref<Device> device_;
  base::Ref<Allocation> allocation_;
};

// Views in the order of their creation.
using ViewList =
    boost::intrusive::list<AllocationView,
                           boost::intrusive::member_hook<AllocationView, ListHook, &AllocationView::list_hook>>;

}  // namespace dxgk
