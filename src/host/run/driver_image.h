#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "abi/km/wdm.h"
#include "host/run/loaded_module.h"
#include "host/workload/workload.h"
#include "nt/hardware/device_model.h"

namespace host {

// Whether a file imports DxgkInitialize or DxgkInitializeDisplayOnlyDriver.
bool is_graphics_driver(const base::ElfFile& file);
// Whether a file imports the AVStream class.
bool is_streaming_driver(const base::ElfFile& file);

// Files that belong to a driver. Empty: NAME.device.so and NAME.workload.so beside NAME.so, else device.so and
// workload.so in its folder, if they are there.
struct DriverFiles {
  std::string device = {};    // the model of the hardware that the driver is for
  std::string workload = {};  // what clients know of its private data and commands
};

// A kernel driver's .so in this process, and what belongs to it.
class DriverImage {
 public:
  // The error is one sentence that names the file and what is wrong with it.
  static base::Expected<DriverImage, std::string> load(const std::string& path, const DriverFiles& files = {});

  // Takes driver, hardware and workload back to their state before the first seed.
  void restore() const {
    module_.restore();
    if (device_memory_) device_memory_->restore();
    if (workload_) workload_->restore();
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
  const Workload* workload() const { return workload_ ? &*workload_ : nullptr; }
  const std::string& build_id() const { return module_.library().file().build_id(); }

 private:
  explicit DriverImage(LoadedModule module) : module_(std::move(module)) {}
  // NAME.KIND.so or KIND.so beside the driver, or empty.
  std::string find_beside(const std::string& kind) const;
  // Why the file cannot be loaded, or empty.
  std::string load_device(const std::string& device);
  std::string load_workload(const std::string& workload);

  LoadedModule module_;
  PDRIVER_INITIALIZE entry_ = nullptr;
  bool graphics_ = false;
  bool streaming_ = false;
  std::optional<nt::DeviceModel> device_;
  std::optional<ModuleSnapshot> device_memory_;
  std::optional<Workload> workload_;
};

}  // namespace host
