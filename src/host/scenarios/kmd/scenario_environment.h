#pragma once

#include <functional>

#include "host/run/scenario.h"
#include "host/scenarios/kmd/graphics.h"

namespace host {

// How much memory softgpu gets; 0: all that its hardware has. Has no effect on other drivers.
struct EnvironmentMemory {
  uint32_t local_bytes = 0;
  uint32_t aperture_bytes = 0;
};

// The adapter did not start, or not again, and nothing was made to fail: a finding where what the driver reports was
// refused for `why`, incomplete where a function of the driver failed.
void explain_refusal(ScenarioContext& context, const Graphics& graphics, bool by_rule, const std::string& why);
// Starts the driver of a scenario, and explains a refusal.
bool start_driver(ScenarioContext& context, Graphics& graphics);
// Behind the last call of the driver: what was done with it, and what clients did not get.
void take_outcome(ScenarioContext& context, Graphics& graphics);

// Why a scenario that needs commands of its own has nothing to try on most drivers.
inline constexpr const char* kNoCommands =
    "no command could be made for this driver: no workload is loaded that is for it (docs/writing-a-workload.md)";

// The environment of a scenario for display miniport drivers: the driver is started, and stopped at the end. Used on
// the machine's first thread; the choices on any.
class ScenarioEnvironment {
 public:
  // `before_start`: what has to be there when the driver is loaded.
  explicit ScenarioEnvironment(ScenarioContext& context, EnvironmentMemory memory = {},
                               const std::function<void(Graphics&)>& before_start = {});
  ~ScenarioEnvironment();
  ScenarioEnvironment(const ScenarioEnvironment&) = delete;
  ScenarioEnvironment& operator=(const ScenarioEnvironment&) = delete;

  // Whether the adapter runs. Where it does not, the outcome says why: what the driver reports is refused, which is a
  // finding, or the driver itself failed, and the scenario is incomplete.
  bool has_adapter() const { return started_; }
  // Whether clients can make devices on it. A display-only driver has none, and the scenario is skipped.
  bool started();
  Graphics& graphics() { return graphics_; }
  nt::Machine& machine() { return context_.machine; }
  // The outcome: see ScenarioContext.
  void skip(std::string why) { context_.skip(std::move(why)); }
  void leave_incomplete(std::string why) { context_.leave_incomplete(std::move(why)); }

  // From the seed.
  uint32_t choose(uint32_t below) { return static_cast<uint32_t>(machine().executor().choose(below)); }
  bool perhaps() { return choose(2) != 0; }
  // Lets the others go on for a while.
  void rest(base::TimeNs duration);

 private:
  ScenarioContext& context_;
  Graphics graphics_;
  bool started_ = false;
};

// Threads of a scenario, joined by the destructor. Owned and waited for by the thread that made it.
class ThreadGroup {
 public:
  explicit ThreadGroup(nt::Machine& machine) : machine_(machine) {}
  ~ThreadGroup();
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;

  void add(const std::string& name, std::function<void()> work);

 private:
  nt::Machine& machine_;
  int running_ = 0;
};

inline constexpr base::TimeNs kMicrosecond = 1'000, kMillisecond = 1'000'000, kSecond = 1'000'000'000;

}  // namespace host
