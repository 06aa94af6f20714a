#pragma once

#include <optional>

#include "host/run/scenario.h"
#include "host/scenarios/ks/ks_driver.h"
#include "ks/object/program.h"

namespace host {

// The environment of a scenario for minidrivers: the AVStream class, and the driver with its device started; stopped at
// the end. Used on the machine's first thread; the choices on any.
class KsEnvironment {
 public:
  explicit KsEnvironment(ScenarioContext& context, const ks::Policy& policy = {});
  ~KsEnvironment();
  KsEnvironment(const KsEnvironment&) = delete;
  KsEnvironment& operator=(const KsEnvironment&) = delete;

  // False when the driver refused to start: then there is nothing to play.
  bool started() const { return driver_.started(); }
  ks::System& system() { return system_; }
  KsDriver& driver() { return driver_; }
  nt::Machine& machine() { return context_.machine; }
  // Nothing was made to fail that a driver may fail with.
  bool undisturbed() const { return !context_.failing && !context_.machine.broken(); }
  // What holds for the bundled drivers while nothing went wrong. Others have their own reasons.
  bool known() const { return known_; }
  bool expect(bool fact, base::Here where = base::Here::now()) const;

  uint32_t choose(uint32_t below) { return static_cast<uint32_t>(machine().executor().choose(below)); }
  bool perhaps() { return choose(2) != 0; }
  void rest(base::TimeNs duration);

 private:
  ScenarioContext& context_;
  ks::System system_;
  KsDriver driver_;
  const bool known_;
};

}  // namespace host
