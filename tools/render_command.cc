// drydock render: a scene, drawn by a driver, for people to look at.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/number.h"
#include "host/render/render_session.h"
#include "host/render/scene.h"
#include "host/run/images.h"
#include "tools/commands.h"
#include "tools/exit_codes.h"
#include "tools/frame_output.h"
#include "tools/reexec.h"
#include "verifier/finding/module_names.h"
#include "verifier/report/report.h"

namespace tools {
namespace {

constexpr uint32_t kLargest = 4096;  // width and height

struct Arguments {
  std::string scene = "solid";
  bool list = false;
  uint32_t frames = 1;
  std::string size = "640x480";
  uint64_t seed = 0;
  std::string kmd, umd, output;
};

int list_scenes() {
  for (const host::SceneKind& kind : host::scene_kinds()) fmt::print("{:<24} {}\n", kind.name, kind.story);
  return kNothingFound;
}

bool parse_size(const std::string& text, host::RenderOptions& options) {
  size_t cross = text.find('x');
  if (cross == std::string::npos) return false;
  auto width = base::parse_number<uint32_t>(std::string_view(text).substr(0, cross));
  auto height = base::parse_number<uint32_t>(std::string_view(text).substr(cross + 1));
  if (!width || !height) return false;
  options.width = *width;
  options.height = *height;
  return options.width >= 1 && options.width <= kLargest && options.height >= 1 && options.height <= kLargest;
}

// A driver that came with this program: in its build tree, or where it is installed.
std::string bundled(const std::string& name) {
  std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  std::string near = host::find_bundled(self, "drivers/softgpu/" + name);
  return near.empty() ? host::find_bundled(self, "lib/drydock/drivers/softgpu/" + name) : near;
}

std::string command_line(const Arguments& arguments) {
  return fmt::format("drydock render --scene {} --frames {} --size {} --seed {} --kmd {} --umd {} -o {}",
                     arguments.scene, arguments.frames, arguments.size, arguments.seed, arguments.kmd, arguments.umd,
                     arguments.output);
}

// To standard error: standard output may be the film.
void tell_findings(const Arguments& arguments, std::vector<verifier::Finding>& findings) {
  verifier::ModuleNames names(DRYDOCK_SOURCE_ROOT);
  for (const std::string& file : {arguments.umd, arguments.kmd}) names.add(file);
  names.add(std::filesystem::read_symlink("/proc/self/exe").string());
  verifier::sort_worst_first(findings);
  auto colour = isatty(STDERR_FILENO) && !getenv("NO_COLOR") ? verifier::Colour::Yes : verifier::Colour::No;
  for (verifier::Finding& finding : findings) {
    verifier::symbolize(finding, names);
    std::string text = verifier::text_finding(finding, 1, colour), again = verifier::replay_command(finding.run);
    if (size_t place = text.find(again); place != std::string::npos) {
      text.replace(place, again.size(), command_line(arguments));
    }
    fmt::print(stderr, "{}\n", text);
  }
}

int tell(const Arguments& arguments, host::RenderResult& result, const FrameOutput& output) {
  tell_findings(arguments, result.findings);
  if (!result.usage_error.empty()) return refuse(result.usage_error);
  if (!result.incomplete.empty()) {
    fmt::print(stderr, "drydock: {}: {}\n", arguments.umd, result.incomplete);
    return verifier::has_error(result.findings) ? kFindings : kIncomplete;
  }
  fmt::print(output.is_standard_output() ? stderr : stdout, "{}: {}, {} frame{} of {}, {} finding{}\n",
             arguments.output, arguments.scene, arguments.frames, arguments.frames == 1 ? "" : "s", arguments.size,
             result.findings.size(), result.findings.size() == 1 ? "" : "s");
  return verifier::has_error(result.findings) ? kFindings : kNothingFound;
}

int run_render(Arguments arguments) {
  if (arguments.list) return list_scenes();
  host::RenderOptions options;
  options.scene = host::find_scene(arguments.scene);
  if (!options.scene) return refuse(fmt::format("there is no scene '{}'; --list shows them", arguments.scene));
  if (!parse_size(arguments.size, options)) {
    return refuse(fmt::format("--size {}: expected WIDTHxHEIGHT, each from 1 to {}", arguments.size, kLargest));
  }
  if (arguments.output.empty()) return refuse("no file was named for the picture; name one with -o");
  FrameOutput output;
  std::string wrong = output.choose(arguments.output, arguments.frames);
  if (!wrong.empty()) return refuse(wrong);
  if (arguments.umd.empty()) arguments.umd = bundled("softgpu_umd.so");
  if (arguments.kmd.empty()) arguments.kmd = bundled("softgpu.so");
  if (arguments.umd.empty() || arguments.kmd.empty()) {
    return refuse("softgpu is not beside this program; name drivers with --umd and --kmd");
  }
  for (const std::string& driver : {arguments.umd, arguments.kmd}) {
    if (std::string refusal = refusal_of(driver); !refusal.empty()) return refuse(refusal);
  }
  options.umd = arguments.umd;
  options.kmd = arguments.kmd;
  options.frames = arguments.frames;
  options.seed = arguments.seed;
  host::RenderResult result = host::render(options, [&](const host::Picture& picture) { return output.add(picture); });
  if (wrong = output.close(); result.usage_error.empty()) result.usage_error = wrong;
  return tell(arguments, result, output);
}

}  // namespace

void add_render(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("render", "have a driver draw a scene, and write what it drew");
  auto arguments = std::make_shared<Arguments>();
  Arguments& a = *arguments;
  command->add_option("--scene", a.scene, "what is drawn")->capture_default_str();
  command->add_flag("--list", a.list, "list the scenes and stop");
  command->add_option("--frames", a.frames, "how many, thirty to a second")
      ->check(CLI::Range(1u, 1000000u))
      ->capture_default_str();
  command->add_option("--size", a.size, "width and height in pixels")->capture_default_str();
  command->add_option("--seed", a.seed, "of the machine: who runs when; pictures are the same for all")
      ->capture_default_str();
  command->add_option("--kmd", a.kmd, "the kernel-mode driver (.so); softgpu when none is named");
  command->add_option("--umd", a.umd, "the user-mode driver (.so); softgpu's when none is named");
  command->add_option("-o,--output", a.output, "out.png, frame-%04d.png, out.y4m, or - for a film to standard output");
  command->callback([arguments, &exit_code] { exit_code = run_render(*arguments); });
}

}  // namespace tools
