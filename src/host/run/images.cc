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

std::optional<Images> Images::load(const std::string& driver, const std::string& kmd, const std::string& device,
                                   std::string* error) {
  auto file = base::ElfFile::open(driver);
  bool user_mode = file.ok() && is_user_mode_driver(file.value());
  std::string below = driver;
  if (user_mode) below = kmd.empty() ? find_bundled(driver, "softgpu.so") : kmd;
  if (below.empty()) {
    *error =
        fmt::format("{}: a user-mode driver, and no kernel-mode driver to go below it; name one with --kmd", driver);
    return std::nullopt;
  }
  auto kernel = DriverImage::load(below, error, device);
  if (!kernel) return std::nullopt;
  Images images{std::move(*kernel), std::nullopt};
  if (!user_mode) return images;
  images.user = UmdImage::load(driver, error);
  if (!images.user) return std::nullopt;
  return images;
}

}  // namespace host
