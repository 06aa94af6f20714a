// Pages: install/inf-copyfiles-directive, install/inf-sourcedisksfiles-section, install/inf-destinationdirs-section,
// display/loading-a-user-mode-display-driver, display/enabling-support-for-the-direct3d-version-11-ddi,
// display/microsoft-windows-vista-display-driver-64-bit-issues.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "inf/judge.h"

namespace inf {
namespace {

using nt::Violation;

constexpr const char* kWindowsDirectory = "10";
constexpr const char* kSysWow64 = "16425";  // install/using-dirids
constexpr const char* kNoDriver = "<>";     // holds a place in a list of names

bool is_dll(const std::string& name) { return inf_folded(name).ends_with(".dll"); }

bool goes_to_wow64(const Copy& copy) {
  return copy.dirid == kSysWow64 || (copy.dirid == kWindowsDirectory && copy.subdir == "syswow64");
}

// "%13%\sub\x.sys": what stands before the name.
struct Directory {
  std::string dirid, subdir;
};
Directory directory_of(const std::string& path) {
  size_t percent = path.starts_with('%') ? path.find('%', 1) : std::string::npos;
  if (percent == std::string::npos) return {};
  Directory out{path.substr(1, percent - 1), ""};
  size_t last = path.find_last_of('\\');
  if (last != std::string::npos && last > percent + 1)
    out.subdir = inf_folded(path.substr(percent + 2, last - percent - 2));
  return out;
}

}  // namespace

// --- Files ---

void Judge::judge_binary(const Install& install, const Service& service) {
  if (install.includes || install.user_mode) return;
  const Entry& binary = *service.install.section->find("ServiceBinary");
  std::string name = inf_base_name(binary.value(0));
  const Copy* copy = package_.find_copy(name);
  if (!copy) {
    tell(Violation::InfBinaryNotCopied, binary.line,
         fmt::format("ServiceBinary of {} is {}, and no file of that name is copied", service.name, binary.value(0)));
    return;
  }
  auto [dirid, subdir] = directory_of(binary.value(0));
  if (copy->dirid.empty() || (dirid == copy->dirid && subdir == copy->subdir)) return;
  tell(Violation::InfBinaryNotCopied, binary.line,
       fmt::format("ServiceBinary of {} is {}, and the file is copied to %{}%{}{}", service.name, binary.value(0),
                   copy->dirid, copy->subdir.empty() ? "" : "\\", copy->subdir));
}

void Judge::judge_copies() {
  std::set<std::string> told;  // lists
  for (const Copy& copy : package_.copies) {
    if (!copy.dirid.empty() || !told.insert(inf_folded(copy.list)).second) continue;
    tell(Violation::InfDestinationMissing, copy.line,
         copy.list.empty()
             ? fmt::format("{} is copied, and there is no DefaultDestDir", copy.to)
             : fmt::format("the files of [{}] are copied, and DestinationDirs does not say where to", copy.list));
  }
}

void Judge::judge_sources() {
  std::set<std::string> disks, copied;
  for (const Section* names : for_any_architecture("SourceDisksNames")) {
    for (const Entry& entry : names->entries) disks.insert(entry.key);
  }
  for (const Copy& copy : package_.copies) copied.insert(inf_folded(copy.from));
  std::set<std::string> listed;
  for (const Section* files : for_any_architecture("SourceDisksFiles")) {
    for (const Entry& entry : files->entries) {
      std::string name = inf_folded(entry.key);
      listed.insert(name);
      if (!disks.contains(entry.value(0))) {
        tell(Violation::InfSourceMissing, entry.line,
             fmt::format("{} is on the disk \"{}\", which SourceDisksNames does not have", entry.key, entry.value(0)));
      }
      if (!copied.contains(name) && !name.ends_with(".inf")) {
        tell(Violation::InfFileNotCopied, entry.line,
             fmt::format("{} is a file of the package, and nothing copies it", entry.key));
      }
    }
  }
  if (has_layout()) return;
  for (const Copy& copy : package_.copies) {
    if (!listed.insert(inf_folded(copy.from)).second) continue;
    tell(Violation::InfSourceMissing, copy.line,
         fmt::format("{} is copied, and SourceDisksFiles does not have it", copy.from));
  }
}

// --- Display adapters ---

void Judge::judge_feature_score(const Install& install) {
  const Section& section = *install.section.section;
  const Entry* entry = section.find("FeatureScore");
  if (!entry) {
    tell(Violation::InfFeatureScoreMissing, section.line, fmt::format("[{}] has no FeatureScore", section.name));
    return;
  }
  const std::string& score = entry->value(0);
  bool prefixed = inf_folded(score).starts_with("0x");
  auto value = inf_number(prefixed ? score : "0x" + score);
  if (value && *value <= 0xFF) return;
  tell(Violation::InfFeatureScoreMissing, entry->line, fmt::format("FeatureScore is \"{}\"", score));
}

void Judge::judge_user_mode_driver(const Install& install) {
  if (install.includes) return;
  const Section& section = *install.section.section;
  auto names = find_registry_value(install, "UserModeDriverName");
  auto wow = find_registry_value(install, "UserModeDriverNameWow");
  bool copies_dll = std::ranges::any_of(package_.copies, [](const Copy& copy) { return is_dll(copy.to); });
  if (!names || names->data.empty()) {
    if (!facts_.renders.value_or(copies_dll)) return;
    tell(Violation::InfUserModeDriverMissing, names ? names->line : section.line,
         fmt::format("what [{}] adds to the registry has no UserModeDriverName", section.name));
    return;
  }
  judge_names(names->data, "UserModeDriverName", names->line);
  if (wow) judge_names(wow->data, "UserModeDriverNameWow", wow->line);
  if (wow && wow->data.size() > names->data.size()) {
    tell(Violation::InfUserModeDriverShort, names->line,
         fmt::format("UserModeDriverName has {} names, and UserModeDriverNameWow {}", names->data.size(),
                     wow->data.size()));
  } else if (facts_.direct3d && names->data.size() < *facts_.direct3d - 8) {
    tell(Violation::InfUserModeDriverShort, names->line,
         fmt::format("UserModeDriverName has {} names, and the driver of Direct3D {} is number {}", names->data.size(),
                     *facts_.direct3d, *facts_.direct3d - 8));
  }
  if (!find_registry_value(install, "InstalledDisplayDrivers")) {
    tell(Violation::InfInstalledDriversMissing, section.line,
         fmt::format("what [{}] adds to the registry has no InstalledDisplayDrivers", section.name));
  }
  auto narrow =
      std::ranges::find_if(package_.copies, [](const Copy& copy) { return is_dll(copy.to) && goes_to_wow64(copy); });
  if (wow || narrow == package_.copies.end()) return;
  tell(Violation::InfWowMissing, narrow->line,
       fmt::format("{} is copied to SysWOW64, and [{}] adds no UserModeDriverNameWow", narrow->to, section.name));
}

// A name may leave out its ending.
void Judge::judge_names(const std::vector<std::string>& names, std::string_view value, uint32_t line) {
  std::set<std::string> told;
  for (const std::string& path : names) {
    std::string name = inf_base_name(path);
    if (name.empty() || name == kNoDriver || !told.insert(inf_folded(name)).second) continue;
    if (package_.find_copy(name) || package_.find_copy(name + ".dll")) continue;
    tell(Violation::InfUserModeDriverNotCopied, line,
         fmt::format("{} names {}, and no file of that name is copied", value, name));
  }
}

}  // namespace inf
