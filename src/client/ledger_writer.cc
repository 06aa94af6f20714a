#include "client/ledger_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/scoped.h"
#include "verifier/finding/module_names.h"
#include "verifier/report/report.h"
#include "verifier/rules/rules.h"

namespace client {
namespace {

constexpr size_t kShownFrames = 12;
constexpr uint32_t kKinds = ob::kFirstNtKind + 32;  // that a ledger counts

// "src/kmt/adapter/device.cc" of whatever folder the library was built in.
std::string place_of(base::Here where) {
  std::string_view file = where.file;
  size_t source = file.rfind("/src/");
  if (source != std::string_view::npos) file.remove_prefix(source + 1);
  return fmt::format("{}:{}", file, where.line);
}

std::string describe(const base::SourceFrame& frame) {
  return frame.file.empty() ? frame.function : fmt::format("{} at {}:{}", frame.function, frame.file, frame.line);
}

void add_loaded_modules(verifier::ModuleNames& names) {
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* to) {
        std::error_code ignored;
        std::string program = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
        static_cast<verifier::ModuleNames*>(to)->add(*info->dlpi_name ? info->dlpi_name : program);
        return 0;
      },
      &names);
}

// Where no code of the driver is in a stack, the client's own code is shown.
void show_client(verifier::Finding& finding, const std::string& own_module) {
  for (verifier::FrameStack& stack : finding.stacks) {
    if (std::ranges::any_of(stack.frames, &verifier::Frame::driver)) continue;
    for (verifier::Frame& frame : stack.frames) frame.driver = !frame.module.empty() && frame.module != own_module;
  }
}

// Without what a check adds for its seeds: a live run has none, and cannot be replayed.
std::string text_of(const verifier::Finding& finding) {
  std::string text = verifier::text_finding(finding, 1, verifier::Colour::No);
  text.erase(std::min(text.find("\n  seen in "), text.size() - 1) + 1);
  return text + fmt::format("  more: {}\n", verifier::explain_command(finding.rule));
}

}  // namespace

LedgerWriter::LedgerWriter(base::ModuleMap& modules, nt::Machine::KeptStacks stacks)
    : modules_(modules), stacks_(stacks) {
  modules_.refresh();
}

void LedgerWriter::add_objects(LedgerReport& report, const dxgk::Ledger& ledger) {
  for (uint32_t number = 0; number < kKinds; ++number) {
    auto kind = static_cast<ob::ObjectKind>(number);
    const dxgk::Ledger::Count& count = ledger.of(kind);
    if (count.created == 0) continue;
    report.objects.push_back({ob::kind_name(kind), count.created, count.peak, count.live});
  }
  report.peak_bytes = ledger.peak_bytes();
  report.bytes_at_exit = ledger.bytes();
}

void LedgerWriter::add_leaks(LedgerReport& report, const dxgk::Ledger& ledger) {
  for (const dxgk::Ledger::Leak& leak : ledger.leaks()) {
    std::string kind = ob::kind_name(leak.kind);
    std::vector<std::string> stack = stack_of(leak.stack);
    auto same = std::ranges::find_if(report.leaks, [&](const LedgerReport::Leak& known) {
      return known.kind == kind && known.stack == stack && !stack.empty();
    });
    if (same == report.leaks.end()) {
      report.leaks.push_back({std::move(kind), leak.handle, 1, leak.bytes, std::move(stack)});
    } else {
      ++same->count;
      same->bytes += leak.bytes;
    }
  }
}

void LedgerWriter::add_refusals(LedgerReport& report, const dxgk::Ledger& ledger) {
  for (const dxgk::Ledger::Refusal& refusal : ledger.refusals()) {
    report.refusals.push_back(
        {refusal.function, refusal.status, refusal.reason, place_of(refusal.where), refusal.times});
  }
}

void LedgerWriter::add_findings(LedgerReport& report, std::vector<verifier::Finding> findings) {
  if (findings.empty()) return;
  verifier::ModuleNames names;
  add_loaded_modules(names);
  auto own = modules_.find(reinterpret_cast<uintptr_t>(&append_to_ledger));
  for (verifier::Finding& finding : findings) {
    show_client(finding, own ? own->module->file : "");
    verifier::symbolize(finding, names);
  }
  verifier::sort_worst_first(findings);
  for (const verifier::Finding& finding : findings) {
    (finding.level == verifier::Level::Error ? report.findings : report.warnings).push_back(text_of(finding));
  }
}

std::vector<base::SourceFrame> LedgerWriter::frames_of(uintptr_t pc) {
  auto location = modules_.find(pc);
  if (!location) return {{"?", "", 0, false}};
  return symbolizer_.resolve(location->module->path, location->offset - 1);
}

// From the D3DKMT function outward: the frames inside of it are ours.
std::vector<std::string> LedgerWriter::stack_of(base::StackId id) {
  base::Stack stack = stacks_.get(id);
  std::vector<base::SourceFrame> frames;
  for (uint32_t i = 0; i < stack.count; ++i) {
    std::vector<base::SourceFrame> at = frames_of(stack.pc[i]);
    if (!at.empty() && at.back().function.starts_with("D3DKMT")) frames.clear();
    frames.insert(frames.end(), at.begin(), at.end());
  }
  std::vector<std::string> shown;
  for (const base::SourceFrame& frame : frames) {
    if (shown.size() == kShownFrames || frame.function.starts_with("__libc_start")) break;
    shown.push_back(frame.function.starts_with("D3DKMT") ? frame.function : describe(frame));
  }
  return shown;
}

void append_to_ledger(const std::string& path, const std::string& text) {
  if (path.empty()) return;
  base::ScopedFd file(path == "-" ? dup(STDERR_FILENO)
                                  : open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  std::string_view left = text;
  while (file && !left.empty()) {
    ssize_t written = write(file.get(), left.data(), left.size());
    if (written < 0 && errno != EINTR) break;
    if (written > 0) left.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace client
