#pragma once

#include <memory>
#include <vector>

#include "host/scenarios/umd/umd_painter.h"

namespace host {

using UmdResources = std::vector<std::unique_ptr<UmdResource>>;

// Adds the resource unless it is null.
void add(UmdResources& resources, std::unique_ptr<UmdResource> made);
// Removes a random one and returns it.
std::unique_ptr<UmdResource> take_any(ScenarioEnvironment& environment, UmdResources& resources);
// One random step: something is made, written, read, destroyed.
void random_step(UmdProcess& process, umd::Device9& device, UmdResources& resources);

// A program that draws on a few targets of one size, and compares them. Owned by the scenario, on the device's thread.
class Umd9Workload {
 public:
  Umd9Workload(UmdProcess& process, umd::Device9& device)
      : process_(process), device_(device), painter_(process, device, process.environment()) {}

  // False when the driver refused.
  bool begin();
  // One thing by chance.
  void work();
  // Work, whatever chance says; the first failure of it.
  HRESULT fill_and_flush();
  // Compares the pictures as they are, which waits for what was drawn.
  void check();
  // Compares the last pictures, and destroys everything or leaves it to the device.
  void end();

 private:
  ScenarioEnvironment& environment() { return process_.environment(); }
  UmdResource& any_target() { return *targets_[environment().choose(static_cast<uint32_t>(targets_.size()))]; }
  UmdResource& another(const UmdResource& target);
  void copy_momentary(UmdResource& target);
  void copy_between(UmdResource& target);

  UmdProcess& process_;
  umd::Device9& device_;
  UmdPainter painter_;
  UmdResources targets_;
};

}  // namespace host
