#include "softgpu/test_kernel.h"

#include <fmt/format.h>

#include <cstring>

#include "base/check.h"
#include "base/sanitizer.h"
#include "nt/hardware/interrupts.h"
#include "nt/ke/dpc_queues.h"
#include "nt/mm/pool.h"

namespace softgpu {
namespace {

constexpr char16_t kKey[] = u"\\Registry\\Machine\\System\\CurrentControlSet\\Control\\Class\\Display\\0000";
constexpr uint64_t kVirtualBase = 0x40000000;
constexpr uint64_t kCommands = 0x4000;  // behind four tables
constexpr uint64_t kCommandBytes = TestKernel::kFree - kCommands;
constexpr uint64_t kPageBytes = SOFTGPU_PAGE_BYTES;

TestKernel* current = nullptr;

// While one lives, code of ours runs where the driver thinks itself in control, and races are not judged.
class OurCode {
 public:
  OurCode() { base::stop_watching_races(); }
  ~OurCode() { base::watch_races(); }
  OurCode(const OurCode&) = delete;
  OurCode& operator=(const OurCode&) = delete;
};

// A DDI that is documented to run there.
class AtDispatch {
 public:
  AtDispatch() { KeRaiseIrql(DISPATCH_LEVEL, &old_); }
  ~AtDispatch() { KeLowerIrql(old_); }
  AtDispatch(const AtDispatch&) = delete;
  AtDispatch& operator=(const AtDispatch&) = delete;

 private:
  KIRQL old_;
};

}  // namespace

// DXGKRNL_INTERFACE, as far as the driver uses it.
struct Callbacks {
  static NTSTATUS map_memory(HANDLE, PHYSICAL_ADDRESS physical, ULONG bytes, BOOLEAN, BOOLEAN, MEMORY_CACHING_TYPE,
                             PVOID* address) {
    OurCode ours;
    *address = current->machine_.registers().map(static_cast<uint64_t>(physical.QuadPart), bytes);
    return *address ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
  }
  static NTSTATUS unmap_memory(HANDLE, PVOID address) {
    OurCode ours;
    current->machine_.registers().unmap(address, SOFTGPU_REGISTER_BAR_BYTES);
    return STATUS_SUCCESS;
  }
  static NTSTATUS get_device_information(HANDLE, PDXGK_DEVICE_INFO info) {
    OurCode ours;
    *info = current->device_information();
    return STATUS_SUCCESS;
  }
  static NTSTATUS synchronize(HANDLE, PKSYNCHRONIZE_ROUTINE routine, PVOID context, ULONG, PBOOLEAN result) {
    OurCode ours;
    *result = current->machine_.interrupts().synchronize(*current->interrupt_, routine, context);
    return STATUS_SUCCESS;
  }
  static BOOLEAN queue_dpc(HANDLE) {
    OurCode ours;
    return KeInsertQueueDpc(current->dpc_, nullptr, nullptr);
  }
  static VOID notify_interrupt(IN_CONST_HANDLE, IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA data) {
    OurCode ours;
    CHECK(KeGetCurrentIrql() > DISPATCH_LEVEL);
    current->notified(*data);
  }
  static VOID notify_dpc(IN_CONST_HANDLE) {
    OurCode ours;
    CHECK(KeGetCurrentIrql() == DISPATCH_LEVEL);
    ++current->dpcs;
  }
  static VOID* get_handle_data(IN_CONST_PDXGKARGCB_GETHANDLEDATA args) {
    OurCode ours;
    return current->allocations_.at(args->hObject - 1);
  }
  static NTSTATUS create_context_allocation(INOUT_PDXGKARGCB_CREATECONTEXTALLOCATION args) {
    OurCode ours;
    if (current->context_allocation_status != STATUS_SUCCESS) return current->context_allocation_status;
    current->context_allocations.push_back({*args, true});
    args->hAllocation = reinterpret_cast<HANDLE>(current->context_allocations.size());
    return STATUS_SUCCESS;
  }
  static NTSTATUS destroy_context_allocation(IN_CONST_HANDLE, IN_CONST_HANDLE allocation) {
    OurCode ours;
    auto& found = current->context_allocations.at(reinterpret_cast<uintptr_t>(allocation) - 1);
    CHECK(found.alive);
    found.alive = false;
    return STATUS_SUCCESS;
  }
  static NTSTATUS update_context_allocation(IN_CONST_HANDLE, IN_CONST_PDXGKARGCB_UPDATECONTEXTALLOCATION args) {
    OurCode ours;
    DXGKARG_BUILDPAGINGBUFFER update = {};
    update.Operation = DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION;
    update.UpdateContextAllocation.ContextAllocation = current->gpu(current->update_offset);
    update.UpdateContextAllocation.ContextAllocationSize = SOFTGPU_PAGE_BYTES;
    update.UpdateContextAllocation.pDriverPrivateData = args->pPrivateDriverData;
    update.UpdateContextAllocation.DriverPrivateDataSize = args->PrivateDriverDataSize;
    current->page(update);
    return STATUS_SUCCESS;
  }

  static BOOLEAN interrupt_routine(PKINTERRUPT, PVOID) {
    OurCode ours;
    return current->call(current->table_.DxgkDdiInterruptRoutine, current->context_, 0u);
  }
  static VOID dpc_routine(PKDPC, PVOID, PVOID, PVOID) {
    OurCode ours;
    current->call(current->table_.DxgkDdiDpcRoutine, current->context_);
  }
};

NTSTATUS register_driver(DRIVER_INITIALIZATION_DATA* table) {
  current->table_ = *table;
  return STATUS_SUCCESS;
}

TestKernel::TestKernel(nt::Machine& machine, const host::DriverImage& image)
    : machine_(machine), driver_(machine, image), registry_path_(kKey) {
  current = this;
  device_ = nt::Device::create(machine, *image.device_model()).take();
  dpc_ = new (machine.pool().allocate(sizeof(KDPC), 0, nt::PoolKind::Internal, nt::PoolFill::Zero)) KDPC;
  KeInitializeDpc(dpc_, &Callbacks::dpc_routine, nullptr);
  PHYSICAL_ADDRESS highest;
  highest.QuadPart = INT64_MAX;
  pages_ = static_cast<uint8_t*>(MmAllocateContiguousMemory(kBytes, highest));
  std::memset(pages_, 0, kBytes);
  physical_ = static_cast<uint64_t>(MmGetPhysicalAddress(pages_).QuadPart);
  build_tables();
}

TestKernel::~TestKernel() {
  for (MDL* mdl : mdls_) IoFreeMdl(mdl);
  MmFreeContiguousMemory(pages_);
  current = nullptr;
}

// All of the pages, from kVirtualBase on: the tables of levels 3, 2, 1 and 0 are the first four.
void TestKernel::build_tables() {
  for (uint32_t level = 3; level > 0; --level) {
    uint64_t table = (3 - level) * kPageBytes;
    at(table + 8 * softgpu_table_index(kVirtualBase, level)) =
        softgpu_pte(SOFTGPU_SEGMENT_SYSTEM, physical(table + kPageBytes) / kPageBytes, SOFTGPU_PTE_VALID);
  }
  for (uint64_t page = 0; page < kBytes / kPageBytes; ++page) {
    at(3 * kPageBytes + 8 * page) =
        softgpu_pte(SOFTGPU_SEGMENT_SYSTEM, physical(page * kPageBytes) / kPageBytes, SOFTGPU_PTE_VALID);
  }
}

uint64_t TestKernel::gpu(uint64_t offset) const {
  return is_virtual() ? kVirtualBase + offset : softgpu_address(SOFTGPU_SPACE_SYSTEM, physical(offset));
}

MDL* TestKernel::mdl(uint64_t offset, uint64_t bytes) {
  MDL* mdl = IoAllocateMdl(pages_ + offset, static_cast<ULONG>(bytes), FALSE, FALSE, nullptr);
  CHECK(mdl);
  MmBuildMdlForNonPagedPool(mdl);
  mdls_.push_back(mdl);
  return mdl;
}

void TestKernel::fill_interface() {
  interface_.Size = sizeof(interface_);
  interface_.DeviceHandle = this;
  interface_.DxgkCbMapMemory = &Callbacks::map_memory;
  interface_.DxgkCbUnmapMemory = &Callbacks::unmap_memory;
  interface_.DxgkCbGetDeviceInformation = &Callbacks::get_device_information;
  interface_.DxgkCbSynchronizeExecution = &Callbacks::synchronize;
  interface_.DxgkCbQueueDpc = &Callbacks::queue_dpc;
  interface_.DxgkCbNotifyInterrupt = &Callbacks::notify_interrupt;
  interface_.DxgkCbNotifyDpc = &Callbacks::notify_dpc;
  interface_.DxgkCbGetHandleData = &Callbacks::get_handle_data;
  interface_.DxgkCbCreateContextAllocation = &Callbacks::create_context_allocation;
  interface_.DxgkCbDestroyContextAllocation = &Callbacks::destroy_context_allocation;
  interface_.DxgkCbUpdateContextAllocation = &Callbacks::update_context_allocation;
}

DXGK_DEVICE_INFO TestKernel::device_information() {
  resources_.assign(sizeof(CM_RESOURCE_LIST) + sizeof(CM_PARTIAL_RESOURCE_DESCRIPTOR), 0);
  auto* list = reinterpret_cast<CM_RESOURCE_LIST*>(resources_.data());
  list->Count = 1;
  CM_PARTIAL_RESOURCE_LIST& partial = list->List[0].PartialResourceList;
  for (uint32_t bar : {SOFTGPU_REGISTER_BAR, SOFTGPU_LOCAL_BAR}) {
    CM_PARTIAL_RESOURCE_DESCRIPTOR& descriptor = partial.PartialDescriptors[partial.Count++];
    descriptor.Type = CmResourceTypeMemory;
    descriptor.u.Memory.Start.QuadPart = static_cast<LONGLONG>(device_->bar(bar)->physical);
    descriptor.u.Memory.Length = static_cast<ULONG>(device_->bar(bar)->bytes);
  }
  DXGK_DEVICE_INFO info = {};
  info.TranslatedResourceList = list;
  info.DeviceRegistryPath.Buffer = reinterpret_cast<WCHAR*>(registry_path_.data());
  info.DeviceRegistryPath.Length = static_cast<USHORT>(registry_path_.size() * sizeof(WCHAR));
  info.DeviceRegistryPath.MaximumLength = info.DeviceRegistryPath.Length;
  return info;
}

NTSTATUS TestKernel::start() {
  NTSTATUS status = driver_.load();
  if (status < 0) return status;
  fill_interface();
  call(table_.DxgkDdiAddDevice, PDEVICE_OBJECT{}, &context_);
  nt::InterruptLine line = *device_->line();
  interrupt_ = machine_.interrupts()
                   .connect({&Callbacks::interrupt_routine, nullptr, line.vector, line.irql, line.irql, nullptr, true})
                   .take();
  DXGK_START_INFO info = {};
  info.RequiredDmaQueueEntry = 64;
  ULONG sources, children;
  status = call(table_.DxgkDdiStartDevice, context_, &info, &interface_, &sources, &children);
  if (status < 0) return status;
  DXGKARG_CREATEDEVICE device = {};
  device.hDevice = reinterpret_cast<HANDLE>(0xD0);
  status = call(table_.DxgkDdiCreateDevice, static_cast<HANDLE>(context_), &device);
  kernel_device_ = device.hDevice;
  paging_ = create_context(SOFTGPU_ENGINE_COPY, true);
  return status;
}

void TestKernel::stop() {
  close_buffers();
  destroy_context(paging_);
  call(table_.DxgkDdiDestroyDevice, kernel_device_);
  call(table_.DxgkDdiStopDevice, context_);
  machine_.interrupts().disconnect(interrupt_);
  machine_.dpcs().flush();
  call(table_.DxgkDdiRemoveDevice, context_);
  if (table_.DxgkDdiUnload) call(table_.DxgkDdiUnload);
}

HANDLE TestKernel::create_context(uint32_t node, bool system) {
  DXGKARG_CREATECONTEXT args = {};
  args.hContext = reinterpret_cast<HANDLE>(0xC0);
  args.NodeOrdinal = node;
  args.EngineAffinity = 1;
  args.Flags.SystemContext = system;
  if (call(table_.DxgkDdiCreateContext, kernel_device_, &args) < 0) return nullptr;
  if (is_virtual()) set_root(args.hContext);
  return args.hContext;
}

void TestKernel::set_root(HANDLE context) {
  DXGKARG_SETROOTPAGETABLE args = {};
  args.hContext = context;
  args.Address.SegmentId = SOFTGPU_SEGMENT_SYSTEM;
  args.Address.SegmentOffset = physical(0);
  args.NumEntries = SOFTGPU_TABLE_ENTRIES;
  call(table_.DxgkDdiSetRootPageTable, static_cast<HANDLE>(context_), &args);
}

void TestKernel::destroy_context(HANDLE context) { call(table_.DxgkDdiDestroyContext, context); }

HANDLE TestKernel::open_buffer(uint64_t bytes, Open how) {
  SOFTGPU_ALLOCATION data = softgpu_buffer(bytes, 0, 0);
  DXGK_ALLOCATIONINFO info = {};
  info.pPrivateDriverData = &data;
  info.PrivateDriverDataSize = sizeof(data);
  DXGKARG_CREATEALLOCATION create = {};
  create.NumAllocations = 1;
  create.pAllocationInfo = &info;
  CHECK(call(table_.DxgkDdiCreateAllocation, static_cast<HANDLE>(context_), &create) == STATUS_SUCCESS);
  allocations_.push_back(info.hAllocation);

  DXGK_OPENALLOCATIONINFO opened = {};
  opened.hAllocation = static_cast<D3DKMT_HANDLE>(allocations_.size());
  DXGKARG_OPENALLOCATION open = {};
  open.NumAllocations = 1;
  open.pOpenAllocation = &opened;
  open.Flags.ReadOnly = how == Open::ReadOnly;
  CHECK(call(table_.DxgkDdiOpenAllocation, kernel_device_, &open) == STATUS_SUCCESS);
  views_.push_back(opened.hDeviceSpecificAllocation);
  return views_.back();
}

void TestKernel::close_buffers() {
  if (views_.empty()) return;
  DXGKARG_CLOSEALLOCATION close = {static_cast<UINT>(views_.size()), views_.data()};
  CHECK(call(table_.DxgkDdiCloseAllocation, kernel_device_, &close) == STATUS_SUCCESS);
  DXGKARG_DESTROYALLOCATION destroy = {};
  destroy.NumAllocations = static_cast<UINT>(allocations_.size());
  destroy.pAllocationList = allocations_.data();
  CHECK(call(table_.DxgkDdiDestroyAllocation, static_cast<HANDLE>(context_), &destroy) == STATUS_SUCCESS);
}

NTSTATUS TestKernel::submit(HANDLE context, uint32_t fence, const Build& build, DXGK_SUBMITCOMMANDFLAGS flags) {
  constexpr uint32_t kRoom = 0x400;
  uint64_t offset = kCommands + next_command_;
  next_command_ = (next_command_ + kRoom) % kCommandBytes;
  SOFTGPU_BUILDER builder = softgpu_builder(pages_ + offset, kRoom);
  if (build) build(builder);
  CHECK(!builder.full);
  return submit_buffer(context, SOFTGPU_ENGINE_COPY, offset, builder.used, fence, flags);
}

NTSTATUS TestKernel::submit_buffer(HANDLE context, uint32_t node, uint64_t offset, uint32_t bytes, uint32_t fence,
                                   DXGK_SUBMITCOMMANDFLAGS flags) {
  AtDispatch at_dispatch;
  if (is_virtual()) {
    DXGKARG_SUBMITCOMMANDVIRTUAL args = {};
    args.hContext = context;
    args.NodeOrdinal = node;
    args.DmaBufferVirtualAddress = gpu(offset);
    args.DmaBufferSize = bytes;
    args.SubmissionFenceId = fence;
    args.Flags = flags;
    return call(table_.DxgkDdiSubmitCommandVirtual, static_cast<HANDLE>(context_), &args);
  }
  DXGKARG_SUBMITCOMMAND args = {};
  args.hContext = context;
  args.NodeOrdinal = node;
  args.DmaBufferPhysicalAddress.QuadPart = static_cast<LONGLONG>(physical(offset));
  args.DmaBufferSize = bytes;
  args.DmaBufferSubmissionEndOffset = bytes;
  args.SubmissionFenceId = fence;
  args.Flags = flags;
  return call(table_.DxgkDdiSubmitCommand, static_cast<HANDLE>(context_), &args);
}

uint32_t TestKernel::page(DXGKARG_BUILDPAGINGBUFFER args, uint32_t room) {
  CHECK(room <= kCommandBytes);
  for (uint32_t buffers = 1;; ++buffers) {
    uint8_t* begin = pages_ + kCommands;
    args.pDmaBuffer = begin;
    args.DmaSize = room;
    NTSTATUS status = call(table_.DxgkDdiBuildPagingBuffer, static_cast<HANDLE>(context_), &args);
    CHECK(status == STATUS_SUCCESS || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
    auto bytes = static_cast<uint32_t>(static_cast<uint8_t*>(args.pDmaBuffer) - begin);
    CHECK(bytes <= room);
    DXGK_SUBMITCOMMANDFLAGS flags = {};
    flags.Paging = 1;
    submit_buffer(paging_, SOFTGPU_ENGINE_COPY, kCommands, bytes, ++paging_fence_, flags);
    wait();
    take_log();
    if (status == STATUS_SUCCESS) return buffers;
  }
}

void TestKernel::preempt(uint32_t node, uint32_t fence) {
  AtDispatch at_dispatch;
  DXGKARG_PREEMPTCOMMAND args = {};
  args.PreemptionFenceId = fence;
  args.NodeOrdinal = node;
  CHECK(call(table_.DxgkDdiPreemptCommand, static_cast<HANDLE>(context_), &args) == STATUS_SUCCESS);
}

uint32_t TestKernel::current_fence(uint32_t node) {
  DXGKARG_QUERYCURRENTFENCE args = {};
  args.NodeOrdinal = node;
  CHECK(call(table_.DxgkDdiQueryCurrentFence, static_cast<HANDLE>(context_), &args) == STATUS_SUCCESS);
  return args.CurrentFence;
}

NTSTATUS TestKernel::reset_engine(uint32_t node, uint32_t* aborted) {
  DXGKARG_RESETENGINE args = {};
  args.NodeOrdinal = node;
  NTSTATUS status = call(table_.DxgkDdiResetEngine, static_cast<HANDLE>(context_), &args);
  *aborted = args.LastAbortedFenceId;
  return status;
}

void TestKernel::reset_adapter() {
  CHECK(call(table_.DxgkDdiResetFromTimeout, static_cast<HANDLE>(context_)) == STATUS_SUCCESS);
  CHECK(call(table_.DxgkDdiRestartFromTimeout, static_cast<HANDLE>(context_)) == STATUS_SUCCESS);
}

NTSTATUS TestKernel::escape(uint32_t code, uint32_t engine, uint64_t argument, HANDLE context) {
  SOFTGPU_ESCAPE request = softgpu_escape(code, engine, argument);
  DXGKARG_ESCAPE args = {};
  args.pPrivateDriverData = &request;
  args.PrivateDriverDataSize = sizeof(request);
  args.hContext = context;
  return call(table_.DxgkDdiEscape, static_cast<HANDLE>(context_), &args);
}

void TestKernel::wait(uint64_t time_ns) {
  base::Executor& executor = machine_.executor();
  base::TimeNs until = executor.now() + time_ns;
  while (executor.park(until, base::Point::Wait) != base::Wake::Deadline) {
  }
}

void TestKernel::notified(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  switch (data.InterruptType) {
    case DXGK_INTERRUPT_DMA_COMPLETED:
      log_.push_back(
          fmt::format("completed {}:{}", data.DmaCompleted.NodeOrdinal, data.DmaCompleted.SubmissionFenceId));
      return;
    case DXGK_INTERRUPT_DMA_PREEMPTED:
      log_.push_back(fmt::format("preempted {}:{} after {}", data.DmaPreempted.NodeOrdinal,
                                 data.DmaPreempted.PreemptionFenceId, data.DmaPreempted.LastCompletedFenceId));
      return;
    case DXGK_INTERRUPT_DMA_PAGE_FAULTED:
      log_.push_back(
          fmt::format("faulted {}:{}", data.DmaPageFaulted.NodeOrdinal, UINT{data.DmaPageFaulted.FaultedFenceId}));
      return;
    case DXGK_INTERRUPT_DMA_FAULTED:
      log_.push_back(fmt::format("faulted {}:{}", data.DmaFaulted.NodeOrdinal, data.DmaFaulted.FaultedFenceId));
      return;
    case DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED:
      log_.push_back(fmt::format("signaled {}", data.MonitoredFenceSignaled.NodeOrdinal));
      return;
    default:
      log_.push_back(fmt::format("interrupt {}", static_cast<int>(data.InterruptType)));
  }
}

std::vector<std::string> TestKernel::take_log() { return std::exchange(log_, {}); }

}  // namespace softgpu

// The driver's own call, in place of the graphics kernel's function.
EXTERN_C_START
NTSTATUS DxgkInitialize(PDRIVER_OBJECT, PUNICODE_STRING, PDRIVER_INITIALIZATION_DATA table) {
  return softgpu::register_driver(table);
}
EXTERN_C_END
