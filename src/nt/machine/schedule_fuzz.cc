// Any text as a schedule: refused with a sentence, or read and written back to the same meaning.
#include <string>

#include "base/check.h"
#include "nt/machine/schedule.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  if (text.find('x') != std::string::npos && size > 4096)
    return 0;  // a repeat count may ask for a hundred million entries
  auto read = nt::Schedule::from_text(text);
  CHECK(read.ok() || !read.error().empty());
  if (!read.ok() || read.value().entries.size() > 100'000) return 0;
  const nt::Schedule& schedule = read.value();
  for (const nt::Schedule::Entry& entry : schedule.entries) CHECK(entry.value < entry.bound);
  auto again = nt::Schedule::from_text(schedule.to_text());
  CHECK(again.ok() && again.value().entries == schedule.entries && again.value().header == schedule.header);
  return 0;
}
