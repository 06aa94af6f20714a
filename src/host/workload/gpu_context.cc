#include "host/workload/gpu_context.h"

#include <algorithm>

#include "kmt/client/thunks.h"

namespace host {
namespace {

// --- With virtual addresses ---

// Commands lie in a buffer of the context's own, one row behind the other; when it is full the GPU has to be done with
// all of them before it is used again.
class VirtualContext final : public GpuContext {
 public:
  VirtualContext(GpuClient& client, uint32_t node) : GpuContext(client, node) {}

 private:
  static constexpr uint64_t kRoom = 16 * 1024;

  bool make() override;
  NTSTATUS send(const GpuSubmission& submission) override;
  NTSTATUS store(std::span<const uint8_t> commands);

  GpuBuffer room_;
  uint64_t used_ = 0;
};

bool VirtualContext::make() {
  D3DKMT_CREATECONTEXTVIRTUAL args{};
  args.hDevice = client_.device();
  args.NodeOrdinal = node_;
  args.EngineAffinity = 1;
  if (client_.answered("CreateContextVirtual", kmt::CreateContextVirtual(client_.client(), &args)) < 0) return false;
  handle_ = args.hContext;
  if (!client_.has_workload()) return true;
  auto room = client_.make_buffer(kRoom, GpuClient::Place::Commands);
  if (room) room_ = *room;
  return room.has_value();
}

NTSTATUS VirtualContext::store(std::span<const uint8_t> commands) {
  if (commands.size() > kRoom) return STATUS_BUFFER_OVERFLOW;
  if (used_ + commands.size() > kRoom) {
    NTSTATUS status = finish();
    if (status < 0) return status;
    used_ = 0;
  }
  uint8_t* to = nullptr;
  NTSTATUS status = client_.lock(room_, &to);
  if (status < 0) return status;
  std::ranges::copy(commands, to + used_);  // may be none
  return client_.unlock(room_);
}

NTSTATUS VirtualContext::send(const GpuSubmission& submission) {
  D3DKMT_SUBMITCOMMAND args{};
  args.BroadcastContextCount = 1;
  args.BroadcastContext[0] = handle_;
  std::vector<uint8_t> private_data = submission.private_data;  // the kernel may write to it
  if (client_.has_workload()) {
    NTSTATUS status = store(submission.commands);
    if (status < 0) return status;
    args.Commands = room_.address + used_;
    args.CommandLength = submission.command_bytes;
    args.pPrivateDriverData = private_data.empty() ? nullptr : private_data.data();
    args.PrivateDriverDataSize = static_cast<UINT>(private_data.size());
    used_ += submission.commands.size();
  }
  return client_.answered("SubmitCommand", kmt::SubmitCommand(client_.client(), &args));
}

// --- Patched ---

class PatchedContext final : public GpuContext {
 public:
  PatchedContext(GpuClient& client, uint32_t node) : GpuContext(client, node) {}

 private:
  bool make() override;
  NTSTATUS send(const GpuSubmission& submission) override;
  bool fits(const GpuSubmission& submission) const;

  // Where the next commands go.
  uint8_t* commands_ = nullptr;
  UINT command_bytes_ = 0;
  D3DDDI_ALLOCATIONLIST* allocations_ = nullptr;
  UINT allocation_room_ = 0;
  D3DDDI_PATCHLOCATIONLIST* patches_ = nullptr;
  UINT patch_room_ = 0;
};

bool PatchedContext::make() {
  D3DKMT_CREATECONTEXT args{};
  args.hDevice = client_.device();
  args.NodeOrdinal = node_;
  args.EngineAffinity = 1;
  if (client_.answered("CreateContext", kmt::CreateContext(client_.client(), &args)) < 0) return false;
  handle_ = args.hContext;
  commands_ = static_cast<uint8_t*>(args.pCommandBuffer);
  command_bytes_ = args.CommandBufferSize;
  allocations_ = args.pAllocationList;
  allocation_room_ = args.AllocationListSize;
  patches_ = args.pPatchLocationList;
  patch_room_ = args.PatchLocationListSize;
  return true;
}

// What the driver gave its context decides how much fits: a workload cannot know that.
bool PatchedContext::fits(const GpuSubmission& submission) const {
  return submission.commands.size() <= command_bytes_ && submission.allocations.size() <= allocation_room_ &&
         submission.patches.size() <= patch_room_;
}

NTSTATUS PatchedContext::send(const GpuSubmission& submission) {
  D3DKMT_RENDER args{};
  args.hContext = handle_;
  if (client_.has_workload()) {
    if (!fits(submission)) return client_.answered("Render", STATUS_BUFFER_OVERFLOW);
    std::ranges::copy(submission.commands, commands_);
    std::ranges::copy(submission.allocations, allocations_);
    std::ranges::copy(submission.patches, patches_);
    args.CommandLength = submission.command_bytes;
    args.AllocationCount = static_cast<UINT>(submission.allocations.size());
    args.PatchLocationCount = static_cast<UINT>(submission.patches.size());
  }
  NTSTATUS status = client_.answered("Render", kmt::Render(client_.client(), &args));
  if (status < 0) return status;
  commands_ = static_cast<uint8_t*>(args.pNewCommandBuffer);
  command_bytes_ = args.NewCommandBufferSize;
  allocations_ = args.pNewAllocationList;
  allocation_room_ = args.NewAllocationListSize;
  patches_ = args.pNewPatchLocationList;
  patch_room_ = args.NewPatchLocationListSize;
  return status;
}

}  // namespace

// --- Both ---

std::unique_ptr<GpuContext> GpuContext::create(GpuClient& client, uint32_t node) {
  std::unique_ptr<GpuContext> context;
  if (client.has_addresses()) {
    context = std::make_unique<VirtualContext>(client, node);
  } else {
    context = std::make_unique<PatchedContext>(client, node);
  }
  if (!context->make()) return nullptr;
  auto fence = client.make_fence();
  if (!fence) return nullptr;
  context->fence_ = *fence;
  return context;
}

std::optional<GpuSubmission> GpuContext::prepare(const GpuCommands& commands) const {
  auto built = client_.build(commands, node_);
  if (!built) return std::nullopt;
  return GpuSubmission(std::move(*built), commands, !client_.has_addresses());
}

NTSTATUS GpuContext::submit(const GpuCommands& commands) {
  auto submission = prepare(commands);
  return submission ? submit(*submission) : STATUS_NOT_SUPPORTED;
}

NTSTATUS GpuContext::submit(const GpuSubmission& submission) {
  NTSTATUS status = send(submission);
  return status < 0 ? status : signal(fence_.object, ++last_);
}

NTSTATUS GpuContext::present(D3DKMT_PRESENT args) {
  args.hContext = handle_;
  NTSTATUS status = client_.answered("Present", kmt::Present(client_.client(), &args));
  return status < 0 ? status : signal(fence_.object, ++last_);
}

NTSTATUS GpuContext::signal(D3DKMT_HANDLE object, uint64_t value) {
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2 args{};
  UINT64 wanted = value;
  args.ObjectCount = 1;
  args.ObjectHandleArray = &object;
  args.BroadcastContextCount = 1;
  args.BroadcastContextArray = &handle_;
  args.MonitoredFenceValueArray = &wanted;
  return kmt::SignalSynchronizationObjectFromGpu2(client_.client(), &args);
}

NTSTATUS GpuContext::wait(D3DKMT_HANDLE object, uint64_t value) {
  D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU args{};
  UINT64 wanted = value;
  args.hContext = handle_;
  args.ObjectCount = 1;
  args.ObjectHandleArray = &object;
  args.MonitoredFenceValueArray = &wanted;
  return kmt::WaitForSynchronizationObjectFromGpu(client_.client(), &args);
}

NTSTATUS GpuContext::set_priority(int32_t priority) {
  D3DKMT_SETCONTEXTSCHEDULINGPRIORITY args{handle_, priority};
  return kmt::SetContextSchedulingPriority(client_.client(), &args);
}

NTSTATUS GpuContext::destroy() {
  D3DKMT_DESTROYCONTEXT args{handle_};
  return kmt::DestroyContext(client_.client(), &args);
}

}  // namespace host
