#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "abi/km/wdm.h"
#include "base/mutex.h"
#include "base/result.h"
#include "nt/dma/dma_adapter.h"
#include "nt/dma/iommu.h"

namespace nt {

class Machine;

// Every DMA adapter that was got, and the bus addresses of every physical device that has one. An adapter that was put
// back is remembered, so that a finding about its later use can name it. Owned by the machine; any of its threads.
class DmaAdapters {
 public:
  explicit DmaAdapters(Machine& machine);
  ~DmaAdapters();

  // IoGetDmaAdapter. STATUS_INVALID_PARAMETER, STATUS_NOT_SUPPORTED, STATUS_INSUFFICIENT_RESOURCES.
  base::Result<DMA_ADAPTER*> get(DEVICE_OBJECT& pdo, const DEVICE_DESCRIPTION& description, ULONG* map_registers);
  // PutDmaAdapter, after a finding where something of the adapter is still in use.
  void put(DmaAdapter& adapter);

  // The adapter behind the pointer that a driver passed to `function`; null after a finding.
  DmaAdapter* find(const DMA_ADAPTER* adapter, const char* function);

  using Piece = Iommu::Piece;
  // For a class driver. Maps `bytes` at `offset` of locked pages, or of a chain of them, for the adapter's device. Each
  // piece has at most `max_piece` bytes (0: no limit) and may straddle pages; pieces are appended. With
  // `write_to_device` the device may read, else write. STATUS_INSUFFICIENT_RESOURCES when the adapter's map registers
  // are in use, STATUS_BUFFER_TOO_SMALL when the MDLs are shorter, STATUS_INVALID_PARAMETER after a finding.
  base::Result<uint64_t> map(DMA_ADAPTER& adapter, MDL& mdl, uint64_t offset, size_t bytes, bool write_to_device,
                             uint32_t max_piece, std::vector<Piece>& out);
  // Ends what map() began, once, whether or not the adapter was put back meanwhile.
  void unmap(DMA_ADAPTER& adapter, uint64_t id);

  // The bus addresses of a device, once its physical device object has got an adapter; null before. Lives as long as
  // the machine.
  Iommu* iommu(const DEVICE_OBJECT* pdo);
  // The bus addresses of the device that was the first to get an adapter.
  Iommu* first_iommu();
  // The device whose bus addresses include `bus`; null: none.
  const Iommu* owner_of(uint64_t bus);

 private:
  struct Bus {
    Bus(Machine& machine, const DEVICE_OBJECT& object, uint32_t ordinal) : pdo(&object), iommu(machine, ordinal) {}
    const DEVICE_OBJECT* pdo;
    Iommu iommu;
  };

  base::Result<DMA_ADAPTER*> make(DEVICE_OBJECT& pdo, ULONG version, const DmaAdapter::Facts& facts);
  base::Result<Iommu*> bus_of(const DEVICE_OBJECT& pdo);
  // The bus addresses of a deleted device object, to be used for another one; null when none is deleted.
  Iommu* inherited(const DEVICE_OBJECT& heir);
  DmaAdapter* lookup(const DMA_ADAPTER* adapter);

  Machine& machine_;
  base::Mutex<base::LockRank::Pool> lock_;
  std::vector<std::unique_ptr<Bus>> buses_ GUARDED_BY(lock_);  // in the order of their ordinals
  std::vector<std::unique_ptr<DmaAdapter>> adapters_ GUARDED_BY(lock_);
};

}  // namespace nt
