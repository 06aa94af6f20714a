#include "tools/schedule_file.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "base/debug/elf_file.h"

namespace tools {

base::Expected<nt::Schedule, std::string> read_schedule(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return path + ": cannot be read";
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  auto schedule = nt::Schedule::from_text(text);
  if (!schedule.ok()) return path + ": " + schedule.error();
  return schedule;
}

std::string mismatch(const nt::Schedule& schedule, const std::string& path) {
  auto file = base::ElfFile::open(path);
  if (!file.ok()) return {};  // the loader reports why
  const std::string& build_id = file.value().build_id();
  if (schedule.header.build_id.empty() || build_id == schedule.header.build_id) return {};
  return fmt::format("the schedule was recorded with another build of the driver (build id {}, {} has {})",
                     schedule.header.build_id, path, build_id.empty() ? "none" : build_id);
}

}  // namespace tools
