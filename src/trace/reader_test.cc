#include "trace/reader.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "trace/testing.h"

namespace trace {
namespace {

using Bytes = std::vector<std::byte>;

// A trace of several blocks with every event in it.
Bytes sample(uint64_t seed) {
  Writer writer(8192);
  MemorySink sink;
  writer.set_sink(&sink);
  writer.turn_on();
  base::Rng rng(seed);
  for (int i = 0; i < 4; ++i) emit_one_of_each(writer, rng);
  writer.set_sink(nullptr);
  return sink.bytes();
}

struct Outcome {
  uint64_t events = 0;
  NTSTATUS status = 0;
  std::string message;
};

// Reads all there is, and every field of it, the way a dump would.
Outcome read_all(Bytes bytes) {
  Reader reader(std::move(bytes));
  Outcome outcome;
  while (auto record = reader.next()) {
    ++outcome.events;
    for (size_t i = 0; i < record->info().fields.size(); ++i) {
      if (record->info().fields[i].type == FieldType::Str) {
        EXPECT_LE(record->text(i).size(), kMaxStringBytes);
      }
    }
  }
  EXPECT_FALSE(reader.next());  // stays at its end
  outcome.status = reader.result().status();
  outcome.message = reader.message();
  EXPECT_EQ(outcome.message.empty(), reader.result().ok());
  return outcome;
}

template <typename Header>
void edit(Bytes& bytes, size_t at, void (*change)(Header&)) {
  auto header = load<Header>(&bytes[at]);
  change(header);
  header.check = header_check(header);
  std::memcpy(&bytes[at], &header, sizeof(header));
}

TEST(Reader, ReadsAWholeTrace) {
  Outcome outcome = read_all(sample(1));
  EXPECT_EQ(outcome.message, "");
  EXPECT_EQ(outcome.events, 4 * events().size());
}

TEST(Reader, SaysWhereATraceIsCutShort) {
  Bytes whole = sample(2);
  uint64_t events_before = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    SCOPED_TRACE(testing::Message() << "cut at " << size);
    Outcome outcome = read_all(Bytes(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)));
    ASSERT_EQ(outcome.status, STATUS_END_OF_FILE) << outcome.message;
    ASSERT_NE(outcome.message.find("cut short at byte "), std::string::npos);
    ASSERT_GE(outcome.events, events_before);  // whole blocks are never lost
    events_before = outcome.events;
  }
  EXPECT_EQ(events_before, 4 * events().size());
}

TEST(Reader, NoticesEveryFlippedBit) {
  uint64_t seed = test_seed();
  SCOPED_TRACE(testing::Message() << "DRYDOCK_SEED=" << seed);
  base::Rng rng(seed);
  Bytes whole = sample(3);
  for (int i = 0; i < 3000; ++i) {
    Bytes bytes = whole;
    size_t at = rng.below(bytes.size());
    bytes[at] ^= std::byte{1} << rng.below(8);
    Outcome outcome = read_all(bytes);
    ASSERT_LT(outcome.status, 0) << "flip at " << at;
    ASSERT_NE(outcome.message.find("at byte "), std::string::npos);
  }
}

// A forged trace can have correct hashes, so the reader must be safe without relying on them.
void repair(Bytes& bytes) {
  size_t at = sizeof(FileHeader);
  uint64_t hash = kHashStart;
  while (bytes.size() - at >= sizeof(BlockHeader)) {
    auto header = load<BlockHeader>(&bytes[at]);
    size_t content = at + sizeof(header);
    if (header.content_bytes > bytes.size() - content) return;
    header.hash_before = hash;
    header.hash_after = hash_bytes(hash, bytes.data() + content, header.content_bytes);
    if (header.kind != BlockKind::Definitions) hash = header.hash_after;
    header.check = header_check(header);
    std::memcpy(&bytes[at], &header, sizeof(header));
    at = content + header.content_bytes;
  }
}

TEST(Reader, SurvivesRecordsThatLie) {
  uint64_t seed = test_seed();
  SCOPED_TRACE(testing::Message() << "DRYDOCK_SEED=" << seed);
  base::Rng rng(seed);
  Bytes whole = sample(4);
  uint64_t refused = 0;
  for (int i = 0; i < 3000; ++i) {
    Bytes bytes = whole;
    for (uint64_t flips = 1 + rng.below(4); flips > 0; --flips) {
      size_t at = sizeof(FileHeader) + rng.below(bytes.size() - sizeof(FileHeader));
      bytes[at] = static_cast<std::byte>(rng.below(256));
    }
    repair(bytes);
    if (read_all(bytes).status < 0) ++refused;
  }
  EXPECT_GT(refused, 0u);
  EXPECT_LT(refused, 3000u);  // else the repair is broken and nothing behind the hashes was reached
}

TEST(Reader, RefusesOtherVersionsByName) {
  Bytes bytes = sample(5);
  edit<FileHeader>(bytes, 0, [](FileHeader& header) { header.version = 2; });
  Outcome outcome = read_all(bytes);
  EXPECT_EQ(outcome.status, STATUS_REVISION_MISMATCH);
  EXPECT_EQ(outcome.message, "the trace has another format version at byte 8: it is 2, this reader knows 1");
  EXPECT_EQ(outcome.events, 0u);
}

TEST(Reader, RefusesOtherSchemas) {
  Bytes bytes = sample(5);
  edit<FileHeader>(bytes, 0, [](FileHeader& header) { header.schema ^= 1; });
  Outcome outcome = read_all(bytes);
  EXPECT_EQ(outcome.status, STATUS_REVISION_MISMATCH);
  EXPECT_EQ(outcome.message.find("the trace was written with other events at byte 16: its schema is "), 0u);
}

TEST(Reader, RefusesWhatIsNoTrace) {
  EXPECT_EQ(read_all({}).status, STATUS_END_OF_FILE);
  Outcome outcome = read_all(Bytes(100, std::byte{'x'}));
  EXPECT_EQ(outcome.status, STATUS_FILE_INVALID);
  EXPECT_EQ(outcome.message, "this is not a Drydock trace at byte 0: it does not begin with DRYTRACE");
}

TEST(Reader, RefusesBytesAfterTheEnd) {
  Bytes bytes = sample(6);
  size_t end = bytes.size();
  bytes.resize(end + 1);
  EXPECT_EQ(read_all(bytes).message,
            "the trace is corrupt at byte " + std::to_string(end) + ": there are bytes after its end");
}

TEST(Reader, RefusesAMissingBlock) {
  Bytes bytes = sample(7);
  size_t first = sizeof(FileHeader) + sizeof(BlockHeader);  // the definitions are empty: the sink came before any event
  ASSERT_EQ(load<BlockHeader>(&bytes[first]).kind, BlockKind::Events);
  size_t second = first + sizeof(BlockHeader) + load<BlockHeader>(&bytes[first]).content_bytes;
  size_t third = second + sizeof(BlockHeader) + load<BlockHeader>(&bytes[second]).content_bytes;
  bytes.erase(bytes.begin() + static_cast<ptrdiff_t>(second), bytes.begin() + static_cast<ptrdiff_t>(third));
  Outcome outcome = read_all(bytes);
  EXPECT_EQ(outcome.status, STATUS_DATA_ERROR);
  EXPECT_EQ(outcome.message.find("the trace is corrupt at byte " + std::to_string(second) + ": event "), 0u);
}

TEST(Reader, SurvivesAnAbsurdBlockSize) {
  Bytes bytes = sample(8);
  edit<BlockHeader>(bytes, sizeof(FileHeader),
                    [](BlockHeader& header) { header.content_bytes = std::numeric_limits<uint64_t>::max() & ~15ull; });
  EXPECT_EQ(read_all(bytes).status, STATUS_END_OF_FILE);
}

TEST(Reader, MissingFileIsAFailure) {
  EXPECT_EQ(read_trace_file("/nonexistent/trace").status(), STATUS_OBJECT_NAME_NOT_FOUND);
}

}  // namespace
}  // namespace trace
