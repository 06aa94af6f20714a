#include "host/run/images.h"

#include <fmt/format.h>

#include <filesystem>

namespace host {

std::string find_bundled(const std::string& near, const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path folder = fs::absolute(near, error).lexically_normal().parent_path();
  for (;; folder = folder.parent_path()) {
    for (const fs::path& candidate : {folder / name, folder / "softgpu" / name}) {
      if (fs::exists(candidate, error)) return candidate.string();
    }
    if (!folder.has_relative_path()) return {};
  }
}

base::Expected<Images, std::string> Images::load(const std::string& driver, const std::string& kmd,
                                                 const DriverFiles& files) {
  auto file = base::ElfFile::open(driver);
  bool user_mode = file.ok() && is_user_mode_driver(file.value());
  std::string below = driver;
  if (user_mode) below = kmd.empty() ? find_bundled(driver, "softgpu.so") : kmd;
  if (below.empty()) {
    return fmt::format("{}: a user-mode driver, and no kernel-mode driver to go below it; name one with --kmd", driver);
  }
  auto kernel = DriverImage::load(below, files);
  if (!kernel.ok()) return kernel.error();
  Images images{kernel.take(), std::nullopt};
  if (!user_mode) return images;
  auto user = UmdImage::load(driver);
  if (!user.ok()) return user.error();
  images.user = user.take();
  return images;
}

}  // namespace host
