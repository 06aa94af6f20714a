#include "trace/writer.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "trace/reader.h"
#include "trace/testing.h"

namespace trace {
namespace {

constexpr size_t kSmallRing = 8192;  // two blocks

// A writer that is on, and a context that the test moves.
struct Fixture {
  explicit Fixture(size_t ring_bytes = 1 << 20) : writer(ring_bytes) {
    writer.set_context(&context);
    writer.turn_on();
  }
  Context context{.time_ns = 1000, .thread = 7, .processor = 1, .irql = 2};
  Writer writer;
};

// Everything in the trace is one unbroken sequence up to `last`; gives its first number.
uint64_t expect_sequence(std::vector<std::byte> bytes, uint64_t last) {
  Reader reader(std::move(bytes));
  uint64_t first = 0;
  uint64_t expected = 0;
  while (auto record = reader.next()) {
    if (first == 0) first = expected = record->sequence();
    EXPECT_EQ(record->sequence(), expected);
    ++expected;
  }
  EXPECT_EQ(reader.message(), "");
  EXPECT_EQ(expected, last + 1);
  return first;
}

TEST(Writer, EveryEventSurvivesARoundTrip) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Fixture f;
    base::Rng rng(seed);
    emit_one_of_each(f.writer, rng);
    Reader reader(recorded(f.writer));

    base::Rng again(seed);
    uint64_t sequence = 0;
    for_each_event([&]<typename Event>() {
      auto expected = random_event<Event>(again);
      if constexpr (std::is_same_v<Event, ModuleLoad>) expected.module = static_cast<uint32_t>(sequence);
      auto record = reader.next();
      ASSERT_TRUE(record) << reader.message();
      ASSERT_TRUE(record->is<Event>());
      EXPECT_TRUE(same(record->as<Event>(), expected)) << record->info().name;
      EXPECT_EQ(record->sequence(), ++sequence);
      EXPECT_EQ(record->context(), f.context);
    });
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.result().ok()) << reader.message();
  }
}

TEST(Writer, OffRecordsNothing) {
  Writer writer;
  uint64_t empty = writer.hash();
  writer.emit(TimerExpire{.timer = 1});
  EXPECT_EQ(writer.count(), 0u);
  EXPECT_EQ(writer.hash(), empty);
  writer.turn_on();
  writer.emit(TimerExpire{.timer = 1});
  writer.turn_off();
  writer.emit(TimerExpire{.timer = 2});
  EXPECT_EQ(writer.count(), 1u);
}

TEST(Writer, ContextIsReadAtEachEmit) {
  Fixture f;
  f.writer.emit(TimerExpire{});
  f.context = {.time_ns = ~uint64_t{0}, .thread = ~uint32_t{0}, .processor = 255, .irql = 255};
  f.writer.emit(TimerExpire{});
  Context other{.time_ns = 5, .thread = 6, .processor = 7, .irql = 8};
  f.writer.emit_as(other, TimerExpire{});
  f.writer.set_context(nullptr);
  f.writer.emit(TimerExpire{});

  Reader reader(recorded(f.writer));
  EXPECT_EQ(reader.next()->context().thread, 7u);
  EXPECT_EQ(reader.next()->context(), f.context);
  EXPECT_EQ(reader.next()->context(), other);
  EXPECT_EQ(reader.next()->context(), Context{});
}

TEST(Writer, EqualRunsHaveEqualHashesWhateverTheRingAndSink) {
  Fixture large;
  Fixture small(kSmallRing);
  Fixture sunk(kSmallRing);
  MemorySink sink;
  sunk.writer.set_sink(&sink);
  for (Fixture* f : {&large, &small, &sunk}) {
    base::Rng rng(1);
    for (int i = 0; i < 20; ++i) emit_one_of_each(f->writer, rng);
  }
  EXPECT_EQ(large.writer.hash(), small.writer.hash());
  EXPECT_EQ(large.writer.hash(), sunk.writer.hash());
  EXPECT_EQ(large.writer.count(), small.writer.count());
  sunk.writer.set_sink(nullptr);
}

// The hash of one event in a context.
template <typename Event>
uint64_t hash_of(const Event& event, Context context = {}) {
  Writer writer(kSmallRing);
  writer.turn_on();
  writer.emit_as(context, event);
  return writer.hash();
}

TEST(Writer, WithoutPlacesTheHashIsTheSameWhereverTheCodeLies) {
  auto hash = [](bool places, const char* file, uint32_t line, const char* reason) {
    Fixture fixture;
    if (!places) fixture.writer.leave_out_places();
    fixture.writer.emit(Refusal{.status = -1, .reason = reason, .file = file, .line = line});
    return fixture.writer.hash();
  };
  EXPECT_NE(hash(true, "a.cc", 1, "no"), hash(true, "b/a.cc", 2, "no"));
  EXPECT_EQ(hash(false, "a.cc", 1, "no"), hash(false, "b/a.cc", 2, "no"));
  EXPECT_NE(hash(false, "a.cc", 1, "no"), hash(false, "a.cc", 1, "never"));
}

TEST(Writer, AnyFieldChangesTheHash) {
  for_each_event([&]<typename Event>() {
    base::Rng rng(9);
    const auto event = random_event<Event>(rng);
    uint64_t before = hash_of(event);
    Layout<Event>::Fields::visit([&]<typename Field, size_t Offset>() {
      Event changed = event;
      auto& member = changed.*Field::kMember;
      if constexpr (Field::kType == FieldType::Str) {
        member = "another text";
      } else {
        member = static_cast<std::remove_reference_t<decltype(member)>>(member ^ 1);
      }
      EXPECT_NE(hash_of(changed), before) << find_event(Layout<Event>::kId)->name << " offset " << Offset;
    });
  });
}

TEST(Writer, AnyPartOfTheContextAndTheOrderChangeTheHash) {
  TimerExpire event{.timer = 3};
  EXPECT_NE(hash_of(event, {.time_ns = 1}), hash_of(event));
  EXPECT_NE(hash_of(event, {.thread = 1}), hash_of(event));
  EXPECT_NE(hash_of(event, {.processor = 1}), hash_of(event));
  EXPECT_NE(hash_of(event, {.irql = 1}), hash_of(event));
  EXPECT_NE(hash_of(DpcEnd{.dpc = 3}), hash_of(event));

  Fixture ab, ba;
  ab.writer.emit(TimerExpire{.timer = 1});
  ab.writer.emit(TimerExpire{.timer = 2});
  ba.writer.emit(TimerExpire{.timer = 2});
  ba.writer.emit(TimerExpire{.timer = 1});
  EXPECT_NE(ab.writer.hash(), ba.writer.hash());
}

TEST(Writer, ResetBeginsTheSameRunAgain) {
  Fixture f(kSmallRing);
  auto run = [&] {
    base::Rng rng(3);
    for (int i = 0; i < 10; ++i) emit_one_of_each(f.writer, rng);
    return f.writer.hash();
  };
  MemorySink sink;
  f.writer.set_sink(&sink);
  uint64_t first = run();
  uint64_t count = f.writer.count();
  f.writer.reset();
  EXPECT_EQ(f.writer.count(), 0u);
  EXPECT_EQ(expect_sequence(sink.bytes(), count), 1u);  // reset ended the sink's trace
  size_t bytes = sink.bytes().size();

  EXPECT_EQ(run(), first);
  EXPECT_EQ(sink.bytes().size(), bytes);
  expect_sequence(recorded(f.writer), count);
}

TEST(Writer, RingKeepsTheLatestAndEveryName) {
  Fixture f(kSmallRing);
  f.writer.emit(ModuleLoad{.module = 4, .name = "softgpu.sys"});
  f.writer.emit(DbgPrint{.text = "said only once"});
  constexpr uint64_t kEvents = 5000;
  for (uint64_t i = 2; i < kEvents - 1; ++i) f.writer.emit(TimerExpire{.timer = 1});
  f.writer.emit(DbgPrint{.text = "said only once"});
  EXPECT_EQ(f.writer.count(), kEvents);

  std::vector<std::byte> bytes = recorded(f.writer);
  EXPECT_LT(bytes.size(), 2 * kSmallRing);
  uint64_t first = expect_sequence(bytes, kEvents);
  EXPECT_GT(first, 1u);
  EXPECT_GT(kEvents - first, 100u);  // one block at least is whole

  Reader reader(bytes);
  std::string last;
  while (auto record = reader.next())
    if (record->is<DbgPrint>()) last = record->as<DbgPrint>().text;
  EXPECT_EQ(last, "said only once");
  EXPECT_EQ(reader.module_name(4), "softgpu.sys");
}

TEST(Writer, SinkGetsEverythingInOrder) {
  Fixture f(kSmallRing);
  MemorySink sink;
  f.writer.set_sink(&sink);
  for (uint32_t i = 1; i <= 5000; ++i) f.writer.emit(TimerExpire{.timer = i});
  f.writer.set_sink(nullptr);

  Reader reader(sink.bytes());
  for (uint32_t i = 1; i <= 5000; ++i) ASSERT_EQ(reader.next()->as<TimerExpire>().timer, i);
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.message(), "");
}

TEST(Writer, SinkSetLateGetsTheRingFirst) {
  Fixture f;
  f.writer.emit(DbgPrint{.text = "before"});
  MemorySink first, second;
  f.writer.set_sink(&first);
  f.writer.emit(DbgPrint{.text = "between"});
  f.writer.set_sink(&second);
  f.writer.emit(DbgPrint{.text = "after"});
  f.writer.set_sink(nullptr);
  EXPECT_EQ(expect_sequence(first.bytes(), 2), 1u);
  EXPECT_EQ(expect_sequence(second.bytes(), 3), 1u);
}

TEST(Writer, FlushHandsOverTheIncompleteBlock) {
  Fixture f;
  MemorySink sink;
  f.writer.set_sink(&sink);
  f.writer.emit(TimerExpire{.timer = 9});
  size_t before = sink.bytes().size();
  EXPECT_TRUE(f.writer.flush().ok());
  EXPECT_GT(sink.bytes().size(), before);

  Reader reader(sink.bytes());  // what a reader finds after a crash here
  EXPECT_EQ(reader.next()->as<TimerExpire>().timer, 9u);
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.result().status(), STATUS_END_OF_FILE);
  f.writer.set_sink(nullptr);
}

TEST(Writer, DestructionEndsTheTrace) {
  MemorySink sink;
  {
    Fixture f;
    f.writer.set_sink(&sink);
    f.writer.emit(TimerExpire{.timer = 9});
  }
  expect_sequence(sink.bytes(), 1);
}

// Takes a number of writes and refuses the rest.
class FailingSink final : public Sink {
 public:
  explicit FailingSink(int good) : good_(good) {}
  base::Result<> write(std::span<const std::byte>) override {
    ++calls;
    if (calls > good_) return base::Failure(STATUS_ACCESS_DENIED, "enough");
    return {};
  }
  int calls = 0;

 private:
  int good_;
};

TEST(Writer, SinkFailureIsKeptAndEndsWriting) {
  Fixture f;
  FailingSink sink(4);  // header, definitions (header and content), first block
  f.writer.set_sink(&sink);
  f.writer.emit(TimerExpire{});
  EXPECT_TRUE(f.writer.flush().ok());
  f.writer.emit(TimerExpire{});
  EXPECT_EQ(f.writer.flush().status(), STATUS_ACCESS_DENIED);
  f.writer.emit(TimerExpire{});
  f.writer.set_sink(nullptr);
  EXPECT_EQ(sink.calls, 5);
  EXPECT_EQ(f.writer.flush().status(), STATUS_ACCESS_DENIED);
  EXPECT_EQ(expect_sequence(recorded(f.writer), 3), 1u);  // the ring did not suffer, and another sink starts clean
  EXPECT_TRUE(f.writer.flush().ok());
}

TEST(Writer, LongStringsAreCut) {
  Fixture f(kSmallRing);
  std::string longer(kMaxStringBytes + 1, 'x');
  f.writer.emit(DbgPrint{.text = longer});
  f.writer.emit(DbgPrint{.text = std::string_view(longer).substr(1)});
  Reader reader(recorded(f.writer));
  EXPECT_EQ(reader.next()->as<DbgPrint>().text, longer.substr(1));
  EXPECT_EQ(reader.next()->as<DbgPrint>().text, longer.substr(1));
}

TEST(Writer, TwoThreadsKeepRecordsWhole) {
  constexpr uint32_t kEach = 20000;
  Writer writer(kSmallRing);
  MemorySink sink;
  writer.set_sink(&sink);
  writer.turn_on();
  auto emit_all = [&](uint32_t thread) {
    for (uint32_t i = 0; i < kEach; ++i) {
      Context context{.time_ns = i, .thread = thread};
      std::string text = std::to_string(i % 100);
      writer.emit_as(context, Finding{.rule = text, .text = text});
    }
  };
  std::thread one(emit_all, 1);
  std::thread two(emit_all, 2);
  one.join();
  two.join();
  writer.set_sink(nullptr);

  Reader reader(sink.bytes());
  uint64_t next_of[3] = {};
  while (auto record = reader.next()) {
    const Context& context = record->context();
    ASSERT_LT(context.thread, 3u);
    ASSERT_EQ(context.time_ns, next_of[context.thread]++);
    auto finding = record->as<Finding>();
    ASSERT_EQ(finding.rule, std::to_string(context.time_ns % 100));
    ASSERT_EQ(finding.rule, finding.text);
  }
  EXPECT_EQ(reader.message(), "");
  EXPECT_EQ(next_of[1], kEach);
  EXPECT_EQ(next_of[2], kEach);
}

}  // namespace
}  // namespace trace
