#pragma once

#include <string>
#include <vector>

#include "base/module_map.h"
#include "base/symbols.h"
#include "client/ledger_report.h"
#include "dxgk/ledger.h"
#include "nt/machine.h"
#include "verifier/finding.h"

namespace client {

// Puts a ledger into words. Owned by whoever ends a process; single-threaded.
class LedgerWriter {
 public:
  LedgerWriter(base::ModuleMap& modules, nt::Machine::KeptStacks stacks);

  // Objects and memory as they are now.
  void add_objects(LedgerReport& report, const dxgk::Ledger& ledger);
  void add_leaks(LedgerReport& report, const dxgk::Ledger& ledger);
  void add_refusals(LedgerReport& report, const dxgk::Ledger& ledger);
  void add_findings(LedgerReport& report, std::vector<verifier::Finding> findings);

 private:
  std::vector<std::string> stack_of(base::StackId id);
  std::vector<base::SourceFrame> frames_of(uintptr_t pc);

  base::ModuleMap& modules_;
  nt::Machine::KeptStacks stacks_;
  base::Symbolizer symbolizer_;
};

// Appends to a file in one write, so that the processes of one run do not mix their lines; "-" is standard error. An
// empty path is nowhere.
void append_to_ledger(const std::string& path, const std::string& text);

}  // namespace client
