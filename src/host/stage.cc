#include "host/stage.h"

#include "nt/registry.h"

namespace host {
namespace {

// The software key of the first display adapter, where its driver looks for settings.
constexpr char16_t kSettings[] = u"\\Registry\\Machine\\System\\CurrentControlSet\\Control\\Class\\Display\\0000";

void limit(nt::Machine& machine, const char16_t* name, uint32_t bytes) {
  if (bytes) CHECK(machine.registry().set_dword(kSettings, name, bytes).ok());
}

}  // namespace

Stage::Stage(ScenarioContext& context, StageMemory memory, const std::function<void(Graphics&)>& before_start)
    : context_(context), graphics_(context.machine, context.image, {}) {
  limit(context.machine, u"LocalBytes", memory.local_bytes);
  limit(context.machine, u"ApertureBytes", memory.aperture_bytes);
  if (context.failing) graphics_.disturb();
  if (before_start) before_start(graphics_);
  started_ = graphics_.start().ok();
  if (!started_ && !context.failing) context.machine.broke(nt::Broke::AdapterRefused, graphics_.refusal());
}

Stage::~Stage() {
  if (!started_) return;
  graphics_.stop();
  for (uint64_t calls : graphics_.ddi_calls()) context_.ddi_calls += calls;
}

void Stage::rest(base::TimeNs duration) {
  base::Executor& executor = machine().executor();
  base::TimeNs until = executor.now() + duration;
  while (executor.park(until, base::Point::Wait) != base::Wake::Deadline) {
  }
}

Crew::~Crew() {
  while (running_ > 0) machine_.executor().park(base::kForever, base::Point::Wait);
}

void Crew::add(const std::string& name, std::function<void()> work) {
  ++running_;
  base::Task* boss = base::Executor::current();
  machine_.create_thread(name, [this, boss, work = std::move(work)] {
    work();
    --running_;
    machine_.executor().unpark(*boss);
  });
}

}  // namespace host
