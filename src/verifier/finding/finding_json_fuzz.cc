// Any text as a finding: refused with a sentence, or read and written back to the same finding.
#include <string>

#include "base/check.h"
#include "verifier/finding/finding_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string error;
  auto finding = verifier::from_json_text({reinterpret_cast<const char*>(data), size}, &error);
  CHECK(finding.has_value() == error.empty());
  if (!finding) return 0;
  auto again = verifier::from_json_text(verifier::to_json_text(*finding), &error);
  CHECK(again && *again == *finding);
  return 0;
}
