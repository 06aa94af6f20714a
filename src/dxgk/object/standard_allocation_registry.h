#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abi/km/d3dkmddi.h"
#include "base/mutex.h"
#include "dxgk/object/create.h"
#include "dxgk/object/standard_data.h"

namespace dxgk {

// The private data with which a driver described standard allocations, so that they are recognised when they come back
// to the driver in DxgkDdiCreateAllocation: a driver must accept its own description. Owned by the adapter; any thread.
class StandardAllocationRegistry {
 public:
  void add(StandardKind kind, std::span<const uint8_t> data);

  // A finding for a driver that refuses its own description, unless it is out of memory.
  void judge_refusal(Adapter& adapter, const CreateRequest& request, NTSTATUS status) const;
  // A finding for a driver that creates from its description something that the CPU cannot see. Called before the
  // driver's changes to the data are taken over.
  void judge_visibility(Adapter& adapter, const CreateRequest& request,
                        std::span<const DXGK_ALLOCATIONINFO> infos) const;

 private:
  struct Description {
    StandardKind kind;
    std::vector<uint8_t> data;
  };
  bool holds(StandardKind kind, std::span<const uint8_t> data) const;

  mutable base::Mutex<base::LockRank::Adapter> lock_;
  std::vector<Description> descriptions_ GUARDED_BY(lock_);  // few: one for each kind and size that was asked about
};

}  // namespace dxgk
