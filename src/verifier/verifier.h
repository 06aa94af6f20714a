#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/fault_plan.h"
#include "verifier/finding_set.h"
#include "verifier/lock_order.h"

namespace nt {
class Machine;
}

namespace verifier {

// What is said about a broken rule: what its class says (level_of), or what was asked for instead. Whether the run goes
// on does not depend on it: after what stops a run, nothing that followed would mean anything.
enum class Action : uint8_t { ByClass, Error, Warn, Off };
// Changes the finding's level as the action says. False: the finding is not to be told at all.
bool apply(Action action, Finding& finding);

struct Options {
  std::vector<std::string> drivers;  // file names of the modules whose code is the driver's
  bool lock_order = true;
};

// The machine's judge: it turns breaches into findings and says whether the run goes on. Made once by the host, which
// attaches it to one machine after another; touched by whoever runs the machine.
class Verifier final : public nt::Probe {
 public:
  // `modules` outlives it.
  Verifier(Options options, base::ModuleMap& modules) : options_(std::move(options)), modules_(modules) {}

  // False when there is no such rule.
  bool set_action(std::string_view rule_id, Action action);
  void set_fault_plan(FaultPlan* plan) { faults_ = plan; }  // null: nothing fails

  // The machine that lock orders are told to, which asks this probe in turn; null before the machine goes.
  void attach(nt::Machine* machine) { machine_ = machine; }
  // Forgets the last run; `run` goes into the findings of the next.
  void reset(RunContext run);

  const std::vector<Finding>& findings() const { return findings_.findings(); }

  // nt::Probe
  nt::Then broke(const nt::Breach& breach) override;
  bool wants_faults() const override { return faults_ != nullptr; }
  bool fails(const nt::FaultSite& site) override;
  bool wants_locks() const override { return options_.lock_order && machine_; }
  void lock_acquiring(const nt::LockEvent& event) override;
  void memory_gone(uintptr_t lo, uintptr_t hi) override;

 private:
  void tell(const LockCycle& cycle);

  Options options_;
  base::ModuleMap& modules_;
  std::array<Action, nt::kBrokeCount> actions_{};
  FaultPlan* faults_ = nullptr;
  nt::Machine* machine_ = nullptr;
  RunContext run_;
  FindingSet findings_;
  LockOrder lock_order_;
};

}  // namespace verifier
