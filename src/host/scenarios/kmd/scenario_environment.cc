#include "host/scenarios/kmd/scenario_environment.h"

#include <fmt/format.h>

#include "nt/store/registry.h"

namespace host {
namespace {

// The software key of the first display adapter, where its driver looks for settings.
constexpr char16_t kSettings[] = u"\\Registry\\Machine\\System\\CurrentControlSet\\Control\\Class\\Display\\0000";

void limit(nt::Machine& machine, const char16_t* name, uint32_t bytes) {
  if (bytes) CHECK(machine.registry().set_dword(kSettings, name, bytes).ok());
}

// A driver without hardware gets no interrupt, and so cannot tell that work has completed.
std::string with_missing_model(const Graphics& graphics, std::string why) {
  if (!graphics.has_device_model()) why += "; no device model is loaded, so that there is no interrupt line";
  return why;
}

}  // namespace

// --- The outcome ---

void explain_refusal(ScenarioContext& context, const Graphics& graphics, bool by_rule, const std::string& why) {
  if (context.failing) return;
  if (by_rule) {
    context.machine.report_violation(nt::Violation::AdapterRefused, why);
  } else {
    context.leave_incomplete(with_missing_model(graphics, "the adapter never started: " + why));
  }
}

bool start_driver(ScenarioContext& context, Graphics& graphics) {
  if (graphics.start().ok()) return true;
  explain_refusal(context, graphics, graphics.refused_by_rule(), graphics.refusal());
  return false;
}

void take_outcome(ScenarioContext& context, Graphics& graphics) {
  for (uint64_t calls : graphics.ddi_calls()) context.activity.ddi_calls += calls;
  Graphics::Submissions submissions = graphics.submissions();
  context.activity.submissions += submissions.completed;
  std::string why = graphics.shortfall();
  if (why.empty() && submissions.aborted && !submissions.completed && !graphics.surprise_removed()) {
    why = fmt::format("no submission was completed, and {} were given up", submissions.aborted);
  }
  if (why.empty()) return;
  context.leave_incomplete(submissions.completed ? why : with_missing_model(graphics, why));
}

// --- The environment ---

ScenarioEnvironment::ScenarioEnvironment(ScenarioContext& context, EnvironmentMemory memory,
                                         const std::function<void(Graphics&)>& before_start)
    : context_(context), graphics_(context.machine, context.image, {}) {
  limit(context.machine, u"LocalBytes", memory.local_bytes);
  limit(context.machine, u"ApertureBytes", memory.aperture_bytes);
  if (context.failing) graphics_.disturb();
  if (before_start) before_start(graphics_);
  started_ = start_driver(context, graphics_);
}

ScenarioEnvironment::~ScenarioEnvironment() {
  if (started_) graphics_.stop();
  take_outcome(context_, graphics_);
}

bool ScenarioEnvironment::started() {
  if (started_ && !graphics_.has_devices()) context_.skip("a display-only driver has no devices");
  return started_ && graphics_.has_devices();
}

void ScenarioEnvironment::rest(base::TimeNs duration) { machine().executor().sleep_for(duration); }

// --- Threads ---

ThreadGroup::~ThreadGroup() {
  machine_.executor().park_until([&] { return running_ == 0; }, base::Point::Wait);
}

void ThreadGroup::add(const std::string& name, std::function<void()> work) {
  ++running_;
  base::Task* owner = base::Executor::current();
  machine_.create_thread(name, [this, owner, work = std::move(work)] {
    work();
    --running_;
    machine_.executor().unpark(*owner);
  });
}

}  // namespace host
