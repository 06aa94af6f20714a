#include "inf/package.h"

#include <algorithm>
#include <set>

#include "base/number.h"

namespace inf {
namespace {

constexpr uint64_t kAssociatedService = 2;  // SPSVCINST_ASSOCSERVICE

// "NTamd64.10.0...14310" → "amd64"; "NT" → ""
std::string architecture_of(std::string_view decoration) {
  std::string folded = inf_folded(decoration.substr(0, decoration.find('.')));
  return folded.starts_with("nt") ? folded.substr(2) : "";
}

Reference refer(const File& file, const std::string& name, uint32_t line) {
  return {name, line, name.empty() ? nullptr : file.find(name)};
}

// What a section is called for an architecture, the best first.
std::vector<std::string> decorated(const std::string& name, const std::string& architecture) {
  std::vector<std::string> out;
  if (!architecture.empty()) out.push_back(name + ".nt" + architecture);
  out.push_back(name + ".nt");
  out.push_back(name);
  return out;
}

// The first section that is there; else any decorated one, for decorations that are not of the three above.
const Section* find_decorated(const File& file, const std::string& name, const std::string& architecture) {
  for (const std::string& candidate : decorated(name, architecture)) {
    if (const Section* section = file.find(candidate)) return section;
  }
  std::string prefix = inf_folded(name) + ".nt";
  auto found = std::ranges::find_if(
      file.sections(), [&](const Section& section) { return inf_folded(section.name).starts_with(prefix); });
  return found == file.sections().end() ? nullptr : &*found;
}

// ".Services" and the like: decorated as the install section is, or at least as it could have been.
const Section* find_part(const File& file, const Reference& install, const std::string& architecture,
                         const char* part) {
  if (const Section* section = file.find(install.section->name + part)) return section;
  for (const std::string& candidate : decorated(install.name, architecture)) {
    if (const Section* section = file.find(candidate + part)) return section;
  }
  return nullptr;
}

bool includes(const Section* section) { return section && (section->find("Include") || section->find("Needs")); }

template <typename Visit>
void for_each(const Section* section, std::string_view key, Visit visit) {
  if (!section) return;
  std::string wanted = inf_folded(key);
  for (const Entry& entry : section->entries) {
    if (inf_folded(entry.key) == wanted) visit(entry);
  }
}

struct Destination {
  std::string dirid, subdir;
};

Destination destination_of(const File& file, const std::string& list) {
  const Section* section = file.find("DestinationDirs");
  if (!section) return {};
  const Entry* entry = list.empty() ? nullptr : section->find(list);
  if (!entry) entry = section->find("DefaultDestDir");
  if (!entry) return {};
  return {entry->value(0), inf_folded(entry->value(1))};
}

}  // namespace

std::optional<uint64_t> inf_number(std::string_view text) {
  int radix = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    radix = 16;
  }
  return base::parse_number<uint64_t>(text, radix);
}

std::string inf_base_name(std::string_view path) { return std::string(path.substr(path.find_last_of('\\') + 1)); }

Package::Package(const File& file) {
  read_manufacturers(file);
  read_copies(file);
}

const Copy* Package::find_copy(std::string_view to) const {
  std::string wanted = inf_folded(to);
  auto found = std::ranges::find_if(copies, [&](const Copy& copy) { return inf_folded(copy.to) == wanted; });
  return found == copies.end() ? nullptr : &*found;
}

void Package::read_manufacturers(const File& file) {
  const Section* manufacturers = file.find("Manufacturer");
  if (!manufacturers) return;
  for (const Entry& entry : manufacturers->entries) {
    const std::string& base = entry.value(0);
    std::vector<std::string> decorations;
    if (!entry.key.empty()) decorations.assign(entry.values.begin() + 1, entry.values.end());
    if (decorations.empty()) decorations.push_back("");
    for (const std::string& decoration : decorations) {
      std::string name = decoration.empty() ? base : base + "." + decoration;
      std::string architecture = architecture_of(decoration);
      names_architecture |= !architecture.empty();
      models_sections.push_back(refer(file, name, entry.line));
      if (const Section* section = models_sections.back().section) read_models(file, *section, architecture);
    }
  }
}

void Package::read_models(const File& file, const Section& section, const std::string& architecture) {
  for (const Entry& entry : section.entries) {
    Model model{entry.value(0), {}, entry.line};
    for (size_t i = 1; i < entry.values.size(); ++i) {
      if (!entry.values[i].empty()) model.ids.push_back(entry.values[i]);
    }
    read_install(file, model, architecture);
    models.push_back(std::move(model));
  }
}

void Package::read_install(const File& file, const Model& model, const std::string& architecture) {
  Install install;
  install.section = {model.install, model.line,
                     model.install.empty() ? nullptr : find_decorated(file, model.install, architecture)};
  const Section* section = install.section.section;
  bool known = std::ranges::any_of(installs, [&](const Install& other) {
    return section ? other.section.section == section : inf_folded(other.section.name) == inf_folded(model.install);
  });
  if (known) return;
  if (section) read_parts(file, install, architecture);
  installs.push_back(std::move(install));
}

void Package::read_parts(const File& file, Install& install, const std::string& architecture) {
  const Section* section = install.section.section;
  install.services = find_part(file, install.section, architecture, ".Services");
  install.interfaces = find_part(file, install.section, architecture, ".Interfaces");
  install.includes = includes(section) || includes(install.services);
  const Section* framework = find_part(file, install.section, architecture, ".Wdf");
  install.user_mode = framework && framework->find("UmdfService");
  for_each(section, "AddReg", [&](const Entry& entry) {
    for (const std::string& name : entry.values) install.registry.push_back(refer(file, name, entry.line));
  });
  for_each(install.services, "AddService", [&](const Entry& entry) {
    bool associated = (inf_number(entry.value(1)).value_or(0) & kAssociatedService) != 0;
    install.service.push_back({refer(file, entry.value(2), entry.line), entry.value(0), associated, entry.line});
  });
  for_each(install.interfaces, "AddInterface", [&](const Entry& entry) {
    install.interface.push_back({entry.value(0), entry.value(3), refer(file, entry.value(2), entry.line), entry.line});
  });
}

// Every CopyFiles of the file: of install sections, co-installers, interfaces, the class.
void Package::read_copies(const File& file) {
  std::set<std::string> seen;
  for (const Section& section : file.sections()) {
    for_each(&section, "CopyFiles", [&](const Entry& entry) {
      for (const std::string& name : entry.values) {
        if (name.empty() || !seen.insert(inf_folded(name)).second) continue;
        if (name.starts_with('@')) {
          auto [dirid, subdir] = destination_of(file, "");
          copies.push_back({name.substr(1), name.substr(1), "", dirid, subdir, entry.line});
        } else {
          file_lists.push_back(refer(file, name, entry.line));
          if (file_lists.back().section) read_list(file, *file_lists.back().section);
        }
      }
    });
  }
}

void Package::read_list(const File& file, const Section& list) {
  auto [dirid, subdir] = destination_of(file, list.name);
  for (const Entry& entry : list.entries) {
    const std::string& to = entry.value(0);
    const std::string& from = entry.value(1);
    if (!to.empty()) copies.push_back({to, from.empty() ? to : from, list.name, dirid, subdir, entry.line});
  }
}

std::optional<RegistryValue> find_registry_value(const Install& install, std::string_view name) {
  std::string wanted = inf_folded(name);
  for (const Reference& reference : install.registry) {
    if (!reference.section) continue;
    for (const Entry& entry : reference.section->entries) {
      bool drivers_key = inf_folded(entry.value(0)) == "hkr" && entry.value(1).empty();
      if (!drivers_key || inf_folded(entry.value(2)) != wanted) continue;
      RegistryValue out{{}, entry.line};
      for (size_t i = 4; i < entry.values.size(); ++i) out.data.push_back(entry.values[i]);
      return out;
    }
  }
  return std::nullopt;
}

}  // namespace inf
