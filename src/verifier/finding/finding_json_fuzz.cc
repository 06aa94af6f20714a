// Any text as a finding: refused with a sentence, or read and written back to the same finding.
#include <string>

#include "base/check.h"
#include "verifier/finding/finding_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto finding = verifier::from_json_text({reinterpret_cast<const char*>(data), size});
  CHECK(finding.ok() || !finding.error().empty());
  if (!finding.ok()) return 0;
  auto again = verifier::from_json_text(verifier::to_json_text(finding.value()));
  CHECK(again.ok() && again.value() == finding.value());
  return 0;
}
