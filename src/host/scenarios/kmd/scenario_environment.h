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

  // False when the driver refused to: then there is nothing to play.
  // A display-only driver has no devices, and nothing to play either.
  bool started() const { return started_ && graphics_.has_devices(); }
  Graphics& graphics() { return graphics_; }
  nt::Machine& machine() { return context_.machine; }

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
