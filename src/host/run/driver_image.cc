#include "host/run/driver_image.h"

#include <fmt/format.h>

#include <filesystem>

namespace host {

bool is_graphics_driver(const base::ElfFile& file) {
  return file.wants("DxgkInitialize") || file.wants("DxgkInitializeDisplayOnlyDriver");
}

bool is_streaming_driver(const base::ElfFile& file) { return file.wants("KsInitializeDriver"); }

std::optional<DriverImage> DriverImage::load(const std::string& path, std::string* error, const std::string& device) {
  auto module = LoadedModule::load(path, error);
  if (!module) return std::nullopt;
  DriverImage image(std::move(*module));
  image.entry_ = image.module_.library().function<DRIVER_INITIALIZE>("DriverEntry");
  if (!image.entry_) {
    *error = fmt::format("{}: no driver: it exports no DriverEntry", path);
    return std::nullopt;
  }
  image.graphics_ = is_graphics_driver(image.module_.library().file());
  image.streaming_ = is_streaming_driver(image.module_.library().file());
  if (!image.load_device(device, error)) return std::nullopt;
  return image;
}

std::string DriverImage::find_device() const {
  std::filesystem::path folder = std::filesystem::path(module_.path()).parent_path();
  std::filesystem::path own = folder / (module_.name() + ".device.so");
  if (std::filesystem::exists(own)) return own.string();
  std::filesystem::path shared = folder / "device.so";
  return (graphics_ || streaming_) && std::filesystem::exists(shared) ? shared.string() : std::string();
}

bool DriverImage::load_device(const std::string& device, std::string* error) {
  std::string path = device;
  if (path.empty()) {
    path = find_device();
    if (path.empty()) return true;
  }
  auto model = nt::DeviceModel::load(path, error);
  if (!model.ok()) return false;
  device_ = model.take();
  device_memory_.emplace(*device_->library());
  return true;
}

}  // namespace host
