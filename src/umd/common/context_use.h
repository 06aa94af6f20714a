#pragma once

#include <boost/container/small_vector.hpp>
#include <span>

#include "umd/callbacks/callback.h"

namespace umd {

// The contexts that a callback names, from being found until the callback returns. Meanwhile no other thread may name
// one of them, and none of them goes away ("Changes from Direct3D 10"; CB-15). On the callback's stack.
class ContextUse {
 public:
  ContextUse(Device& device, Callback callback) : device_(device), callback_(callback) {}
  ~ContextUse();
  ContextUse(const ContextUse&) = delete;
  ContextUse& operator=(const ContextUse&) = delete;

  // E_INVALIDARG, after a finding: it is no context of the device, or another thread is using it.
  HRESULT add(HANDLE handle);
  HRESULT add(std::span<const HANDLE> handles);
  // NULL is the device's default context, which is documented for pfnRenderCb; here it is the first that the driver
  // made, as there is none before (our reading of D3DDDIARG_CREATEDEVICE).
  HRESULT add_or_default(HANDLE handle);

  Context& first() { return *contexts_.front(); }
  Context** begin() { return contexts_.data(); }
  Context** end() { return contexts_.data() + contexts_.size(); }
  size_t size() const { return contexts_.size(); }
  // The kernel's handles of all but the first `skipped`.
  void copy_kernel_handles(size_t skipped, D3DKMT_HANDLE* to);
  // The context has been destroyed in the kernel; it was the only one.
  void destroyed();

 private:
  struct Refusal {
    nt::Violation rule;
    const char* what;  // null: nothing is wrong
  };
  Refusal take(HANDLE handle) REQUIRES(device_.runtime.lock);
  Refusal take(Context& context) REQUIRES(device_.runtime.lock);
  HRESULT judge(const Refusal& refusal, HANDLE handle);

  Device& device_;
  const Callback callback_;
  boost::container::small_vector<Context*, 4> contexts_;
};

}  // namespace umd
