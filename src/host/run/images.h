#pragma once

#include <optional>
#include <string>

#include "host/run/driver_image.h"
#include "host/scenarios/umd/umd_image.h"

namespace host {

// The files of one run: a kernel driver, and, if a user-mode driver is judged, that driver.
struct Images {
  // `driver` is the file that is judged, of either kind. A user-mode driver needs a kernel driver below it: `kmd`, or
  // if that is empty the bundled softgpu, which is looked for in the folders above the file. The error is one
  // sentence that names the file and what is wrong with it.
  static base::Expected<Images, std::string> load(const std::string& driver, const std::string& kmd,
                                                  const DriverFiles& files = {});

  void restore() const {
    kernel.restore();
    if (user) user->restore();
  }
  // Of the file that is judged.
  std::string file_name() const { return user ? user->file_name() : kernel.file_name(); }
  const std::string& build_id() const { return user ? user->build_id() : kernel.build_id(); }
  const UmdImage* umd() const { return user ? &*user : nullptr; }

  DriverImage kernel;
  std::optional<UmdImage> user;
};

// softgpu/NAME in the folder of `near`, or in one of those above it; empty when there is none.
std::string find_bundled(const std::string& near, const std::string& name);

}  // namespace host
