#include "trace/log.h"

#include <algorithm>
#include <utility>

#include "trace/schema.h"

namespace trace {
namespace {

constexpr size_t kBlockHeaderWords = sizeof(BlockHeader) / sizeof(uint64_t);
constexpr size_t kMinBlockBytes = 4096;  // holds the longest string
constexpr size_t kMaxBlockBytes = 65536;
static_assert(kMinBlockBytes >= sizeof(BlockHeader) + sizeof(uint64_t) * record_words(8 + kMaxStringBytes));

// Many blocks, so that overwriting the oldest forgets little; large ones, so that a sink is called seldom.
size_t block_bytes_for(size_t ring_bytes) {
  return std::clamp(round_to_step(ring_bytes / 16), kMinBlockBytes, kMaxBlockBytes);
}

}  // namespace

Log::Log(size_t ring_bytes)
    : block_words_(block_bytes_for(ring_bytes) / sizeof(uint64_t)),
      block_count_(std::max<size_t>(2, ring_bytes / block_bytes_for(ring_bytes))),
      ring_(new uint64_t[block_words_ * block_count_]) {
  start_block(0);
}

uint32_t Log::intern(const Context& context, std::string_view text) {
  if (text.empty()) return 0;
  text = text.substr(0, kMaxStringBytes);
  if (uint32_t id = strings_.find(text)) return id;

  uint32_t id = strings_.add(text);
  uint64_t words[record_words(8 + kMaxStringBytes)] = {};
  put_header(words, EventId::StringDefined, context);
  words[kHeaderWords] = id | uint64_t{text.size()} << 32;
  std::memcpy(words + kHeaderWords + 1, text.data(), text.size());
  std::span<const uint64_t> record(words, record_words(8 + text.size()));
  define(record);
  push(record);
  return id;
}

void Log::define(std::span<const uint64_t> record) {
  definitions_.insert(definitions_.end(), record.begin(), record.end());
}

void Log::start_block(uint64_t block) {
  current_ = block;
  if (current_ - oldest_ == block_count_) ++oldest_;
  BlockHeader header{.first = count_ + 1, .hash_before = hash_};
  std::memcpy(slot(block), &header, sizeof(header));
  cursor_ = slot(block) + kBlockHeaderWords;
  limit_ = slot(block) + block_words_;
}

// Completes the header of the current block: its size, count and hash.
void Log::finish_block() {
  uint64_t* begin = slot(current_);
  auto header = load<BlockHeader>(begin);
  header.content_bytes = static_cast<size_t>(cursor_ - begin) * sizeof(uint64_t) - sizeof(header);
  header.events = count_ + 1 - header.first;
  header.hash_after = hash_;
  header.check = header_check(header);
  std::memcpy(begin, &header, sizeof(header));
}

void Log::next_block() {
  finish_block();
  write_block(current_);
  start_block(current_ + 1);
}

void Log::write(const void* data, size_t bytes) {
  if (!sink_ || sink_failure_) return;
  base::Result<> written = sink_->write({static_cast<const std::byte*>(data), bytes});
  if (!written.ok()) sink_failure_ = written.failure();
}

void Log::write_block(uint64_t block) {
  auto header = load<BlockHeader>(slot(block));
  write(slot(block), sizeof(header) + header.content_bytes);
}

// A block that never was in the ring.
void Log::write_single(BlockHeader header, std::span<const uint64_t> content) {
  header.content_bytes = content.size_bytes();
  header.check = header_check(header);
  write(&header, sizeof(header));
  write(content.data(), content.size_bytes());
}

void Log::attach(Sink& sink) {
  detach();
  sink_ = &sink;
  sink_failure_.reset();
  write_held();
  [[maybe_unused]] base::Result<> kept_in_sink_failure = flush();
}

// The beginning of a trace and every complete block.
void Log::write_held() {
  FileHeader header{.schema = schema_hash()};
  header.check = header_check(header);
  write(&header, sizeof(header));
  write_single({.kind = BlockKind::Definitions,
                .hash_before = kHashStart,
                .hash_after = hash_bytes(kHashStart, definitions_.data(), definitions_.size() * sizeof(uint64_t))},
               definitions_);
  for (uint64_t block = oldest_; block != current_; ++block) write_block(block);
}

void Log::write_end() {
  write_single({.kind = BlockKind::End, .first = count_ + 1, .hash_before = hash_, .hash_after = hash_}, {});
}

base::Result<> Log::copy_to(Sink& sink) {
  if (cursor_ != slot(current_) + kBlockHeaderWords) next_block();
  Sink* attached = std::exchange(sink_, &sink);
  std::optional<base::Failure> its_failure = std::exchange(sink_failure_, std::nullopt);
  write_held();
  write_end();
  std::optional<base::Failure> failure = std::exchange(sink_failure_, its_failure);
  sink_ = attached;
  if (failure) return *failure;
  return {};
}

base::Result<> Log::flush() {
  bool empty = cursor_ == slot(current_) + kBlockHeaderWords;
  if (sink_ && !empty) next_block();
  if (sink_failure_) return *sink_failure_;
  return {};
}

void Log::detach() {
  if (!sink_) return;
  [[maybe_unused]] base::Result<> kept_in_sink_failure = flush();
  write_end();
  sink_ = nullptr;
}

void Log::reset() {
  detach();
  sink_failure_.reset();
  hash_ = kHashStart;
  count_ = 0;
  strings_.clear();
  definitions_.clear();
  oldest_ = 0;
  start_block(0);
}

}  // namespace trace
