#pragma once

#include <optional>
#include <span>
#include <vector>

#include "abi/shared/d3dkmthk.h"
#include "base/result.h"
#include "dxgk/object/open.h"

namespace dxgk {

// One allocation that a client asks for.
struct AllocationRequest {
  std::span<uint8_t> private_data;  // the driver may change it while it opens the allocation
  void* client_memory = nullptr;    // ExistingSysMem, or what the client names without saying so
  uint64_t client_bytes = 0;
  uint32_t priority = 0;  // 0: the driver's
  bool primary = false;
  D3DKMT_HANDLE handle = 0;  // out
};

struct CreateRequest {
  D3DKMT_CREATEALLOCATIONFLAGS flags{};
  ResourceView* add_to = nullptr;  // an existing resource
  std::span<const uint8_t> runtime_data;
  std::span<const uint8_t> driver_data;
  std::optional<uint64_t> existing_heap_bytes;  // a standard allocation over the client's memory
  std::span<AllocationRequest> allocations;
  D3DKMT_HANDLE resource = 0;      // out
  D3DKMT_HANDLE global_share = 0;  // out
};

// Allocations that the driver has created and that have handles, which do not resolve yet: the client is told of them
// first. Then commit(); without it everything is undone with the documented calls. Made, committed and dropped with the
// device's mutex held.
class [[nodiscard]] Creation {
 public:
  // The caller (kmt) has judged the arguments; this judges what the driver answers.
  static base::Result<Creation> begin(Device& device, CreateRequest& request);
  Creation(Creation&& other) noexcept;
  Creation& operator=(Creation&&) = delete;
  ~Creation();

  void commit();

 private:
  explicit Creation(Device& device) : device_(&device), opening_(device) {}
  base::Result<> make_resource(CreateRequest& request);
  base::Result<> ask_standard_data(CreateRequest& request);
  base::Result<> create_at_driver(CreateRequest& request);
  base::Result<> take_allocations(CreateRequest& request, std::span<const DXGK_ALLOCATIONINFO> infos);
  base::Result<> open(CreateRequest& request);
  void keep_data(const CreateRequest& request);
  Resource* resource() const { return resource_ ? &**resource_ : added_to_ ? &added_to_->resource() : nullptr; }

  Device* device_;
  std::optional<base::Ref<CreationScope>> scope_;
  std::vector<uint8_t> standard_data_;
  ResourceView* added_to_ = nullptr;
  std::optional<base::Ref<Resource>> resource_;  // new
  std::vector<base::Ref<Allocation>> allocations_;
  Opening opening_;
};

}  // namespace dxgk
