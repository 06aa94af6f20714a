#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inf/file.h"

namespace inf {

// What an INF file installs, followed from section to section as Windows does. It points into the file, which outlives
// it. Pages: install/inf-manufacturer-section, install/inf-models-section, install/inf-ddinstall-section.

// A line that names a section. Whether that section exists is not checked here.
struct Reference {
  std::string name;
  uint32_t line;
  const Section* section;  // null: not there
};

// A file that is copied.
struct Copy {
  std::string to;     // its name at the destination
  std::string from;   // its name in the package
  std::string list;   // the section of the list; empty for one that CopyFiles names itself
  std::string dirid;  // where it goes, by DestinationDirs; empty: no destination
  std::string subdir;
  uint32_t line;
};

struct Service {
  Reference install;
  std::string name;
  bool associated;  // with the device, as its driver
  uint32_t line;
};

struct Interface {
  std::string class_id;
  std::string flags;
  Reference section;  // without a name: it has none
  uint32_t line;
};

// An install section that devices have in common.
struct Install {
  Reference section;  // as Windows chooses it for the models' architecture
  const Section* services = nullptr;
  const Section* interfaces = nullptr;
  std::vector<Reference> registry;  // sections that AddReg names
  std::vector<Service> service;
  std::vector<Interface> interface;
  bool includes = false;   // something of another file is needed: not all can be seen here
  bool user_mode = false;  // the device's driver is one of the user-mode driver framework
};

// An entry of a Models section.
struct Model {
  std::string install;
  std::vector<std::string> ids;
  uint32_t line;
};

struct Package {
  explicit Package(const File& file);

  std::vector<Reference> models_sections;  // that Manufacturer names
  bool names_architecture = false;         // an entry of Manufacturer names an architecture
  std::vector<Model> models;
  std::vector<Install> installs;      // each section once
  std::vector<Reference> file_lists;  // that any CopyFiles names, each once
  std::vector<Copy> copies;

  const Copy* find_copy(std::string_view to) const;

 private:
  void read_manufacturers(const File& file);
  void read_models(const File& file, const Section& section, const std::string& architecture);
  void read_install(const File& file, const Model& model, const std::string& architecture);
  static void read_parts(const File& file, Install& install, const std::string& architecture);
  void read_copies(const File& file);
  void read_list(const File& file, const Section& list);
};

// A value of the registry that an install section adds to the driver's key.
struct RegistryValue {
  std::vector<std::string> data;
  uint32_t line;
};
std::optional<RegistryValue> find_registry_value(const Install& install, std::string_view name);

// "3", "0x3"; nothing for what is no number.
std::optional<uint64_t> inf_number(std::string_view text);
// "%13%\x.dll" → "x.dll"
std::string inf_base_name(std::string_view path);

}  // namespace inf
