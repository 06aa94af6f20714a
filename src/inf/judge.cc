// Pages: install/inf-version-section, install/inf-driverver-directive, install/inf-manufacturer-section,
// install/inf-models-section, install/identifiers-for-pci-devices, install/inf-addservice-directive.
#include "inf/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace inf {
namespace {

using nt::Violation;

constexpr uint64_t kKernelDriver = 1;
constexpr uint64_t kAutoStart = 2, kDemandStart = 3, kDisabled = 4;

// install/system-defined-device-setup-classes-available-to-vendors; of Camera
// stream/camera-driver-inf-file-class-setting
struct KnownClass {
  Class kind;
  const char* name;
  const char* guid;
};
constexpr KnownClass kClasses[] = {
    {Class::Display, "Display", "{4d36e968-e325-11ce-bfc1-08002be10318}"},
    {Class::Camera, "Camera", "{ca3e7ab9-b4c3-4ae6-8251-579ef933890f}"},
    {Class::Media, "Media", "{4d36e96c-e325-11ce-bfc1-08002be10318}"},
};

Class class_of(const Section* version) {
  const Entry* name = version ? version->find("Class") : nullptr;
  const Entry* guid = version ? version->find("ClassGuid") : nullptr;
  for (const KnownClass& known : kClasses) {
    bool named = name && inf_folded(name->value(0)) == inf_folded(known.name);
    if (named || (guid && inf_folded(guid->value(0)) == known.guid)) return known.kind;
  }
  return Class::Other;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_hex(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return is_hex(c); });
}

bool is_guid(std::string_view text) {
  constexpr std::string_view kForm = "{xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}";
  if (text.size() != kForm.size()) return false;
  for (size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] == 'x' ? !is_hex(text[i]) : text[i] != kForm[i]) return false;
  }
  return true;
}

// mm/dd/yyyy, or with hyphens
bool is_date(std::string_view text) {
  constexpr std::string_view kForm = "mm/dd/yyyy";
  if (text.size() != kForm.size()) return false;
  for (size_t i = 0; i < kForm.size(); ++i) {
    bool separator = kForm[i] == '/';
    if (separator ? text[i] != '/' && text[i] != '-' : !is_digit(text[i])) return false;
  }
  int month = (text[0] - '0') * 10 + (text[1] - '0');
  int day = (text[3] - '0') * 10 + (text[4] - '0');
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

using Version = std::array<uint64_t, 4>;

// "w.x.y.z"; what is left out at the end is zero.
std::optional<Version> version_of(std::string_view text) {
  Version out{};
  for (size_t i = 0; i < out.size(); ++i) {
    size_t end = std::min(text.find('.'), text.size());
    std::string_view number = text.substr(0, end);
    if (!std::ranges::all_of(number, is_digit)) return std::nullopt;
    auto value = inf_number(number);
    if (!value || *value > 0xFFFF) return std::nullopt;
    out[i] = *value;
    if (end == text.size()) return out;
    text.remove_prefix(end + 1);
  }
  return std::nullopt;  // there is a fifth
}

// A field of a PCI id: how many hexadecimal digits follow its name.
bool is_pci_field(std::string_view field) {
  struct Form {
    std::string_view name;
    size_t digits, or_digits;
  };
  constexpr Form kForms[] = {{"ven_", 4, 4}, {"dev_", 4, 4}, {"subsys_", 8, 8},
                             {"rev_", 2, 2}, {"cc_", 4, 6},  {"dt_", 1, 4}};
  std::string folded = inf_folded(field);
  for (const Form& form : kForms) {
    if (!folded.starts_with(form.name)) continue;
    std::string_view digits = std::string_view(folded).substr(form.name.size());
    return is_hex(digits) && (digits.size() == form.digits || digits.size() == form.or_digits);
  }
  return false;
}

// Half a sentence; empty for an id that is well-formed.
std::string wrong_with_id(std::string_view id) {
  bool printable = std::ranges::all_of(id, [](char c) { return c > 0x20 && c < 0x7F; });
  if (!printable) return "has a letter that no id may have";
  constexpr std::string_view kPci = "pci\\";
  if (!inf_folded(id).starts_with(kPci)) return "";
  for (std::string_view rest = id.substr(kPci.size());;) {
    size_t end = std::min(rest.find('&'), rest.size());
    if (!is_pci_field(rest.substr(0, end))) {
      return fmt::format("has the field {}, which the PCI bus does not report", rest.substr(0, end));
    }
    if (end == rest.size()) return "";
    rest.remove_prefix(end + 1);
  }
}

}  // namespace

Judge::Judge(const File& file, const Facts& facts)
    : file_(file), facts_(facts), version_(file.find("Version")), package_(file), class_(class_of(version_)) {}

void Judge::tell(Violation what, uint32_t line, std::string sentence) {
  std::string section;
  uint32_t nearest = 0;
  for (const Section& candidate : file_.sections()) {
    if (candidate.line > line || candidate.line < nearest) continue;
    nearest = candidate.line;
    section = candidate.name;
  }
  complaints_.push_back({what, std::move(sentence), std::move(section), line});
}

std::vector<const Section*> Judge::for_any_architecture(std::string_view name) const {
  std::vector<const Section*> out;
  std::string folded = inf_folded(name);
  for (const Section& section : file_.sections()) {
    std::string candidate = inf_folded(section.name);
    if (candidate == folded || candidate.starts_with(folded + ".")) out.push_back(&section);
  }
  return out;
}

std::vector<Complaint> Judge::judge() {
  judge_signature();
  judge_encoding();
  judge_class();
  judge_provider();
  judge_version();
  judge_catalog();
  judge_strings();
  judge_manufacturers();
  judge_models();
  judge_sections();
  for (const Install& install : package_.installs) {
    judge_interfaces(install);
    if (!install.section.section || class_ == Class::Other) continue;
    judge_service(install);
    if (class_ != Class::Display || install.user_mode) continue;  // what follows is for WDDM
    judge_feature_score(install);
    judge_user_mode_driver(install);
  }
  judge_copies();
  judge_sources();
  std::ranges::stable_sort(complaints_, {}, &Complaint::line);
  return std::move(complaints_);
}

// --- The file and its Version section ---

void Judge::judge_signature() {
  const Entry* entry = version_ ? version_->find("Signature") : nullptr;
  if (!entry) {
    tell(Violation::InfSignatureMissing, version_ ? version_->line : 0,
         version_ ? "the Version section has no Signature" : "there is no Version section");
    return;
  }
  std::string folded = inf_folded(entry->value(0));
  if (folded == "$windows nt$" || folded == "$chicago$") return;
  tell(Violation::InfSignatureMissing, entry->line, fmt::format("Signature is \"{}\"", entry->value(0)));
}

void Judge::judge_encoding() {
  if (!file_.foreign_line()) return;
  tell(Violation::InfEncodingWrong, file_.foreign_line(), "a letter outside ASCII in a file that is not UTF-16");
}

void Judge::judge_class() {
  if (!version_) return;
  const Entry* name = version_->find("Class");
  const Entry* guid = version_->find("ClassGuid");
  if (!name || !guid) {
    tell(Violation::InfClassWrong, version_->line,
         fmt::format("the Version section has no {}", name ? "ClassGuid" : "Class"));
    return;
  }
  if (!is_guid(guid->value(0))) {
    tell(Violation::InfClassWrong, guid->line, fmt::format("ClassGuid is \"{}\", which is no GUID", guid->value(0)));
    return;
  }
  for (const KnownClass& known : kClasses) {
    bool same_name = inf_folded(name->value(0)) == inf_folded(known.name);
    bool same_guid = inf_folded(guid->value(0)) == known.guid;
    if (same_name == same_guid) continue;
    tell(Violation::InfClassWrong, guid->line,
         fmt::format("Class is {} and ClassGuid {}: the class {} has {}", name->value(0), guid->value(0), known.name,
                     known.guid));
    return;
  }
}

void Judge::judge_provider() {
  if (!version_) return;
  const Entry* entry = version_->find("Provider");
  if (entry && !entry->value(0).empty()) return;
  tell(Violation::InfProviderMissing, entry ? entry->line : version_->line, "the Version section has no Provider");
}

void Judge::judge_version() {
  if (!version_) return;
  const Entry* entry = version_->find("DriverVer");
  if (!entry) {
    tell(Violation::InfVersionMissing, version_->line, "the Version section has no DriverVer");
    return;
  }
  if (!is_date(entry->value(0))) {
    tell(Violation::InfVersionMissing, entry->line,
         fmt::format("the date of DriverVer is \"{}\", and not mm/dd/yyyy", entry->value(0)));
    return;
  }
  if (entry->value(1).empty()) return;  // the version may be left out
  auto version = version_of(entry->value(1));
  if (!version || *version == Version{}) {
    tell(Violation::InfVersionMissing, entry->line,
         fmt::format("the version of DriverVer is \"{}\", which is none", entry->value(1)));
    return;
  }
  auto drivers = version_of(facts_.driver_version);
  if (class_ != Class::Display || facts_.driver_version.empty() || drivers == version) return;
  tell(Violation::InfVersionMismatch, entry->line,
       fmt::format("DriverVer is {}, and the version of the driver's file {}", entry->value(1), facts_.driver_version));
}

void Judge::judge_catalog() {
  if (!version_) return;
  bool named = std::ranges::any_of(version_->entries, [](const Entry& entry) {
    return inf_folded(entry.key).starts_with("catalogfile") && !entry.value(0).empty();
  });
  if (!named) tell(Violation::InfCatalogMissing, version_->line, "the Version section names no CatalogFile");
}

void Judge::judge_strings() {
  for (const File::Undefined& string : file_.undefined()) {
    tell(Violation::InfStringUndefined, string.line,
         fmt::format("%{}% is defined in no Strings section", string.token));
  }
}

// --- Devices ---

void Judge::judge_manufacturers() {
  const Section* manufacturers = file_.find("Manufacturer");
  if (!manufacturers || package_.models_sections.empty()) {
    bool installs_no_device = !for_any_architecture("DefaultInstall").empty();
    if (installs_no_device) return;
    tell(Violation::InfModelsMissing, manufacturers ? manufacturers->line : 0, "no manufacturer is named");
    return;
  }
  for (const Reference& models : package_.models_sections) {
    if (models.section) continue;
    tell(Violation::InfModelsMissing, models.line, fmt::format("the Models section [{}] is not there", models.name));
  }
  if (package_.names_architecture) return;
  tell(Violation::InfArchitectureMissing, package_.models_sections[0].line,
       "no entry of the Manufacturer section is decorated with an architecture, as NTamd64");
}

void Judge::judge_models() {
  for (const Model& model : package_.models) {
    if (model.ids.empty()) tell(Violation::InfHardwareIdWrong, model.line, "a model has no device id");
    for (const std::string& id : model.ids) {
      if (std::string why = wrong_with_id(id); !why.empty()) {
        tell(Violation::InfHardwareIdWrong, model.line, fmt::format("the device id {} {}", id, why));
      }
    }
  }
}

// Another file that is included may have the sections that are not here.
void Judge::judge_sections() {
  auto look = [&](const Reference& reference, const char* who) {
    if (reference.section) return;
    tell(Violation::InfSectionMissing, reference.line,
         fmt::format("{} names the section [{}], which is not there", who, reference.name));
  };
  bool includes = false;
  for (const Install& install : package_.installs) {
    look(install.section, "a model");
    includes |= install.includes;
    if (install.includes) continue;
    for (const Reference& reference : install.registry) look(reference, "AddReg");
    for (const Interface& interface : install.interface) {
      if (!interface.section.name.empty()) look(interface.section, "AddInterface");
    }
    for (const Service& service : install.service) {
      if (!service.name.empty()) look(service.install, "AddService");
    }
  }
  if (includes) return;
  for (const Reference& list : package_.file_lists) look(list, "CopyFiles");
}

// --- The service ---

void Judge::judge_service(const Install& install) {
  auto associated = std::ranges::count_if(install.service, [](const Service& service) { return service.associated; });
  if (associated != 1 && !(associated == 0 && install.includes)) {
    tell(Violation::InfServiceMissing, install.services ? install.services->line : install.section.section->line,
         fmt::format("[{}] has {} associated services", install.section.section->name, associated));
  }
  for (const Service& service : install.service) {
    if (service.install.section) judge_service_section(install, service);
  }
}

void Judge::judge_service_section(const Install& install, const Service& service) {
  const Section& section = *service.install.section;
  for (const char* key : {"ServiceType", "StartType", "ErrorControl", "ServiceBinary"}) {
    const Entry* entry = section.find(key);
    bool is_number = entry && (key == std::string_view("ServiceBinary") || inf_number(entry->value(0)));
    if (is_number && !entry->value(0).empty()) continue;
    tell(Violation::InfServiceIncomplete, entry ? entry->line : section.line,
         entry ? fmt::format("{} of the service {} is \"{}\"", key, service.name, entry->value(0))
               : fmt::format("the service {} has no {}", service.name, key));
    return;
  }
  judge_binary(install, service);
  if (!service.associated) return;
  const Entry& type = *section.find("ServiceType");
  if (inf_number(type.value(0)) != kKernelDriver) {
    tell(Violation::InfServiceTypeWrong, type.line,
         fmt::format("ServiceType of {} is {}, and the driver of a device has 1", service.name, type.value(0)));
  }
  const Entry& start = *section.find("StartType");
  uint64_t when = *inf_number(start.value(0));
  if (class_ == Class::Display ? when == kDemandStart : when != kAutoStart && when != kDisabled) return;
  tell(Violation::InfStartTypeWrong, start.line,
       fmt::format("StartType of {} is {}, and the driver of a {} device has 3 (on demand)", service.name, when,
                   class_ == Class::Display ? "display" : "Plug and Play"));
}

// --- Interfaces ---

void Judge::judge_interfaces(const Install& install) {
  for (const Interface& interface : install.interface) {
    if (!is_guid(interface.class_id)) {
      tell(Violation::InfInterfaceMissing, interface.line,
           fmt::format("AddInterface names the interface class \"{}\", which is no GUID", interface.class_id));
    } else if (!interface.flags.empty() && inf_number(interface.flags) != 0) {
      tell(Violation::InfInterfaceMissing, interface.line,
           fmt::format("AddInterface has the flags {}, and only zero is allowed", interface.flags));
    }
  }
}

}  // namespace inf
