#include "virtual_context.h"

#include <string.h>

#include "softgpu_regs.h"

namespace softgpu {

// --- Life ---

HRESULT VirtualContext::create() {
  HRESULT result = create_context();
  if (SUCCEEDED(result)) result = residency_.create();
  if (SUCCEEDED(result)) result = create_fence();
  if (SUCCEEDED(result)) result = create_buffers();
  return result;
}

HRESULT VirtualContext::create_context() {
  D3DDDICB_CREATECONTEXTVIRTUAL args = {};
  args.NodeOrdinal = SOFTGPU_ENGINE_RENDER;
  args.EngineAffinity = 1;
  HRESULT result = kernel_.call.pfnCreateContextVirtualCb(kernel_.device, &args);
  if (SUCCEEDED(result)) handle_ = args.hContext;
  return result;
}

HRESULT VirtualContext::create_fence() {
  D3DDDICB_CREATESYNCHRONIZATIONOBJECT2 args = {};
  args.Info.Type = D3DDDI_MONITORED_FENCE;
  HRESULT result = kernel_.call.pfnCreateSynchronizationObject2Cb(kernel_.device, &args);
  if (FAILED(result)) return result;
  fence_ = args.hSyncObject;
  fence_address_ = args.Info.MonitoredFence.FenceValueGPUVirtualAddress;
  reached_ = static_cast<const volatile uint64_t*>(args.Info.MonitoredFence.FenceValueCPUVirtualAddress);
  return S_OK;
}

HRESULT VirtualContext::create_buffers() {
  SOFTGPU_ALLOCATION data[kBuffers];
  Allocation* memory[kBuffers];
  for (uint32_t i = 0; i < kBuffers; ++i) {
    data[i] = describe_buffer(kBufferBytes, SOFTGPU_ALLOCATION_CPU_VISIBLE | SOFTGPU_ALLOCATION_CACHED);
    memory[i] = &buffers_[i].memory;
  }
  HRESULT result = allocate(kernel_, nullptr, data, memory, kBuffers);
  for (uint32_t i = 0; i < kBuffers && SUCCEEDED(result); ++i) {
    D3DDDICB_LOCK2 args = {};
    args.hAllocation = buffers_[i].memory.handle;
    result = kernel_.call.pfnLock2Cb(kernel_.device, &args);
    if (SUCCEEDED(result)) buffers_[i].bytes = static_cast<uint8_t*>(args.pData);
  }
  return result;
}

// The context goes first: after it the GPU needs none of the rest.
HRESULT VirtualContext::destroy() {
  HRESULT result = S_OK;
  if (handle_) {
    D3DDDICB_DESTROYCONTEXT args = {handle_};
    handle_ = nullptr;
    result = insist([&] { return kernel_.call.pfnDestroyContextCb(kernel_.device, &args); });
  }
  result = first_failure(result, destroy_buffers());
  result = first_failure(result, destroy_fence());
  return first_failure(result, residency_.destroy());
}

HRESULT VirtualContext::destroy_buffers() {
  HRESULT result = S_OK;
  D3DKMT_HANDLE handles[kBuffers];
  UINT count = 0;
  for (Buffer& buffer : buffers_) {
    if (buffer.bytes) {
      D3DDDICB_UNLOCK2 args = {buffer.memory.handle};
      result = first_failure(result, insist([&] { return kernel_.call.pfnUnlock2Cb(kernel_.device, &args); }));
      buffer.bytes = nullptr;
    }
    if (buffer.memory.handle) handles[count++] = buffer.memory.handle;
    residency_.forget(buffer.memory);
    buffer.memory.handle = 0;
  }
  if (count == 0) return result;
  return first_failure(result, insist([&] { return deallocate_list(kernel_, handles, count, InUse::Maybe); }));
}

HRESULT VirtualContext::destroy_fence() {
  if (!fence_) return S_OK;
  D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT args = {fence_};
  fence_ = 0;
  reached_ = nullptr;
  return insist([&] { return kernel_.call.pfnDestroySynchronizationObjectCb(kernel_.device, &args); });
}

// --- Batches ---

bool VirtualContext::fits(uint32_t packet_bytes, uint32_t) const {
  return packet_bytes <= kBufferBytes - sizeof(SOFTGPU_SIGNAL) - used_;
}

// The next buffer of the ring, once the GPU is done with what it holds.
HRESULT VirtualContext::begin() {
  uint32_t next = (current_ + 1) % kBuffers;
  HRESULT result = wait(buffers_[next].memory.last_use);
  if (FAILED(result)) return result;
  result = residency_.prepare(*this, buffers_[next].memory);
  if (FAILED(result)) return result;
  current_ = next;
  note_use(buffers_[next].memory, false);
  return S_OK;
}

HRESULT VirtualContext::add(const SOFTGPU_HEADER& packet, const Operand* operands, uint32_t count) {
  uint32_t bytes = packet.qwords * 8u;
  if (!fits(bytes, count)) return D3DERR_DRIVERINTERNALERROR;
  HRESULT result = empty() ? begin() : S_OK;
  for (uint32_t i = 0; i < count && SUCCEEDED(result); ++i) {
    result = residency_.prepare(*this, *operands[i].allocation);
    note_use(*operands[i].allocation, operands[i].written);
  }
  if (FAILED(result)) {
    if (empty()) ++batch_;  // nothing is in use by what was not added
    return result;
  }
  uint8_t* to = buffers_[current_].bytes + used_;
  memcpy(to, &packet, bytes);
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t address = operands[i].allocation->address + operands[i].offset;
    memcpy(to + operands[i].field, &address, sizeof(address));
  }
  used_ += bytes;
  return S_OK;
}

HRESULT VirtualContext::submit() {
  if (empty()) return S_OK;
  Buffer& buffer = buffers_[current_];
  SOFTGPU_SIGNAL signal = {};
  signal.header = softgpu_header(SOFTGPU_CMD_SIGNAL, SOFTGPU_FLAG_INTERRUPT, sizeof(signal), 0);
  signal.address = fence_address_;
  signal.value = batch_;
  memcpy(buffer.bytes + used_, &signal, sizeof(signal));
  used_ += sizeof(signal);
  HRESULT result = wait_for_paging();
  if (SUCCEEDED(result)) result = send(buffer.memory.address);
  if (SUCCEEDED(result)) submitted_ = batch_;
  used_ = 0;
  ++batch_;
  return result;
}

// The context waits, not the CPU.
HRESULT VirtualContext::wait_for_paging() {
  UINT64 value = residency_.paging();
  if (!value) return S_OK;
  D3DKMT_HANDLE object = residency_.fence();
  D3DDDICB_WAITFORSYNCHRONIZATIONOBJECTFROMGPU args = {};
  args.hContext = handle_;
  args.ObjectCount = 1;
  args.ObjectHandleArray = &object;
  args.MonitoredFenceValueArray = &value;
  return kernel_.call.pfnWaitForSynchronizationObjectFromGpuCb(kernel_.device, &args);
}

HRESULT VirtualContext::send(uint64_t address) {
  D3DDDICB_SUBMITCOMMAND args = {};
  args.Commands = address;
  args.CommandLength = used_;
  args.BroadcastContextCount = 1;
  args.BroadcastContext[0] = handle_;
  return kernel_.call.pfnSubmitCommandCb(kernel_.device, &args);
}

// --- Waiting ---

bool VirtualContext::done(uint64_t batch) const { return !reached_ || *reached_ >= awaited(batch); }

HRESULT VirtualContext::wait(uint64_t batch) {
  if (done(batch)) return S_OK;
  UINT64 value = awaited(batch);
  D3DDDICB_WAITFORSYNCHRONIZATIONOBJECTFROMCPU args = {};
  args.ObjectCount = 1;
  args.ObjectHandleArray = &fence_;
  args.FenceValueArray = &value;
  return kernel_.call.pfnWaitForSynchronizationObjectFromCpuCb(kernel_.device, &args);
}

}  // namespace softgpu
