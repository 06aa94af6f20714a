// Any bytes at all as an INF file: refused with a sentence, or read and judged.
#include <string>

#include "base/check.h"
#include "inf/lint.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto file = inf::File::parse({reinterpret_cast<const char*>(data), size}, "x.inf");
  CHECK(file.ok() || !file.error().empty());
  if (!file.ok()) return 0;
  uint32_t line = 0;
  for (const inf::Complaint& complaint : inf::lint(file.value())) {
    CHECK(!complaint.sentence.empty() && complaint.line >= line);
    line = complaint.line;
  }
  return 0;
}
