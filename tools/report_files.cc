#include "tools/report_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "verifier/report/report_html.h"
#include "verifier/report/report_json.h"
#include "verifier/report/report_junit.h"
#include "verifier/report/report_sarif.h"

namespace tools {
namespace {

std::string not_yet(const std::string& path) { return fmt::format("{}.{}.part", path, getpid()); }

bool is_special(const std::string& path) {  // /dev/null, /dev/stdout, a pipe: written as it is
  std::error_code none;
  auto status = std::filesystem::status(path, none);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

std::string cannot(const std::string& path, int why) {
  return fmt::format("{}: cannot be written: {}", path, std::strerror(why));
}

std::string try_to_write(const std::string& path) {
  if (path.empty() || is_special(path)) return {};
  if (std::filesystem::is_directory(path)) return cannot(path, EISDIR);
  std::FILE* file = std::fopen(not_yet(path).c_str(), "w");
  if (!file) return cannot(path, errno);
  std::fclose(file);
  std::remove(not_yet(path).c_str());
  return {};
}

}  // namespace

std::string write_whole(const std::string& path, const std::string& text) {
  std::string to = is_special(path) ? path : not_yet(path);
  std::ofstream file(to, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file || (to != path && std::rename(to.c_str(), path.c_str()) != 0)) {
    int why = errno;
    if (to != path) std::remove(to.c_str());
    return cannot(path, why);
  }
  return {};
}

std::string refusal_of(const ReportFiles& files) {
  for (const std::string* path : {&files.json, &files.junit, &files.sarif, &files.html}) {
    if (std::string refusal = try_to_write(*path); !refusal.empty()) return refusal;
  }
  return {};
}

std::string write_reports(const ReportFiles& files, const verifier::Report& report) {
  struct Form {
    const std::string& path;
    std::string (*text)(const verifier::Report&);
  };
  const Form forms[] = {{files.json, &verifier::json_report},
                        {files.junit, &verifier::junit_report},
                        {files.sarif, &verifier::sarif_report},
                        {files.html, &verifier::html_report}};
  for (const Form& form : forms) {
    if (form.path.empty()) continue;
    if (std::string refusal = write_whole(form.path, form.text(report)); !refusal.empty()) return refusal;
  }
  return {};
}

}  // namespace tools
