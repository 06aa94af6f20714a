#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "host/run/driver_image.h"

namespace softgpu {

// The driver of that name in a folder. An image is never unloaded, so that each is loaded once. Null after a failed
// expectation.
inline const host::DriverImage* loaded_driver(const std::string& folder, const std::string& driver) {
  static std::map<std::string, host::DriverImage> images;
  auto found = images.find(driver);
  if (found != images.end()) return &found->second;
  auto image = host::DriverImage::load(folder + "/" + driver + ".so");
  if (!image.ok()) {
    ADD_FAILURE() << image.error();
    return nullptr;
  }
  return &images.emplace(driver, image.take()).first->second;
}

}  // namespace softgpu
