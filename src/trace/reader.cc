#include "trace/reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/planted.h"
#include "base/scoped.h"

namespace trace {

uint64_t Record::number(size_t field) const {
  CHECK(field < info_->fields.size());
  size_t offset = 0;
  for (size_t i = 0; i < field; ++i) offset += wire_bytes(info_->fields[i].type);
  return get_field(payload_, offset, wire_bytes(info_->fields[field].type));
}

std::optional<Record> Reader::next() {
  if (place_ == Place::Start && !open_file()) return {};
  while (place_ == Place::InBlock) {
    std::optional<Record> event;
    bool good = cursor_ == block_end_ ? close_block() && open_block() : read_record(&event);
    if (good && event) return event;
  }
  return {};
}

base::Result<> Reader::result() const {
  if (failure_) return *failure_;
  return {};
}

std::string_view Reader::module_name(uint32_t module) const {
  auto found = modules_.find(module);
  return found == modules_.end() ? std::string_view{} : found->second;
}

bool Reader::fail(size_t at, NTSTATUS status, const char* why, const std::string& detail, base::Here where) {
  place_ = Place::Failed;
  failure_ = base::Failure(status, why, where);
  message_ = fmt::format("{} at byte {}: {}", why, at, detail);
  return false;
}

bool Reader::open_file() {
  if (bytes_.size() < sizeof(FileHeader)) {
    return fail(bytes_.size(), STATUS_END_OF_FILE, "the trace is cut short",
                fmt::format("its header takes {} bytes", sizeof(FileHeader)));
  }
  auto header = load<FileHeader>(bytes_.data());
  if (header.magic != FileHeader::kMagic)
    return fail(0, STATUS_FILE_INVALID, "this is not a Drydock trace", "it does not begin with DRYTRACE");
  if (header.version != FileHeader::kVersion) {
    return fail(offsetof(FileHeader, version), STATUS_REVISION_MISMATCH, "the trace has another format version",
                fmt::format("it is {}, this reader knows {}", header.version, FileHeader::kVersion));
  }
  if (header.check != header_check(header) || header.header_bytes != sizeof(FileHeader))
    return fail(0, STATUS_DATA_ERROR, "the trace is corrupt", "its header does not match its check");
  if (header.schema != schema_hash()) {
    return fail(offsetof(FileHeader, schema), STATUS_REVISION_MISMATCH, "the trace was written with other events",
                fmt::format("its schema is {:016x}, this reader's {:016x}", header.schema, schema_hash()));
  }
  cursor_ = sizeof(FileHeader);
  return open_block();
}

bool Reader::open_block() {
  size_t at = cursor_;
  if (left_from(at) < sizeof(BlockHeader)) {
    return fail(at, STATUS_END_OF_FILE, "the trace is cut short",
                left_from(at) == 0 ? "a block or the end mark is missing" : "a block header is incomplete");
  }
  auto header = load<BlockHeader>(&bytes_[at]);
  if (header.magic != BlockHeader::kMagic || header.check != header_check(header))
    return fail(at, STATUS_DATA_ERROR, "the trace is corrupt", "a block header does not match its check");
  size_t content = at + sizeof(BlockHeader);
  if (header.content_bytes > left_from(content)) {
    return fail(content, STATUS_END_OF_FILE, "the trace is cut short",
                fmt::format("a block has {} bytes, {} are left", header.content_bytes, left_from(content)));
  }
  if (header.content_bytes % kStepBytes != 0)
    return fail(at, STATUS_DATA_ERROR, "the trace is corrupt", "a block holds a broken number of bytes");
  if (hash_bytes(header.hash_before, bytes_.data() + content, header.content_bytes) != header.hash_after)
    return fail(content, STATUS_DATA_ERROR, "the trace is corrupt", "the records of a block do not match its hash");
  if (!check_chain(header, at)) return false;

  block_ = header;
  events_in_block_ = 0;
  cursor_ = content;
  block_end_ = content + header.content_bytes;
  place_ = header.kind == BlockKind::End ? Place::End : Place::InBlock;
  return true;
}

// Whether the block may stand here: definitions first, then one unbroken sequence, then the end and nothing more.
bool Reader::check_chain(const BlockHeader& header, size_t at) {
  bool at_start = at == sizeof(FileHeader);
  if ((header.kind == BlockKind::Definitions) != at_start)
    return fail(at, STATUS_DATA_ERROR, "the trace is corrupt", "definitions belong at the start and only there");
  if (header.kind == BlockKind::Definitions) return true;
  if (header.kind != BlockKind::Events && header.kind != BlockKind::End)
    return fail(at, STATUS_DATA_ERROR, "the trace is corrupt", "a block of unknown kind");
  if (previous_ && header.first != previous_->first + previous_->events) {
    return fail(at, STATUS_DATA_ERROR, "the trace is corrupt",
                fmt::format("event {} was expected here, the block begins with {}",
                            previous_->first + previous_->events, header.first));
  }
  if (previous_ && header.hash_before != previous_->hash_after)
    return fail(at, STATUS_DATA_ERROR, "the trace is corrupt", "the block does not follow from the one before it");
  if (header.kind == BlockKind::End) {
    size_t after = at + sizeof(BlockHeader);
    if (header.content_bytes != 0 || left_from(after) != 0)
      return fail(after, STATUS_DATA_ERROR, "the trace is corrupt", "there are bytes after its end");
  }
  previous_ = header;
  return true;
}

bool Reader::close_block() {
  if (events_in_block_ != block_.events) {
    return fail(block_end_, STATUS_DATA_ERROR, "the trace is corrupt",
                fmt::format("a block promised {} events and held {}", block_.events, events_in_block_));
  }
  return true;
}

// Advances by one record; gives it out when it is an event of the sequence.
bool Reader::read_record(std::optional<Record>* event) {
  size_t at = cursor_;
  const std::byte* data = bytes_.data() + at;
  size_t left = block_end_ - at;  // at least one step: the header
  if (get_event_id(data) == EventId::StringDefined) {
    size_t record_bytes = 0;
    if (!define_string(data, left, &record_bytes)) return false;
    cursor_ += record_bytes;
    return true;
  }

  Record record;
  record.id_ = get_event_id(data);
  record.info_ = find_event(record.id_);
  if (!record.info_) {
    return fail(at, STATUS_DATA_ERROR, "the trace is corrupt",
                fmt::format("there is no event {}", static_cast<unsigned>(record.id_)));
  }
  size_t record_bytes = record_words(record.info_->payload_bytes) * sizeof(uint64_t);
  if (record_bytes > left)
    return fail(at, STATUS_DATA_ERROR, "the trace is corrupt", fmt::format("{} is incomplete", record.info_->name));
  record.context_ = get_context(data);
  record.payload_ = data + kHeaderWords * sizeof(uint64_t);
  record.strings_ = &strings_;
  if (!check_strings(record, at)) return false;
  if (record.is<ModuleLoad>() && !define_module(record, at)) return false;

  cursor_ += record_bytes;
  if (block_.kind == BlockKind::Events) {
    record.sequence_ = block_.first + events_in_block_++;
    *event = record;
  }
  return true;
}

bool Reader::define_string(const std::byte* record, size_t left, size_t* record_bytes) {
  size_t at = static_cast<size_t>(record - bytes_.data());
  if (left < record_words(8) * sizeof(uint64_t))
    return fail(at, STATUS_DATA_ERROR, "the trace is corrupt", "a string is incomplete");
  const std::byte* payload = record + kHeaderWords * sizeof(uint64_t);
  auto id = load<uint32_t>(payload);
  auto length = load<uint32_t>(payload + 4);
  *record_bytes = record_words(8 + size_t{length}) * sizeof(uint64_t);
  if (length == 0 || length > kMaxStringBytes || *record_bytes > left)
    return fail(at, STATUS_DATA_ERROR, "the trace is corrupt", fmt::format("a string of {} bytes", length));

  std::string_view text(reinterpret_cast<const char*>(payload + 8), length);
  if (id == strings_.size() + 1) {
    strings_.push_back(text);
    return true;
  }
  // The block of definitions repeats strings that the ring still held.
  if (id >= 1 && id <= strings_.size() && strings_[id - 1] == text) return true;
  return fail(at, STATUS_DATA_ERROR, "the trace is corrupt", fmt::format("string {} is out of order", id));
}

bool Reader::check_strings(const Record& record, size_t at) {
  for (size_t i = 0; i < record.info_->fields.size(); ++i) {
    const FieldInfo& field = record.info_->fields[i];
    if (field.type != FieldType::Str || base::planted("trace_reader_fuzz")) continue;
    if (record.number(i) > strings_.size()) {
      return fail(
          at, STATUS_DATA_ERROR, "the trace is corrupt",
          fmt::format("{}.{} names string {}, which is not defined", record.info_->name, field.name, record.number(i)));
    }
  }
  return true;
}

bool Reader::define_module(const Record& record, size_t at) {
  auto load_event = record.as<ModuleLoad>();
  auto [known, added] = modules_.try_emplace(load_event.module, load_event.name);
  if (added || known->second == load_event.name) return true;
  return fail(at, STATUS_DATA_ERROR, "the trace is corrupt", fmt::format("module {} has two names", load_event.module));
}

base::Result<std::vector<std::byte>> read_trace_file(const std::string& path) {
  base::ScopedFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return base::Failure(STATUS_OBJECT_NAME_NOT_FOUND, "the trace file could not be opened");
  std::vector<std::byte> bytes;
  constexpr size_t kChunk = 1 << 20;
  for (;;) {
    size_t have = bytes.size();
    bytes.resize(have + kChunk);
    ssize_t got = ::read(file.get(), bytes.data() + have, kChunk);
    bytes.resize(have + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return bytes;
    if (got < 0 && errno != EINTR) return base::Failure(STATUS_UNEXPECTED_IO_ERROR, "the trace file could not be read");
  }
}

}  // namespace trace
