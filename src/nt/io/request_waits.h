#pragma once

#include <optional>
#include <string>
#include <vector>

#include "abi/km/wdm.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "nt/machine/machine_observer.h"

namespace nt {

class IoRequest;
class Machine;

// Which driver has a request that is not completed, in a sentence and with stacks.
struct RequestStory {
  std::string sentence;           // "IRP_MJ_READ was sent to driver x, whose dispatch routine returned STATUS_PENDING"
  std::vector<RoleStack> stacks;  // first the place that matters
};
// Called for a request that a class driver of the host has: says which minidriver keeps it, and how.
using RequestExplainer = std::optional<RequestStory> (*)(Machine& machine, IRP& irp);

// The requests that a program waits for without a deadline. Where everything else goes on (a timer ticks, a device
// interrupts) nothing is deadlocked, and the wait still never ends: after kPatience of virtual time the machine reports
// that, with the driver that has the request. Owned by Irps; SimulatedExecutor only.
class RequestWaits {
 public:
  static constexpr base::TimeNs kPatience = 60'000'000'000;

  explicit RequestWaits(Machine& machine) : machine_(machine) {}

  // A thread waits for `irp` from here to the end of this.
  class [[nodiscard]] Wait {
   public:
    Wait(RequestWaits& waits, IRP* irp);
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

   private:
    RequestWaits& waits_;
    size_t ticket_ = 0;
  };

  // For the host's class drivers; before the first request.
  void add_explainer(RequestExplainer explainer);

  // The stories of all requests that are waited for, longest first; with `overdue`, only of those beyond their
  // patience.
  enum class Which : uint8_t { All, Overdue };
  std::vector<RequestStory> stories(Which which);

 private:
  struct Waited {
    size_t ticket;
    IRP* irp;
    base::TimeNs since;
  };
  RequestStory story_of(IRP& irp);
  void set_alarm() REQUIRES(lock_);

  Machine& machine_;
  base::Mutex<base::LockRank::Table> lock_;
  std::vector<Waited> waited_ GUARDED_BY(lock_);  // oldest first
  std::vector<RequestExplainer> explainers_ GUARDED_BY(lock_);
  size_t last_ticket_ GUARDED_BY(lock_) = 0;
};

}  // namespace nt
