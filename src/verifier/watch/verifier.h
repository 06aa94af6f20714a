#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/finding/finding_set.h"
#include "verifier/watch/fault_plan.h"
#include "verifier/watch/lock_order.h"

namespace nt {
class Machine;
}

namespace verifier {

struct Rule;

// How a broken rule is reported: as its class says (level_of), or as the user asked instead. A rule that is off ends no
// run where the machine can go on; any other ends it as its row says: later findings would mean nothing.
enum class Action : uint8_t { ByClass, Error, Warn, Off };
// Changes the finding's level as the action says. False: the finding must not be reported.
bool apply(Action action, Finding& finding);

// Of a run that ended behind a rule that is off: "NT-CRASH-01 is off, and nothing can go on behind it".
std::string unfinished_behind(std::string_view rule);

struct Options {
  std::vector<std::string> drivers;  // file names of the modules whose code is the driver's
  bool lock_order = true;
};

// Turns the machine's violations into findings and decides whether the run goes on. Made once by the host, which
// attaches it to one machine after another; used on the machine's threads and by the host that runs the machine.
class Verifier final : public nt::MachineObserver {
 public:
  // `modules` outlives it.
  Verifier(Options options, base::ModuleMap& modules) : options_(std::move(options)), modules_(modules) {}

  // False when there is no such rule.
  bool set_action(std::string_view rule_id, Action action);
  void set_fault_plan(FaultPlan* plan) { faults_ = plan; }  // null: nothing fails

  // The machine to which violations of the lock order are reported, and whose observer this is. Set to null before the
  // machine is destroyed.
  void attach(nt::Machine* machine) { machine_ = machine; }
  // Forgets the last run; `run` goes into the findings of the next.
  void reset(RunContext run);

  const std::vector<Finding>& findings() const { return findings_.findings(); }
  // Why a run that has ended early is incomplete: the violation that was reported last is of a rule that is off. Empty:
  // it is not.
  std::string unfinished() const;

  // nt::MachineObserver
  nt::Then report_violation(const nt::ViolationReport& violation) override;
  bool wants_faults() const override { return faults_ != nullptr; }
  bool fails(const nt::FaultSite& site) override;
  bool wants_locks() const override { return options_.lock_order && machine_; }
  void lock_acquiring(const nt::LockEvent& event) override;
  void memory_gone(uintptr_t lo, uintptr_t hi) override;

 private:
  void tell(const LockCycle& cycle);

  Options options_;
  base::ModuleMap& modules_;
  std::array<Action, nt::kViolationCount> actions_{};
  FaultPlan* faults_ = nullptr;
  nt::Machine* machine_ = nullptr;
  RunContext run_;
  FindingSet findings_;
  const Rule* last_off_ = nullptr;  // the rule of the last violation, where it is off
  LockOrder lock_order_;
};

}  // namespace verifier
