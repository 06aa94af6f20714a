#include "verifier/watch/verifier.h"

#include <fmt/format.h>

#include "nt/machine/machine.h"
#include "verifier/rules/rules.h"

namespace verifier {

bool apply(Action action, Finding& finding) {
  if (action == Action::Error) finding.level = Level::Error;
  if (action == Action::Warn) finding.level = Level::Warning;
  return action != Action::Off;
}

std::string unfinished_behind(std::string_view rule) {
  return fmt::format("{} is off, and nothing can go on behind it", rule);
}

bool Verifier::set_action(std::string_view rule_id, Action action) {
  const Rule* rule = find_rule(rule_id);
  if (!rule) return false;
  actions_[static_cast<size_t>(rule->violation)] = action;
  return true;
}

void Verifier::reset(RunContext run) {
  run_ = std::move(run);
  findings_.clear();
  last_off_ = nullptr;
  lock_order_.reset();
  if (faults_) faults_->reset();
}

nt::Then Verifier::report_violation(const nt::ViolationReport& violation) {
  Action action = actions_[static_cast<size_t>(violation.what)];
  const Rule& rule = rule_for(violation.what);
  last_off_ = action == Action::Off ? &rule : nullptr;
  if (action == Action::Off) return nt::Then::GoOn;
  modules_.refresh();  // the driver may have been loaded since
  Finding finding = make_finding(violation, modules_, options_.drivers);
  finding.run = run_;
  apply(action, finding);
  findings_.add(std::move(finding));
  return rule.then;
}

std::string Verifier::unfinished() const { return last_off_ ? unfinished_behind(last_off_->id) : std::string(); }

bool Verifier::fails(const nt::FaultSite& site) { return faults_ && faults_->fails(site); }

// The list of held locks is the thread's own: it includes locks that were only tried, and accounts for waits that timed
// out and for locks that went with their thread.
void Verifier::lock_acquiring(const nt::LockEvent& event) {
  for (const LockCycle& cycle : lock_order_.acquiring(event, nt::Thread::current()->held)) tell(cycle);
}

void Verifier::memory_gone(uintptr_t lo, uintptr_t hi) { lock_order_.memory_gone(lo, hi); }

void Verifier::tell(const LockCycle& cycle) {
  machine_->report_violation(nt::Violation::LockOrder, cycle.sentence, cycle.stacks);
}

}  // namespace verifier
