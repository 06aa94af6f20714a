#include "nt/mm/physical_memory.h"

#include <sys/mman.h>

#include <cstring>

#include "base/align.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

// Two pages of a client, which devices reach by their numbers.
class PhysicalMemoryTest : public MachineTest {
 protected:
  PhysicalMemoryTest() {
    client_ = static_cast<char*>(
        mmap(nullptr, 2 * base::kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::memset(client_, 0x11, 2 * base::kPageBytes);
  }
  ~PhysicalMemoryTest() override { munmap(client_, 2 * base::kPageBytes); }

  uintptr_t page(size_t index) const { return reinterpret_cast<uintptr_t>(client_) + index * base::kPageBytes; }

  char* client_;
};

TEST_F(PhysicalMemoryTest, ADeviceReachesPagesThatAreHeld) {
  run([&] {
    PhysicalMemory& memory = machine().physical();
    uint64_t at = memory.hold(page(0));
    char byte = 0x22, seen = 0;
    bool gone = false;
    EXPECT_EQ(memory.write(at + 5, &byte, 1, &gone), "");
    EXPECT_EQ(client_[5], 0x22);
    EXPECT_EQ(memory.read(at + 6, &seen, 1, &gone), "");
    EXPECT_EQ(seen, 0x11);
    EXPECT_FALSE(gone);
    memory.release(page(0));
    EXPECT_NE(memory.read(at, &seen, 1), "") << "no longer";
  });
}

TEST_F(PhysicalMemoryTest, AHeldPageOutlivesItsMapping) {
  run([&] {
    PhysicalMemory& memory = machine().physical();
    uint64_t first = memory.hold(page(0)), second = memory.hold(page(1));
    munmap(client_, base::kPageBytes);
    char seen = 0x55, byte = 0x33;
    bool gone = false;
    EXPECT_EQ(memory.read(first + 8, &seen, 1, &gone), "");
    EXPECT_EQ(seen, 0) << "what it held is lost";
    EXPECT_TRUE(gone);
    gone = false;
    EXPECT_EQ(memory.write(first + 8, &byte, 1, &gone), "");
    EXPECT_EQ(memory.read(first + 8, &seen, 1, &gone), "");
    EXPECT_EQ(seen, 0x33) << "and it is a page like any other";
    EXPECT_FALSE(gone) << "told once";
    EXPECT_EQ(memory.read(second + 8, &seen, 1, &gone), "");
    EXPECT_EQ(seen, 0x11);
    EXPECT_FALSE(gone);
    memory.release(page(0));
    memory.release(page(1));
  });
}

TEST_F(PhysicalMemoryTest, AWriteToMemoryThatIsReadOnlyByNowIsKeptInItsPlace) {
  run([&] {
    PhysicalMemory& memory = machine().physical();
    uint64_t at = memory.hold(page(0));
    mprotect(client_, base::kPageBytes, PROT_READ);
    char byte = 0x33, seen = 0;
    bool gone = false;
    EXPECT_EQ(memory.write(at, &byte, 1, &gone), "");
    EXPECT_TRUE(gone);
    EXPECT_EQ(memory.read(at, &seen, 1), "");
    EXPECT_EQ(seen, 0x33);
    EXPECT_EQ(client_[0], 0x11);
    memory.release(page(0));
  });
}

}  // namespace
}  // namespace nt
