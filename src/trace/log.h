#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "trace/encoding.h"
#include "trace/sink.h"
#include "trace/string_table.h"

namespace trace {

// The records of a run: encodes events into a ring of blocks, numbers strings, keeps the running hash, hands completed
// blocks to the sink. Part of a Writer, which is the only one to touch it and does so under its lock.
//
//   slot      0         1         2         3          block b lies in slot b % 4; current_ = 9 is being filled,
//          [ b=8 ]  [ b=9 > ] [ b=6 ]  [ b=7 ]         6 is the oldest still whole and the next to be overwritten
//
// Blocks never wait for the sink: it gets a block when the block is complete. The ring keeps them nevertheless, so that
// a sink attached later (a crash handler's) still receives the latest part of the run.
class Log {
 public:
  explicit Log(size_t ring_bytes);
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  ~Log() { detach(); }

  template <typename Event>
  void append(const Context& context, const Event& event) {
    using Fields = typename Layout<Event>::Fields;
    uint64_t words[record_words(Fields::kBytes)] = {};
    put_header(words, Layout<Event>::kId, context);
    Fields::visit([&]<typename Field, size_t Offset>() {
      constexpr size_t kOffset = kHeaderWords * sizeof(uint64_t) + Offset;
      put_field<kOffset, wire_bytes(Field::kType)>(words, wire_value(context, event.*Field::kMember));
    });
    if constexpr (std::is_same_v<Event, ModuleLoad>) define(words);
    push(words);
    ++count_;
  }

  // Begins a new trace on `sink` with everything the ring still holds.
  void attach(Sink& sink);
  // Hands over what is left, writes the end, forgets the sink.
  void detach();
  // Hands over what is left. Returns the first failure since the sink was attached; after a failure the sink gets
  // nothing more.
  base::Result<> flush();
  // A whole trace of what the ring holds now. The sink that is attached stays, and gets the current block early.
  base::Result<> copy_to(Sink& sink);
  // Detaches the sink and forgets the run; keeps the memory.
  void reset();

  uint64_t hash() const { return hash_; }
  uint64_t count() const { return count_; }

 private:
  uint64_t wire_value(const Context& context, std::string_view text) { return intern(context, text); }
  template <typename T>
  requires std::is_integral_v<T> uint64_t wire_value(const Context&, T value) { return to_wire(value); }

  void push(std::span<const uint64_t> record) {
    if (static_cast<size_t>(limit_ - cursor_) < record.size()) [[unlikely]]
      next_block();
    uint64_t hash = hash_;
    for (size_t i = 0; i < record.size(); i += kStepWords) {
      cursor_[i] = record[i];
      cursor_[i + 1] = record[i + 1];
      hash = hash_step(hash, record[i], record[i + 1]);
    }
    hash_ = hash;
    cursor_ += record.size();
  }

  uint32_t intern(const Context& context, std::string_view text);
  void define(std::span<const uint64_t> record);
  uint64_t* slot(uint64_t block) { return ring_.get() + block % block_count_ * block_words_; }
  void start_block(uint64_t block);
  void finish_block();
  void next_block();
  void write_held();
  void write_end();
  void write(const void* data, size_t bytes);
  void write_block(uint64_t block);
  void write_single(BlockHeader header, std::span<const uint64_t> content);

  size_t block_words_;
  size_t block_count_;
  std::unique_ptr<uint64_t[]> ring_;  // block_count_ slots of block_words_: a BlockHeader, then records
  uint64_t oldest_ = 0;               // first block of the run that is still whole
  uint64_t current_ = 0;              // the block being filled
  uint64_t* cursor_ = nullptr;
  uint64_t* limit_ = nullptr;

  uint64_t hash_ = kHashStart;
  uint64_t count_ = 0;
  StringTable strings_;
  std::vector<uint64_t> definitions_;  // every StringDefined and ModuleLoad of the run

  Sink* sink_ = nullptr;
  std::optional<base::Failure> sink_failure_;
};

}  // namespace trace
