// Any bytes at all as a trace: the reader yields what is intact, reports what is wrong, and must not crash. Most inputs
// are the plan of a trace whose hashes are right, because the reader stops at a wrong hash.
#include <algorithm>
#include <cstring>
#include <sstream>

#include "base/testing/fuzz_input.h"
#include "trace/encoding.h"
#include "trace/reader.h"
#include "trace/schema.h"
#include "trace/text.h"

namespace trace {
namespace {

using base::testing::FuzzInput;
using Bytes = std::vector<std::byte>;

void append(Bytes& to, const void* from, size_t bytes) {
  const auto* first = static_cast<const std::byte*>(from);
  to.insert(to.end(), first, first + bytes);
}

// Strings that are defined and used, events with whatever fields.
class Plan {
 public:
  explicit Plan(FuzzInput& input) : input_(input) {}

  Bytes file() {
    Bytes out;
    FileHeader header;
    header.schema = schema_hash();
    if (input_.rarely(32)) input_.corrupt(&header, sizeof(header));
    header.check = header_check(header);
    append(out, &header, sizeof(header));
    block(out, BlockKind::Definitions);
    while (!input_.empty()) block(out, input_.rarely(24) ? static_cast<BlockKind>(input_.below(5)) : BlockKind::Events);
    block(out, BlockKind::End);
    if (input_.rarely(4)) out.resize(out.size() - input_.below(100));
    return out;
  }

 private:
  void block(Bytes& out, BlockKind kind) {
    Bytes content;
    BlockHeader header;
    header.kind = kind;
    header.first = next_;
    if (kind != BlockKind::End) {
      for (uint32_t records = input_.below(6); records; --records) header.events += record(content);
    }
    if (input_.rarely(5))
      content.resize(content.size() - std::min<size_t>(content.size(), kStepBytes * input_.below(4)));
    header.content_bytes = content.size();
    header.hash_before = hash_;
    header.hash_after = hash_bytes(hash_, content.data(), content.size());
    if (kind == BlockKind::Events) {
      hash_ = header.hash_after;
      next_ += header.events;
    }
    if (input_.rarely(24)) input_.corrupt(&header, sizeof(header));
    header.check = header_check(header);
    append(out, &header, sizeof(header));
    append(out, content.data(), content.size());
  }
  // Whether it counts.
  bool record(Bytes& out) {
    uint64_t words[300] = {};
    bool string = input_.rarely(3);
    auto id = static_cast<EventId>(string ? 0 : 1 + input_.below(static_cast<uint32_t>(events().size())));
    if (input_.rarely(48)) id = static_cast<EventId>(input_.take<uint16_t>());
    put_header(words, id, {.time_ns = input_.take<uint16_t>(), .thread = input_.take<uint8_t>()});
    auto* payload = reinterpret_cast<std::byte*>(words + kHeaderWords);
    size_t bytes = 0;
    if (id == EventId::StringDefined) {
      uint32_t length = input_.rarely(12) ? static_cast<uint32_t>(input_.odd_number()) : 1 + input_.below(40);
      uint32_t number = input_.rarely(12) ? input_.below(strings_ + 2) : strings_ + 1;
      std::memcpy(payload, &number, 4);
      std::memcpy(payload + 4, &length, 4);
      bytes = 8 + (length < 2000 ? length : 16);
      for (size_t i = 8; i < bytes; ++i) payload[i] = static_cast<std::byte>('a' + input_.below(3));
      strings_ += number == strings_ + 1;
    } else if (const EventInfo* info = find_event(id)) {
      bytes = info->payload_bytes;
      fill(*info, payload);
    }
    append(out, words, record_words(bytes) * sizeof(uint64_t));
    return id != EventId::StringDefined;
  }
  void fill(const EventInfo& info, std::byte* payload) {
    size_t at = 0;
    for (const FieldInfo& field : info.fields) {
      uint64_t value = field.type == FieldType::Str ? input_.below(strings_ + 1) : input_.odd_number();
      if (input_.rarely(48)) value = input_.odd_number();
      std::memcpy(payload + at, &value, wire_bytes(field.type));
      at += wire_bytes(field.type);
    }
  }

  FuzzInput& input_;
  uint64_t next_ = 0, hash_ = kHashStart;
  uint32_t strings_ = 0;
};

void read(Bytes bytes) {
  Reader reader(std::move(bytes));
  std::ostringstream out;
  base::Result<> result = dump_text(reader, out);
  CHECK(result.ok() == reader.message().empty());
}

}  // namespace
}  // namespace trace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size && data[0] == 0xFF) {
    trace::Bytes raw(size - 1);
    if (size > 1) std::memcpy(raw.data(), data + 1, size - 1);
    trace::read(std::move(raw));
  } else {
    base::testing::FuzzInput input(data, size);
    trace::read(trace::Plan(input).file());
  }
  return 0;
}
