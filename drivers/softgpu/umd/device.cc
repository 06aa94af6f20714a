#include "device.h"

#include "patched_context.h"
#include "virtual_context.h"

namespace softgpu {
namespace {

// So many resources may wait for one batch before it is submitted for their sake.
constexpr uint32_t kMostRetired = 256;

}  // namespace

// --- Life ---

HRESULT Device::open(const Adapter& adapter, HANDLE runtime, const D3DDDI_DEVICECALLBACKS& callbacks) {
  adapter_ = &adapter;
  HRESULT result = kernel_.open(runtime, callbacks, adapter.version, adapter.virtual_addressing());
  if (FAILED(result)) return result;
  if (adapter.virtual_addressing()) {
    context_ = new VirtualContext(kernel_);
  } else {
    context_ = new PatchedContext(kernel_);
  }
  if (!context_) return E_OUTOFMEMORY;
  result = context_->create();
  if (FAILED(result)) close();
  return result;
}

HRESULT Device::close() {
  if (!context_) return S_OK;
  HRESULT result = context_->handle() ? flush() : S_OK;
  result = first_failure(result, upload_.destroy(*this));
  result = first_failure(result, release_all());
  result = first_failure(result, context_->destroy());
  delete context_;
  context_ = nullptr;
  return result;
}

// There is no later: what fails is tried once more, and what the kernel does not take then it cleans up with the
// device.
HRESULT Device::release_all() {
  while (live_) {
    Resource* resource = live_;
    unlink(resource);
    defer(resource);
  }
  HRESULT result = S_OK;
  while (retired_) {
    HRESULT released = insist([&] { return release_retired(); });
    result = first_failure(result, released);
    if (FAILED(released) && retired_) abandon_resource(*this, take_retired());
  }
  return result;
}

// --- Commands ---

HRESULT Device::add(const SOFTGPU_HEADER& packet, const Operand* operands, uint32_t count) {
  if (!context_->fits(packet.qwords * 8u, count)) {
    HRESULT result = flush();
    if (FAILED(result)) return result;
  }
  HRESULT result = context_->add(packet, operands, count);
  if (result != E_OUTOFMEMORY || context_->empty()) return result;
  // Without what the batch uses there is more room in the GPU's memory.
  result = flush();
  return FAILED(result) ? result : context_->add(packet, operands, count);
}

HRESULT Device::flush() {
  HRESULT result = upload_.close(*this);
  result = first_failure(result, context_->submit());
  return first_failure(result, release_retired());
}

// --- Resources ---

HRESULT Device::create(Resource* resource) {
  HRESULT result = allocate_memory(kernel_, *resource);
  if (FAILED(result)) {
    abandon_resource(*this, resource);
    return result;
  }
  link(resource);
  return S_OK;
}

void Device::adopt(Resource* resource) { link(resource); }

HRESULT Device::retire(Resource* resource) {
  HRESULT result = retired_count_ >= kMostRetired && is_needed(*resource) ? flush() : S_OK;
  if (FAILED(result)) return result;
  unlink(resource);
  if (is_needed(*resource)) {
    defer(resource);
    return S_OK;
  }
  result = free_resource(*this, resource);
  if (FAILED(result)) link(resource);
  return result;
}

void Device::defer(Resource* resource) {
  resource->next = nullptr;
  (last_retired_ ? last_retired_->next : retired_) = resource;
  last_retired_ = resource;
  ++retired_count_;
}

// What a dropped batch used is free as well: nothing will ever run.
HRESULT Device::release_retired() {
  while (retired_ && !is_needed(*retired_)) {
    Resource* resource = take_retired();
    HRESULT result = free_resource(*this, resource);
    if (SUCCEEDED(result)) continue;
    resource->next = retired_;
    retired_ = resource;
    if (!last_retired_) last_retired_ = resource;
    ++retired_count_;
    return result;
  }
  return S_OK;
}

Resource* Device::take_retired() {
  Resource* resource = retired_;
  retired_ = resource->next;
  if (!retired_) last_retired_ = nullptr;
  --retired_count_;
  return resource;
}

bool Device::is_needed(const Resource& resource) const {
  return !context_->empty() && last_use(resource) == context_->batch();
}

void Device::link(Resource* resource) {
  resource->previous = nullptr;
  resource->next = live_;
  if (live_) live_->previous = resource;
  live_ = resource;
}

void Device::unlink(Resource* resource) {
  (resource->previous ? resource->previous->next : live_) = resource->next;
  if (resource->next) resource->next->previous = resource->previous;
}

}  // namespace softgpu
