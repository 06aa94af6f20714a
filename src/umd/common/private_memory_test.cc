#include "umd/common/private_memory.h"

#include <gtest/gtest.h>

#include "base/sanitizer.h"

namespace umd {
namespace {

// As a driver would that knows no better.
NO_SANITIZE void write_byte(void* memory, size_t offset) { static_cast<volatile uint8_t*>(memory)[offset] = 0x11; }

TEST(PrivateBlock, HasAnAddressEvenWithoutBytes) {
  PrivateBlock block(0, "a sampler");
  EXPECT_NE(block.data(), nullptr);
  EXPECT_FALSE(block.overrun());
}

TEST(PrivateBlock, SeesAWriteBehindItsEnd) {
  PrivateBlock block(24, "a sampler");
  write_byte(block.data(), 23);
  EXPECT_FALSE(block.overrun());
  write_byte(block.data(), 24);
  EXPECT_TRUE(block.overrun());
}

TEST(FreedBlockQuarantine, FindsWhatWasWrittenAfterwards) {
  FreedBlockQuarantine quarantine;
  PrivateBlock block(48, "a resource");
  void* memory = block.data();
  EXPECT_TRUE(quarantine.add(std::move(block), 7).empty());
  EXPECT_TRUE(quarantine.check().empty());
  write_byte(memory, 40);
  std::vector<Trespass> found = quarantine.check();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_STREQ(found[0].what, "a resource");
  EXPECT_EQ(found[0].offset, 40u);
  EXPECT_EQ(found[0].bytes, 48u);
  EXPECT_EQ(found[0].destroyed_at, 7u);
  EXPECT_TRUE(found[0].destroyed);
  EXPECT_TRUE(quarantine.check().empty()) << "it was told once";
}

TEST(FreedBlockQuarantine, TheNextBlockLooksAtTheLast) {
  FreedBlockQuarantine quarantine;
  PrivateBlock first(16, "a resource");
  void* memory = first.data();
  quarantine.add(std::move(first), 0);
  write_byte(memory, 0);
  EXPECT_EQ(quarantine.add(PrivateBlock(16, "a sampler"), 0).size(), 1u);
}

TEST(FreedBlockQuarantine, LooksOnceMoreBeforeItLetsGo) {
  FreedBlockQuarantine quarantine;
  PrivateBlock first(16, "a resource");
  void* memory = first.data();
  quarantine.add(std::move(first), 0);
  quarantine.add(PrivateBlock(16, "a sampler"), 0);
  write_byte(memory, 3);
  size_t found = 0;
  for (int i = 0; i < 100; ++i) found += quarantine.add(PrivateBlock(16, "a sampler"), 0).size();
  EXPECT_EQ(found, 1u);
}

TEST(FreedBlockQuarantine, SaysThatABlockWasOverrunWhileItLived) {
  FreedBlockQuarantine quarantine;
  PrivateBlock block(8, "a shader");
  write_byte(block.data(), 9);
  std::vector<Trespass> found = quarantine.add(std::move(block), 0);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].destroyed);
}

}  // namespace
}  // namespace umd
