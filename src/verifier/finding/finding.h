#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/debug/module_map.h"
#include "base/debug/symbols.h"
#include "nt/machine/machine_observer.h"
#include "verifier/rules/rules.h"

namespace verifier {

// A place in code, without an address: equal in every process that runs the same files.
struct Frame {
  std::string module;    // file name; empty for code outside of every module
  uint64_t offset = 0;   // the return address, as the module's file has it
  bool driver = false;   // the driver's own code, not the host's
  std::string function;  // this and the rest by symbolize(); empty when nothing is known
  std::string file;
  uint32_t line = 0;
  bool inlined = false;  // its code lies inside the next frame's function

  friend bool operator==(const Frame&, const Frame&) = default;
};

struct FrameStack {
  std::string role;           // what it shows: "here", "allocated", …
  std::vector<Frame> frames;  // innermost first

  friend bool operator==(const FrameStack&, const FrameStack&) = default;
};

// What has to be done again to see a finding again.
struct RunContext {
  std::string driver;  // as the user named it
  std::string scenario;
  uint64_t seed = 0;
  std::string policy;        // the PolicyKind of the schedule; has nothing to do with rules
  std::string schedule;      // file with the run's choices, or empty
  uint32_t processors = 0;   // of the machine, where it was not the default
  std::string profile = {};  // of the graphics kernel, where one was asked for
  uint32_t fault = 0;        // the number of the failure that was injected, or 0
  uint64_t hang_edges = 0;   // what makes a loop one that never ends, where it was not the default

  friend bool operator==(const RunContext&, const RunContext&) = default;
  friend auto operator<=>(const RunContext&, const RunContext&) = default;
};

// A rule that a driver broke, and where. A value: it is made in the process that ran the driver, and travels as JSON.
struct Finding {
  std::string rule;  // its id; there is a rule for it
  Level level = Level::Error;
  std::string sentence;
  std::string thread;
  uint32_t thread_ordinal = 0;
  uint8_t irql = 0;
  std::string in_call;  // the driver's routine that ran, or empty
  std::string call;     // that routine with its arguments
  std::vector<FrameStack> stacks;
  std::vector<std::string> history;    // of the object it is about, or of what the thread did; oldest first
  std::vector<std::string> read_next;  // pages and commands; filled in for a report
  RunContext run;
  uint64_t times = 1;  // it was seen
  uint64_t runs = 1;   // it was seen in

  friend bool operator==(const Finding&, const Finding&) = default;
};

// With its rule's id, at the level of the rule's class.
Finding finding_for(nt::Violation what);
// `drivers` are the file names of the modules whose code is the driver's.
Finding make_finding(const nt::ViolationReport& violation, const base::ModuleMap& modules,
                     std::span<const std::string> drivers);

bool has_error(std::span<const Finding> findings);

// Two findings with equal keys are one: the same rule, broken at the same place, in the same words but for numbers.
std::string key_of(const Finding& finding);
// All that was seen, as one number: words, thread, call, and the places in the driver. Equal in every process; places
// in the host do not count, so that code of the host can be moved.
uint64_t hash_of(std::span<const Finding> findings);
// "block 17 of 40 bytes" → "block # of # bytes"; a number is decimal or 0x….
std::string squeeze_numbers(std::string_view sentence);

// Names for frames. Implemented over debug information (ModuleNames) and by tests.
class Names {
 public:
  // The frames at a call, innermost first: inlined ones, then the function itself; none when nothing is known.
  virtual std::vector<base::SourceFrame> resolve(const Frame& frame) = 0;

 protected:
  ~Names() = default;
};

// Fills in what is known about each frame; a frame with inlined calls becomes several.
void symbolize(Finding& finding, Names& names);

}  // namespace verifier
