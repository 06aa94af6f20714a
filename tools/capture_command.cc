// drydock capture: a stream of a minidriver, for people to look at.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/number.h"
#include "host/capture/capture_session.h"
#include "tools/commands.h"
#include "tools/exit_codes.h"
#include "tools/reexec.h"
#include "tools/stream_output.h"
#include "verifier/finding/module_names.h"
#include "verifier/report/report.h"

namespace tools {
namespace {

struct Arguments {
  std::string driver, device, format, script, output, files;
  std::vector<std::string> connect;
  bool list = false;
  bool keep_going = false;
  uint32_t pin = 0;
  uint32_t frames = 90;
  uint64_t seed = 0;
};

// To standard error: standard output may be the film.
void tell_findings(const std::vector<std::string>& drivers, std::vector<verifier::Finding>& findings) {
  verifier::ModuleNames names(DRYDOCK_SOURCE_ROOT);
  for (const std::string& file : drivers) names.add(file);
  names.add(std::filesystem::read_symlink("/proc/self/exe").string());
  verifier::sort_worst_first(findings);
  auto colour = isatty(STDERR_FILENO) && !getenv("NO_COLOR") ? verifier::Colour::Yes : verifier::Colour::No;
  for (verifier::Finding& finding : findings) {
    verifier::symbolize(finding, names);
    fmt::print(stderr, "{}\n", verifier::text_finding(finding, 1, colour));
  }
}

// What every form of the command ends with.
template <typename Result>
int verdict(const Result& result, const std::string& subject) {
  if (!result.usage_error.empty()) return refuse(result.usage_error);
  if (!result.incomplete.empty()) fmt::print(stderr, "drydock: {}: {}\n", subject, result.incomplete);
  if (verifier::has_error(result.findings)) return kFindings;
  return result.incomplete.empty() ? kNothingFound : kIncomplete;
}

const char* plural(size_t count) { return count == 1 ? "" : "s"; }

int run_list(const Arguments& arguments) {
  host::ListResult result = host::list_streams(arguments.driver, arguments.device, arguments.files);
  fmt::print("{}", result.text);
  tell_findings({arguments.driver}, result.findings);
  return verdict(result, arguments.driver);
}

constexpr uint32_t kLargestPin = 9999;

struct PinOfFile {
  std::string file;
  uint32_t pin;
};

std::optional<PinOfFile> parse_end(const std::string& text) {
  size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  auto pin = base::parse_number<uint32_t>(std::string_view(text).substr(colon + 1));
  return pin && *pin <= kLargestPin ? std::optional(PinOfFile{text.substr(0, colon), *pin}) : std::nullopt;
}

int run_connect(const Arguments& arguments) {
  std::vector<PinOfFile> ends;
  for (const std::string& text : arguments.connect) {
    auto end = parse_end(text);
    if (!end) return refuse(fmt::format("--connect {}: expected FILE:PIN", text));
    if (std::string refusal = refusal_of(end->file); !refusal.empty()) return refuse(refusal);
    ends.push_back(*end);
  }
  host::ConnectOptions options;
  options.source = ends[0].file;
  options.source_pin = ends[0].pin;
  options.sink = ends[1].file;
  options.sink_pin = ends[1].pin;
  options.frames = arguments.frames;
  options.seed = arguments.seed;
  host::ConnectResult result = host::connect_pins(options);
  tell_findings({options.source, options.sink}, result.findings);
  if (result.usage_error.empty()) {
    fmt::print("{} to {}: {} frames went round, {} finding{}\n", arguments.connect[0], arguments.connect[1],
               result.went_round, result.findings.size(), plural(result.findings.size()));
    for (const std::string& line : result.ledger) fmt::print("  {}\n", line);
  }
  return verdict(result, arguments.connect[0]);
}

// Empty, or what is wrong with the script's file.
std::string read_script(const std::string& path, std::optional<host::CaptureScript>& script) {
  if (path.empty()) return {};
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::error_code error_code;
  if (!file || std::filesystem::is_directory(path, error_code)) return fmt::format("{}: cannot be read", path);
  auto parsed = host::CaptureScript::parse(text.str());
  if (!parsed.ok()) return fmt::format("{}: {}", path, parsed.error());
  script = parsed.take();
  return {};
}

int run_capture(const Arguments& arguments) {
  if (!arguments.connect.empty()) return run_connect(arguments);
  if (arguments.driver.empty()) return refuse("no driver was named");
  if (std::string refusal = refusal_of(arguments.driver); !refusal.empty()) return refuse(refusal);
  if (arguments.list) return run_list(arguments);
  host::CaptureOptions options;
  options.driver = arguments.driver;
  options.device = arguments.device;
  options.files = arguments.files;
  options.keep_going = arguments.keep_going;
  options.pin = arguments.pin;
  options.frames = arguments.frames;
  options.seed = arguments.seed;
  if (!arguments.format.empty()) {
    options.format = host::FormatRequest::parse(arguments.format);
    if (!options.format) {
      return refuse(fmt::format(
          "--format {}: expected NAME, NAME:WIDTHxHEIGHT or NAME:WIDTHxHEIGHT@FPS, as YUY2:320x240", arguments.format));
    }
  }
  if (std::string wrong = read_script(arguments.script, options.script); !wrong.empty()) return refuse(wrong);
  StreamOutput output;
  if (std::string wrong = output.choose(arguments.output, arguments.frames); !wrong.empty()) return refuse(wrong);
  host::CaptureResult result = host::capture(
      options, [&](const KSDATAFORMAT& format, std::span<const uint8_t> bytes) { return output.add(format, bytes); });
  if (std::string wrong = output.close(); result.usage_error.empty()) result.usage_error = wrong;
  tell_findings({arguments.driver}, result.findings);
  FILE* words = output.is_standard_output() ? stderr : stdout;
  for (const std::string& step : result.steps) fmt::print(words, "{}\n", step);
  if (result.usage_error.empty() && !result.format.empty()) {
    fmt::print(words, "{}: pin {}, {}; {} frame{}, {} bytes, {} dropped, {} ms of the machine's time, {} finding{}\n",
               arguments.driver, arguments.pin, result.format, result.frames, plural(result.frames), result.bytes,
               result.dropped, result.virtual_ms, result.findings.size(), plural(result.findings.size()));
  }
  return verdict(result, arguments.driver);
}

}  // namespace

void add_capture(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("capture", "have a minidriver stream, and write what came");
  auto arguments = std::make_shared<Arguments>();
  Arguments& a = *arguments;
  auto* driver = command->add_option("driver", a.driver, "an AVStream minidriver (.so)");
  command->add_option("--device", a.device, "model of its hardware; default: NAME.device.so or device.so beside it");
  command->add_option("--files", a.files, "folder that holds the machine's files: c/avssamp.wav is its C:\\avssamp.wav")
      ->check(CLI::ExistingDirectory);
  command->add_flag("--list", a.list, "show its filters, pins and ranges, and stop");
  command->add_option("--pin", a.pin, "which pin, counted over all its filters")->capture_default_str();
  command->add_option("--format", a.format, "YUY2:320x240, RGB24:640x480@15, PCM:44100x2; default: the driver's first");
  command->add_option("--frames", a.frames, "how many")->check(CLI::Range(1u, 1000000u))->capture_default_str();
  command->add_option("--script", a.script, "a file of steps to do instead: states, cancels, resets, removal");
  command->add_option("--connect", a.connect, "SOURCE.so:PIN SINK.so:PIN: a connection in the kernel")
      ->expected(2)
      ->excludes(driver);
  command->add_flag("--keep-going", a.keep_going, "stream on after a finding that would end the run");
  command->add_option("--seed", a.seed, "of the machine: who runs when")->capture_default_str();
  command->add_option("-o,--output", a.output,
                      "out.y4m, frame-%04d.png, out.png, out.wav, out.raw, or - for a film to standard output");
  command->callback([arguments, &exit_code] { exit_code = run_capture(*arguments); });
}

}  // namespace tools
