#include "host/scenarios/umd/umd_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "drivers/softgpu/proto/softgpu_user.h"

namespace host {
namespace {

constexpr const char* kEntries[] = {"OpenAdapter", "OpenAdapter10", "OpenAdapter10_2"};

// What softgpu's user-mode driver exports besides: drivers/softgpu/umd/declaration.cc.
constexpr const char* kSoftgpuVersion = "SoftgpuUserModeVersion";

template <typename F>
F entry(const LoadedModule& module, const char* name) {
  return reinterpret_cast<F>(module.library().symbol(name));
}

}  // namespace

bool is_user_mode_driver(const base::ElfFile& file) {
  return !file.offers("DriverEntry") &&
         std::any_of(std::begin(kEntries), std::end(kEntries), [&](const char* name) { return file.offers(name); });
}

base::Expected<UmdImage, std::string> UmdImage::load(const std::string& path) {
  auto module = LoadedModule::load(path);
  if (!module.ok()) return module.error();
  if (!is_user_mode_driver(module.value().library().file())) {
    return fmt::format(
        "{}: no user-mode display driver: it exports none of OpenAdapter, OpenAdapter10 and "
        "OpenAdapter10_2",
        path);
  }
  return UmdImage(module.take());
}

bool UmdImage::is_softgpu() const {
  const auto* protocol = entry<const uint32_t*>(module_, kSoftgpuVersion);
  return protocol && *protocol == SOFTGPU_USER_VERSION;
}

umd::Exports UmdImage::exports() const {
  return {.open_adapter = entry<PFND3DDDI_OPENADAPTER>(module_, kEntries[0]),
          .open_adapter10 = entry<PFND3D10DDI_OPENADAPTER>(module_, kEntries[1]),
          .open_adapter10_2 = entry<PFND3D10DDI_OPENADAPTER>(module_, kEntries[2])};
}

}  // namespace host
