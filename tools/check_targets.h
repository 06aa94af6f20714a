#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "host/run/driver_image.h"
#include "host/run/scenario.h"

namespace tools {

// One driver that `drydock check` checks, and the kernel driver below it.
struct Target {
  std::string driver;
  std::string kmd;          // below a user-mode driver; empty: softgpu
  host::DriverFiles files;  // that belong to the kernel driver
  host::Scenario::Needs kind = host::Scenario::Needs::Nt;
};

// "kernel-mode display driver", …
const char* name_of(host::Scenario::Needs kind);

// What the command line names, in four ways: files whose kind follows from their exports, and files of a given kind.
struct Named {
  std::vector<std::string> drivers;
  std::vector<std::string> kmd, umd, ks;
  host::DriverFiles files;

  bool any() const { return !drivers.empty() || !kmd.empty() || !umd.empty() || !ks.empty(); }
};

// The targets of the command line; the bundled drivers when none is named. A single --kmd beside user-mode drivers is
// the kernel driver below them and is not checked itself. The error is one sentence.
base::Expected<std::vector<Target>, std::string> find_targets(const Named& named);

}  // namespace tools
