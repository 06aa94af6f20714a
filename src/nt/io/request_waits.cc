#include "nt/io/request_waits.h"

#include <fmt/format.h>

#include <algorithm>

#include "nt/io/irp_names.h"
#include "nt/io/irp_packet.h"
#include "nt/io/irps.h"
#include "nt/machine/machine.h"

namespace nt {

RequestWaits::Wait::Wait(RequestWaits& waits, IRP* irp) : waits_(waits) {
  if (!irp || waits.machine_.options().pace == Pace::Live) return;
  base::TimeNs now = waits.machine_.executor().now();
  base::Guard guard(waits.lock_);
  ticket_ = ++waits.last_ticket_;
  waits.waited_.push_back({ticket_, irp, now});
  waits.set_alarm();
}

RequestWaits::Wait::~Wait() {
  if (ticket_ == 0) return;
  base::Guard guard(waits_.lock_);
  std::erase_if(waits_.waited_, [this](const Waited& waited) { return waited.ticket == ticket_; });
  waits_.set_alarm();
}

void RequestWaits::set_alarm() {
  machine_.simulated().set_alarm(waited_.empty() ? base::kForever : waited_.front().since + kPatience);
}

void RequestWaits::add_explainer(RequestExplainer explainer) {
  base::Guard guard(lock_);
  if (std::ranges::find(explainers_, explainer) == explainers_.end()) explainers_.push_back(explainer);
}

std::vector<RequestStory> RequestWaits::stories(Which which) {
  base::TimeNs now = machine_.executor().now();
  std::vector<Waited> waited;
  {
    base::Guard guard(lock_);
    waited = waited_;
  }
  std::vector<RequestStory> result;
  for (const Waited& one : waited) {
    if (which == Which::Overdue && now - one.since < kPatience) continue;
    RequestStory story = story_of(*one.irp);
    story.sentence =
        fmt::format("a program has waited for {} ms for a request: {}", (now - one.since) / 1'000'000, story.sentence);
    result.push_back(std::move(story));
  }
  return result;
}

RequestStory RequestWaits::story_of(IRP& irp) {
  std::vector<RequestExplainer> explainers;
  {
    base::Guard guard(lock_);
    explainers = explainers_;
  }
  for (RequestExplainer explainer : explainers) {
    if (auto story = explainer(machine_, irp)) return std::move(*story);
  }
  const IO_STACK_LOCATION* location = IoGetCurrentIrpStackLocation(&irp);
  const DEVICE_OBJECT* device = irp.CurrentLocation <= irp.StackCount ? location->DeviceObject : nullptr;
  if (!device) return {"an IRP that no driver has", {}};
  RequestStory story;
  const LocationState* state = state_of_current(irp);
  bool pending = state && state->load(std::memory_order_relaxed) == kReturnedPending;
  story.sentence = fmt::format("{} is with its driver, whose dispatch routine {}", irp_name(location->MajorFunction),
                               pending ? "returned STATUS_PENDING" : "has it");
  base::Stack routine;
  routine.pc[routine.count++] =
      reinterpret_cast<uintptr_t>(device->DriverObject->MajorFunction[location->MajorFunction]) + 1;
  story.stacks.push_back({fmt::format("the dispatch routine for {}", irp_name(location->MajorFunction)), routine});
  if (irp.CancelRoutine) {
    base::Stack cancel;
    cancel.pc[cancel.count++] = reinterpret_cast<uintptr_t>(irp.CancelRoutine) + 1;
    story.stacks.push_back({"its cancel routine", cancel});
  }
  return story;
}

}  // namespace nt
