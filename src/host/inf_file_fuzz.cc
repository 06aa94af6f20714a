// Any bytes at all as an INF file: refused with a sentence, or read and judged.
#include <string>

#include "base/check.h"
#include "host/inf_lint.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string error;
  auto file = host::InfFile::parse({reinterpret_cast<const char*>(data), size}, "x.inf", &error);
  CHECK(file.has_value() == error.empty());
  if (!file) return 0;
  uint32_t line = 0;
  for (const host::InfBreach& breach : host::lint(*file)) {
    CHECK(!breach.sentence.empty() && breach.line >= line);
    line = breach.line;
  }
  return 0;
}
