#include "nt/hardware/device_model.h"

#include <fmt/format.h>

#include <bit>

#include "base/planted.h"

namespace nt {
namespace {

constexpr uint64_t kSmallestBar = 4096;
constexpr uint64_t kLargestBar32 = uint64_t{1} << 28;  // of the quarter of a gigabyte that devices have below 4 GiB
constexpr uint64_t kLargestBar64 = uint64_t{1} << 32;  // of what a driver can map

base::Failure invalid(std::string* message, std::string sentence) {
  if (message) *message = std::move(sentence);
  return base::Failure(STATUS_INVALID_PARAMETER, "the device model is not well formed");
}

std::string wrong_bar(const DRYDOCK_DEVICE_BAR& bar, size_t index) {
  if (bar.kind == DRYDOCK_DEVICE_BAR_NONE) {
    return bar.size == 0 ? "" : fmt::format("bar {} has a size and no kind", index);
  }
  if (bar.kind != DRYDOCK_DEVICE_BAR_MEMORY32 && bar.kind != DRYDOCK_DEVICE_BAR_MEMORY64) {
    return fmt::format("bar {} is of kind {}, which is not known", index, bar.kind);
  }
  if (!std::has_single_bit(bar.size))
    return fmt::format("bar {} has a size of 0x{:X}, not a power of two", index, bar.size);
  uint64_t largest = bar.kind == DRYDOCK_DEVICE_BAR_MEMORY32 ? kLargestBar32 : kLargestBar64;
  if (bar.size < kSmallestBar || bar.size > largest) {
    return fmt::format("bar {} has a size of 0x{:X}, not within 0x{:X} and 0x{:X}", index, bar.size, kSmallestBar,
                       largest);
  }
  return "";
}

std::string wrong(const DRYDOCK_DEVICE_MODEL& model) {
  if (model.version != DRYDOCK_DEVICE_VERSION) {
    return fmt::format("it is of version {}, and this program knows version {}", model.version, DRYDOCK_DEVICE_VERSION);
  }
  if (model.size < DRYDOCK_DEVICE_MODEL_LEAST) {
    return fmt::format("its description has {} bytes, and needs {}", model.size, DRYDOCK_DEVICE_MODEL_LEAST);
  }
  if (!model.name || !*model.name) return "it has no name";
  if (model.interrupt_lines > 1)
    return fmt::format("it has {} interrupt lines, and one is the most", model.interrupt_lines);
  if (!model.create || !model.destroy || !model.reset) return "one of create, destroy and reset is missing";
  bool registers = false;
  for (size_t i = 0; i < DRYDOCK_DEVICE_BARS; ++i) {
    if (std::string sentence = wrong_bar(model.bars[i], i); !sentence.empty()) return sentence;
    uint32_t next = i + 1 < DRYDOCK_DEVICE_BARS ? model.bars[i + 1].kind : DRYDOCK_DEVICE_BAR_MEMORY32;
    if (model.bars[i].kind == DRYDOCK_DEVICE_BAR_MEMORY64 && next != DRYDOCK_DEVICE_BAR_NONE) {
      return fmt::format("bar {} has 64 bits and takes two places, and the second is taken", i);
    }
    registers |= model.bars[i].kind != DRYDOCK_DEVICE_BAR_NONE;
  }
  bool answers = (model.mmio_read && model.mmio_write) || base::planted("nt_device_fuzz");
  if (registers && !answers) return "it has bars and no mmio_read or mmio_write";
  return "";
}

}  // namespace

base::Result<DeviceModel> DeviceModel::of(const DRYDOCK_DEVICE_MODEL& description, std::string* message) {
  std::string sentence = wrong(description);
  if (!sentence.empty()) return invalid(message, "the device model cannot be used: " + sentence);
  return DeviceModel(description);
}

base::Result<DeviceModel> DeviceModel::load(const std::string& path, std::string* message) {
  base::Library library = TRY(base::Library::open(path, message));
  auto* function = library.function<DRYDOCK_DEVICE_MODEL_FUNCTION>("DrydockDeviceModel");
  if (!function) return invalid(message, path + ": exports no function DrydockDeviceModel, so it is no device model");
  const DRYDOCK_DEVICE_MODEL* description = function();
  if (!description) return invalid(message, path + ": DrydockDeviceModel returned nothing");
  std::string sentence = wrong(*description);
  if (!sentence.empty()) return invalid(message, fmt::format("{}: {}", path, sentence));
  DeviceModel model(*description);
  model.library_ = std::move(library);
  return model;
}

}  // namespace nt
