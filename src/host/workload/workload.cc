#include "host/workload/workload.h"

#include <fmt/format.h>

#include <bit>

namespace host {
namespace {

constexpr uint32_t kMostAlignment = 4096;
constexpr uint32_t kMostRegisters = 64;

// Why a description cannot be used, or empty.
std::string wrong(const DRYDOCK_WORKLOAD& workload) {
  if (workload.version != DRYDOCK_WORKLOAD_VERSION) {
    return fmt::format("it is of version {}, and this program knows version {}", workload.version,
                       DRYDOCK_WORKLOAD_VERSION);
  }
  if (workload.size < sizeof(workload)) {
    return fmt::format("its description has {} bytes, and needs {}", workload.size, sizeof(workload));
  }
  if (!workload.name || !*workload.name) return "it has no name";
  if (!std::has_single_bit(workload.alignment) || workload.alignment > kMostAlignment) {
    return fmt::format("its alignment is {}, not a power of two up to {}", workload.alignment, kMostAlignment);
  }
  if (workload.registers > kMostRegisters) {
    return fmt::format("it says that a context has {} registers, and {} are the most", workload.registers,
                       kMostRegisters);
  }
  if (!workload.open || !workload.close || !workload.knows || !workload.describe || !workload.build) {
    return "one of open, close, knows, describe and build is missing";
  }
  return "";
}

}  // namespace

base::Expected<Workload, std::string> Workload::of(const DRYDOCK_WORKLOAD& description) {
  std::string sentence = wrong(description);
  if (!sentence.empty()) return "the workload cannot be used: " + sentence;
  return Workload(description);
}

base::Expected<Workload, std::string> Workload::load(const std::string& path) {
  std::string refusal;
  auto library = base::Library::open(path, &refusal);
  if (!library.ok()) return refusal;
  auto* function = library.value().function<DRYDOCK_WORKLOAD_FUNCTION>("DrydockWorkload");
  if (!function) return path + ": exports no function DrydockWorkload, so it is no workload";
  const DRYDOCK_WORKLOAD* description = function();
  if (!description) return path + ": DrydockWorkload returned nothing";
  std::string sentence = wrong(*description);
  if (!sentence.empty()) return fmt::format("{}: {}", path, sentence);
  Workload workload(*description);
  workload.library_ = std::make_unique<base::Library>(library.take());
  workload.memory_.emplace(*workload.library_);
  return workload;
}

}  // namespace host
