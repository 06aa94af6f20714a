#include "host/scenarios/kmd/gpu_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/align.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/work/gpu.h"
#include "host/scenarios/kmd/scenario_environment.h"
#include "kmt/client/thunks.h"

namespace host {
namespace {

uint32_t place_for(GpuClient::Place place) {
  switch (place) {
    case GpuClient::Place::Video:
      return DRYDOCK_WORKLOAD_VIDEO;
    case GpuClient::Place::Visible:
      return DRYDOCK_WORKLOAD_VISIBLE;
    case GpuClient::Place::Readback:
      return DRYDOCK_WORKLOAD_READBACK;
    case GpuClient::Place::Commands:
      return DRYDOCK_WORKLOAD_COMMANDS;
  }
  CHECK(false);
}

bool is_shared(GpuClient::Kind kind) {
  return kind == GpuClient::Kind::SharedGlobal || kind == GpuClient::Kind::SharedNt;
}

const char* work_name(uint32_t kind) {
  constexpr const char* kNames[DRYDOCK_WORK_KINDS] = {"empty",    "filling",  "copying",  "checksumming",
                                                      "long",     "endless",  "faulting", "signalling",
                                                      "register", "register", "register"};
  return kNames[kind];
}

const char* hardware_name(uint32_t kind) {
  constexpr const char* kNames[DRYDOCK_HARDWARE_KINDS] = {"hang",
                                                          "fault",
                                                          "refuse a reset",
                                                          "refuse preemption",
                                                          "become slower",
                                                          "drop interrupts",
                                                          "load the registers of a context"};
  return kNames[kind];
}

// What hardware in good order would not do.
bool is_trouble(uint32_t kind) { return kind != DRYDOCK_HARDWARE_SLOW && kind != DRYDOCK_HARDWARE_SET_REGISTERS; }

// " in write_and_read". A lambda of a scenario has no name.
std::string in_step(std::string_view function) {
  return function == "operator()" ? std::string() : fmt::format(" in {}", function);
}

}  // namespace

// --- Opening ---

bool GpuClient::open() {
  D3DKMT_OPENADAPTERFROMLUID args{};
  args.AdapterLuid = graphics_.adapter().luid();
  if (answered("OpenAdapterFromLuid", kmt::OpenAdapterFromLuid(client(), &args)) < 0) return false;
  adapter_ = args.hAdapter;
  open_workload();
  graphics_.adapter().gpu().trust_hardware();
  return open_device();
}

void GpuClient::open_workload() {
  const Workload* workload = graphics_.workload();
  if (!workload || workload_) return;
  std::vector<uint8_t> answer((*workload)->adapter_bytes);
  D3DKMT_QUERYADAPTERINFO args{};
  args.hAdapter = adapter_;
  args.Type = KMTQAITYPE_UMDRIVERPRIVATE;
  args.pPrivateDriverData = answer.data();
  args.PrivateDriverDataSize = static_cast<UINT>(answer.size());
  bool answers = !answer.empty() && kmt::QueryAdapterInfo(client(), &args) >= 0;
  DRYDOCK_WORKLOAD_ADAPTER adapter{};
  adapter.size = sizeof(adapter);
  adapter.nodes = nodes();
  adapter.gpu_virtual_memory = has_addresses();
  adapter.private_bytes = answers ? static_cast<uint32_t>(answer.size()) : 0;
  adapter.private_data = answers ? answer.data() : nullptr;
  workload_ = WorkloadClient::open(*workload, adapter);
}

std::string GpuClient::missing(std::initializer_list<uint32_t> work, std::initializer_list<uint32_t> hardware) const {
  if (!workload_) return kNoCommands;
  for (uint32_t kind : work) {
    if (!knows(kind, 0)) return fmt::format("the workload {} knows no {} work", workload_->name(), work_name(kind));
  }
  for (uint32_t kind : hardware) {
    if (can_misbehave(kind)) continue;
    return fmt::format("the workload {} cannot make the hardware {}", workload_->name(), hardware_name(kind));
  }
  return "";
}

std::optional<BuiltCommands> GpuClient::build(const GpuCommands& commands, uint32_t node) const {
  if (!workload_) return BuiltCommands{};
  std::vector<DRYDOCK_WORK> work;
  for (const GpuCommands::Item& item : commands.items()) work.push_back(item.work);
  for (DRYDOCK_WORK& each : work) each.node = node;
  auto built = workload_->build(work);
  if (built.ok()) return built.take();
  graphics_.fall_short(built.error());
  return std::nullopt;
}

bool GpuClient::open_device() {
  if (!allocations_.open_device()) return false;
  if (!has_residency()) return true;
  D3DKMT_CREATEPAGINGQUEUE args{};
  args.hDevice = device();
  if (answered("CreatePagingQueue", kmt::CreatePagingQueue(client(), &args)) < 0) return false;
  queue_ = args.hPagingQueue;
  queue_fence_ = args.hSyncObject;
  paging_value_ = 0;
  return true;
}

// --- Buffers ---

DRYDOCK_WORKLOAD_MEMORY GpuClient::memory_of(uint64_t bytes, Place place) {
  DRYDOCK_WORKLOAD_MEMORY memory{};
  memory.size = sizeof(memory);
  memory.place = place_for(place);
  memory.bytes = bytes;
  return memory;
}

std::optional<std::vector<uint8_t>> GpuClient::describe(const DRYDOCK_WORKLOAD_MEMORY& memory) const {
  auto data = workload_->describe(memory);
  if (data.ok()) return data.take();
  graphics_.fall_short(data.error());
  return std::nullopt;
}

std::optional<GpuBuffer> GpuClient::create_from(std::vector<uint8_t> private_data, uint64_t bytes, Kind kind) {
  D3DDDI_ALLOCATIONINFO2 info{};
  info.pPrivateDriverData = private_data.data();
  info.PrivateDriverDataSize = static_cast<UINT>(private_data.size());
  D3DKMT_CREATEALLOCATION args{};
  args.hDevice = device();
  args.NumAllocations = 1;
  args.pAllocationInfo2 = &info;
  args.Flags.CreateResource = kind != Kind::Alone;
  args.Flags.CreateShared = is_shared(kind);
  args.Flags.NtSecuritySharing = kind == Kind::SharedNt;
  if (answered("CreateAllocation2", kmt::CreateAllocation2(client(), &args)) < 0) return std::nullopt;
  return GpuBuffer{args.hResource, info.hAllocation, args.hGlobalShare, bytes, 0};
}

std::optional<GpuBuffer> GpuClient::create_described(DRYDOCK_WORKLOAD_MEMORY memory, Kind kind) {
  memory.shared = is_shared(kind);
  auto data = describe(memory);
  return data ? create_from(std::move(*data), memory.bytes, kind) : std::nullopt;
}

std::optional<GpuBuffer> GpuClient::create_buffer(uint64_t bytes, Place place, Kind kind) {
  if (workload_) return create_described(memory_of(bytes, place), kind);
  auto made = allocations_.create(kind, 1);
  if (!made) return std::nullopt;
  return GpuBuffer{made->resource, made->allocations.front(), made->global_share, bytes, 0};
}

std::optional<GpuBuffer> GpuClient::open_buffer(D3DKMT_HANDLE global_share, uint64_t bytes) {
  auto made = allocations_.open(global_share);
  if (!made) return std::nullopt;
  return GpuBuffer{made->resource, made->allocations.front(), 0, bytes, 0};
}

bool GpuClient::prepare(GpuBuffer& buffer) {
  if (map(buffer) < 0) return false;
  if (make_resident(buffer) < 0 && make_resident(buffer, Trim::Cannot) < 0) return false;
  return wait_for_paging() >= 0;
}

std::optional<GpuBuffer> GpuClient::make_buffer(uint64_t bytes, Place place, Kind kind) {
  std::optional<GpuBuffer> buffer = create_buffer(bytes, place, kind);
  if (!buffer || prepare(*buffer)) return buffer;
  destroy_buffer(*buffer);
  return std::nullopt;
}

std::optional<GpuBuffer> GpuClient::make_surface(uint32_t width, uint32_t height) {
  CHECK(workload_);
  uint32_t pitch = width * 4;
  DRYDOCK_WORKLOAD_MEMORY memory = memory_of(uint64_t{pitch} * height, Place::Video);
  memory.width = width;
  memory.height = height;
  memory.pitch = pitch;
  memory.format = D3DDDIFMT_A8R8G8B8;
  std::optional<GpuBuffer> surface = create_described(memory, Kind::Alone);
  if (!surface || prepare(*surface)) return surface;
  destroy_buffer(*surface);
  return std::nullopt;
}

NTSTATUS GpuClient::destroy_buffer(const GpuBuffer& buffer, D3DDDICB_DESTROYALLOCATION2FLAGS flags) {
  if (!buffer.resource) return allocations_.destroy_list({buffer.allocation}, flags);
  return allocations_.destroy_resource({buffer.resource, 0, {}}, flags);
}

NTSTATUS GpuClient::map(GpuBuffer& buffer) {
  if (!has_addresses()) return STATUS_SUCCESS;
  D3DDDI_MAPGPUVIRTUALADDRESS args{};
  args.hPagingQueue = queue_;
  args.hAllocation = buffer.allocation;
  args.SizeInPages = base::page_count(buffer.bytes);
  args.Protection.Write = 1;
  args.Protection.Execute = 1;
  NTSTATUS status = kmt::MapGpuVirtualAddress(client(), &args);
  if (status < 0) return status;
  buffer.address = args.VirtualAddress;
  if (status == STATUS_PENDING) paging_value_ = std::max<uint64_t>(paging_value_, args.PagingFenceValue);
  return status;
}

NTSTATUS GpuClient::make_resident(const GpuBuffer& buffer, Trim trim) {
  if (!has_residency()) return STATUS_SUCCESS;
  D3DDDI_MAKERESIDENT args{};
  args.hPagingQueue = queue_;
  args.NumAllocations = 1;
  args.AllocationList = &buffer.allocation;
  args.Flags.CantTrimFurther = trim == Trim::Cannot;
  NTSTATUS status = kmt::MakeResident(client(), &args);
  if (status == STATUS_PENDING) paging_value_ = std::max<uint64_t>(paging_value_, args.PagingFenceValue);
  return status;
}

NTSTATUS GpuClient::evict(const GpuBuffer& buffer) {
  if (!has_residency()) return STATUS_SUCCESS;
  D3DKMT_EVICT args{};
  args.hDevice = device();
  args.NumAllocations = 1;
  args.AllocationList = &buffer.allocation;
  return kmt::Evict(client(), &args);
}

NTSTATUS GpuClient::wait_for_paging() {
  return paging_value_ == 0 ? STATUS_SUCCESS : wait(queue_fence_, paging_value_);
}

NTSTATUS GpuClient::lock(const GpuBuffer& buffer, uint8_t** bytes) {
  NTSTATUS status;
  if (has_residency()) {
    D3DKMT_LOCK2 args{};
    args.hDevice = device();
    args.hAllocation = buffer.allocation;
    status = kmt::Lock2(client(), &args);
    *bytes = static_cast<uint8_t*>(args.pData);
  } else {
    D3DKMT_LOCK args{};
    args.hDevice = device();
    args.hAllocation = buffer.allocation;
    args.Flags.LockEntire = 1;
    status = kmt::Lock(client(), &args);
    *bytes = static_cast<uint8_t*>(args.pData);
  }
  return status;
}

NTSTATUS GpuClient::unlock(const GpuBuffer& buffer) {
  if (has_residency()) {
    D3DKMT_UNLOCK2 args{device(), buffer.allocation};
    return kmt::Unlock2(client(), &args);
  }
  D3DKMT_UNLOCK args{device(), 1, &buffer.allocation};
  return kmt::Unlock(client(), &args);
}

std::vector<uint8_t> GpuClient::read(const GpuBuffer& buffer) {
  uint8_t* bytes = nullptr;
  if (lock(buffer, &bytes) < 0) return {};
  std::vector<uint8_t> copy(bytes, bytes + buffer.bytes);
  unlock(buffer);
  return copy;
}

NTSTATUS GpuClient::write(const GpuBuffer& buffer, std::span<const uint8_t> bytes) {
  uint8_t* to = nullptr;
  NTSTATUS status = lock(buffer, &to);
  if (status < 0) return status;
  std::memcpy(to, bytes.data(), bytes.size());
  return unlock(buffer);
}

// --- Synchronisation ---

std::optional<D3DKMT_HANDLE> GpuClient::make_object(D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info) {
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args{};
  args.hDevice = device();
  args.Info = info;
  if (answered("CreateSynchronizationObject2", kmt::CreateSynchronizationObject2(client(), &args)) < 0)
    return std::nullopt;
  return args.hSyncObject;
}

std::optional<GpuFence> GpuClient::make_fence() {
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args{};
  args.hDevice = device();
  args.Info.Type = D3DDDI_MONITORED_FENCE;
  if (answered("CreateSynchronizationObject2", kmt::CreateSynchronizationObject2(client(), &args)) < 0)
    return std::nullopt;
  const auto& fence = args.Info.MonitoredFence;
  return GpuFence{args.hSyncObject, static_cast<const volatile uint64_t*>(fence.FenceValueCPUVirtualAddress),
                  fence.FenceValueGPUVirtualAddress};
}

NTSTATUS GpuClient::wait(D3DKMT_HANDLE fence, uint64_t value) {
  D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU args{};
  UINT64 wanted = value;
  args.hDevice = device();
  args.ObjectCount = 1;
  args.ObjectHandleArray = &fence;
  args.FenceValueArray = &wanted;
  return kmt::WaitForSynchronizationObjectFromCpu(client(), &args);
}

NTSTATUS GpuClient::signal(D3DKMT_HANDLE fence, uint64_t value) {
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU args{};
  UINT64 wanted = value;
  args.hDevice = device();
  args.ObjectCount = 1;
  args.ObjectHandleArray = &fence;
  args.FenceValueArray = &wanted;
  return kmt::SignalSynchronizationObjectFromCpu(client(), &args);
}

NTSTATUS GpuClient::destroy_object(D3DKMT_HANDLE object) {
  D3DKMT_DESTROYSYNCHRONIZATIONOBJECT args{object};
  return kmt::DestroySynchronizationObject(client(), &args);
}

// --- The rest ---

bool GpuClient::reliable() const {
  return workload_ && !graphics_.machine().broken() && !graphics_.disturbed() &&
         !graphics_.adapter().memory().gave_up();
}

bool GpuClient::expect(bool fact, const char* step, base::Here where) const {
  if (!fact && reliable()) {
    graphics_.machine().report_violation(nt::Violation::WorkLost,
                                         fmt::format("{}'s correct work did not come about{}", name_, in_step(step)));
  } else if (!workload_) {
    allocations_.expect(fact, where);
  }
  return fact;
}

bool GpuClient::succeeds(NTSTATUS status, const char* step, base::Here where) const {
  if (status >= 0) return true;
  if (reliable()) {
    graphics_.machine().report_violation(nt::Violation::WorkLost,
                                         fmt::format("{} was answered 0x{:08X} to a correct request{}", name_,
                                                     static_cast<uint32_t>(status), in_step(step)));
  } else if (!workload_ && graphics_.undisturbed()) {
    graphics_.fall_short(fmt::format("expected: a request of {} succeeds: it was answered {} ({})", name_,
                                     words_of(status), place_of(where)));
  }
  return false;
}

bool GpuClient::expect_content(bool right, const char* what) const {
  if (!right && reliable()) graphics_.machine().report_violation(nt::Violation::ContentWrong, what);
  return right;
}

NTSTATUS GpuClient::misbehave(uint32_t kind, uint32_t node, uint64_t value, D3DKMT_HANDLE context) {
  if (!workload_) return STATUS_NOT_SUPPORTED;
  auto data = workload_->misbehave({sizeof(DRYDOCK_WORKLOAD_HARDWARE), kind, node, 0, value});
  if (!data.ok()) return STATUS_NOT_SUPPORTED;
  std::vector<uint8_t> bytes = data.take();
  if (is_trouble(kind)) graphics_.adapter().gpu().distrust_hardware();
  D3DKMT_ESCAPE args{};
  args.hAdapter = adapter_;
  args.hDevice = context ? device() : 0;
  args.hContext = context;
  args.Type = D3DKMT_ESCAPE_DRIVERPRIVATE;
  args.pPrivateDriverData = bytes.data();
  args.PrivateDriverDataSize = static_cast<UINT>(bytes.size());
  return kmt::Escape(client(), &args);
}

D3DKMT_DEVICEEXECUTION_STATE GpuClient::state() {
  D3DKMT_GETDEVICESTATE args{};
  args.hDevice = device();
  args.StateType = D3DKMT_DEVICESTATE_EXECUTION;
  if (kmt::GetDeviceState(client(), &args) < 0) return D3DKMT_DEVICEEXECUTION_STOPPED;
  return args.ExecutionState;
}

}  // namespace host
