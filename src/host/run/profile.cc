#include "host/run/profile.h"

#include "base/check.h"
#include "dxgk/ddi/ddi.h"

namespace host {
namespace {

using Version = dxgk::InterfaceVersion;

constexpr Profile kProfiles[] = {
    {"wddm1.2", "Windows 8", static_cast<uint32_t>(Version::Win8)},
    {"wddm1.3", "Windows 8.1", static_cast<uint32_t>(Version::Wddm1_3)},
    {"wddm2.0", "Windows 10, version 1507", static_cast<uint32_t>(Version::Wddm2_0)},
    {"wddm2.1", "Windows 10, version 1607", static_cast<uint32_t>(Version::Wddm2_1)},
    {"wddm2.2", "Windows 10, version 1703", static_cast<uint32_t>(Version::Wddm2_2)},
    {"wddm2.3", "Windows 10, version 1709", static_cast<uint32_t>(Version::Wddm2_3)},
    {"wddm2.4", "Windows 10, version 1803", static_cast<uint32_t>(Version::Wddm2_4)},
    {"wddm2.5", "Windows 10, version 1809", static_cast<uint32_t>(Version::Wddm2_5)},
    {"wddm2.6", "Windows 10, version 1903", static_cast<uint32_t>(Version::Wddm2_6)},
    {"wddm2.7", "Windows 10, version 2004", static_cast<uint32_t>(Version::Wddm2_7)},
    {"wddm2.9", "Windows Server 2022", static_cast<uint32_t>(Version::Wddm2_9)},
    {"wddm3.0", "Windows 11, version 21H2", static_cast<uint32_t>(Version::Wddm3_0)},
    {"wddm3.1", "Windows 11, version 22H2", static_cast<uint32_t>(Version::Wddm3_1)},
};

constexpr uint32_t kNewest = 0;
constexpr uint32_t kDriversOwn = 1;  // below every version: the driver is offered the version it was built for

}  // namespace

std::span<const Profile> all_profiles() { return kProfiles; }

const Profile* find_profile(std::string_view name) {
  for (const Profile& profile : kProfiles) {
    if (name == profile.name) return &profile;
  }
  return nullptr;
}

uint32_t graphics_version(std::string_view profile, uint64_t seed) {
  if (profile.empty()) return seed % 2 ? kDriversOwn : kNewest;
  const Profile* found = find_profile(profile);
  CHECK_MSG(found, "a profile that was not looked up before");
  return found->interface_version;
}

}  // namespace host
