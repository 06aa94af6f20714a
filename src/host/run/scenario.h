#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/run/driver_image.h"
#include "host/scenarios/umd/umd_image.h"
#include "nt/machine/machine.h"
#include "verifier/report/outcome.h"

namespace host {

// What a scenario has to work with, on the machine's first thread.
struct ScenarioContext {
  nt::Machine& machine;
  const DriverImage& image;
  const UmdImage* umd;  // null unless one is judged
  uint64_t seed;
  // Makes one allocation of the driver fail: the first from the n-th different place (counting from 1).
  std::function<void(uint32_t n)> fail_allocation;
  bool failing = false;  // something fails in this run on purpose
  // Out: what was really done, and why the scenario could not do what it is for. Only the first reason is kept.
  verifier::Activity activity = {};
  std::string skipped = {};
  std::string incomplete = {};
  std::string idle = {};

  // This driver has nothing that the scenario could try: "the driver has no pin that takes requests".
  void skip(std::string why);
  // The scenario was to try something and could not: "the adapter never started: …". In a run in which something fails
  // on purpose a driver may refuse everything: there it says nothing.
  void leave_incomplete(std::string why);
  // This run came to nothing, and with other choices another may not: "every request was refused". The scenario is
  // incomplete if each of its runs says so.
  void leave_idle(std::string why);
};

struct Scenario {
  const char* name;   // "nt/load-unload": a folder and a name
  const char* story;  // what happens, in one line
  void (*run)(ScenarioContext&);
  // Which drivers it is for: display miniport drivers, user-mode display drivers, minidrivers of AVStream, or those
  // that talk to the NT kernel only.
  enum class Needs : uint8_t { Nt, Graphics, Umd, Streaming } needs = Needs::Nt;
  // It expects a failure at any place, so failures of every kind can be injected into it.
  bool bears_faults = false;
};

// Every scenario, in the order they run.
const std::vector<Scenario>& all_scenarios();
// Those whose name matches the pattern (`*` and `?`).
std::vector<const Scenario*> find_scenarios(std::string_view pattern);

}  // namespace host
