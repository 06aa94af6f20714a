#include "umd/common/context_use.h"

#include <fmt/format.h>

namespace umd {

ContextUse::~ContextUse() {
  RuntimeGuard guard(device_.runtime.lock);
  for (Context* context : contexts_) context->user = nullptr;
}

ContextUse::Refusal ContextUse::take(HANDLE handle) {
  Handles::Found found = device_.runtime.handles.find(handle);
  if (found.kind != HandleKind::Context) return {nt::Violation::UmdWrongHandle, to_string(found.kind)};
  if (!found.live) return {nt::Violation::UmdWrongHandle, "the handle of a context that has been destroyed"};
  auto* context = static_cast<Context*>(found.object);
  if (!device_.contexts().has(*context)) return {nt::Violation::UmdWrongHandle, "a context of another device"};
  return take(*context);
}

ContextUse::Refusal ContextUse::take(Context& context) {
  nt::Thread* self = nt::Thread::current();
  if (context.user && context.user != self) {
    return {nt::Violation::UmdContextShared, "a context that another thread is calling back with"};
  }
  context.user = self;
  contexts_.push_back(&context);
  return {};
}

HRESULT ContextUse::judge(const Refusal& refusal, HANDLE handle) {
  if (!refusal.what) return S_OK;
  device_.report_violation(refusal.rule, fmt::format("{} was called with {} (hContext {})", name_of(callback_),
                                                     refusal.what, fmt::ptr(handle)));
  return E_INVALIDARG;
}

HRESULT ContextUse::add(HANDLE handle) {
  Refusal refusal;
  {
    RuntimeGuard guard(device_.runtime.lock);
    refusal = take(handle);
  }
  return judge(refusal, handle);
}

HRESULT ContextUse::add(std::span<const HANDLE> handles) {
  for (HANDLE handle : handles) {
    if (HRESULT refusal = add(handle); FAILED(refusal)) return refusal;
  }
  return S_OK;
}

HRESULT ContextUse::add_or_default(HANDLE handle) {
  if (!handle) {
    RuntimeGuard guard(device_.runtime.lock);
    if (!device_.contexts().empty()) handle = (*device_.contexts().begin())->handle;
  }
  return add(handle);
}

void ContextUse::copy_kernel_handles(size_t skipped, D3DKMT_HANDLE* to) {
  for (size_t i = skipped; i < contexts_.size(); ++i) *to++ = contexts_[i]->kernel;
}

void ContextUse::destroyed() {
  CHECK(contexts_.size() == 1);
  RuntimeGuard guard(device_.runtime.lock);
  Context& context = first();
  contexts_.clear();
  device_.runtime.handles.remove(context.handle);
  device_.contexts().remove(context);
}

}  // namespace umd
