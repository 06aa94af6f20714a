#pragma once

#include <string>
#include <vector>

#include "base/debug/module_map.h"
#include "base/debug/symbols.h"
#include "client/ledger_report.h"
#include "dxgk/adapter/ledger.h"
#include "nt/machine/machine.h"
#include "verifier/finding/finding.h"

namespace client {

// Makes a report of a ledger. Owned by the code that ends a process; single-threaded.
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

// Appends to a file in one write, so that the processes of one run do not mix their lines; "-" is standard error. With
// an empty path nothing is written.
void append_to_ledger(const std::string& path, const std::string& text);

}  // namespace client
