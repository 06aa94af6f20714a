#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/driver_image.h"
#include "host/umd_image.h"
#include "nt/machine.h"

namespace host {

// What a scenario has to work with, on the machine's first thread.
struct ScenarioContext {
  nt::Machine& machine;
  const DriverImage& image;
  const UmdImage* umd;  // null unless one is judged
  uint64_t seed;
  // Makes one allocation of the driver fail: the first from the n-th different place (counting from 1).
  std::function<void(uint32_t n)> fail_allocation;
  bool failing = false;    // … and it was asked to
  uint64_t ddi_calls = 0;  // out: into a display driver
};

struct Scenario {
  const char* name;   // "nt/load-unload": a folder and a name
  const char* story;  // what happens, in one line
  void (*run)(ScenarioContext&);
  // Which drivers it is for: display miniport drivers, user-mode display drivers, minidrivers of AVStream, or those
  // that talk to nobody but the NT kernel.
  enum class Needs : uint8_t { Nt, Graphics, Umd, Streaming } needs = Needs::Nt;
  // It expects that anything may fail at any place, so failures of every kind can be injected into it.
  bool bears_faults = false;
};

// Every scenario, in the order they run.
const std::vector<Scenario>& all_scenarios();
// Those whose name matches the pattern (`*` and `?`).
std::vector<const Scenario*> find_scenarios(std::string_view pattern);

}  // namespace host
