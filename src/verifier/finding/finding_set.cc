#include "verifier/finding/finding_set.h"

namespace verifier {

void FindingSet::add(Finding finding) {
  auto [at, is_new] = by_key_.try_emplace(key_of(finding), findings_.size());
  if (is_new) {
    findings_.push_back(std::move(finding));
    return;
  }
  Finding& kept = findings_[at->second];
  uint64_t times = kept.times + finding.times;
  uint64_t runs = kept.runs + (finding.run == kept.run ? 0 : finding.runs);
  if (finding.run < kept.run) kept = std::move(finding);
  kept.times = times;
  kept.runs = runs;
}

void FindingSet::clear() {
  findings_.clear();
  by_key_.clear();
}

}  // namespace verifier
