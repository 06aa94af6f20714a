#include "trace/string_table.h"

#include "base/check.h"
#include "trace/encoding.h"

namespace trace {
namespace {

uint64_t hash_text(std::string_view text) {
  size_t whole = text.size() / kStepBytes * kStepBytes;
  uint64_t hash = hash_bytes(kHashStart, text.data(), whole);
  uint64_t rest[kStepWords] = {};
  for (size_t i = whole, shift = 0; i < text.size(); ++i, shift += 8)
    rest[shift / 64] |= uint64_t{static_cast<unsigned char>(text[i])} << shift % 64;
  return hash_step(hash_step(hash, rest[0], rest[1]), text.size(), 0);
}

}  // namespace

StringTable::StringTable() : slots_(256) {}

uint32_t StringTable::find(std::string_view text) const { return slots_[slot_of(hash_text(text), text)]; }

uint32_t StringTable::add(std::string_view text) {
  if ((entries_.size() + 1) * 2 > slots_.size()) grow();
  uint64_t hash = hash_text(text);
  size_t slot = slot_of(hash, text);
  CHECK(slots_[slot] == 0);
  entries_.push_back({hash, texts_.size(), text.size()});
  texts_.append(text);
  return slots_[slot] = static_cast<uint32_t>(entries_.size());
}

void StringTable::clear() {
  texts_.clear();
  entries_.clear();
  slots_.assign(slots_.size(), 0);
}

// Where the string is, or the free slot where it would go.
size_t StringTable::slot_of(uint64_t hash, std::string_view text) const {
  size_t mask = slots_.size() - 1;
  for (size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    if (slots_[slot] == 0) return slot;
    const Entry& entry = entries_[slots_[slot] - 1];
    if (entry.hash == hash && text_of(entry) == text) return slot;
  }
}

void StringTable::grow() {
  slots_.assign(slots_.size() * 2, 0);
  for (size_t i = 0; i < entries_.size(); ++i)
    slots_[slot_of(entries_[i].hash, text_of(entries_[i]))] = static_cast<uint32_t>(i + 1);
}

}  // namespace trace
