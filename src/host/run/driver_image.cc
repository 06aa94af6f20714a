#include "host/run/driver_image.h"

#include <fmt/format.h>

#include <filesystem>

namespace host {

bool is_graphics_driver(const base::ElfFile& file) {
  return file.wants("DxgkInitialize") || file.wants("DxgkInitializeDisplayOnlyDriver");
}

bool is_streaming_driver(const base::ElfFile& file) { return file.wants("KsInitializeDriver"); }

base::Expected<DriverImage, std::string> DriverImage::load(const std::string& path, const DriverFiles& files) {
  auto module = LoadedModule::load(path);
  if (!module.ok()) return module.error();
  DriverImage image(module.take());
  image.entry_ = image.module_.library().function<DRIVER_INITIALIZE>("DriverEntry");
  if (!image.entry_) return fmt::format("{}: no driver: it exports no DriverEntry", path);
  image.graphics_ = is_graphics_driver(image.module_.library().file());
  image.streaming_ = is_streaming_driver(image.module_.library().file());
  if (std::string refusal = image.load_device(files.device); !refusal.empty()) return refusal;
  if (std::string refusal = image.load_workload(files.workload); !refusal.empty()) return refusal;
  return image;
}

std::string DriverImage::find_beside(const std::string& kind) const {
  std::filesystem::path folder = std::filesystem::path(module_.path()).parent_path();
  std::filesystem::path own = folder / (module_.name() + "." + kind + ".so");
  if (std::filesystem::exists(own)) return own.string();
  std::filesystem::path shared = folder / (kind + ".so");
  return (graphics_ || streaming_) && std::filesystem::exists(shared) ? shared.string() : std::string();
}

std::string DriverImage::load_device(const std::string& device) {
  std::string path = device.empty() ? find_beside("device") : device;
  if (path.empty()) return {};
  std::string refusal;
  auto model = nt::DeviceModel::load(path, &refusal);
  if (!model.ok()) return refusal;
  device_ = model.take();
  device_memory_.emplace(*device_->library());
  return {};
}

std::string DriverImage::load_workload(const std::string& workload) {
  if (!graphics_) return workload.empty() ? "" : fmt::format("{}: workloads are for display drivers", workload);
  std::string path = workload.empty() ? find_beside("workload") : workload;
  if (path.empty()) return {};
  auto loaded = Workload::load(path);
  if (!loaded.ok()) return loaded.error();
  workload_ = loaded.take();
  return {};
}

}  // namespace host
