#pragma once

#include <memory>

#include "host/scenarios/kmd/gpu_client.h"
#include "host/workload/gpu_submission.h"

namespace host {

// A context of a GpuClient, and a fence that says how far it has come. Commands reach it by D3DKMTSubmitCommand where
// the GPU has virtual addresses, by D3DKMTRender where they are patched. Owned by the scenario; the kernel's context
// stays until destroy(), or goes with its device. Used on its client's thread.
class GpuContext {
 public:
  // Null when the driver refused.
  static std::unique_ptr<GpuContext> create(GpuClient& client, uint32_t node);
  virtual ~GpuContext() = default;
  GpuContext(const GpuContext&) = delete;
  GpuContext& operator=(const GpuContext&) = delete;

  D3DKMT_HANDLE handle() const { return handle_; }
  uint32_t node() const { return node_; }
  // Whether the driver's workload has commands of this kind for its node: DRYDOCK_WORK_….
  bool knows(uint32_t kind) const { return client_.knows(kind, node_); }

  // The commands, and behind them a signal of the context's fence.
  NTSTATUS submit(const GpuCommands& commands);
  // The same in two steps, between which a hostile client can change what it submits. Nothing when the workload failed.
  std::optional<GpuSubmission> prepare(const GpuCommands& commands) const;
  NTSTATUS submit(const GpuSubmission& submission);
  // D3DKMTPresent by this context, and behind it the same signal.
  NTSTATUS present(D3DKMT_PRESENT args);
  // Waits, on the CPU, until everything has been done that was submitted. STATUS_DEVICE_REMOVED: it never will.
  NTSTATUS finish() { return client_.wait(fence_.object, last_); }
  // For others that wait for it.
  const GpuFence& fence() const { return fence_; }
  uint64_t last() const { return last_; }
  bool idle() const { return *fence_.value >= last_; }

  // In the context's queue, behind what is there. `value` means something to fences only.
  NTSTATUS signal(D3DKMT_HANDLE object, uint64_t value);
  NTSTATUS wait(D3DKMT_HANDLE object, uint64_t value);
  // Its next commands wait for the client's paging.
  NTSTATUS wait_for_paging() { return wait(client_.paging_fence(), client_.paging_value()); }
  NTSTATUS set_priority(int32_t priority);
  NTSTATUS destroy();

 protected:
  GpuContext(GpuClient& client, uint32_t node) : client_(client), node_(node) {}
  virtual bool make() = 0;
  // Only where there is a workload; otherwise the submission is empty.
  virtual NTSTATUS send(const GpuSubmission& submission) = 0;

  GpuClient& client_;
  const uint32_t node_;
  D3DKMT_HANDLE handle_ = 0;
  GpuFence fence_;
  uint64_t last_ = 0;
};

}  // namespace host
