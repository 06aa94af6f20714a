// DMA adapters. Pages: wdm/nf-wdm-iogetdmaadapter, ns-wdm-_dma_operations, and nc-wdm-p… for each of the operations
#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "nt/boundary/kernel_entry.h"
#include "nt/boundary/lacks_resources.h"
#include "nt/boundary/refuse.h"
#include "nt/dma/dma_adapters.h"
#include "nt/dma/dma_operations.h"

using nt::DmaAdapter;
using nt::Fn;
using nt::KernelEntry;
using nt::Machine;
using Buffer = DmaAdapter::Buffer;

namespace {

// The first statement of every operation: the kernel entry, and the adapter that the driver passed.
struct Operation {
  Operation(Fn fn, PDMA_ADAPTER body)
      : call(fn), machine(KernelEntry::machine()), adapter(machine.dma().find(body, nt::row(fn).name)) {}
  explicit operator bool() const { return adapter != nullptr; }
  DmaAdapter* operator->() const { return adapter; }

  KernelEntry call;
  Machine& machine;
  DmaAdapter* adapter;  // null after a finding
};

PHYSICAL_ADDRESS address_of(uint64_t bus) {
  PHYSICAL_ADDRESS address;
  address.QuadPart = static_cast<LONGLONG>(bus);
  return address;
}

// `address` is a place in what the MDL describes, and need not be valid itself.
Buffer buffer_of(PMDL mdl, PVOID address, ULONG bytes, BOOLEAN write_to_device) {
  auto offset =
      static_cast<uint64_t>(static_cast<const char*>(address) - static_cast<const char*>(MmGetMdlVirtualAddress(mdl)));
  return {mdl, offset, bytes, write_to_device != FALSE};
}

NTSTATUS finish(Machine& machine, const base::Result<>& result) {
  return result.ok() ? STATUS_SUCCESS : nt::refuse(machine, result.failure());
}

// --- Version 1 ---

VOID put_dma_adapter(PDMA_ADAPTER adapter) {
  Operation operation(Fn::PutDmaAdapter, adapter);
  if (operation) operation.machine.dma().put(*operation.adapter);
}

// CacheEnabled is ignored, as documented.
PVOID allocate_common_buffer(PDMA_ADAPTER adapter, ULONG bytes, PPHYSICAL_ADDRESS logical, BOOLEAN) {
  Operation operation(Fn::AllocateCommonBuffer, adapter);
  uint64_t bus = 0;
  void* buffer = operation ? operation->allocate_common(bytes, bus) : nullptr;
  if (buffer) *logical = address_of(bus);
  return buffer;
}

VOID free_common_buffer(PDMA_ADAPTER adapter, ULONG bytes, PHYSICAL_ADDRESS logical, PVOID address, BOOLEAN) {
  Operation operation(Fn::FreeCommonBuffer, adapter);
  if (operation) operation->free_common(bytes, static_cast<uint64_t>(logical.QuadPart), address);
}

NTSTATUS allocate_adapter_channel(PDMA_ADAPTER adapter, PDEVICE_OBJECT device, ULONG registers, PDRIVER_CONTROL routine,
                                  PVOID context) {
  Operation operation(Fn::AllocateAdapterChannel, adapter);
  if (!operation) return STATUS_INVALID_PARAMETER;
  if (nt::lacks_resources(Fn::AllocateAdapterChannel)) return STATUS_INSUFFICIENT_RESOURCES;
  return finish(operation.machine, operation->allocate_channel(*device, registers, routine, context));
}

BOOLEAN flush_adapter_buffers(PDMA_ADAPTER adapter, PMDL mdl, PVOID base, PVOID address, ULONG bytes,
                              BOOLEAN write_to_device) {
  Operation operation(Fn::FlushAdapterBuffers, adapter);
  if (!operation) return FALSE;
  operation->flush(base, buffer_of(mdl, address, bytes, write_to_device));
  return TRUE;
}

VOID free_adapter_channel(PDMA_ADAPTER adapter) {
  Operation operation(Fn::FreeAdapterChannel, adapter);
  if (operation) operation->free_channel();
}

VOID free_map_registers(PDMA_ADAPTER adapter, PVOID base, ULONG count) {
  Operation operation(Fn::FreeMapRegisters, adapter);
  if (operation) operation->free_registers(base, count);
}

PHYSICAL_ADDRESS map_transfer(PDMA_ADAPTER adapter, PMDL mdl, PVOID base, PVOID address, PULONG bytes,
                              BOOLEAN write_to_device) {
  Operation operation(Fn::MapTransfer, adapter);
  if (!operation) return address_of(0);
  Buffer buffer = buffer_of(mdl, address, *bytes, write_to_device);
  uint64_t bus = operation->map_transfer(base, buffer);
  *bytes = static_cast<ULONG>(buffer.bytes);
  return address_of(bus);
}

// Policy: no device here needs more.
ULONG get_dma_alignment(PDMA_ADAPTER adapter) {
  Operation operation(Fn::GetDmaAlignment, adapter);
  return 1;
}

// Of a subordinate device's adapter, as documented, and there are none.
ULONG read_dma_counter(PDMA_ADAPTER adapter) {
  Operation operation(Fn::ReadDmaCounter, adapter);
  static_cast<void>(nt::refuse(
      operation.machine, base::Failure(STATUS_NOT_SUPPORTED, "ReadDmaCounter of the adapter of a bus-master device")));
  return 0;
}

NTSTATUS get_scatter_gather_list(PDMA_ADAPTER adapter, PDEVICE_OBJECT device, PMDL mdl, PVOID address, ULONG bytes,
                                 PDRIVER_LIST_CONTROL routine, PVOID context, BOOLEAN write_to_device) {
  Operation operation(Fn::GetScatterGatherList, adapter);
  if (!operation) return STATUS_INVALID_PARAMETER;
  return finish(operation.machine, operation->get_list({.device = device,
                                                        .buffer = buffer_of(mdl, address, bytes, write_to_device),
                                                        .routine = routine,
                                                        .context = context,
                                                        .memory = nullptr,
                                                        .memory_bytes = 0,
                                                        .function = "GetScatterGatherList"}));
}

VOID put_scatter_gather_list(PDMA_ADAPTER adapter, PSCATTER_GATHER_LIST list, BOOLEAN write_to_device) {
  Operation operation(Fn::PutScatterGatherList, adapter);
  if (operation) operation->put_list(list, write_to_device != FALSE);
}

// --- Version 2 ---

base::Result<uint32_t> registers_for(DmaAdapter& adapter, PMDL mdl, PVOID address, ULONG bytes) {
  if (!mdl) return static_cast<uint32_t>(ADDRESS_AND_SIZE_TO_SPAN_PAGES(address, bytes));
  return adapter.pages(buffer_of(mdl, address, bytes, TRUE), "CalculateScatterGatherList");
}

// With an MDL the page promises the size that is needed. Policy: as many elements as pages, with or without, because
// which of them become neighbours is not known before they are mapped.
NTSTATUS calculate_scatter_gather_list(PDMA_ADAPTER adapter, PMDL mdl, PVOID address, ULONG bytes, PULONG list_bytes,
                                       PULONG registers) {
  Operation operation(Fn::CalculateScatterGatherList, adapter);
  if (!operation) return STATUS_INVALID_PARAMETER;
  auto needed = registers_for(*operation.adapter, mdl, address, bytes);
  if (!needed.ok()) return nt::refuse(operation.machine, needed.failure());
  uint32_t count = needed.take();
  if (count > operation->facts().map_registers) {
    return nt::refuse(operation.machine,
                      base::Failure(STATUS_INSUFFICIENT_RESOURCES, "more map registers than IoGetDmaAdapter gave"));
  }
  *list_bytes = static_cast<ULONG>(DmaAdapter::list_bytes(count));
  if (registers) *registers = count;
  return STATUS_SUCCESS;
}

NTSTATUS build_scatter_gather_list(PDMA_ADAPTER adapter, PDEVICE_OBJECT device, PMDL mdl, PVOID address, ULONG bytes,
                                   PDRIVER_LIST_CONTROL routine, PVOID context, BOOLEAN write_to_device, PVOID memory,
                                   ULONG memory_bytes) {
  Operation operation(Fn::BuildScatterGatherList, adapter);
  if (!operation || !memory) return STATUS_INVALID_PARAMETER;
  if (nt::lacks_resources(Fn::BuildScatterGatherList)) return STATUS_INSUFFICIENT_RESOURCES;
  return finish(operation.machine, operation->get_list({.device = device,
                                                        .buffer = buffer_of(mdl, address, bytes, write_to_device),
                                                        .routine = routine,
                                                        .context = context,
                                                        .memory = memory,
                                                        .memory_bytes = memory_bytes,
                                                        .function = "BuildScatterGatherList"}));
}

// No transfer is a copy here, so the original MDL describes what the device sees, as the page allows.
NTSTATUS build_mdl_from_scatter_gather_list(PDMA_ADAPTER adapter, PSCATTER_GATHER_LIST, PMDL original, PMDL* target) {
  Operation operation(Fn::BuildMdlFromScatterGatherList, adapter);
  if (!operation || !original) return STATUS_INVALID_PARAMETER;
  if (nt::lacks_resources(Fn::BuildMdlFromScatterGatherList)) return STATUS_INSUFFICIENT_RESOURCES;
  *target = original;
  return STATUS_SUCCESS;
}

// --- Version 3 ---

// The name of a function, and the sentence about it.
struct Absent {
  template <size_t n>
  consteval Absent(const char (&name)[n]) {  // NOLINT: a literal is a name
    constexpr char kRest[] = " of DMA_OPERATIONS is not implemented";
    std::copy_n(kRest, sizeof(kRest), std::copy_n(name, n - 1, why));
  }
  char why[80] = {};
};

// The function in the slot of an operation that is not supported: it reports that when it is called.
template <Absent function>
struct Missing {
  template <typename R, typename... Args>
  using Function = R (*)(Args...);
  template <typename R, typename... Args>
  static R refuse(Args...) {
    NTSTATUS status = nt::refuse(KernelEntry::machine(), base::Failure(STATUS_NOT_IMPLEMENTED, function.why));
    if constexpr (std::is_same_v<R, NTSTATUS>) {
      return status;
    } else if constexpr (!std::is_void_v<R>) {
      return R{};
    }
  }
  template <typename R, typename... Args>
  constexpr operator Function<R, Args...>() const {  // NOLINT: it takes the shape of its slot
    return &refuse<R, Args...>;
  }
};

constexpr DMA_OPERATIONS kVersion3 = {
    .Size = sizeof(DMA_OPERATIONS),
    .PutDmaAdapter = put_dma_adapter,
    .AllocateCommonBuffer = allocate_common_buffer,
    .FreeCommonBuffer = free_common_buffer,
    .AllocateAdapterChannel = allocate_adapter_channel,
    .FlushAdapterBuffers = flush_adapter_buffers,
    .FreeAdapterChannel = free_adapter_channel,
    .FreeMapRegisters = free_map_registers,
    .MapTransfer = map_transfer,
    .GetDmaAlignment = get_dma_alignment,
    .ReadDmaCounter = read_dma_counter,
    .GetScatterGatherList = get_scatter_gather_list,
    .PutScatterGatherList = put_scatter_gather_list,
    .CalculateScatterGatherList = calculate_scatter_gather_list,
    .BuildScatterGatherList = build_scatter_gather_list,
    .BuildMdlFromScatterGatherList = build_mdl_from_scatter_gather_list,
    .GetDmaAdapterInfo = Missing<"GetDmaAdapterInfo">{},
    .GetDmaTransferInfo = Missing<"GetDmaTransferInfo">{},
    .InitializeDmaTransferContext = Missing<"InitializeDmaTransferContext">{},
    .AllocateCommonBufferEx = Missing<"AllocateCommonBufferEx">{},
    .AllocateAdapterChannelEx = Missing<"AllocateAdapterChannelEx">{},
    .ConfigureAdapterChannel = Missing<"ConfigureAdapterChannel">{},
    .CancelAdapterChannel = Missing<"CancelAdapterChannel">{},
    .MapTransferEx = Missing<"MapTransferEx">{},
    .GetScatterGatherListEx = Missing<"GetScatterGatherListEx">{},
    .BuildScatterGatherListEx = Missing<"BuildScatterGatherListEx">{},
    .FlushAdapterBuffersEx = Missing<"FlushAdapterBuffersEx">{},
    .FreeAdapterObject = Missing<"FreeAdapterObject">{},
    .CancelMappedTransfer = Missing<"CancelMappedTransfer">{},
    .AllocateDomainCommonBuffer = Missing<"AllocateDomainCommonBuffer">{},
    .FlushDmaBuffer = Missing<"FlushDmaBuffer">{},
    .JoinDmaDomain = Missing<"JoinDmaDomain">{},
    .LeaveDmaDomain = Missing<"LeaveDmaDomain">{},
    .GetDmaDomain = Missing<"GetDmaDomain">{},
    .AllocateCommonBufferWithBounds = Missing<"AllocateCommonBufferWithBounds">{},
    .AllocateCommonBufferVector = Missing<"AllocateCommonBufferVector">{},
    .GetCommonBufferFromVectorByIndex = Missing<"GetCommonBufferFromVectorByIndex">{},
    .FreeCommonBufferFromVector = Missing<"FreeCommonBufferFromVector">{},
    .FreeCommonBufferVector = Missing<"FreeCommonBufferVector">{},
    .CreateCommonBufferFromMdl = Missing<"CreateCommonBufferFromMdl">{},
};

// What an older table does not have is null: a driver that calls it faults at once.
constexpr DMA_OPERATIONS version2() {
  DMA_OPERATIONS table{};
  table.Size = offsetof(DMA_OPERATIONS, GetDmaAdapterInfo);
  table.PutDmaAdapter = kVersion3.PutDmaAdapter;
  table.AllocateCommonBuffer = kVersion3.AllocateCommonBuffer;
  table.FreeCommonBuffer = kVersion3.FreeCommonBuffer;
  table.AllocateAdapterChannel = kVersion3.AllocateAdapterChannel;
  table.FlushAdapterBuffers = kVersion3.FlushAdapterBuffers;
  table.FreeAdapterChannel = kVersion3.FreeAdapterChannel;
  table.FreeMapRegisters = kVersion3.FreeMapRegisters;
  table.MapTransfer = kVersion3.MapTransfer;
  table.GetDmaAlignment = kVersion3.GetDmaAlignment;
  table.ReadDmaCounter = kVersion3.ReadDmaCounter;
  table.GetScatterGatherList = kVersion3.GetScatterGatherList;
  table.PutScatterGatherList = kVersion3.PutScatterGatherList;
  table.CalculateScatterGatherList = kVersion3.CalculateScatterGatherList;
  table.BuildScatterGatherList = kVersion3.BuildScatterGatherList;
  table.BuildMdlFromScatterGatherList = kVersion3.BuildMdlFromScatterGatherList;
  return table;
}
constexpr DMA_OPERATIONS kVersion2 = version2();

constexpr DMA_OPERATIONS version1() {
  DMA_OPERATIONS table = kVersion2;
  table.Size = offsetof(DMA_OPERATIONS, CalculateScatterGatherList);
  table.CalculateScatterGatherList = nullptr;
  table.BuildScatterGatherList = nullptr;
  table.BuildMdlFromScatterGatherList = nullptr;
  return table;
}
constexpr DMA_OPERATIONS kVersion1 = version1();

}  // namespace

// Drivers get a non-const pointer to memory that is read-only.
PDMA_OPERATIONS nt::dma_operations(ULONG version) {
  switch (version) {
    case DEVICE_DESCRIPTION_VERSION3:
      return const_cast<PDMA_OPERATIONS>(&kVersion3);
    case DEVICE_DESCRIPTION_VERSION2:
      return const_cast<PDMA_OPERATIONS>(&kVersion2);
    default:
      return const_cast<PDMA_OPERATIONS>(&kVersion1);
  }
}

extern "C" {

// The physical device object is optional, and nothing is said of what happens without one. Policy: there is no adapter
// then.
PDMA_ADAPTER IoGetDmaAdapter(PDEVICE_OBJECT pdo, PDEVICE_DESCRIPTION description, PULONG map_registers) {
  KernelEntry call{Fn::IoGetDmaAdapter};
  if (!pdo) {
    static_cast<void>(nt::refuse(call.machine(), base::Failure(STATUS_INVALID_PARAMETER, "no physical device object")));
    return nullptr;
  }
  auto adapter = call.machine().dma().get(*pdo, *description, map_registers);
  if (adapter.ok()) return adapter.take();
  static_cast<void>(nt::refuse(call.machine(), adapter.failure()));
  return nullptr;
}

}  // extern "C"
