#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "inf/lint.h"
#include "inf/package.h"

namespace inf {

// The setup classes whose drivers Drydock knows.
enum class Class : uint8_t { Other, Display, Camera, Media };

// Reads an INF file against the rules of verifier/rules/package.def, one function for each. Lives for one lint.
class Judge {
 public:
  Judge(const File& file, const Facts& facts);
  std::vector<Complaint> judge();

 private:
  // Of the file and its Version section (inf_judge.cc)
  void judge_signature();
  void judge_encoding();
  void judge_class();
  void judge_provider();
  void judge_version();
  void judge_catalog();
  void judge_strings();
  // Of devices and services
  void judge_manufacturers();
  void judge_models();
  void judge_sections();
  void judge_service(const Install& install);
  void judge_service_section(const Install& install, const Service& service);
  void judge_interfaces(const Install& install);
  // Of files (inf_judge_files.cc)
  void judge_binary(const Install& install, const Service& service);
  void judge_copies();
  void judge_sources();
  // Of display adapters (inf_judge_files.cc)
  void judge_feature_score(const Install& install);
  void judge_user_mode_driver(const Install& install);
  void judge_names(const std::vector<std::string>& names, std::string_view value, uint32_t line);

  void tell(nt::Violation what, uint32_t line, std::string sentence);
  // A section that may be there for any architecture: [SourceDisksFiles], [SourceDisksFiles.amd64], …
  std::vector<const Section*> for_any_architecture(std::string_view name) const;
  bool has_layout() const { return version_ && version_->find("LayoutFile"); }

  const File& file_;
  const Facts& facts_;
  const Section* version_;
  Package package_;
  Class class_;
  std::vector<Complaint> complaints_;
};

}  // namespace inf
