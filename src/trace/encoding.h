#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/align.h"
#include "trace/event.h"

// The bytes of a trace. Little endian, everything in units of 16 bytes, which is one step of the hash.
//
//   trace   = FileHeader, blocks…, a block of kind End
//   block   = BlockHeader, records
//   record  = header (16 bytes), payload padded with zeros to 16 bytes
//
//   header    bits 0-15 event id | 16-23 processor | 24-31 irql | 32-63 thread ; bits 64-127 time in ns
//   payload   the fields of the row, back to back; a Str is the id of its string (0: the empty string)
//   StringDefined has the payload id (4 bytes), length (4 bytes), text; ids count from 1 in order of definition.
//
// Blocks of kind Events hold the sequence; records never cross a block's end. A block of kind Definitions stands first
// and repeats every StringDefined and ModuleLoad so far, because the blocks that held them may have been overwritten;
// it is not part of the sequence. Integrity costs nothing while recording: a block stores the running hash before and
// after its records, so consecutive blocks form a chain that a reader can recompute.
namespace trace {

static_assert(std::endian::native == std::endian::little, "records are written as they lie in memory");

inline constexpr size_t kStepBytes = 16;
inline constexpr size_t kStepWords = kStepBytes / sizeof(uint64_t);
inline constexpr size_t kHeaderWords = 2;
inline constexpr size_t kMaxStringBytes = 2048;  // longer ones are cut; NT's own DbgPrint transmits 512

// The thread that was running, and when. Part of every record.
struct Context {
  uint64_t time_ns = 0;
  uint32_t thread = 0;
  uint8_t processor = 0;
  uint8_t irql = 0;

  friend bool operator==(const Context&, const Context&) = default;
};

struct FileHeader {
  static constexpr uint64_t kMagic = 0x4543415254595244;  // "DRYTRACE"
  static constexpr uint32_t kVersion = 1;

  uint64_t magic = kMagic;
  uint32_t version = kVersion;
  uint32_t header_bytes = sizeof(FileHeader);
  uint64_t schema = 0;  // schema_hash() of the writer
  uint64_t check = 0;   // hash of the fields above
};
static_assert(sizeof(FileHeader) == 32);

enum class BlockKind : uint32_t { Events = 1, Definitions = 2, End = 3 };

struct BlockHeader {
  static constexpr uint32_t kMagic = 0x4B4C4244;  // "DBLK"

  uint32_t magic = kMagic;
  BlockKind kind = BlockKind::Events;
  uint64_t content_bytes = 0;
  uint64_t first = 0;   // sequence number of the first event here
  uint64_t events = 0;  // how many; StringDefined does not count
  uint64_t hash_before = 0;
  uint64_t hash_after = 0;
  uint64_t reserved = 0;
  uint64_t check = 0;  // hash of the fields above
};
static_assert(sizeof(BlockHeader) == 64);

template <typename T>
T load(const void* from) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(static_cast<void*>(&value), from, sizeof(value));
  return value;
}

inline constexpr uint64_t kHashStart = 0x9E3779B97F4A7C15;

// One step of the running hash: 128 bits in, one multiplication.
inline uint64_t hash_step(uint64_t hash, uint64_t low, uint64_t high) {
  __extension__ using Wide = unsigned __int128;
  Wide product = Wide{hash ^ low} * (high ^ 0xA0761D6478BD642F);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Continues `hash` over whole steps.
inline uint64_t hash_bytes(uint64_t hash, const void* data, size_t bytes) {
  const auto* at = static_cast<const std::byte*>(data);
  for (const std::byte* end = at + bytes / kStepBytes * kStepBytes; at != end; at += kStepBytes) {
    hash = hash_step(hash, load<uint64_t>(at), load<uint64_t>(at + sizeof(uint64_t)));
  }
  return hash;
}

// The check word of a file or block header: covers all fields before it.
template <typename Header>
uint64_t header_check(Header header) {
  header.check = 0;
  return hash_bytes(kHashStart, &header, sizeof(header));
}

constexpr size_t round_to_step(size_t bytes) { return base::round_up(bytes, kStepBytes); }
constexpr size_t record_words(size_t payload_bytes) {
  return kHeaderWords + round_to_step(payload_bytes) / sizeof(uint64_t);
}

inline void put_header(uint64_t* words, EventId id, const Context& context) {
  words[0] = uint64_t{static_cast<uint16_t>(id)} | uint64_t{context.processor} << 16 | uint64_t{context.irql} << 24 |
             uint64_t{context.thread} << 32;
  words[1] = context.time_ns;
}
inline EventId get_event_id(const std::byte* record) { return static_cast<EventId>(load<uint16_t>(record)); }
inline Context get_context(const std::byte* record) {
  return {.time_ns = load<uint64_t>(record + 8),
          .thread = load<uint32_t>(record + 4),
          .processor = load<uint8_t>(record + 2),
          .irql = load<uint8_t>(record + 3)};
}

// Puts a field into zeroed words with shifts rather than narrow stores: the hash then reads registers, not bytes still
// on their way to memory.
template <size_t Offset, size_t Bytes>
constexpr void put_field(uint64_t* words, uint64_t value) {
  constexpr size_t kWord = Offset / 8;
  constexpr size_t kShift = Offset % 8 * 8;
  words[kWord] |= value << kShift;
  if constexpr (kShift + Bytes * 8 > 64) words[kWord + 1] |= value >> (64 - kShift);
}

inline uint64_t get_field(const std::byte* payload, size_t offset, size_t bytes) {
  uint64_t value = 0;
  std::memcpy(&value, payload + offset, bytes);
  return value;
}

// A field as a number: unsigned and no wider than its bytes. The caller handles strings.
template <typename T>
constexpr uint64_t to_wire(T value) {
  static_assert(sizeof(T) <= 8);
  return static_cast<std::make_unsigned_t<T>>(value);
}

}  // namespace trace
