#include "nt/dma/dma_adapters.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/align.h"
#include "nt/dma/dma_operations.h"
#include "nt/ex/kernel_body.h"
#include "nt/io/device_objects.h"
#include "nt/machine/machine.h"

namespace nt {
namespace {

// How many address bits the device has, from the members that its version uses. All devices are PCI devices, so a
// description without a bus means PCI.
uint32_t address_bits(const DEVICE_DESCRIPTION& description) {
  if (description.Version == DEVICE_DESCRIPTION_VERSION3) return description.DmaAddressWidth;
  if (description.Dma64BitAddresses) return 64;
  bool pci = description.InterfaceType == PCIBus || description.InterfaceType == InterfaceTypeUndefined;
  return description.Dma32BitAddresses || (description.ScatterGather && pci) ? 32 : 24;
}

// What the documentation forbids; "" if it is all right.
std::string objection_to(const DEVICE_DESCRIPTION& description) {
  if (description.Reserved1) return "whose Reserved1 is not FALSE";
  if (description.Version != DEVICE_DESCRIPTION_VERSION3 || !description.Master) return "";
  if (description.DmaAddressWidth == 0 || description.DmaAddressWidth > 64) {
    return fmt::format("whose DmaAddressWidth is {}", description.DmaAddressWidth);
  }
  return "";
}

// A buffer need not begin where a page does.
uint32_t registers_for(uint32_t bytes) { return static_cast<uint32_t>(base::page_count(bytes)) + 1; }

// Devices that cannot reach the high slices have the low ones.
constexpr uint32_t kLowBits = 32, kHighBits = 40;

base::Result<DmaAdapter::Facts> facts_of(const DEVICE_DESCRIPTION& description, uint32_t most_registers) {
  if (description.Version > DEVICE_DESCRIPTION_VERSION3) {
    return base::Failure(STATUS_NOT_SUPPORTED, "a DEVICE_DESCRIPTION of an unknown version");
  }
  if (!description.Master) return base::Failure(STATUS_NOT_SUPPORTED, "there is no system DMA controller");
  uint32_t bits = address_bits(description);
  if (bits < kLowBits) return base::Failure(STATUS_NOT_SUPPORTED, "a device of fewer than 32 address bits");
  return DmaAdapter::Facts{.scatter_gather = description.ScatterGather != FALSE,
                           .reach = bits >= kHighBits ? Iommu::Reach::High : Iommu::Reach::Low,
                           .map_registers = std::min(most_registers, registers_for(description.MaximumLength))};
}

}  // namespace

DmaAdapters::DmaAdapters(Machine& machine) : machine_(machine) {}
DmaAdapters::~DmaAdapters() = default;

// --- Adapters ---

base::Result<DMA_ADAPTER*> DmaAdapters::get(DEVICE_OBJECT& pdo, const DEVICE_DESCRIPTION& description,
                                            ULONG* map_registers) {
  if (std::string why = objection_to(description); !why.empty()) {
    machine_.report_violation(Violation::DmaDescriptionInvalid,
                              fmt::format("IoGetDmaAdapter was given a DEVICE_DESCRIPTION {}", why));
    return base::Failure(STATUS_INVALID_PARAMETER, "the DEVICE_DESCRIPTION is not valid");
  }
  DmaAdapter::Facts facts = TRY(facts_of(description, machine_.options().map_registers));
  if (!machine_.devices().hold(&pdo)) return base::Failure(STATUS_INVALID_PARAMETER, "there is no such device object");
  auto made = make(pdo, description.Version, facts);
  if (!made.ok()) {
    machine_.devices().release(&pdo);
    return made.failure();
  }
  *map_registers = facts.map_registers;
  return made;
}

base::Result<DMA_ADAPTER*> DmaAdapters::make(DEVICE_OBJECT& pdo, ULONG version, const DmaAdapter::Facts& facts) {
  Iommu* iommu = TRY(bus_of(pdo));
  void* memory = allocate_body(machine_, sizeof(DMA_ADAPTER));
  if (!memory) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for a DMA adapter");
  auto* body =
      new (memory) DMA_ADAPTER{.Version = 1, .Size = sizeof(DMA_ADAPTER), .DmaOperations = dma_operations(version)};
  auto adapter = std::make_unique<DmaAdapter>(machine_, *iommu, pdo, *body, facts);
  base::Guard guard(lock_);
  adapters_.push_back(std::move(adapter));
  return body;
}

void DmaAdapters::put(DmaAdapter& adapter) {
  if (adapter.put()) machine_.devices().release(&adapter.pdo());
}

DmaAdapter* DmaAdapters::lookup(const DMA_ADAPTER* adapter) {
  base::Guard guard(lock_);
  for (const auto& each : adapters_) {
    if (&each->body() == adapter) return each.get();
  }
  return nullptr;
}

DmaAdapter* DmaAdapters::find(const DMA_ADAPTER* adapter, const char* function) {
  DmaAdapter* found = lookup(adapter);
  if (found && found->live()) return found;
  machine_.report_violation(Violation::DmaAdapterNotLive,
                            fmt::format("{} was called with {}", function,
                                        found ? "a DMA adapter that was put back" : "something that is no DMA adapter"),
                            found ? found->life() : std::vector<RoleStack>{});
  return nullptr;
}

// --- For class drivers ---

base::Result<uint64_t> DmaAdapters::map(DMA_ADAPTER& adapter, MDL& mdl, uint64_t offset, size_t bytes,
                                        bool write_to_device, uint32_t max_piece, std::vector<Piece>& out) {
  DmaAdapter* found = find(&adapter, "the class driver");
  if (!found) return base::Failure(STATUS_INVALID_PARAMETER, "the DMA adapter was put back");
  return found->map({&mdl, offset, bytes, write_to_device}, max_piece, out);
}

void DmaAdapters::unmap(DMA_ADAPTER& adapter, uint64_t id) {
  DmaAdapter* found = lookup(&adapter);
  CHECK(found);
  found->unmap(id);
}

// --- Bus addresses ---

base::Result<Iommu*> DmaAdapters::bus_of(const DEVICE_OBJECT& pdo) {
  if (Iommu* known = iommu(&pdo)) return known;
  {
    base::Guard guard(lock_);
    auto ordinal = static_cast<uint32_t>(buses_.size());
    if (ordinal < Iommu::kMostDevices) {
      buses_.push_back(std::make_unique<Bus>(machine_, pdo, ordinal));
      return &buses_.back()->iommu;
    }
  }
  if (Iommu* free = inherited(pdo)) return free;
  return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "more devices have bus addresses than there is room for");
}

Iommu* DmaAdapters::inherited(const DEVICE_OBJECT& heir) {
  for (uint32_t i = 0; i < Iommu::kMostDevices; ++i) {
    const DEVICE_OBJECT* owner;
    {
      base::Guard guard(lock_);
      owner = buses_[i]->pdo;
    }
    if (machine_.devices().hold(owner)) {
      machine_.devices().release(owner);
      continue;
    }
    base::Guard guard(lock_);
    buses_[i]->pdo = &heir;
    return &buses_[i]->iommu;
  }
  return nullptr;
}

Iommu* DmaAdapters::iommu(const DEVICE_OBJECT* pdo) {
  base::Guard guard(lock_);
  for (const auto& bus : buses_) {
    if (bus->pdo == pdo) return &bus->iommu;
  }
  return nullptr;
}

Iommu* DmaAdapters::first_iommu() {
  base::Guard guard(lock_);
  return buses_.empty() ? nullptr : &buses_.front()->iommu;
}

const Iommu* DmaAdapters::owner_of(uint64_t address) {
  base::Guard guard(lock_);
  for (const auto& bus : buses_) {
    if (bus->iommu.owns(address)) return &bus->iommu;
  }
  return nullptr;
}

}  // namespace nt
