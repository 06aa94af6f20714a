#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/run/driver_image.h"
#include "ks/device/system.h"
#include "verifier/finding/finding.h"

namespace host {

// A simulated machine with the AVStream class, for one use of some minidrivers by a person. In this process.
struct StreamingRun {
  uint64_t seed = 0;
  std::string name;         // "capture", for findings
  std::string files;        // folder of the host that holds the machine's files
  bool keep_going = false;  // after a finding that would end the run: what follows is not judged with any certainty
  ks::Policy policy;
  std::vector<const DriverImage*> images;

  // True when `body` came to its end. What was found meanwhile is in `findings`.
  bool play(const std::function<void(ks::System&)>& body, std::vector<verifier::Finding>& findings) const;
};

// A minidriver's file; an error when it is another kind of file.
base::Expected<DriverImage, std::string> load_minidriver(const std::string& path, const std::string& device);

}  // namespace host
