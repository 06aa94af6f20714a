#include "nt/hardware/registers.h"

#include <cstring>
#include <set>

#include "base/rng.h"
#include "nt/mm/address_space.h"
#include "nt/mm/pool.h"
#include "nt/testing/machine_fixture.h"
#include "trace/testing.h"

namespace nt {
namespace {

constexpr uint64_t kPhysical = 0xE000'0000;
constexpr size_t kBytes = 0x2000;
constexpr uint32_t kTag = 0x6C6C694D;

// Registers that hold what was written to them.
struct Memory final : RegisterFile {
  uint64_t read(uint64_t offset, uint32_t width) override {
    uint64_t value = 0;
    std::memcpy(&value, bytes + offset, width);
    return value;
  }
  void write(uint64_t offset, uint32_t width, uint64_t value) override { std::memcpy(bytes + offset, &value, width); }

  uint8_t bytes[kBytes] = {};
};

PHYSICAL_ADDRESS at(uint64_t physical) {
  PHYSICAL_ADDRESS address;
  address.QuadPart = static_cast<LONGLONG>(physical);
  return address;
}

class RegistersTest : public MachineTest {
 protected:
  void SetUp() override { observer.then = Then::GoOn; }
  // `body` is given the whole range mapped.
  void run_mapped(const std::function<void(volatile UCHAR*)>& body) {
    run([&] {
      machine().registers().add(kPhysical, kBytes, memory);
      body(static_cast<volatile UCHAR*>(MmMapIoSpace(at(kPhysical), kBytes, MmNonCached)));
    });
  }
  // What was broken, as one sentence.
  std::string sentence() const { return observer.violations.empty() ? "" : observer.violations.back().sentence; }

  Memory memory;
};

template <typename T>
volatile T* as(volatile UCHAR* registers, size_t offset) {
  return reinterpret_cast<volatile T*>(registers + offset);
}

TEST_F(RegistersTest, EveryWidthReachesTheDevice) {
  run_mapped([&](volatile UCHAR* registers) {
    WRITE_REGISTER_ULONG64(as<ULONG64>(registers, 0x1000), 0x1122334455667788);
    EXPECT_EQ(READ_REGISTER_UCHAR(registers + 0x1001), 0x77);
    EXPECT_EQ(READ_REGISTER_USHORT(as<USHORT>(registers, 0x1002)), 0x5566);
    EXPECT_EQ(READ_REGISTER_ULONG(as<ULONG>(registers, 0x1004)), 0x11223344u);
    EXPECT_EQ(READ_REGISTER_NOFENCE_ULONG64(as<ULONG64>(registers, 0x1000)), 0x1122334455667788u);
    WRITE_REGISTER_UCHAR(registers + 3, 0xAB);
    WRITE_REGISTER_NOFENCE_USHORT(as<USHORT>(registers, 4), 0xCDEF);
    EXPECT_EQ(memory.bytes[3], 0xAB);
    EXPECT_EQ(memory.bytes[4], 0xEF);
  });
  EXPECT_EQ(memory.bytes[0x1000], 0x88);
  EXPECT_TRUE(broken().empty());
}

TEST_F(RegistersTest, BuffersCoverRegistersInARow) {
  run_mapped([&](volatile UCHAR* registers) {
    ULONG out[3] = {1, 2, 3}, in[3] = {};
    WRITE_REGISTER_BUFFER_ULONG(as<ULONG>(registers, 0x20), out, 3);
    EXPECT_EQ(memory.bytes[0x28], 3);
    READ_REGISTER_NOFENCE_BUFFER_ULONG(as<ULONG>(registers, 0x20), in, 3);
    EXPECT_EQ(in[0], 1u);
    EXPECT_EQ(in[2], 3u);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(RegistersTest, AnAccessBeyondTheMappingNamesOffsetAndWidth) {
  run_mapped([&](volatile UCHAR* registers) { READ_REGISTER_ULONG(as<ULONG>(registers, kBytes - 2)); });
  ASSERT_EQ(broken(), std::vector<std::string>{"RegisterOutOfRange"});
  EXPECT_EQ(sentence(), "a 4-byte register read at offset 0x1FFE, of which 2 byte(s) lie beyond the mapping");
  EXPECT_EQ(observer.violations[0].stacks.back().role, "mapped");
}

TEST_F(RegistersTest, AMisalignedAccessIsRefused) {
  run_mapped([&](volatile UCHAR* registers) { WRITE_REGISTER_USHORT(as<USHORT>(registers, 0x11), 1); });
  EXPECT_EQ(sentence(), "a 2-byte register write at offset 0x11, which is not a multiple of 2");
  EXPECT_EQ(memory.bytes[0x11], 0);
}

TEST_F(RegistersTest, WhatLiesInNoMappingReadsAsOnes) {
  run_mapped([&](volatile UCHAR*) {
    UCHAR mine = 5;
    EXPECT_EQ(READ_REGISTER_UCHAR(&mine), 0xFF);
    WRITE_REGISTER_UCHAR(&mine, 7);
    EXPECT_EQ(mine, 5);
  });
  EXPECT_EQ(broken(), (std::vector<std::string>{"RegisterOutOfRange", "RegisterOutOfRange"}));
}

TEST_F(RegistersTest, AnAccessAfterUnmapIsAFinding) {
  run_mapped([&](volatile UCHAR* registers) {
    MmUnmapIoSpace(const_cast<UCHAR*>(registers), kBytes);
    READ_REGISTER_UCHAR(registers + 8);
  });
  EXPECT_EQ(sentence(), "a 1-byte register read at offset 0x8, in a mapping that was unmapped");
  EXPECT_EQ(observer.violations[0].stacks.back().role, "unmapped");
}

TEST_F(RegistersTest, OnlyWhatWasMappedCanBeUnmapped) {
  run_mapped([&](volatile UCHAR* registers) {
    auto* base = const_cast<UCHAR*>(registers);
    MmUnmapIoSpace(base + 0x100, 16);
    MmUnmapIoSpace(&observer, 16);
    EXPECT_TRUE(machine().registers().mapped(reinterpret_cast<uintptr_t>(base)));
    MmUnmapIoSpace(base, kBytes - 1);
    EXPECT_FALSE(machine().registers().mapped(reinterpret_cast<uintptr_t>(base)));
    MmUnmapIoSpace(base, kBytes);
  });
  ASSERT_EQ(broken(), std::vector<std::string>(4, "IoSpaceMismatch"));
  EXPECT_EQ(observer.violations[0].sentence, "MmUnmapIoSpace was given an address 0x100 bytes inside a mapping");
  EXPECT_EQ(observer.violations[2].sentence, "MmUnmapIoSpace of 0x1FFF bytes, where 0x2000 were mapped");
}

TEST_F(RegistersTest, WhereNothingAnswersNothingIsMapped) {
  run([&] {
    machine().registers().add(kPhysical, kBytes, memory);
    EXPECT_EQ(MmMapIoSpace(at(kPhysical - 1), 4, MmNonCached), nullptr);
    EXPECT_EQ(MmMapIoSpace(at(kPhysical + kBytes), 4, MmNonCached), nullptr);
    EXPECT_EQ(MmMapIoSpace(at(kPhysical), kBytes + 1, MmNonCached), nullptr);
    EXPECT_EQ(MmMapIoSpaceEx(at(kPhysical), 0, PAGE_READWRITE), nullptr);
    EXPECT_EQ(MmMapIoSpaceEx(at(kPhysical), ~SIZE_T{0}, PAGE_READWRITE), nullptr);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(RegistersTest, PlacesAreTheSameInEveryMachineAndKeepTheirOffsetInThePage) {
  void* first[2];
  for (void*& address : first) {
    run([&] {
      machine().registers().add(kPhysical, kBytes, memory);
      address = MmMapIoSpace(at(kPhysical + 0x123), 16, MmNonCached);
      void* again = MmMapIoSpace(at(kPhysical + 0x123), 16, MmNonCached);
      EXPECT_NE(again, address);
      WRITE_REGISTER_UCHAR(static_cast<UCHAR*>(again), 9);
      EXPECT_EQ(READ_REGISTER_UCHAR(static_cast<UCHAR*>(address)), 9);
    });
  }
  EXPECT_EQ(first[0], first[1]);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first[0]) % 0x1000, 0x123u);
  EXPECT_TRUE(kRegisterArena.contains(reinterpret_cast<uintptr_t>(first[0])));
}

TEST_F(RegistersTest, AMappingThatIsLeftIsALeak) {
  run_mapped([&](volatile UCHAR* registers) {
    Scope scope(ScopeKind::Driver, "mill", &machine().root_scope());
    machine().self().scope = &scope;
    void* second = MmMapIoSpace(at(kPhysical), 8, MmNonCached);
    MmMapIoSpace(at(kPhysical), 8, MmNonCached);
    MmUnmapIoSpace(second, 8);
    EXPECT_EQ(machine().end_scope(scope), 1u);
    machine().self().scope = &machine().root_scope();
    MmUnmapIoSpace(const_cast<UCHAR*>(registers), kBytes);
  });
  EXPECT_EQ(broken(), std::vector<std::string>{"Leak"});
}

TEST_F(RegistersTest, EveryAccessIsASchedulingPoint) {
  std::set<ULONG> sums;
  run_seeds(40, [&] {
    machine().registers().add(kPhysical, kBytes, memory);
    auto* sum = static_cast<ULONG*>(MmMapIoSpace(at(kPhysical), 4, MmNonCached));
    WRITE_REGISTER_ULONG(sum, 0);
    auto add_three = [sum] {
      for (int i = 0; i < 3; ++i) WRITE_REGISTER_ULONG(sum, READ_REGISTER_ULONG(sum) + 1);
    };
    Thread& other = machine().create_thread("other", add_three);
    add_three();
    KeWaitForSingleObject(other.body, Executive, KernelMode, FALSE, nullptr);
    sums.insert(READ_REGISTER_ULONG(sum));
  });
  EXPECT_GT(sums.size(), 1u) << "no seed lost an update";
}

TEST_F(RegistersTest, RangesArePlacedSideBySideAndAligned) {
  uint64_t seed = trace::test_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  base::Rng rng(seed);
  run([&] {
    std::vector<std::pair<uint64_t, uint64_t>> placed;
    while (true) {
      uint64_t bytes = uint64_t{0x1000} << rng.below(4);
      auto physical = machine().registers().place(0x10'0800, 0x14'0000, bytes, memory);
      if (!physical) break;
      EXPECT_EQ(*physical % bytes, 0u);
      EXPECT_GE(*physical, 0x10'0800u);
      EXPECT_LE(*physical + bytes, 0x14'0000u);
      for (auto [other, size] : placed) EXPECT_TRUE(*physical + bytes <= other || other + size <= *physical);
      placed.emplace_back(*physical, bytes);
    }
    ASSERT_GE(placed.size(), 8u);  // if all were of the largest
    EXPECT_EQ(machine().registers().place(0x10'0800, 0x14'0000, 0x40'0000, memory), std::nullopt);
    machine().registers().remove(placed[7].first);
    EXPECT_EQ(machine().registers().place(0x10'0800, 0x14'0000, placed[7].second, memory), placed[7].first);
  });
}

TEST_F(RegistersTest, AnAddressIsValidWhereWindowsWouldNotFault) {
  run_mapped([&](volatile UCHAR* registers) {
    int local = 0;
    static int global = 0;
    void* block = machine().pool().allocate(100, kTag, PoolKind::NonPaged, PoolFill::Zero);
    EXPECT_TRUE(MmIsAddressValid(&local));
    EXPECT_TRUE(MmIsAddressValid(&global));
    EXPECT_TRUE(MmIsAddressValid(block));
    EXPECT_TRUE(MmIsAddressValid(const_cast<UCHAR*>(registers)));
    machine().pool().free(block, 0);
    EXPECT_FALSE(MmIsAddressValid(block));
    EXPECT_FALSE(MmIsAddressValid(nullptr));
    EXPECT_FALSE(MmIsAddressValid(reinterpret_cast<void*>(kStackArena.end() - 4096)));
    EXPECT_FALSE(MmIsAddressValid(reinterpret_cast<void*>(kRegisterArena.end() - 4096)));
    EXPECT_FALSE(MmIsAddressValid(reinterpret_cast<void*>(kRegisterArena.end() + kGiB)));
  });
}

TEST_F(RegistersTest, SystemRoutinesAreFoundByName) {
  run([&] {
    WCHAR known[] = u"MmMapIoSpace", unknown[] = u"MmMapTheMoon", host[] = u"malloc";
    auto find = [](WCHAR* name, size_t bytes) {
      UNICODE_STRING string{static_cast<USHORT>(bytes - 2), static_cast<USHORT>(bytes), name};
      return MmGetSystemRoutineAddress(&string);
    };
    EXPECT_EQ(find(known, sizeof(known)), reinterpret_cast<void*>(&MmMapIoSpace));
    EXPECT_EQ(find(unknown, sizeof(unknown)), nullptr);
    EXPECT_EQ(find(host, sizeof(host)), nullptr);
  });
}

}  // namespace
}  // namespace nt
