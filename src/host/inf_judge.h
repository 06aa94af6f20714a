#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/inf_lint.h"
#include "host/inf_package.h"

namespace host {

// The setup classes whose drivers Drydock knows.
enum class InfClass : uint8_t { Other, Display, Camera, Media };

// Reads an INF file against the rules of verifier/rules/package.def, one function for each. Lives for one lint.
class InfJudge {
 public:
  InfJudge(const InfFile& file, const InfFacts& facts);
  std::vector<InfBreach> judge();

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
  void judge_service(const InfInstall& install);
  void judge_service_section(const InfInstall& install, const InfService& service);
  void judge_interfaces(const InfInstall& install);
  // Of files (inf_judge_files.cc)
  void judge_binary(const InfInstall& install, const InfService& service);
  void judge_copies();
  void judge_sources();
  // Of display adapters (inf_judge_files.cc)
  void judge_feature_score(const InfInstall& install);
  void judge_user_mode_driver(const InfInstall& install);
  void judge_names(const std::vector<std::string>& names, std::string_view value, uint32_t line);

  void tell(nt::Broke what, uint32_t line, std::string sentence);
  // A section that may be there for any architecture: [SourceDisksFiles], [SourceDisksFiles.amd64], …
  std::vector<const InfSection*> for_any_architecture(std::string_view name) const;
  bool has_layout() const { return version_ && version_->find("LayoutFile"); }

  const InfFile& file_;
  const InfFacts& facts_;
  const InfSection* version_;
  InfPackage package_;
  InfClass class_;
  std::vector<InfBreach> breaches_;
};

}  // namespace host
