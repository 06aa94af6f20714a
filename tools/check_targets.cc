#include "tools/check_targets.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/debug/elf_file.h"
#include "host/run/images.h"
#include "tools/reexec.h"

namespace tools {
namespace {

using Needs = host::Scenario::Needs;

Needs kind_of(const base::ElfFile& file) {
  if (host::is_user_mode_driver(file)) return Needs::Umd;
  if (host::is_streaming_driver(file)) return Needs::Streaming;
  return host::is_graphics_driver(file) ? Needs::Graphics : Needs::Nt;
}

// Reads the file, and goes on in the host that it needs. Why it is no target, or empty.
std::string add_file(std::vector<Target>& targets, const std::string& path, const char* option, Needs said) {
  if (std::string refusal = refusal_of(path); !refusal.empty()) return refusal;
  auto file = base::ElfFile::open(path);
  Needs kind = file.ok() ? kind_of(file.value()) : Needs::Nt;
  if (option && kind != said) {
    return fmt::format("{} {}: this is a {}, not a {}", option, path, name_of(kind), name_of(said));
  }
  targets.push_back({path, {}, {}, kind});
  return {};
}

// What is judged when no file is named. The user-mode driver goes above each kernel-mode driver, one for each way of
// addressing memory.
std::vector<Target> bundled() {
  std::string self = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
  auto find = [&](const std::string& name) {
    std::string near = host::find_bundled(self, "drivers/" + name);
    return near.empty() ? host::find_bundled(self, "lib/drydock/drivers/" + name) : near;
  };
  std::vector<Target> targets;
  auto add = [&](const std::string& driver, Needs kind, const std::string& kmd) {
    if (!driver.empty()) targets.push_back({driver, kmd, {}, kind});
  };
  for (const char* name : {"mill.so", "pipe.so"}) add(find(name), Needs::Nt, {});
  for (const char* name : {"softgpu/softgpu.so", "softgpu/softgpu_physical.so"}) {
    std::string kmd = find(name);
    if (kmd.empty()) continue;
    add(kmd, Needs::Graphics, {});
    add(find("softgpu/softgpu_umd.so"), Needs::Umd, kmd);
  }
  for (const char* name : {"testcam.so", "ksalloc.so", "kssg.so"}) add(find(name), Needs::Streaming, {});
  return targets;
}

}  // namespace

const char* name_of(Needs kind) {
  switch (kind) {
    case Needs::Nt:
      return "kernel-mode driver";
    case Needs::Graphics:
      return "display miniport driver";
    case Needs::Umd:
      return "user-mode display driver";
    case Needs::Streaming:
      return "AVStream minidriver";
  }
  return "driver";
}

base::Expected<std::vector<Target>, std::string> find_targets(const Named& named) {
  std::vector<Target> targets;
  for (const std::string& path : named.drivers) {
    if (std::string refusal = add_file(targets, path, nullptr, {}); !refusal.empty()) return refusal;
  }
  for (const std::string& path : named.umd) {
    if (std::string refusal = add_file(targets, path, "--umd", Needs::Umd); !refusal.empty()) return refusal;
  }
  for (const std::string& path : named.ks) {
    if (std::string refusal = add_file(targets, path, "--ks", Needs::Streaming); !refusal.empty()) return refusal;
  }
  bool below = named.kmd.size() == 1 && !targets.empty() && targets.back().kind == Needs::Umd;
  for (Target& target : targets) {
    if (below && target.kind == Needs::Umd) target.kmd = named.kmd[0];
  }
  for (const std::string& path : named.kmd) {
    if (std::string refusal = add_file(targets, path, "--kmd", Needs::Graphics); !refusal.empty()) return refusal;
    if (below) targets.pop_back();  // it was only to be looked at
  }
  if (!named.any()) {
    targets = bundled();
    if (targets.empty()) return std::string("no driver was named, and the bundled ones are not beside this program");
  }
  for (Target& target : targets) target.files = named.files;
  return targets;
}

}  // namespace tools
