#pragma once

#include <span>
#include <vector>

#include "abi/km/d3dkmddi.h"
#include "base/ref.h"
#include "base/result.h"
#include "dxgk/object/allocation.h"
#include "ob/handle_table.h"

namespace nt {
class Machine;
}

namespace dxgk {

class Adapter;

// What drivers hold with DxgkCbAcquireHandleData: each release handle keeps allocations from being destroyed at the
// driver, until DxgkCbReleaseHandleData, which is not told the adapter. Owned by the kernel; any thread.
class AcquiredHandles {
 public:
  explicit AcquiredHandles(nt::Machine& machine) : machine_(machine) {}

  // A release handle that holds these: one allocation, or those of a resource. Fails when the destruction of one of
  // them has begun.
  base::Result<HANDLE> acquire(DXGK_HANDLE_TYPE type, Adapter& adapter,
                               std::span<const base::Ref<Allocation>> allocations);
  // A finding for a handle that is not held, or that was acquired as another type.
  void release(HANDLE release_handle, DXGK_HANDLE_TYPE type);
  // The adapter ends: what its driver still holds is released. Each such handle is a finding, unless the driver must
  // not be called any more (Tell::No).
  enum class Tell : uint8_t { Yes, No };
  void let_go_of(Adapter& adapter, Tell tell);

  uint32_t held() const { return table_.open_count(); }
  bool holds(const Adapter& adapter) { return !handles_of(adapter).empty(); }

 private:
  class Acquired;
  template <ob::ObjectKind Kind>
  class AcquiredAs;

  template <ob::ObjectKind Kind>
  base::Result<HANDLE> publish(Adapter& adapter, std::span<const base::Ref<Allocation>> allocations);
  template <ob::ObjectKind Kind>
  void close(HANDLE release_handle);
  static void let_go(Acquired& acquired);
  std::vector<uint64_t> handles_of(const Adapter& adapter);

  nt::Machine& machine_;
  ob::Ordinals ordinals_;
  ob::NtHandleTable table_;
};

}  // namespace dxgk
