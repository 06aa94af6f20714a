#include "nt/dma/iommu.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

#include "base/rng.h"
#include "nt/mm/physical_memory.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Bytes = Iommu::Bytes;
using Piece = Iommu::Piece;
using Reach = Iommu::Reach;

constexpr ULONG kTag = 0x74736554;  // "Test"
constexpr Iommu::Request kToDevice = {.device_writes = false};
constexpr Iommu::Request kFromDevice = {.device_reads = false};
constexpr Iommu::Request kContiguous = {.contiguous = true};

uint64_t physical(const void* address) {
  return static_cast<uint64_t>(MmGetPhysicalAddress(const_cast<void*>(address)).QuadPart);
}

// Some pages of pool, whole, and what of them is to be mapped.
struct Memory {
  explicit Memory(size_t pages)
      : at(static_cast<char*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, pages * PAGE_SIZE, kTag))),
        bytes(pages * PAGE_SIZE) {}
  ~Memory() { ExFreePool(at); }

  std::vector<Bytes> part(size_t offset, size_t count) const {
    std::vector<Bytes> parts;
    while (count != 0) {
      size_t here = std::min<size_t>(count, PAGE_SIZE - offset % PAGE_SIZE);
      parts.push_back({physical(at + offset), static_cast<uint32_t>(here)});
      offset += here;
      count -= here;
    }
    return parts;
  }
  std::vector<Bytes> all() const { return part(0, bytes); }

  char* at;
  size_t bytes;
};

size_t total(const std::vector<Piece>& pieces) {
  return std::accumulate(pieces.begin(), pieces.end(), size_t{0}, [](size_t sum, Piece p) { return sum + p.bytes; });
}

class IommuTest : public MachineTest {
 protected:
  // What the device can do at `bus`, as the rule that it breaks; "" for none.
  static std::string reads(Iommu& iommu, uint64_t bus, size_t bytes = 1) {
    std::vector<char> to(bytes);
    auto fault = iommu.read(bus, to.data(), bytes);
    return fault ? to_string(fault->what) : "";
  }
  static std::string writes(Iommu& iommu, uint64_t bus, size_t bytes = 1) {
    std::vector<char> from(bytes);
    auto fault = iommu.write(bus, from.data(), bytes);
    return fault ? to_string(fault->what) : "";
  }
};

TEST_F(IommuTest, TheDeviceReachesWhatIsMapped) {
  run([&] {
    Iommu iommu(machine(), 0);
    Memory memory(3);
    for (size_t i = 0; i < memory.bytes; ++i) memory.at[i] = static_cast<char>(i / 5);
    std::vector<Piece> pieces;
    auto id = iommu.map(kContiguous, memory.part(100, 2 * PAGE_SIZE), pieces);
    ASSERT_TRUE(id);
    ASSERT_EQ(pieces.size(), 1u);
    EXPECT_EQ(pieces[0].bytes, 2u * PAGE_SIZE);
    EXPECT_EQ(pieces[0].bus % PAGE_SIZE, 100u);
    std::vector<char> seen(2 * PAGE_SIZE);
    EXPECT_FALSE(iommu.read(pieces[0].bus, seen.data(), seen.size()));
    EXPECT_EQ(std::memcmp(seen.data(), memory.at + 100, seen.size()), 0);
    EXPECT_FALSE(iommu.write(pieces[0].bus + 5, "device", 6));
    EXPECT_EQ(std::memcmp(memory.at + 105, "device", 6), 0);
    EXPECT_EQ(iommu.unmap(*id), 3u);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(IommuTest, NoAddressIsAPhysicalOneOrAnotherDevices) {
  run([&] {
    Iommu first(machine(), 0), second(machine(), 1), last(machine(), Iommu::kMostDevices - 1);
    Memory memory(1);
    for (Iommu* iommu : {&first, &second, &last}) {
      for (Reach reach : {Reach::Low, Reach::High}) {
        std::vector<Piece> pieces;
        ASSERT_TRUE(iommu->map({.reach = reach}, memory.all(), pieces));
        EXPECT_EQ(pieces[0].bus < (uint64_t{1} << 32), reach == Reach::Low);
        EXPECT_FALSE(machine().physical().address(pieces[0].bus));
        for (Iommu* other : {&first, &second, &last}) EXPECT_EQ(other->owns(pieces[0].bus), other == iommu);
      }
    }
  });
}

TEST_F(IommuTest, WrongAccessesAreToldApart) {
  run([&] {
    Iommu iommu(machine(), 0);
    Memory memory(1);
    std::vector<Piece> pieces;
    auto to_device = iommu.map(kToDevice, memory.part(16, 32), pieces);
    auto from_device = iommu.map(kFromDevice, memory.part(16, 32), pieces);
    ASSERT_EQ(pieces.size(), 2u);
    EXPECT_EQ(reads(iommu, pieces[0].bus, 32), "");
    EXPECT_EQ(writes(iommu, pieces[0].bus), "DmaDirection");
    EXPECT_EQ(writes(iommu, pieces[1].bus, 32), "");
    EXPECT_EQ(reads(iommu, pieces[1].bus), "DmaDirection");
    EXPECT_EQ(reads(iommu, pieces[0].bus, 33), "DmaBeyondMapping");
    EXPECT_EQ(reads(iommu, pieces[0].bus - 1), "DmaBeyondMapping");
    EXPECT_EQ(reads(iommu, pieces[0].bus, 2 * PAGE_SIZE), "DmaBeyondMapping");
    EXPECT_EQ(reads(iommu, physical(memory.at)), "DmaNeverMapped");
    EXPECT_EQ(reads(iommu, 0), "DmaNeverMapped");
    EXPECT_EQ(reads(iommu, ~uint64_t{0}, 8), "DmaNeverMapped");
    iommu.unmap(*to_device);
    EXPECT_EQ(reads(iommu, pieces[0].bus), "DmaUnmapped");
    EXPECT_EQ(writes(iommu, pieces[1].bus), "");
    iommu.unmap(*from_device);
  });
}

TEST_F(IommuTest, AFaultHasTheStacksOfMapAndUnmap) {
  run([&] {
    Iommu iommu(machine(), 0);
    Memory memory(1);
    std::vector<Piece> pieces;
    iommu.unmap(*iommu.map(kContiguous, memory.all(), pieces));
    char byte;
    auto fault = iommu.read(pieces[0].bus, &byte, 1);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->why, "which was unmapped before");
    ASSERT_EQ(fault->stacks.size(), 2u);
    EXPECT_EQ(fault->stacks[0].role, "mapped");
    EXPECT_EQ(fault->stacks[1].role, "unmapped");
    EXPECT_NE(fault->stacks[1].stack.count, 0u);
  });
}

TEST_F(IommuTest, ARefusedWriteTouchesNothing) {
  run([&] {
    Iommu iommu(machine(), 0);
    Memory memory(2);
    std::memset(memory.at, 7, memory.bytes);
    std::vector<Piece> pieces;
    ASSERT_TRUE(iommu.map(kContiguous, memory.part(0, PAGE_SIZE + 10), pieces));
    EXPECT_EQ(writes(iommu, pieces[0].bus, PAGE_SIZE + 11), "DmaBeyondMapping");
    EXPECT_EQ(std::count(memory.at, memory.at + memory.bytes, 7), static_cast<ptrdiff_t>(memory.bytes));
  });
}

TEST_F(IommuTest, MemoryThatWasFreedWhileMappedIsOutOfReach) {
  run([&] {
    Iommu iommu(machine(), 0);
    std::vector<Piece> pieces;
    {
      Memory memory(1);
      ASSERT_TRUE(iommu.map(kContiguous, memory.all(), pieces));
    }
    EXPECT_EQ(writes(iommu, pieces[0].bus), "DmaInvalid");
  });
}

TEST_F(IommuTest, AMappingIsUnmappedOnce) {
  run([&] {
    Iommu iommu(machine(), 0);
    Memory memory(2);
    std::vector<Piece> pieces;
    uint64_t id = *iommu.map(kContiguous, memory.all(), pieces);
    EXPECT_EQ(iommu.unmap(id), 2u);
    EXPECT_EQ(iommu.unmap(id), 0u);
    uint64_t next = *iommu.map(kContiguous, memory.all(), pieces);
    EXPECT_NE(next, id);
    EXPECT_EQ(iommu.unmap(id), 0u);
    EXPECT_EQ(iommu.unmap(next), 2u);
    EXPECT_EQ(iommu.unmap(12345), 0u);
  });
}

TEST_F(IommuTest, PiecesHaveTheSizeThatWasAskedForAndStraddlePages) {
  run([&] {
    Iommu iommu(machine(), 0);
    Memory memory(3);
    Iommu::Request request = kContiguous;
    request.max_piece = PAGE_SIZE;
    std::vector<Piece> pieces;
    ASSERT_TRUE(iommu.map(request, memory.part(96, 2 * PAGE_SIZE + 8), pieces));
    ASSERT_EQ(pieces.size(), 3u);
    EXPECT_EQ(pieces[0].bytes, ULONG{PAGE_SIZE});
    EXPECT_EQ(pieces[1].bus, pieces[0].bus + PAGE_SIZE);
    EXPECT_EQ(pieces[1].bus % PAGE_SIZE, 96u);
    EXPECT_EQ(pieces[2].bytes, 8u);
  });
}

// Whether neighbours stay neighbours is the seed's choice.
TEST_F(IommuTest, SomeSeedsSplitAndSomeDoNot) {
  std::set<size_t> counts;
  std::set<uint64_t> places;
  run_seeds(40, [&] {
    Iommu iommu(machine(), 0);
    Memory memory(4);
    std::vector<Piece> pieces;
    ASSERT_TRUE(iommu.map({}, memory.all(), pieces));
    counts.insert(pieces.size());
    places.insert(pieces[0].bus);
  });
  EXPECT_TRUE(counts.count(1));
  EXPECT_TRUE(counts.count(4));
  EXPECT_GE(places.size(), 30u);
}

TEST_F(IommuTest, TheSameSeedGivesTheSameAddresses) {
  std::vector<uint64_t> runs[2];
  for (auto& seen : runs) {
    options.seed = 77;
    run([&] {
      Iommu iommu(machine(), 3);
      Memory memory(9);
      std::vector<Piece> pieces;
      for (int i = 0; i < 20; ++i) iommu.unmap(*iommu.map({}, memory.all(), pieces));
      for (Piece piece : pieces) seen.push_back(piece.bus);
    });
  }
  EXPECT_EQ(runs[0], runs[1]);
}

TEST_F(IommuTest, AFullSliceRefusesAndKeepsWhatItHas) {
  run([&] {
    Iommu iommu(machine(), 0);
    Memory memory(1);
    std::vector<Bytes> many(Iommu::kPages / 2, memory.all()[0]);
    std::vector<Piece> pieces;
    auto held = iommu.map(kContiguous, many, pieces);
    ASSERT_TRUE(held);
    std::vector<Piece> none;
    EXPECT_FALSE(iommu.map(kContiguous, std::vector<Bytes>(Iommu::kPages, memory.all()[0]), none));
    EXPECT_FALSE(iommu.map({}, std::vector<Bytes>(Iommu::kPages - 1, memory.all()[0]), none));
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(reads(iommu, pieces[0].bus), "");
    EXPECT_EQ(iommu.unmap(*held), Iommu::kPages / 2);
    EXPECT_TRUE(iommu.map(kContiguous, many, pieces));
  });
}

// Against a model: what is mapped is there and is its own, what was unmapped is not.
TEST_F(IommuTest, AgreesWithAModel) {
  run_seeds(20, [&] {
    struct Held {
      uint64_t id;
      size_t offset, bytes;
      std::vector<Piece> pieces;
    };
    Iommu iommu(machine(), 0);
    Memory memory(8);
    for (size_t i = 0; i < memory.bytes; ++i) memory.at[i] = static_cast<char>(i * 31 >> 3);
    base::Rng rng(options.seed);
    std::vector<Held> held;
    for (int step = 0; step < 400; ++step) {
      if (held.size() < 12 && rng.chance(3, 5)) {
        Held made{};
        made.offset = rng.below(memory.bytes);
        made.bytes = 1 + rng.below(memory.bytes - made.offset);
        Iommu::Request request{.reach = rng.chance(1, 2) ? Reach::Low : Reach::High,
                               .max_piece = rng.chance(1, 2) ? 0 : 1 + static_cast<uint32_t>(rng.below(6000))};
        made.id = *iommu.map(request, memory.part(made.offset, made.bytes), made.pieces);
        ASSERT_EQ(total(made.pieces), made.bytes);
        for (Piece piece : made.pieces) ASSERT_LE(piece.bytes, request.max_piece ? request.max_piece : UINT32_MAX);
        held.push_back(std::move(made));
      } else if (!held.empty()) {
        std::swap(held[rng.below(held.size())], held.back());
        ASSERT_NE(iommu.unmap(held.back().id), 0u);
        ASSERT_EQ(reads(iommu, held.back().pieces[0].bus), "DmaUnmapped");
        held.pop_back();
      }
      for (const Held& each : held) {
        size_t offset = each.offset;
        for (Piece piece : each.pieces) {
          std::vector<char> seen(piece.bytes);
          ASSERT_FALSE(iommu.read(piece.bus, seen.data(), seen.size()));
          ASSERT_EQ(std::memcmp(seen.data(), memory.at + offset, seen.size()), 0);
          offset += piece.bytes;
        }
        // No mapping begins where another ends.
        Piece last = each.pieces.back();
        ASSERT_NE(reads(iommu, last.bus + last.bytes), "");
      }
    }
  });
}

}  // namespace
}  // namespace nt
