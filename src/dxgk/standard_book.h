#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abi/km/d3dkmddi.h"
#include "base/mutex.h"
#include "dxgk/create.h"
#include "dxgk/standard_data.h"

namespace dxgk {

// What a driver has written to describe standard allocations, so that it is known again when it comes back to the
// driver in DxgkDdiCreateAllocation: whoever described it must know it. Owned by the adapter; any thread.
class StandardBook {
 public:
  void add(StandardKind kind, std::span<const uint8_t> data);

  // A finding for a driver that does not take its own description. Out of memory it may be.
  void judge_refusal(Adapter& adapter, const CreateRequest& request, NTSTATUS status) const;
  // … and for one that made of it what the CPU cannot see. Before the driver's changes to the data are taken over.
  void judge_visibility(Adapter& adapter, const CreateRequest& request,
                        std::span<const DXGK_ALLOCATIONINFO> infos) const;

 private:
  struct Page {
    StandardKind kind;
    std::vector<uint8_t> data;
  };
  bool holds(StandardKind kind, std::span<const uint8_t> data) const;

  mutable base::Mutex<base::LockRank::Adapter> lock_;
  std::vector<Page> pages_ GUARDED_BY(lock_);  // few: one for each kind and size that was asked about
};

}  // namespace dxgk
