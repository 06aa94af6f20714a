#pragma once

#include <atomic>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "dxgk/object/allocation.h"

namespace dxgk {

// The views of one resource, in all processes, while their devices list them. Few views are searched one by one; for
// many there is an index by device. Owned by the resource; any thread. Its lists are linked by hand: a view is
// declared, but not defined, where its resource holds them, and Boost.Intrusive needs the definition.
class ResourceViews {
 public:
  void add(ResourceView& view);
  void remove(ResourceView& view);
  // Whether the device has a view of the resource with a view of the allocation. With the device's mutex held.
  bool has(const Device& device, const Allocation& allocation) const;
  // Whether another device of the same process has such a view. With the device's mutex held.
  bool has_elsewhere(const Device& device, const Allocation& allocation) const;

 private:
  static constexpr size_t kFew = 8;

  static bool shows(const ResourceView& view, const Allocation& allocation);
  bool has_locked(const Device& device, const Allocation& allocation) const REQUIRES(lock_);
  void index(ResourceView& view) REQUIRES(lock_);

  mutable base::Mutex<base::LockRank::Adapter> lock_;
  ResourceView* first_ GUARDED_BY(lock_) = nullptr;
  size_t count_ GUARDED_BY(lock_) = 0;
  bool indexed_ GUARDED_BY(lock_) = false;
  std::unordered_map<const Device*, ResourceView*> of_devices_ GUARDED_BY(lock_);  // of many: the first of each
};

// A resource as the adapter has it: its allocations and the driver's value for the group (h6). Its handle count is the
// number of its openers: views of devices, NT handles. It ends when the last of them closes it.
class Resource final : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = ob::ObjectKind::SharedResource;

  enum class Sharing : uint8_t { Private, GlobalHandle, NtHandle };

  // `creator`: the process, by its id.
  Resource(Adapter& adapter, Sharing sharing, uint32_t creator, ob::Ordinals& ordinals);
  ~Resource() override;

  Adapter& adapter() const { return adapter_; }
  Sharing sharing() const { return sharing_; }
  bool shared() const { return sharing_ != Sharing::Private; }
  uint32_t creator() const { return creator_; }

  // Of a shared resource, constant once created. A private one's are those of its only view.
  std::vector<base::Ref<Allocation>> allocations;
  // Destructions of single allocations of it that are not done: the resource ends after them.
  std::atomic<uint32_t> unfinished_children{0};
  // Private: guarded by the mutex of its only process. Shared: constant once created.
  Bytes runtime_data;
  Bytes driver_data;
  bool standard = false;
  std::atomic<bool> created{false};  // from commit to its one end; the members above are written before
  bool driver_knows = false;         // it was part of some DxgkDdiCreateAllocation
  // The driver may replace it in any call that it is passed to.
  HANDLE driver_handle = nullptr;
  ResourceViews views;
  // Neighbours among the shared resources of its adapter.
  Resource* next_shared = nullptr;
  Resource* prev_shared = nullptr;

 private:
  friend class ResourceView;

  void on_last_handle_closed() override;
  void leave_shared();  // it is no longer found by name or global handle

  Adapter& adapter_;
  const Sharing sharing_;
  const uint32_t creator_;
};

// A resource as one device has it: the client's handle (h3). Guarded by its process's mutex.
class ResourceView final : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = ob::ObjectKind::Resource;

  ResourceView(Device& device, ob::UnpublishedObject<Resource> resource, ob::Ordinals& ordinals);

  Device& device() const { return *device_; }
  Resource& resource() const { return *resource_; }
  // The device has closed its allocations: the resource is no longer open here. True if no other device has it open: it
  // ends, and the caller finishes it.
  [[nodiscard]] bool close_resource();

  D3DKMT_HANDLE handle = 0;
  bool read_only = false;
  ViewList views;
  base::StackId created_at = 0;
  ListHook list_hook;  // on the list of its device

 private:
  friend class ResourceViews;

  ResourceView* next_view_ = nullptr;  // list of the resource's views
  ResourceView* prev_view_ = nullptr;
  ResourceView* next_of_device_ = nullptr;  // list of the device's views, kept where a resource has many
  ResourceView* prev_of_device_ = nullptr;
  base::Ref<Device> device_;
  base::Ref<Resource> resource_;
  std::optional<ob::UnpublishedObject<Resource>> open_;
};

}  // namespace dxgk
