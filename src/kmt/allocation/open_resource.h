#pragma once

#include <optional>
#include <vector>

#include "dxgk/object/open.h"
#include "kmt/client/client.h"

namespace kmt {

// What D3DKMTQueryResourceInfo tells about a shared resource.
struct ResourceSizes {
  UINT allocations = 0;
  UINT runtime_bytes = 0;
  UINT resource_bytes = 0;  // the driver's, of the resource
  UINT total_bytes = 0;     // the driver's, of all allocations together
};
// STATUS_INTEGER_OVERFLOW if a size does not fit (SH-03).
base::Result<ResourceSizes> sizes_of(const dxgk::Resource& resource);

// Where a client wants to have a resource that it opens: its own addresses, not yet judged.
struct OpenTarget {
  ResourceSizes room;
  void* infos = nullptr;
  enum class Infos : uint8_t { First, Second } version = Infos::Second;
  void* runtime_data = nullptr;
  void* resource_data = nullptr;
  void* total_data = nullptr;
};
// Everything must be exactly as large as the client was told. Only the room for the allocations' data may be larger
// (SH-02, R5 … R7, N20 … N24); with WSL, all of them.
Judgement judge_open(const ResourceSizes& has, const ResourceSizes& room, dxgk::Flavour flavour);

// A shared resource that a device of the client is opening: what D3DKMTOpenResource and D3DKMTOpenResourceFromNtHandle
// have in common. Without commit() the driver is told to close it again. Made, committed and dropped with the device's
// mutex held.
class [[nodiscard]] ResourceOpening {
 public:
  static base::Result<ResourceOpening> begin(Client& client, dxgk::Device& device,
                                             ob::UnpublishedObject<dxgk::Resource> resource, const OpenTarget& target,
                                             bool read_only);

  D3DKMT_HANDLE resource() const { return resource_handle_; }
  const ResourceSizes& sizes() const { return sizes_; }
  // Whether everything of the target could be written. Then tell() does it; the caller's own structure is the caller's.
  base::Result<> probe(UserMemory& memory) const;
  base::Result<> tell(UserMemory& memory) const;
  void commit() { opening_.commit(); }

 private:
  ResourceOpening(dxgk::Device& device, base::Ref<dxgk::Resource> resource, const OpenTarget& target)
      : opening_(device), shared_(std::move(resource)), target_(target) {}
  template <typename Info>
  base::Result<> tell_infos(UserMemory& memory) const;

  dxgk::Opening opening_;
  base::Ref<dxgk::Resource> shared_;
  OpenTarget target_;
  ResourceSizes sizes_;
  D3DKMT_HANDLE resource_handle_ = 0;
};

}  // namespace kmt
