#include "verifier/finding/finding.h"

#include <algorithm>
#include <cctype>

#include "verifier/rules/rules.h"

namespace verifier {
namespace {

std::vector<Frame> frames_of(const base::Stack& stack, const base::ModuleMap& modules,
                             std::span<const std::string> drivers) {
  std::vector<Frame> frames;
  for (uint32_t i = 0; i < stack.count; ++i) {
    Frame& frame = frames.emplace_back();
    auto place = modules.find(stack.pc[i]);
    if (!place) continue;
    frame.module = place->module->file;
    frame.offset = place->offset;
    frame.driver = std::ranges::find(drivers, frame.module) != drivers.end();
  }
  return frames;
}

const Frame* first_driver_frame(const Finding& finding) {
  for (const FrameStack& stack : finding.stacks) {
    for (const Frame& frame : stack.frames) {
      if (frame.driver) return &frame;
    }
  }
  return nullptr;
}

// A violation found after a routine has returned has no code of the driver in its stacks: then the routine is the
// place.
void add_routine(Finding& finding, uintptr_t routine, const base::ModuleMap& modules,
                 std::span<const std::string> drivers) {
  if (routine == 0 || first_driver_frame(finding)) return;
  base::Stack stack;
  stack.pc[stack.count++] = routine + 1;  // as if it were a return address: behind the instruction it stands for
  std::vector<Frame> frames = frames_of(stack, modules, drivers);
  if (frames.front().driver) finding.stacks.insert(finding.stacks.begin(), {"the routine", std::move(frames)});
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_hex_digit(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

Finding finding_for(nt::Violation what) {
  const Rule& rule = rule_for(what);
  Finding finding;
  finding.rule = rule.id;
  finding.level = level_of(rule.rule_class);
  return finding;
}

Finding make_finding(const nt::ViolationReport& violation, const base::ModuleMap& modules,
                     std::span<const std::string> drivers) {
  Finding finding = finding_for(violation.what);
  finding.sentence = violation.sentence;
  finding.thread = violation.thread;
  finding.thread_ordinal = violation.thread_ordinal;
  finding.irql = violation.irql;
  finding.in_call = violation.in_call;
  finding.call = violation.call;
  finding.history = violation.history;
  for (const nt::RoleStack& stack : violation.stacks) {
    finding.stacks.push_back({stack.role, frames_of(stack.stack, modules, drivers)});
  }
  add_routine(finding, violation.routine, modules, drivers);
  return finding;
}

bool has_error(std::span<const Finding> findings) {
  return std::ranges::any_of(findings, [](const Finding& finding) { return finding.level == Level::Error; });
}

std::string key_of(const Finding& finding) {
  std::string key = finding.rule;
  if (const Frame* frame = first_driver_frame(finding)) {
    key += '\n';
    key += base::module_and_offset(frame->module, frame->offset);
  }
  key += '\n';
  key += squeeze_numbers(finding.sentence);
  return key;
}

uint64_t hash_of(std::span<const Finding> findings) {
  uint64_t hash = 0xCBF29CE484222325;  // FNV-1a
  auto add = [&](std::string_view text) {
    for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    hash = (hash ^ 0xFF) * 0x100000001B3;  // "ab", "c" is not "a", "bc"
  };
  for (const Finding& finding : findings) {
    for (std::string_view text : {std::string_view(finding.rule), std::string_view(to_string(finding.level)),
                                  std::string_view(finding.sentence), std::string_view(finding.thread),
                                  std::string_view(finding.in_call), std::string_view(finding.call)}) {
      add(text);
    }
    add(std::to_string(finding.irql));
    add(std::to_string(finding.times));
    for (const FrameStack& stack : finding.stacks) {
      add(stack.role);
      for (const Frame& frame : stack.frames) {
        if (frame.driver) add(base::module_and_offset(frame.module, frame.offset));
      }
    }
  }
  return hash;
}

std::string squeeze_numbers(std::string_view sentence) {
  std::string out;
  for (size_t at = 0; at < sentence.size();) {
    if (!is_digit(sentence[at])) {
      out += sentence[at++];
      continue;
    }
    bool hex = sentence.substr(at).starts_with("0x");
    if (hex) at += 2;
    while (at < sentence.size() && (hex ? is_hex_digit(sentence[at]) : is_digit(sentence[at]))) ++at;
    out += '#';
  }
  return out;
}

void symbolize(Finding& finding, Names& names) {
  for (FrameStack& stack : finding.stacks) {
    std::vector<Frame> named;
    for (const Frame& frame : stack.frames) {
      std::vector<base::SourceFrame> sources = names.resolve(frame);
      if (sources.empty()) named.push_back(frame);
      for (base::SourceFrame& source : sources) {
        Frame& out = named.emplace_back(frame);
        out.function = std::move(source.function);
        out.file = std::move(source.file);
        out.line = source.line;
        out.inlined = source.inlined;
      }
    }
    stack.frames = std::move(named);
  }
}

}  // namespace verifier
