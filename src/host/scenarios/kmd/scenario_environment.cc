#include "host/scenarios/kmd/scenario_environment.h"

#include "nt/store/registry.h"

namespace host {
namespace {

// The software key of the first display adapter, where its driver looks for settings.
constexpr char16_t kSettings[] = u"\\Registry\\Machine\\System\\CurrentControlSet\\Control\\Class\\Display\\0000";

void limit(nt::Machine& machine, const char16_t* name, uint32_t bytes) {
  if (bytes) CHECK(machine.registry().set_dword(kSettings, name, bytes).ok());
}

}  // namespace

ScenarioEnvironment::ScenarioEnvironment(ScenarioContext& context, EnvironmentMemory memory,
                                         const std::function<void(Graphics&)>& before_start)
    : context_(context), graphics_(context.machine, context.image, {}) {
  limit(context.machine, u"LocalBytes", memory.local_bytes);
  limit(context.machine, u"ApertureBytes", memory.aperture_bytes);
  if (context.failing) graphics_.disturb();
  if (before_start) before_start(graphics_);
  started_ = graphics_.start().ok();
  if (!started_ && !context.failing)
    context.machine.report_violation(nt::Violation::AdapterRefused, graphics_.refusal());
}

ScenarioEnvironment::~ScenarioEnvironment() {
  if (!started_) return;
  graphics_.stop();
  for (uint64_t calls : graphics_.ddi_calls()) context_.activity.ddi_calls += calls;
}

void ScenarioEnvironment::rest(base::TimeNs duration) { machine().executor().sleep_for(duration); }

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
