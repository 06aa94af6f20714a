#pragma once

#include <memory>

#include "abi/km/d3dkmddi.h"
#include "base/ref.h"
#include "base/result.h"
#include "dxgk/adapter/adapter_caps.h"
#include "dxgk/memory/video_block.h"
#include "nt/machine/scope.h"

namespace dxgk {

class Adapter;
class AddressSpace;
class Context;
class Device;
class ProcessAdapter;
struct PagingWork;

// Memory that a driver keeps for one context, or for all contexts of a device (DxgkCbCreateContextAllocation): resident
// with it, initialised once, and kept over every move. It is on the list of the context's scope: one that the driver
// does not destroy is found when the scope ends. Owned by itself from its creation until its destruction has been
// carried out; the adapter's list of names decides how long it lives.
class ContextAllocation final {
 public:
  // DxgkCbCreateContextAllocation. On the thread of a DDI, at PASSIVE_LEVEL.
  static base::Result<HANDLE> create(Adapter& adapter, const DXGKARGCB_CREATECONTEXTALLOCATION& args);
  // DxgkCbDestroyContextAllocation: the handle is closed when it returns, the memory goes when the GPU is done with it.
  static base::Result<> destroy(Adapter& adapter, HANDLE name);
  // The device goes: what the driver did not destroy is destroyed with it. That was a finding before.
  static void destroy_all_of(Device& device);
  // DxgkCbMapContextAllocation: another GPU address for it; 0 if there is none.
  static base::Result<D3DGPU_VIRTUAL_ADDRESS> map(Adapter& adapter, const DXGKARGCB_MAPCONTEXTALLOCATION& args);
  // DxgkCbUpdateContextAllocation: returns when the paging operation has been carried out (CX-16), or when a reset of
  // the adapter makes it pointless: STATUS_DEVICE_REMOVED.
  static base::Result<> update(Adapter& adapter, const DXGKARGCB_UPDATECONTEXTALLOCATION& args);

  D3DGPU_VIRTUAL_ADDRESS gpu_address() const { return gpu_address_; }
  // Where the CPU finds it during its initialisation: only if it lies in the machine's memory (CX-14).
  void* cpu_address_in(const Segment* segment) const;

 private:
  ContextAllocation(Adapter& adapter, const DXGKARGCB_CREATECONTEXTALLOCATION& args, Device& device);
  // A finding for a handle that is none, or no longer.
  static base::Result<ContextAllocation*> find(Adapter& adapter, HANDLE name);
  // `self`: its owner. Takes it over when paging work names it although it has no place.
  base::Result<> place(std::unique_ptr<ContextAllocation>& self);
  base::Result<> map_in(AddressSpace& space, PagingWork& work);
  void forget_driver_handle();
  void go();

  Adapter& adapter_;
  Device& device_;
  nt::Tracked tracked_;
  vidmm::Backing backing_;
  std::unique_ptr<VideoBlock> block_;
  const bool map_gpu_address_;
  const bool for_cpu_;
  D3DGPU_VIRTUAL_ADDRESS gpu_address_ = 0;
};

}  // namespace dxgk
