#include "trace/sink.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "trace/testing.h"

namespace trace {
namespace {

TEST(FileSink, FileHoldsWhatMemoryHolds) {
  std::string path = testing::TempDir() + "drydock_sink_test.trace";
  auto run = [](Sink& sink) {
    Writer writer(8192);
    writer.set_sink(&sink);
    writer.turn_on();
    base::Rng rng(1);
    for (int i = 0; i < 10; ++i) emit_one_of_each(writer, rng);
    EXPECT_TRUE(writer.flush().ok());
    writer.set_sink(nullptr);
  };
  MemorySink memory;
  run(memory);
  auto file = FileSink::create(path).take();
  run(*file);
  EXPECT_TRUE(file->close().ok());
  EXPECT_TRUE(file->close().ok());

  auto bytes = read_trace_file(path);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(bytes.value(), memory.bytes());
  std::remove(path.c_str());
}

TEST(FileSink, CreationFailsWithoutAFolder) {
  EXPECT_EQ(FileSink::create("/nonexistent/folder/trace").status(), STATUS_OBJECT_PATH_NOT_FOUND);
}

TEST(FileSink, FullDiskIsReported) {
  auto file = FileSink::create("/dev/full").take();
  Writer writer;
  writer.set_sink(file.get());
  base::Result<> flushed = writer.flush();
  ASSERT_FALSE(flushed.ok());
  EXPECT_STREQ(flushed.failure().why(), "no space left for the trace file");
}

TEST(FileSink, WritingAfterCloseFails) {
  auto file = FileSink::create("/dev/null").take();
  EXPECT_TRUE(file->close().ok());
  std::byte byte{};
  EXPECT_EQ(file->write({&byte, 1}).status(), STATUS_FILE_CLOSED);
}

}  // namespace
}  // namespace trace
