#pragma once

#include <array>
#include <cstdlib>
#include <random>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "trace/reader.h"
#include "trace/writer.h"

// For tests of whatever emits: events with arbitrary content, and what a writer recorded.
namespace trace {

// A new seed each time, or the one that DRYDOCK_SEED names; a test prints it when it fails.
inline uint64_t test_seed() {
  const char* given = std::getenv("DRYDOCK_SEED");
  return given ? std::strtoull(given, nullptr, 0) : std::random_device{}();
}

// An event with random fields. Small numbers are as likely as large ones, strings come from a few.
template <typename Event>
Event random_event(base::Rng& rng) {
  static constexpr std::array<std::string_view, 5> kTexts = {"", "a", "DxgkDdiCreateAllocation", "two\nlines\t\"q\"\\",
                                                             "a text that takes more than one step of the hash"};
  Event event;
  Layout<Event>::Fields::visit([&]<typename Field, size_t Offset>() {
    auto& member = event.*Field::kMember;
    if constexpr (Field::kType == FieldType::Str) {
      member = kTexts[rng.below(kTexts.size())];
    } else {
      uint64_t value = rng.next() >> rng.below(64);
      member = static_cast<std::remove_reference_t<decltype(member)>>(value);
    }
  });
  return event;
}

template <typename Event>
bool same(const Event& a, const Event& b) {
  bool equal = true;
  Layout<Event>::Fields::visit(
      [&]<typename Field, size_t Offset>() { equal = equal && a.*Field::kMember == b.*Field::kMember; });
  return equal;
}

// Calls visit.template operator()<Event>() for every event of the table.
template <typename Visitor>
void for_each_event(Visitor&& visit) {
#define EVENT(name, label, fields) visit.template operator()<name>();
#include "trace/events.def"
}

// One of each, in the table's order. A module keeps the name it was given first, so their numbers must not repeat.
inline void emit_one_of_each(Writer& writer, base::Rng& rng) {
  for_each_event([&]<typename Event>() {
    auto event = random_event<Event>(rng);
    if constexpr (std::is_same_v<Event, ModuleLoad>) event.module = static_cast<uint32_t>(writer.count());
    writer.emit(event);
  });
}

// What the writer's ring holds now, as a trace.
inline std::vector<std::byte> recorded(Writer& writer) {
  MemorySink sink;
  writer.set_sink(&sink);
  writer.set_sink(nullptr);
  return sink.bytes();
}

}  // namespace trace
