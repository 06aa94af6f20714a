#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/inf_file.h"

namespace host {

// What an INF file installs, followed from section to section as Windows does. It points into the file, which outlives
// it. Pages: install/inf-manufacturer-section, install/inf-models-section, install/inf-ddinstall-section.

// A line that names a section: whether that is there is for others to judge.
struct InfReference {
  std::string name;
  uint32_t line;
  const InfSection* section;  // null: not there
};

// A file that is copied.
struct InfCopy {
  std::string to;     // its name at the end
  std::string from;   // and in the package
  std::string list;   // the section of the list; empty for one that CopyFiles names itself
  std::string dirid;  // where it goes, by DestinationDirs; empty: nowhere
  std::string subdir;
  uint32_t line;
};

struct InfService {
  InfReference install;
  std::string name;
  bool associated;  // with the device, as its driver
  uint32_t line;
};

struct InfInterface {
  std::string class_id;
  std::string flags;
  InfReference section;  // without a name: it has none
  uint32_t line;
};

// An install section that devices have in common.
struct InfInstall {
  InfReference section;  // as Windows chooses it for the models' architecture
  const InfSection* services = nullptr;
  const InfSection* interfaces = nullptr;
  std::vector<InfReference> registry;  // sections that AddReg names
  std::vector<InfService> service;
  std::vector<InfInterface> interface;
  bool includes = false;   // something of another file is needed: not all can be seen here
  bool user_mode = false;  // the device's driver is one of the user-mode driver framework
};

// An entry of a Models section.
struct InfModel {
  std::string install;
  std::vector<std::string> ids;
  uint32_t line;
};

struct InfPackage {
  explicit InfPackage(const InfFile& file);

  std::vector<InfReference> models_sections;  // that Manufacturer names
  bool names_architecture = false;            // … with one, in any entry
  std::vector<InfModel> models;
  std::vector<InfInstall> installs;      // each section once
  std::vector<InfReference> file_lists;  // that any CopyFiles names, each once
  std::vector<InfCopy> copies;

  const InfCopy* find_copy(std::string_view to) const;

 private:
  void read_manufacturers(const InfFile& file);
  void read_models(const InfFile& file, const InfSection& section, const std::string& architecture);
  void read_install(const InfFile& file, const InfModel& model, const std::string& architecture);
  static void read_parts(const InfFile& file, InfInstall& install, const std::string& architecture);
  void read_copies(const InfFile& file);
  void read_list(const InfFile& file, const InfSection& list);
};

// A value of the registry that an install section adds to the driver's key.
struct InfRegistryValue {
  std::vector<std::string> data;
  uint32_t line;
};
std::optional<InfRegistryValue> find_registry_value(const InfInstall& install, std::string_view name);

// "3", "0x3"; nothing for what is no number.
std::optional<uint64_t> inf_number(std::string_view text);
// "%13%\x.dll" → "x.dll"
std::string inf_base_name(std::string_view path);

}  // namespace host
