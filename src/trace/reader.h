#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/check.h"
#include "base/result.h"
#include "trace/encoding.h"
#include "trace/schema.h"

namespace trace {

// One event of a trace. A view into its Reader, valid as long as that lives.
class Record {
 public:
  uint64_t sequence() const { return sequence_; }  // counts from 1 in the run
  const Context& context() const { return context_; }
  const EventInfo& info() const { return *info_; }

  // A field's number: for Str the string's id, for I32 the 32 bits of the status.
  uint64_t number(size_t field) const;
  // A Str field's text.
  std::string_view text(size_t field) const { return string(number(field)); }

  template <typename Event>
  bool is() const {
    return id_ == Layout<Event>::kId;
  }
  template <typename Event>
  Event as() const {
    CHECK(is<Event>());
    Event event;
    Layout<Event>::Fields::visit([&]<typename Field, size_t Offset>() {
      auto& member = event.*Field::kMember;
      uint64_t value = get_field(payload_, Offset, wire_bytes(Field::kType));
      if constexpr (Field::kType == FieldType::Str) {
        member = string(value);
      } else {
        member = static_cast<std::remove_reference_t<decltype(member)>>(value);
      }
    });
    return event;
  }

 private:
  friend class Reader;
  Record() = default;
  std::string_view string(uint64_t id) const { return id == 0 ? std::string_view{} : (*strings_)[id - 1]; }

  uint64_t sequence_ = 0;
  Context context_;
  EventId id_{};
  const EventInfo* info_ = nullptr;
  const std::byte* payload_ = nullptr;
  const std::vector<std::string_view>* strings_ = nullptr;
};

// Reads a trace from the beginning and trusts none of its bytes: it yields the events of the blocks that are intact,
// and then reports what is wrong and where. Owned and used by one thread.
class Reader {
 public:
  explicit Reader(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // The next event; none at the end of the trace or of what is good of it.
  std::optional<Record> next();

  // After next() gave none: ok at a proper end.
  base::Result<> result() const;
  // The failure in one sentence with the byte it is at; empty when there is none.
  const std::string& message() const { return message_; }

  // The module's name; empty while the trace has not defined it.
  std::string_view module_name(uint32_t module) const;

 private:
  enum class Place : uint8_t { Start, InBlock, End, Failed };

  bool open_file();
  bool open_block();
  bool check_chain(const BlockHeader& header, size_t at);
  bool close_block();
  bool read_record(std::optional<Record>* event);
  bool define_string(const std::byte* record, size_t left, size_t* record_bytes);
  bool check_strings(const Record& record, size_t at);
  bool define_module(const Record& record, size_t at);
  bool fail(size_t at, NTSTATUS status, const char* why, const std::string& detail,
            base::Here where = base::Here::now());
  size_t left_from(size_t at) const { return bytes_.size() - at; }

  std::vector<std::byte> bytes_;
  Place place_ = Place::Start;
  size_t cursor_ = 0;
  size_t block_end_ = 0;
  BlockHeader block_;
  uint64_t events_in_block_ = 0;
  std::optional<BlockHeader> previous_;  // the last block of the sequence
  std::vector<std::string_view> strings_;
  std::map<uint32_t, std::string_view> modules_;
  std::optional<base::Failure> failure_;
  std::string message_;
};

// The bytes of a trace file.
base::Result<std::vector<std::byte>> read_trace_file(const std::string& path);

}  // namespace trace
