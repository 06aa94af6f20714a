#include "tools/reexec.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/debug/elf_file.h"
#include "host/run/driver_image.h"
#include "verifier/report/report.h"

namespace tools {
namespace {

std::vector<char*> g_arguments;  // as main got them, with the closing null

// The host program for drivers of one kind: in an installed or staged tree, or in a sibling build tree.
std::filesystem::path find_host(base::Sanitizer wanted) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  std::string name = std::string("drydock-") + host::to_string(wanted);
  fs::path libexec = self.parent_path().parent_path() / "libexec";
  for (const fs::path& candidate : {libexec / "drydock" / name, libexec / name, self.parent_path() / name}) {
    if (fs::exists(candidate, error)) return candidate;
  }
  return {};
}

}  // namespace

void remember_arguments(int argc, char** argv) { g_arguments.assign(argv, argv + argc + 1); }

std::string command_line() {
  std::vector<std::string> words = {"drydock"};
  for (size_t i = 1; i < g_arguments.size() && g_arguments[i]; ++i) words.emplace_back(g_arguments[i]);
  return verifier::shell_line(words);
}

std::string ensure_host(base::Sanitizer wanted) {
  if (wanted == base::kSanitizer) return {};
  std::filesystem::path program = find_host(wanted);
  if (program.empty()) {
    return fmt::format(
        "this driver needs the {0} host, and there is no drydock-{0} in libexec beside this program; in the source "
        "folder, "
        "`make {0}` builds it",
        host::to_string(wanted));
  }
  execv(program.c_str(), g_arguments.data());
  return fmt::format("{}: {}", program.string(), std::strerror(errno));
}

std::string refusal_of(const std::string& driver) {
  auto file = base::ElfFile::open(driver);
  if (!file.ok()) return driver + ": " + file.failure().why();
  auto sanitizer = host::sanitizer_of(file.value());
  if (!sanitizer) return driver + ": built with two sanitizers at once";
  return ensure_host(*sanitizer);
}

}  // namespace tools
