#include "client/settings.h"

#include <cstdlib>
#include <filesystem>

#include "base/number.h"

namespace client {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

std::string default_driver(const std::string& library_folder) {
  std::error_code error;
  for (const char* candidate : {"../drivers", "drydock/drivers", "../../drivers"}) {
    auto path = (std::filesystem::path(library_folder) / candidate / "softgpu/softgpu.so").lexically_normal();
    if (std::filesystem::exists(path, error)) return path.string();
  }
  return {};
}

Settings Settings::from_environment(const std::string& library_folder) {
  Settings settings;
  settings.driver = variable(kDriverVariable);
  settings.device = variable(kDeviceVariable);
  settings.like_wsl = variable(kWslVariable) == "1";
  settings.ledger = variable(kLedgerVariable);
  settings.stuck_limit_s = base::parse_number<uint32_t>(variable(kStuckVariable)).value_or(kStuckLimitS);
  if (settings.driver.empty()) settings.driver = default_driver(library_folder);
  return settings;
}

}  // namespace client
