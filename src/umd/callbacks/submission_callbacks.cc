// pfnRenderCb, pfnSubmitCommandCb: what the driver has batched goes to the kernel.
#include "umd/callbacks/submission_callbacks.h"

#include <fmt/format.h>

#include <algorithm>

#include "kmt/client/thunks.h"
#include "umd/callbacks/callback_judgement.h"

namespace umd {
namespace {

// --- Judgements ---

// "Changes from Direct3D 10": what is created and destroyed from any thread does not submit, and neither does a thread
// that is in no function of the driver.
HRESULT judge_place(Device& device, Callback callback) {
  if (!device.free_threaded()) return S_OK;
  Frame* frame = device.frame();
  bool destroying = frame && frame->role == Role::Destroy;
  bool creating = frame && (frame->role == Role::Create || frame->role == Role::Open);
  if (frame && !destroying && !creating) return S_OK;
  device.report_violation(
      destroying ? nt::Violation::UmdFlushInDestroy : nt::Violation::UmdRenderOutsideFlush,
      fmt::format("{} was called {}{}, which may run on any thread: only the thread of the immediate context "
                  "submits",
                  name_of(callback), frame ? "in " : "outside of any function of the driver",
                  frame ? frame->name : ""));
  return E_INVALIDARG;
}

enum class Commands : uint8_t { Patched, Virtual };

HRESULT judge_model(Device& device, Callback callback, ContextUse& use, Commands commands) {
  bool is_virtual = commands == Commands::Virtual;
  for (Context* context : use) {
    if (context->virtual_addresses == is_virtual) continue;
    device.report_violation(
        nt::Violation::UmdWrongSubmission,
        fmt::format("{} was called with a context of {} addresses (hContext {}), whose commands go through {}",
                    name_of(callback), is_virtual ? "patched" : "virtual", fmt::ptr(context->handle),
                    is_virtual ? "pfnRenderCb" : "pfnSubmitCommandCb"));
    return E_INVALIDARG;
  }
  return S_OK;
}

// DestroyResource's page: what is batched is submitted first, and then its memory is given back.
HRESULT refuse_dead(Device& device, Callback callback, D3DKMT_HANDLE handle, UINT index) {
  device.report_violation(
      nt::Violation::UmdFlushLate,
      fmt::format("{} submits commands that name allocation 0x{:X} (entry {}), which was deallocated before",
                  name_of(callback), handle, index));
  return D3DDDIERR_INVALIDHANDLE;
}

// The index of the first that is dead; `count`: none is.
template <typename F>
UINT find_dead(Device& device, UINT count, F&& handle_at) {
  RuntimeGuard guard(device.runtime.lock);
  UINT i = 0;
  while (i < count && !device.allocations().dead(handle_at(i))) ++i;
  return i;
}

// The list is where the kernel told the driver to write it. The kernel refuses a list that is longer.
HRESULT judge_list(Device& device, const Context& context, UINT count) {
  if (count > context.allocation_list_size) return S_OK;
  auto handle_at = [&](UINT i) { return context.allocation_list[i].hAllocation; };
  UINT dead = find_dead(device, count, handle_at);
  return dead < count ? refuse_dead(device, Callback::Render, handle_at(dead), dead) : S_OK;
}

HRESULT judge_primaries(Device& device, const D3DDDICB_SUBMITCOMMAND& args) {
  if (args.NumPrimaries > D3DDDI_MAX_WRITTEN_PRIMARIES) return E_INVALIDARG;
  auto handle_at = [&](UINT i) { return args.WrittenPrimaries[i]; };
  UINT dead = find_dead(device, args.NumPrimaries, handle_at);
  return dead < args.NumPrimaries ? refuse_dead(device, Callback::SubmitCommand, handle_at(dead), dead) : S_OK;
}

// D3DDDICB_SUBMITCOMMAND's page: what is displayed and written to is named, as there is no list of allocations.
void judge_written(Device& device, const D3DDDICB_SUBMITCOMMAND& args) {
  const D3DKMT_HANDLE* end = args.WrittenPrimaries + args.NumPrimaries;
  D3DKMT_HANDLE missing = 0;
  {
    RuntimeGuard guard(device.runtime.lock);
    for (const Resource* resource : device.written()) {
      bool named = std::find(args.WrittenPrimaries, end, resource->first_allocation) != end;
      if (resource->first_allocation && !named) missing = resource->first_allocation;
    }
  }
  if (!missing) return;
  device.report_violation(
      nt::Violation::UmdPrimaryUnlisted,
      fmt::format("pfnSubmitCommandCb submits commands that write to a primary (allocation 0x{:X}), and its {} "
                  "WrittenPrimaries do not name it",
                  missing, args.NumPrimaries));
}

// pfnRenderCb's page: from its return on, the driver writes to the buffer that it was given then.
void judge_old_buffer(Device& device, Context& context) {
  if (auto where = context.buffers.written()) {
    device.report_violation(
        nt::Violation::UmdOldBuffer,
        fmt::format("a command buffer was written at offset {} after pfnRenderCb had taken it", *where));
  }
}

// --- pfnRenderCb ---

HRESULT judge_render(Device& device, ContextUse& use, const D3DDDICB_RENDER& args) {
  if (args.Flags.Reserved || args.BroadcastContextCount > D3DDDI_MAX_BROADCAST_CONTEXT) return E_INVALIDARG;
  if (HRESULT refusal = judge_place(device, Callback::Render); FAILED(refusal)) return refusal;
  if (HRESULT refusal = use.add_or_default(args.hContext); FAILED(refusal)) return refusal;
  if (HRESULT refusal = use.add({args.BroadcastContext, args.BroadcastContextCount}); FAILED(refusal)) return refusal;
  if (HRESULT refusal = judge_model(device, Callback::Render, use, Commands::Patched); FAILED(refusal)) return refusal;
  return judge_list(device, use.first(), args.NumAllocations);
}

// The memory that the list names, where it matters what it does not name: the program did not ask for the end of the
// batch, and there is a choice of contexts.
std::optional<std::vector<uint64_t>> listed_memory(Device& device, const Context& context, UINT count) {
  const Frame* frame = device.frame();
  if (frame && (frame->role == Role::Flush || frame->role == Role::Present)) return {};
  RuntimeGuard guard(device.runtime.lock);
  if (!device.contexts().several() || count > context.allocation_list_size) return {};
  std::vector<uint64_t> memory;
  for (UINT i = 0; i < count; ++i) {
    const Allocation* allocation = device.allocations().find(context.allocation_list[i].hAllocation);
    if (!allocation) continue;
    if (allocation->resource) {
      memory.push_back(allocation->resource->use.id);
    } else if (const UnnamedMemory* unnamed = allocation->unnamed.get()) {
      memory.push_back(unnamed->owner ? unnamed->owner->use.id : unnamed->use.id);
    }
  }
  return memory;
}

D3DKMT_RENDER submission(ContextUse& use, const D3DDDICB_RENDER& args) {
  D3DKMT_RENDER call{};
  call.hContext = use.first().kernel;
  call.CommandOffset = args.CommandOffset;
  call.CommandLength = args.CommandLength;
  call.AllocationCount = args.NumAllocations;
  call.PatchLocationCount = args.NumPatchLocations;
  call.NewCommandBufferSize = args.NewCommandBufferSize;
  call.NewAllocationListSize = args.NewAllocationListSize;
  call.NewPatchLocationListSize = args.NewPatchLocationListSize;
  call.Flags.ResizeCommandBuffer = args.Flags.ResizeCommandBuffer;
  call.Flags.ResizeAllocationList = args.Flags.ResizeAllocationList;
  call.Flags.ResizePatchLocationList = args.Flags.ResizePatchLocationList;
  call.Flags.NullRendering = args.Flags.NullRendering;
  call.BroadcastContextCount = args.BroadcastContextCount;
  use.copy_kernel_handles(1, call.BroadcastContext);
  call.pPrivateDriverData = args.pPrivateDriverData;
  call.PrivateDriverDataSize = args.PrivateDriverDataSize;
  return call;
}

void remember(Context& context, const D3DKMT_RENDER& call) {
  context.command_buffer =
      context.buffers.turn(static_cast<uint8_t*>(call.pNewCommandBuffer), call.NewCommandBufferSize);
  context.command_buffer_bytes = call.NewCommandBufferSize;
  context.allocation_list = call.pNewAllocationList;
  context.allocation_list_size = call.NewAllocationListSize;
  context.patch_list = call.pNewPatchLocationList;
  context.patch_list_size = call.NewPatchLocationListSize;
}

// "Regardless of whether the call to pfnRenderCb is successful, the driver should verify the values that are returned."
void tell(const Context& context, D3DDDICB_RENDER& args) {
  args.pNewCommandBuffer = context.command_buffer;
  args.NewCommandBufferSize = context.command_buffer_bytes;
  args.pNewAllocationList = context.allocation_list;
  args.NewAllocationListSize = context.allocation_list_size;
  args.pNewPatchLocationList = context.patch_list;
  args.NewPatchLocationListSize = context.patch_list_size;
}

HRESULT render(Device& device, D3DDDICB_RENDER& args) {
  ContextUse use(device, Callback::Render);
  if (HRESULT refusal = judge_render(device, use, args); FAILED(refusal)) return refusal;
  judge_old_buffer(device, use.first());
  use.first().buffers.submit(args.CommandOffset, args.CommandLength);
  auto memory = listed_memory(device, use.first(), args.NumAllocations);
  D3DKMT_RENDER call = submission(use, args);
  HRESULT result = to_hresult(kmt::Render(device.client(), &call));
  if (SUCCEEDED(result)) {
    remember(use.first(), call);
    args.QueuedBufferCount = call.QueuedBufferCount;
    args.NewCommandBuffer = call.NewCommandBuffer;
    if (args.CommandLength) note_submission(device, use, memory ? std::optional(std::span(*memory)) : std::nullopt);
  }
  tell(use.first(), args);
  return result;
}

// --- pfnSubmitCommandCb ---

HRESULT judge_submit(Device& device, ContextUse& use, const D3DDDICB_SUBMITCOMMAND& args) {
  if (args.Flags.Reserved || args.BroadcastContextCount > D3DDDI_MAX_BROADCAST_CONTEXT) return E_INVALIDARG;
  if (HRESULT refusal = judge_place(device, Callback::SubmitCommand); FAILED(refusal)) return refusal;
  if (HRESULT refusal = use.add({args.BroadcastContext, args.BroadcastContextCount}); FAILED(refusal)) return refusal;
  if (HRESULT refusal = judge_model(device, Callback::SubmitCommand, use, Commands::Virtual); FAILED(refusal)) {
    return refusal;
  }
  if (HRESULT refusal = judge_primaries(device, args); FAILED(refusal)) return refusal;
  judge_written(device, args);
  return S_OK;
}

HRESULT submit(Device& device, const D3DDDICB_SUBMITCOMMAND& args) {
  ContextUse use(device, Callback::SubmitCommand);
  if (HRESULT refusal = judge_submit(device, use, args); FAILED(refusal)) return refusal;
  D3DKMT_SUBMITCOMMAND call{};
  call.Commands = args.Commands;
  call.CommandLength = args.CommandLength;
  call.Flags.NullRendering = args.Flags.NullRendering;
  call.BroadcastContextCount = args.BroadcastContextCount;
  use.copy_kernel_handles(0, call.BroadcastContext);
  call.pPrivateDriverData = args.pPrivateDriverData;
  call.PrivateDriverDataSize = args.PrivateDriverDataSize;
  call.NumPrimaries = args.NumPrimaries;
  std::copy_n(args.WrittenPrimaries, args.NumPrimaries, call.WrittenPrimaries);
  call.NumHistoryBuffers = args.NumHistoryBuffers;
  call.HistoryBufferArray = args.HistoryBufferArray;
  HRESULT result = to_hresult(kmt::SubmitCommand(device.client(), &call));
  if (SUCCEEDED(result) && args.CommandLength) note_submission(device, use);
  return result;
}

}  // namespace

void note_submission(Device& device, ContextUse& use, std::optional<std::span<const uint64_t>> memory) {
  RuntimeGuard guard(device.runtime.lock);
  bool can_draw = std::any_of(use.begin(), use.end(), [](const Context* context) { return context->can_draw; });
  device.submitted({.can_draw = can_draw, .memory = memory});
  for (Context* context : use) context->owes_amortization = true;
}

void fill_submission_callbacks(D3DDDI_DEVICECALLBACKS& table) {
  fill<Callback::Render, render>(table.pfnRenderCb);
  fill<Callback::SubmitCommand, submit>(table.pfnSubmitCommandCb);
  fill_present_callbacks(table);
  fill_escape_callbacks(table);
}

}  // namespace umd
