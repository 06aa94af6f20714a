#include "kmt/memory/direct_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/align.h"
#include "nt/fault/fault.h"
#include "nt/testing/machine_fixture.h"

namespace kmt {
namespace {

// Three pages of which the last is as the test wants it: what lies before ends at its edge.
class Pages {
 public:
  explicit Pages(int last_protection) {
    void* at = mmap(nullptr, 3 * base::kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(at, MAP_FAILED);
    base_ = static_cast<uint8_t*>(at);
    std::memset(base_, 0x5A, 3 * base::kPageBytes);
    EXPECT_EQ(mprotect(base_ + 2 * base::kPageBytes, base::kPageBytes, last_protection), 0);
  }
  ~Pages() { munmap(base_, 3 * base::kPageBytes); }
  uint8_t* edge() const { return base_ + 2 * base::kPageBytes; }
  bool untouched() const {
    for (size_t i = 0; i < 2 * base::kPageBytes; ++i) {
      if (base_[i] != 0x5A) return false;
    }
    return true;
  }

 private:
  uint8_t* base_;
};

class DirectMemoryTest : public nt::MachineTest {
 protected:
  NTSTATUS read(void* to, const void* from, size_t bytes) {
    return memory.read(to, UserMemory::address(from), bytes).status();
  }
  NTSTATUS write(void* to, const void* from, size_t bytes) {
    return memory.write(UserMemory::address(to), from, bytes).status();
  }
  DirectMemory memory;
};

TEST_F(DirectMemoryTest, CopiesEverySizeAndAlignment) {
  std::array<uint8_t, 1200> from, to;
  std::iota(from.begin(), from.end(), uint8_t{1});
  for (size_t bytes : {0, 1, 7, 8, 9, 16, 40, 72, 255, 256, 257, 1000}) {
    for (size_t shift = 0; shift < 9; ++shift) {
      to.fill(0);
      ASSERT_EQ(read(to.data() + 1, from.data() + shift, bytes), STATUS_SUCCESS);
      EXPECT_EQ(std::memcmp(to.data() + 1, from.data() + shift, bytes), 0) << bytes << " from " << shift;
      EXPECT_EQ(to[0], 0);
      EXPECT_EQ(to[bytes + 1], 0);
      to.fill(0);
      ASSERT_EQ(write(to.data() + shift, from.data(), bytes), STATUS_SUCCESS);
      EXPECT_EQ(std::memcmp(to.data() + shift, from.data(), bytes), 0);
      EXPECT_EQ(to[bytes + shift], 0);
    }
  }
}

TEST_F(DirectMemoryTest, ARangeThatIsNotAllThereIsRefused) {
  Pages gone(PROT_NONE);
  std::vector<uint8_t> to(2 * base::kPageBytes);
  for (size_t bytes : {1, 8, 13, 72, 300, 5000}) {
    EXPECT_EQ(read(to.data(), gone.edge() - bytes, bytes), STATUS_SUCCESS) << bytes;
    EXPECT_EQ(read(to.data(), gone.edge() - bytes + 1, bytes), STATUS_INVALID_PARAMETER) << bytes;
  }
}

TEST_F(DirectMemoryTest, ARefusedWriteChangesNothing) {
  for (int protection : {PROT_NONE, PROT_READ}) {
    Pages pages(protection);
    std::vector<uint8_t> from(2 * base::kPageBytes, 0xA5);
    for (size_t bytes : {1, 8, 13, 72, 300, 5000}) {
      EXPECT_EQ(write(pages.edge() - bytes + 1, from.data(), bytes), STATUS_INVALID_PARAMETER) << bytes;
      EXPECT_EQ(memory.probe_write(UserMemory::address(pages.edge() - bytes + 1), bytes).status(),
                STATUS_INVALID_PARAMETER);
      EXPECT_TRUE(pages.untouched()) << bytes;
    }
  }
}

TEST_F(DirectMemoryTest, AProbeChangesNothing) {
  Pages pages(PROT_NONE);
  EXPECT_TRUE(memory.probe_write(UserMemory::address(pages.edge() - 5000), 5000).ok());
  EXPECT_TRUE(pages.untouched());
}

TEST_F(DirectMemoryTest, AddressesThatCannotBeAreRefused) {
  uint64_t value = 0;
  for (uint64_t address : {uint64_t{0}, uint64_t{8}, uint64_t{0xFFFF}, ~uint64_t{0}, ~uint64_t{0} - 7,
                           uint64_t{1} << 63, uint64_t{0x0000800000000000}, uint64_t{0x1EADBEED}}) {
    EXPECT_FALSE(memory.read(&value, address, sizeof(value)).ok()) << std::hex << address;
    EXPECT_FALSE(memory.write(address, &value, sizeof(value)).ok()) << std::hex << address;
    EXPECT_FALSE(memory.probe_write(address, sizeof(value)).ok()) << std::hex << address;
  }
  EXPECT_TRUE(memory.read(&value, 0, 0).ok()) << "nothing is everywhere";
}

TEST_F(DirectMemoryTest, WorksInAMachineAndLeavesItsFaultsAlone) {
  nt::install_fault_handlers();
  Pages gone(PROT_NONE);
  run([&] {
    uint64_t value;
    EXPECT_FALSE(memory.read(&value, UserMemory::address(gone.edge()), sizeof(value)).ok());
  });
  EXPECT_TRUE(observer.violations.empty());
}

TEST_F(DirectMemoryTest, TypedReadsAndWrites) {
  struct Pair {
    uint32_t a, b;
  };
  Pair pair{1, 2};
  auto copy = memory.read(&pair);
  ASSERT_TRUE(copy.ok());
  EXPECT_EQ(copy.value().b, 2u);
  EXPECT_TRUE(memory.write(&pair, Pair{3, 4}).ok());
  EXPECT_EQ(pair.a, 3u);
  EXPECT_FALSE(memory.read(static_cast<Pair*>(nullptr)).ok());
}

}  // namespace
}  // namespace kmt
