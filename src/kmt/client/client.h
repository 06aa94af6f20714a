#pragma once

#include <atomic>

#include "abi/shared/d3dkmthk.h"
#include "base/ref.h"
#include "base/result.h"
#include "dxgk/adapter/kernel.h"
#include "dxgk/object/judgement.h"
#include "kmt/client/answer.h"
#include "kmt/client/client_handles.h"
#include "kmt/client/user_memory.h"

namespace kmt {

using dxgk::Judgement;
using dxgk::Refusal;

// A process that calls D3DKMT functions: what the graphics kernel has of it, and the two ways to reach what is its own.
// Owned by the code that runs the client, which ends the process (dxgk::Process::end). Any thread of the machine.
class Client {
 public:
  Client(base::Ref<dxgk::Process> process, UserMemory& memory, ClientHandles& handles)
      : process_(std::move(process)), memory_(memory), handles_(handles) {}
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  dxgk::Process& process() { return *process_; }
  dxgk::Kernel& kernel() { return process_->kernel(); }
  nt::Machine& machine() { return process_->machine(); }
  const dxgk::Policy& policy() { return kernel().policy(); }
  bool like_wsl() { return policy().flavour == dxgk::Flavour::Wsl; }
  UserMemory& memory() { return memory_; }
  ClientHandles& handles() { return handles_; }

  // How many views of allocations are locked. A hint that spares a search: two threads may miscount it, upwards.
  uint32_t locked_views() const { return locked_views_.load(std::memory_order_relaxed); }
  void view_locked() { locked_views_.fetch_add(1, std::memory_order_relaxed); }
  void views_unlocked(uint32_t count) { locked_views_.fetch_sub(count, std::memory_order_relaxed); }

  // What a D3DKMT handle of the client stands for. Most functions answer STATUS_INVALID_PARAMETER to one that stands
  // for nothing; those that answer something else say so.
  template <ob::HandleTarget T>
  base::Result<base::Ref<T>> find(D3DKMT_HANDLE handle, NTSTATUS status = STATUS_INVALID_PARAMETER,
                                  base::Here where = base::Here::now()) {
    auto found = process_->handles().get<T>(handle);
    if (!found.ok()) return base::Failure(status, ob::describe(found.error()), where);
    return found.take();
  }

  // The client broke one of the client's rules, and is refused.
  base::Failure refuse(nt::Violation rule, NTSTATUS status, const char* why, base::Here where = base::Here::now());
  base::Result<> accept(const Judgement& judgement) {
    return judgement ? base::Result<>(refuse(*judgement)) : base::Result<>();
  }
  // The call breaks a rule and is served nevertheless, as Windows does.
  void remark(nt::Violation rule, const char* what);

  // The last thing that a thunk does: what was refused is written down, the status goes to the client.
  NTSTATUS finish(const char* function, const Answer& answer) {
    return answer.ok() ? answer.value() : refused(function, answer.failure());
  }

 private:
  base::Failure refuse(const Refusal& refusal);
  NTSTATUS refused(const char* function, const base::Failure& failure);

  base::Ref<dxgk::Process> process_;
  UserMemory& memory_;
  ClientHandles& handles_;
  std::atomic<uint32_t> locked_views_{0};
};

}  // namespace kmt
