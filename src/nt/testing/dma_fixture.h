#pragma once

#include <functional>
#include <vector>

#include "nt/dma/dma_adapters.h"
#include "nt/testing/machine_fixture.h"

namespace nt {

inline constexpr ULONG kDmaTestTag = 0x74736554;  // "Test"

// A bus-master PCI device that can gather, of 64 address bits.
inline DEVICE_DESCRIPTION describe_device(ULONG version = DEVICE_DESCRIPTION_VERSION2) {
  DEVICE_DESCRIPTION description{};
  description.Version = version;
  description.Master = TRUE;
  description.ScatterGather = TRUE;
  description.Dma64BitAddresses = TRUE;
  description.DmaAddressWidth = 64;
  description.InterfaceType = PCIBus;
  description.MaximumLength = 16 * PAGE_SIZE;
  return description;
}

// What a driver's AdapterControl and AdapterListControl routines were called with, and what they do.
struct DmaRoutine {
  std::vector<PSCATTER_GATHER_LIST> lists;
  std::vector<PVOID> bases;
  std::vector<KIRQL> irqls;
  IO_ALLOCATION_ACTION action = DeallocateObjectKeepRegisters;
  std::function<void(PVOID base)> during;

  static IO_ALLOCATION_ACTION control(PDEVICE_OBJECT, PIRP, PVOID base, PVOID raw) {
    auto& self = *static_cast<DmaRoutine*>(raw);
    self.bases.push_back(base);
    self.irqls.push_back(KeGetCurrentIrql());
    if (self.during) self.during(base);
    return self.action;
  }
  static VOID list_control(PDEVICE_OBJECT, PIRP, PSCATTER_GATHER_LIST list, PVOID raw) {
    auto& self = *static_cast<DmaRoutine*>(raw);
    self.lists.push_back(list);
    self.irqls.push_back(KeGetCurrentIrql());
  }
};

// For tests: a machine with a physical device object and a DMA adapter.
class DmaAdapterTest : public MachineTest {
 protected:
  // `body` runs with a physical device object and an adapter for it.
  void with_adapter(const DEVICE_DESCRIPTION& description, const std::function<void()>& body) {
    run([&] {
      pdo = make_pdo();
      adapter = get(description);
      ASSERT_NE(adapter, nullptr);
      operations = adapter->DmaOperations;
      body();
    });
  }
  void with_adapter(const std::function<void()>& body) { with_adapter(describe_device(), body); }

  PDEVICE_OBJECT make_pdo() {
    PDEVICE_OBJECT object = nullptr;
    EXPECT_EQ(IoCreateDevice(&driver, 0, nullptr, FILE_DEVICE_UNKNOWN, 0, FALSE, &object), STATUS_SUCCESS);
    return object;
  }
  PDMA_ADAPTER get(DEVICE_DESCRIPTION description) { return IoGetDmaAdapter(pdo, &description, &map_registers); }

  // An MDL over `pages` of pool, beginning `offset` into the first.
  PMDL make_mdl(size_t pages, size_t offset = 0) {
    memory = static_cast<char*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, pages * PAGE_SIZE, kDmaTestTag));
    PMDL mdl = IoAllocateMdl(memory + offset, static_cast<ULONG>(pages * PAGE_SIZE - offset), FALSE, FALSE, nullptr);
    MmBuildMdlForNonPagedPool(mdl);
    return mdl;
  }
  void free_mdl(PMDL mdl) {
    ExFreePool(PAGE_ALIGN(MmGetMdlVirtualAddress(mdl)));
    IoFreeMdl(mdl);
  }

  template <typename F>
  static auto at_dispatch(F&& f) {
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    auto result = f();
    KeLowerIrql(old);
    return result;
  }
  NTSTATUS get_list(PMDL mdl, ULONG bytes, BOOLEAN write = TRUE, size_t offset = 0) {
    return at_dispatch([&] {
      return operations->GetScatterGatherList(adapter, pdo, mdl,
                                              static_cast<char*>(MmGetMdlVirtualAddress(mdl)) + offset, bytes,
                                              &DmaRoutine::list_control, &routine, write);
    });
  }
  void put_list(PSCATTER_GATHER_LIST list, BOOLEAN write = TRUE) {
    at_dispatch([&] {
      operations->PutScatterGatherList(adapter, list, write);
      return 0;
    });
  }
  NTSTATUS allocate_channel(ULONG count) {
    return at_dispatch(
        [&] { return operations->AllocateAdapterChannel(adapter, pdo, count, &DmaRoutine::control, &routine); });
  }
  void free_registers(PVOID base, ULONG count) {
    at_dispatch([&] {
      operations->FreeMapRegisters(adapter, base, count);
      return 0;
    });
  }
  Iommu& bus() { return *machine().dma().iommu(pdo); }
  bool device_writes(uint64_t address, size_t bytes) {
    std::vector<char> from(bytes, 'd');
    return !bus().write(address, from.data(), bytes);
  }
  static uint64_t bits(PHYSICAL_ADDRESS address) { return static_cast<uint64_t>(address.QuadPart); }

  DRIVER_OBJECT driver{};
  PDEVICE_OBJECT pdo = nullptr;
  PDMA_ADAPTER adapter = nullptr;
  PDMA_OPERATIONS operations = nullptr;
  ULONG map_registers = 0;
  char* memory = nullptr;
  DmaRoutine routine;
};

}  // namespace nt
