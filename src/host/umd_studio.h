#pragma once

#include <memory>
#include <vector>

#include "host/umd_painter.h"

namespace host {

using UmdResources = std::vector<std::unique_ptr<UmdResource>>;

// Unless it is null.
void add(UmdResources& resources, std::unique_ptr<UmdResource> made);
// Any of them, which is no longer among them.
std::unique_ptr<UmdResource> take_any(Stage& stage, UmdResources& resources);
// One step of a life by chance: something is made, written, looked at, destroyed.
void live_on(UmdProcess& process, umd::Device9& device, UmdResources& resources);

// A program that draws on a few targets of one size, and looks at them. Owned by the scenario, on the device's thread.
class Studio {
 public:
  Studio(UmdProcess& process, umd::Device9& device)
      : process_(process), device_(device), painter_(process, device, process.stage()) {}

  // False when the driver refused.
  bool begin();
  // One thing by chance.
  void work();
  // Work, whatever chance says; the first failure of it.
  HRESULT fill_and_flush();
  // Compares the last pictures, and destroys everything or leaves it to the device.
  void end();

 private:
  Stage& stage() { return process_.stage(); }
  UmdResource& any_target() { return *targets_[stage().choose(static_cast<uint32_t>(targets_.size()))]; }
  UmdResource& another(const UmdResource& target);
  void copy_momentary(UmdResource& target);
  void copy_between(UmdResource& target);

  UmdProcess& process_;
  umd::Device9& device_;
  UmdPainter painter_;
  UmdResources targets_;
};

}  // namespace host
