#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "abi/km/wdm.h"
#include "host/run/loaded_module.h"
#include "nt/hardware/device_model.h"

namespace host {

// Whether a file imports DxgkInitialize or DxgkInitializeDisplayOnlyDriver.
bool is_graphics_driver(const base::ElfFile& file);
// Whether a file imports the AVStream class.
bool is_streaming_driver(const base::ElfFile& file);

// A kernel driver's .so in this process, and the model of the hardware it is for.
class DriverImage {
 public:
  // `device` is the model of the hardware that a driver is for; empty: NAME.device.so beside NAME.so, else device.so in
  // its folder, if there is one. The error is one sentence that names the file and what is wrong with it.
  static base::Expected<DriverImage, std::string> load(const std::string& path, const std::string& device = {});

  // Takes driver and hardware back to their state before the first seed.
  void restore() const {
    module_.restore();
    if (device_memory_) device_memory_->restore();
  }

  PDRIVER_INITIALIZE driver_entry() const { return entry_; }
  const std::string& path() const { return module_.path(); }
  std::string file_name() const { return module_.file_name(); }
  std::string name() const { return module_.name(); }
  base::AddressRange range() const { return module_.range(); }
  // Where a section such as ".text" or "PAGE" was loaded.
  std::optional<base::AddressRange> section(std::string_view name) const { return module_.library().section(name); }
  // It registers with the graphics kernel.
  bool is_graphics() const { return graphics_; }
  // It is a minidriver of AVStream.
  bool is_streaming() const { return streaming_; }
  const nt::DeviceModel* device_model() const { return device_ ? &*device_ : nullptr; }
  const std::string& build_id() const { return module_.library().file().build_id(); }

 private:
  explicit DriverImage(LoadedModule module) : module_(std::move(module)) {}
  std::string find_device() const;
  // Why the model cannot be loaded, or empty.
  std::string load_device(const std::string& device);

  LoadedModule module_;
  PDRIVER_INITIALIZE entry_ = nullptr;
  bool graphics_ = false;
  bool streaming_ = false;
  std::optional<nt::DeviceModel> device_;
  std::optional<ModuleSnapshot> device_memory_;
};

}  // namespace host
