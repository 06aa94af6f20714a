// Any text as a schedule: refused with a sentence, or read and written back to the same meaning.
#include <string>

#include "base/check.h"
#include "nt/machine/schedule.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  if (text.find('x') != std::string::npos && size > 4096)
    return 0;  // a repeat count may ask for a hundred million entries
  std::string error;
  auto schedule = nt::Schedule::from_text(text, &error);
  CHECK(schedule.has_value() == error.empty());
  if (!schedule || schedule->entries.size() > 100'000) return 0;
  for (const nt::Schedule::Entry& entry : schedule->entries) CHECK(entry.value < entry.bound);
  auto again = nt::Schedule::from_text(schedule->to_text(), &error);
  CHECK(again && again->entries == schedule->entries && again->header == schedule->header);
  return 0;
}
