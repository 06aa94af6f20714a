#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trace {

// Strings by number, counting from 1 in order of first use. Owned by a Log, touched under the writer's lock. A look-up
// compares texts, never addresses: buffers are reused, and two equal runs must give equal numbers.
class StringTable {
 public:
  StringTable();

  // The string's number, 0 when it has none yet.
  uint32_t find(std::string_view text) const;
  // Numbers a string that has none.
  uint32_t add(std::string_view text);
  size_t size() const { return entries_.size(); }
  // Forgets every string, keeps the memory.
  void clear();

 private:
  struct Entry {
    uint64_t hash;
    size_t begin;
    size_t length;
  };

  size_t slot_of(uint64_t hash, std::string_view text) const;
  std::string_view text_of(const Entry& entry) const { return {texts_.data() + entry.begin, entry.length}; }
  void grow();

  std::string texts_;
  std::vector<Entry> entries_;   // number - 1
  std::vector<uint32_t> slots_;  // open addressing, a power of two, at most half full: the number, 0 when free
};

}  // namespace trace
