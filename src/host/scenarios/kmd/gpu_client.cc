#include "host/scenarios/kmd/gpu_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/align.h"
#include "drivers/softgpu/proto/softgpu_user.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/work/gpu.h"
#include "kmt/client/thunks.h"

namespace host {
namespace {

uint32_t flags_for(GpuClient::Place place, bool shared) {
  uint32_t flags = shared ? SOFTGPU_ALLOCATION_SHARED : 0;
  switch (place) {
    case GpuClient::Place::Video:
      return flags;
    case GpuClient::Place::Visible:
      return flags | SOFTGPU_ALLOCATION_CPU_VISIBLE;
    case GpuClient::Place::Readback:
      return flags | SOFTGPU_ALLOCATION_CPU_VISIBLE | SOFTGPU_ALLOCATION_CACHED;
  }
  CHECK(false);
}

// What hardware in good order would not do.
bool misbehaves(uint32_t escape) {
  switch (escape) {
    case SOFTGPU_ESCAPE_HANG_ENGINE:
    case SOFTGPU_ESCAPE_FAULT_ENGINE:
    case SOFTGPU_ESCAPE_REFUSE_RESET:
    case SOFTGPU_ESCAPE_REFUSE_PREEMPTION:
    case SOFTGPU_ESCAPE_DROP_INTERRUPTS:
      return true;
    default:
      return false;
  }
}

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
  ask_driver();
  graphics_.adapter().gpu().trust_hardware();
  return open_device();
}

void GpuClient::ask_driver() {
  SOFTGPU_ADAPTER answer{};
  D3DKMT_QUERYADAPTERINFO args{};
  args.hAdapter = adapter_;
  args.Type = KMTQAITYPE_UMDRIVERPRIVATE;
  args.pPrivateDriverData = &answer;
  args.PrivateDriverDataSize = sizeof(answer);
  if (kmt::QueryAdapterInfo(client(), &args) < 0) return;
  speaks_ = answer.magic == SOFTGPU_USER_MAGIC && answer.version == SOFTGPU_USER_VERSION &&
            (answer.virtual_addressing != 0) == has_addresses();
  if (speaks_) local_bytes_ = answer.local_bytes;
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

std::optional<GpuBuffer> GpuClient::create_speaking(SOFTGPU_ALLOCATION data, Kind kind) {
  bool shared = kind == Kind::SharedGlobal || kind == Kind::SharedNt;
  D3DDDI_ALLOCATIONINFO2 info{};
  info.pPrivateDriverData = &data;
  info.PrivateDriverDataSize = sizeof(data);
  D3DKMT_CREATEALLOCATION args{};
  args.hDevice = device();
  args.NumAllocations = 1;
  args.pAllocationInfo2 = &info;
  args.Flags.CreateResource = kind != Kind::Alone;
  args.Flags.CreateShared = shared;
  args.Flags.NtSecuritySharing = kind == Kind::SharedNt;
  if (answered("CreateAllocation2", kmt::CreateAllocation2(client(), &args)) < 0) return std::nullopt;
  return GpuBuffer{args.hResource, info.hAllocation, args.hGlobalShare, data.bytes, 0};
}

std::optional<GpuBuffer> GpuClient::create_buffer(uint64_t bytes, Place place, Kind kind) {
  if (speaks_) {
    bool shared = kind == Kind::SharedGlobal || kind == Kind::SharedNt;
    uint32_t segment = place == Place::Visible ? SOFTGPU_SEGMENT_LOCAL : 0;
    return create_speaking(softgpu_buffer(bytes, flags_for(place, shared), segment), kind);
  }
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
  CHECK(speaks_);
  uint32_t pitch = width * 4;
  SOFTGPU_ALLOCATION data = softgpu_buffer(uint64_t{pitch} * height, flags_for(Place::Video, false), 0);
  data.width = width;
  data.height = height;
  data.pitch = pitch;
  data.format = D3DDDIFMT_A8R8G8B8;
  std::optional<GpuBuffer> surface = create_speaking(data, Kind::Alone);
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
  return speaks_ && !graphics_.machine().broken() && !graphics_.disturbed() && !graphics_.adapter().memory().gave_up();
}

bool GpuClient::expect(bool fact, const char* step, base::Here where) const {
  if (!fact && reliable()) {
    graphics_.machine().report_violation(nt::Violation::WorkLost,
                                         fmt::format("{}'s correct work did not come about{}", name_, in_step(step)));
  } else if (!speaks_) {
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
  } else if (!speaks_ && graphics_.undisturbed()) {
    graphics_.fall_short(fmt::format("expected: a request of {} succeeds: it was answered {} ({})", name_,
                                     words_of(status), place_of(where)));
  }
  return false;
}

bool GpuClient::expect_content(bool right, const char* what) const {
  if (!right && reliable()) graphics_.machine().report_violation(nt::Violation::ContentWrong, what);
  return right;
}

NTSTATUS GpuClient::escape(uint32_t code, uint32_t engine, uint64_t argument, D3DKMT_HANDLE context, uint64_t* value) {
  if (!speaks_) return STATUS_NOT_SUPPORTED;
  if (misbehaves(code)) graphics_.adapter().gpu().distrust_hardware();
  SOFTGPU_ESCAPE data = softgpu_escape(code, engine, argument);
  D3DKMT_ESCAPE args{};
  args.hAdapter = adapter_;
  args.hDevice = context ? device() : 0;
  args.hContext = context;
  args.Type = D3DKMT_ESCAPE_DRIVERPRIVATE;
  args.pPrivateDriverData = &data;
  args.PrivateDriverDataSize = sizeof(data);
  NTSTATUS status = kmt::Escape(client(), &args);
  if (status >= 0 && value) *value = data.value;
  return status;
}

D3DKMT_DEVICEEXECUTION_STATE GpuClient::state() {
  D3DKMT_GETDEVICESTATE args{};
  args.hDevice = device();
  args.StateType = D3DKMT_DEVICESTATE_EXECUTION;
  if (kmt::GetDeviceState(client(), &args) < 0) return D3DKMT_DEVICEEXECUTION_STOPPED;
  return args.ExecutionState;
}

}  // namespace host
