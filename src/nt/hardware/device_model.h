#pragma once

#include <optional>
#include <string>

#include "abi/device/drydock_device.h"
#include "base/debug/library.h"
#include "base/result.h"

namespace nt {

// A device model that was found to be well formed, and the module it came in. Owned by the loader of devices; outlives
// every device made of it.
class DeviceModel {
 public:
  // Loads a shared object. On failure `message`, if given, receives the whole sentence with file names and numbers.
  static base::Result<DeviceModel> load(const std::string& path, std::string* message = nullptr);
  // A model of this program itself.
  static base::Result<DeviceModel> of(const DRYDOCK_DEVICE_MODEL& description, std::string* message = nullptr);

  // The module that it came in; null for one of this program itself.
  const base::Library* library() const { return library_ ? &*library_ : nullptr; }
  const DRYDOCK_DEVICE_MODEL& operator*() const { return *description_; }
  const DRYDOCK_DEVICE_MODEL* operator->() const { return description_; }

 private:
  explicit DeviceModel(const DRYDOCK_DEVICE_MODEL& description) : description_(&description) {}

  std::optional<base::Library> library_;
  const DRYDOCK_DEVICE_MODEL* description_;
};

}  // namespace nt
