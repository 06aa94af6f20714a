// The text of a registry: whatever it is, it is refused with a line, or what it says can be read back.
#include "nt/store/registry_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string message;
  auto parsed = nt::parse_registry(text, "input", &message);
  if (!parsed.ok()) {
    CHECK(message.rfind("input:", 0) == 0);
    return 0;
  }
  nt::Registry registry([] { return uint64_t{1}; });
  if (!nt::load_registry(registry, text, "input", nullptr).ok()) return 0;
  // The last value of a name counts.
  for (auto entry = parsed.value().rbegin(); entry != parsed.value().rend(); ++entry) {
    nt::RegistryKey* key = registry.open(nullptr, entry->key).take();
    if (!entry->value) continue;
    auto read = registry.value(*key, entry->value->name);
    if (!read.ok()) continue;
    CHECK(read.value().type == entry->value->type && read.value().data == entry->value->data);
    CHECK(registry.remove_value(*key, entry->value->name).ok());
  }
  return 0;
}
