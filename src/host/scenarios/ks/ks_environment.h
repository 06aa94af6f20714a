#pragma once

#include <string>

#include "host/run/scenario.h"
#include "host/scenarios/ks/ks_driver.h"
#include "ks/object/program.h"

namespace host {

// The environment of a scenario for minidrivers: the AVStream class, and the driver with its device started; stopped at
// the end. What the driver did is counted into the scenario's activity. Used on the machine's first thread; the choices
// and what is said of the outcome on any.
class KsEnvironment {
 public:
  explicit KsEnvironment(ScenarioContext& context, const ks::Policy& policy = {});
  ~KsEnvironment();
  KsEnvironment(const KsEnvironment&) = delete;
  KsEnvironment& operator=(const KsEnvironment&) = delete;

  // False when the driver refused to start, which the outcome says: then there is nothing to play.
  bool started() const { return driver_.started(); }
  ks::System& system() { return system_; }
  KsDriver& driver() { return driver_; }
  nt::Machine& machine() { return context_.machine; }
  // Nothing was made to fail that a driver may fail with.
  bool undisturbed() const { return !context_.failing && !context_.machine.broken(); }

  // --- The outcome ---
  // What any driver does that declares what this one declares. If it does not, the scenario is incomplete: "expected:
  // pin 0 goes to KSSTATE_RUN".
  bool expect(bool fact, const std::string& words);
  // The scenario was to try something and could not. Says nothing in a run in which something fails on purpose.
  void leave_incomplete(const std::string& why);
  // The driver declares nothing that the scenario could try.
  void skip(const std::string& why) { context_.skip(why); }
  // Frames that the driver has filled or taken so far. Brings the scenario's activity up to date.
  uint64_t frames();

  uint32_t choose(uint32_t below) { return static_cast<uint32_t>(machine().executor().choose(below)); }
  bool perhaps() { return choose(2) != 0; }
  void rest(base::TimeNs duration);

 private:
  ScenarioContext& context_;
  const verifier::Activity before_;  // of the same scenario, in an environment that ended
  ks::System system_;
  KsDriver driver_;
};

}  // namespace host
