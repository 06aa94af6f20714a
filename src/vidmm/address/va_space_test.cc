#include "vidmm/address/va_space.h"

#include <gtest/gtest.h>

#include "abi/shared/d3dukmdt.h"

namespace vidmm {
namespace {

constexpr uint64_t kFirst = 1 << 20;
constexpr uint64_t kEnd = uint64_t{1} << 48;
constexpr uint64_t kMiB = 1 << 20;

class VaSpaceTest : public testing::Test {
 protected:
  using Kind = VaSpace::Update::Kind;

  ~VaSpaceTest() override {
    EXPECT_TRUE(space_.validate());
    space_.clear();
  }

  uint64_t map(Mapped& what, uint64_t base = 0) {
    return space_.map({.base = base, .what = &what, .bytes = what.bytes()}, ops_).take();
  }
  uint64_t reserve(uint64_t base, uint64_t bytes) {
    return space_.reserve({.base = base, .bytes = bytes, .protection = {.zero = true}}, ops_).take();
  }
  NTSTATUS update(std::vector<VaSpace::Update> updates) { return space_.update(updates, ops_).status(); }

  Mapped a_{64 * 1024};
  Mapped b_{16 * 1024};
  VaSpace space_{kFirst, kEnd};
  VaOpList ops_;
};

TEST_F(VaSpaceTest, MapPicksTheLowestPlaceAndSaysWhatToMap) {
  uint64_t va =
      space_.map({.what = &a_, .offset_pages = 2, .bytes = 0x3000, .protection = {.write = true}}, ops_).take();
  EXPECT_EQ(va, kFirst);
  ASSERT_EQ(ops_.size(), 1u);
  EXPECT_EQ(ops_[0].kind, VaOp::Kind::Map);
  EXPECT_EQ(ops_[0].space, &space_);
  EXPECT_EQ(ops_[0].va, va);
  EXPECT_EQ(ops_[0].bytes, 0x3000u);
  EXPECT_EQ(ops_[0].what, &a_);
  EXPECT_EQ(ops_[0].offset, 0x2000u);
  EXPECT_TRUE(ops_[0].protection.write);
  const Mapping* mapping = space_.find(va + 0x2fff);
  ASSERT_NE(mapping, nullptr);
  EXPECT_EQ(mapping->what, &a_);
  EXPECT_EQ(space_.find(va + 0x3000), nullptr);
  EXPECT_EQ(a_.first_mapping(), mapping);
}

TEST_F(VaSpaceTest, AWindowAboveHalfOfTheAddressesIsHonoured) {
  VaSpace::MapRequest request{.minimum = 0x8001'0010'0000, .maximum = 0x8001'0020'0000, .what = &a_, .bytes = 0x10000};
  EXPECT_EQ(space_.map(request, ops_).take(), 0x8001'0010'0000u);
  EXPECT_EQ(space_.map(request, ops_).take(), 0x8001'0011'0000u);
  request.maximum = 0x8001'0012'0000;
  EXPECT_EQ(space_.map(request, ops_).status(), STATUS_NO_MEMORY);
}

TEST_F(VaSpaceTest, MapInsideAReservationOfTheWholeUserHalf) {
  uint64_t half = uint64_t{1} << 47;
  ASSERT_TRUE(space_.reserve({.base = kFirst, .bytes = half - kFirst}, ops_).ok());
  EXPECT_TRUE(ops_.empty());  // no access is what the tables say anyway
  uint64_t cpu_address = 0x7f12'3456'7000;
  EXPECT_EQ(map(a_, cpu_address), cpu_address);
  EXPECT_EQ(map(b_), half);  // the reservation is not free
  EXPECT_TRUE(space_.free(cpu_address, a_.bytes(), ops_).ok());
  EXPECT_NE(space_.find_reservation(cpu_address), nullptr);
  EXPECT_EQ(space_.find(cpu_address), nullptr);
}

TEST_F(VaSpaceTest, MapAcrossTheEdgeOfAReservationIsRefused) {
  reserve(2 * kMiB, kMiB);
  auto straddle = [&](uint64_t base) {
    return space_.map({.base = base, .what = &a_, .bytes = a_.bytes()}, ops_).status();
  };
  ops_.clear();
  EXPECT_EQ(straddle(2 * kMiB - 0x1000), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(straddle(3 * kMiB - 0x1000), STATUS_INVALID_PARAMETER);
  EXPECT_TRUE(ops_.empty());
  EXPECT_EQ(straddle(3 * kMiB), STATUS_SUCCESS);
}

TEST_F(VaSpaceTest, MapOverTwoNeighbouringRangesIsRefused) {
  uint64_t va = map(b_);
  ASSERT_EQ(map(b_), va + b_.bytes());
  VaSpace::MapRequest request{.base = va, .what = &a_, .bytes = 2 * b_.bytes()};
  EXPECT_EQ(space_.map(request, ops_).status(), STATUS_INVALID_PARAMETER);
}

TEST_F(VaSpaceTest, MapAnewInsideARangeThatMapObtained) {
  uint64_t va = map(a_);
  EXPECT_EQ(map(b_, va + 0x4000), va + 0x4000);
  EXPECT_EQ(space_.find(va + 0x3fff)->what, &a_);
  EXPECT_EQ(space_.find(va + 0x4000)->what, &b_);
  EXPECT_EQ(space_.find(va + 0x8000)->what, &a_);
  EXPECT_EQ(space_.find(va + 0x8000)->offset, 0x8000u);
  ops_.clear();
  EXPECT_TRUE(space_.free(va, a_.bytes(), ops_).ok());
  EXPECT_EQ(ops_.size(), 1u);
  EXPECT_EQ(a_.first_mapping(), nullptr);
  EXPECT_EQ(b_.first_mapping(), nullptr);
}

TEST_F(VaSpaceTest, ZeroAndNoAccessAreNotForARangeThatMapObtained) {
  uint64_t va = map(a_);
  VaSpace::MapRequest request{.base = va, .bytes = 0x1000, .protection = {.zero = true}};
  EXPECT_EQ(space_.map(request, ops_).status(), STATUS_INVALID_PARAMETER);
  request.protection = {.no_access = true};
  EXPECT_EQ(space_.map(request, ops_).status(), STATUS_INVALID_PARAMETER);
}

TEST_F(VaSpaceTest, ZeroAndNoAccessInsideAReservation) {
  uint64_t va = reserve(2 * kMiB, kMiB);
  ASSERT_EQ(ops_.size(), 1u);
  EXPECT_TRUE(ops_[0].protection.zero);
  ops_.clear();
  VaSpace::MapRequest request{.base = va, .bytes = 0x1000, .protection = {.zero = true}};
  EXPECT_TRUE(space_.map(request, ops_).ok());
  EXPECT_TRUE(ops_.empty());  // it is zero already
  request.protection = {.no_access = true};
  EXPECT_TRUE(space_.map(request, ops_).ok());
  ASSERT_EQ(ops_.size(), 1u);
  EXPECT_EQ(ops_[0].kind, VaOp::Kind::Unmap);
  EXPECT_TRUE(ops_[0].protection.no_access);
}

TEST_F(VaSpaceTest, MisuseIsRefused) {
  auto status = [&](VaSpace::MapRequest request) { return space_.map(request, ops_).status(); };
  EXPECT_EQ(status({.what = &a_}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status({.what = &a_, .bytes = 100}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status({.bytes = 0x1000}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status({.what = &a_, .bytes = 0x11000}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status({.what = &a_, .offset_pages = 16, .bytes = 0x1000}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status({.what = &a_, .offset_pages = UINT64_MAX, .bytes = 0x1000}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status({.what = &a_, .bytes = 0x1000, .protection = {.zero = true}}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status({.what = &a_, .bytes = 0x1000, .alignment = 0x3000}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status({.base = kFirst + 1, .what = &a_, .bytes = 0x1000}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status({.base = 0x1000, .what = &a_, .bytes = 0x1000}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status({.base = kEnd - 0x1000, .what = &a_, .bytes = 0x2000}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status({.minimum = 5, .what = &a_, .bytes = 0x1000}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status({.minimum = 2 * kMiB, .maximum = kMiB, .what = &a_, .bytes = 0x1000}), STATUS_INVALID_PARAMETER);
  auto reserve_status = [&](VaSpace::ReserveRequest request) { return space_.reserve(request, ops_).status(); };
  EXPECT_EQ(reserve_status({.bytes = 0x1000}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(reserve_status({.base = kFirst + 0x1000, .bytes = 0x10000}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(reserve_status({.bytes = 0x10000, .protection = {}}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(reserve_status({.bytes = kEnd}), STATUS_NO_MEMORY);
  EXPECT_TRUE(ops_.empty());
  EXPECT_EQ(space_.mapping_count(), 0u);
}

TEST_F(VaSpaceTest, ReservationsDoNotOverlap) {
  reserve(2 * kMiB, kMiB);
  VaSpace::ReserveRequest request{.base = 2 * kMiB + 0x10000, .bytes = 0x10000};
  EXPECT_EQ(space_.reserve(request, ops_).status(), STATUS_INVALID_PARAMETER);
  request.base = 3 * kMiB;
  EXPECT_EQ(space_.reserve(request, ops_).status(), STATUS_SUCCESS);
}

TEST_F(VaSpaceTest, FreeNeedsARangeThatExists) {
  uint64_t va = map(a_);
  reserve(8 * kMiB, kMiB);
  ops_.clear();
  EXPECT_EQ(space_.free(va + a_.bytes(), 0x1000, ops_).status(), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(space_.free(va, a_.bytes() + 0x1000, ops_).status(), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(space_.free(va, 0, ops_).status(), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(space_.free(va + 8, 0x1000, ops_).status(), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(space_.free(8 * kMiB, 0x10000, ops_).status(), STATUS_INVALID_PARAMETER);  // nothing mapped there
  EXPECT_TRUE(ops_.empty());
  EXPECT_TRUE(space_.free(va, a_.bytes(), ops_).ok());
  EXPECT_EQ(space_.free(va, a_.bytes(), ops_).status(), STATUS_INVALID_PARAMETER);
}

TEST_F(VaSpaceTest, AFreedRangeIsUsableAtOnce) {
  uint64_t va = map(a_);
  ASSERT_TRUE(space_.free(va, a_.bytes(), ops_).ok());
  EXPECT_EQ(map(b_), va);
}

TEST_F(VaSpaceTest, FreeingAReservationEndsItsMappings) {
  uint64_t va = reserve(2 * kMiB, kMiB);
  map(a_, va);
  map(b_, va + kMiB / 2);
  ops_.clear();
  EXPECT_TRUE(space_.free(va, kMiB, ops_).ok());
  ASSERT_EQ(ops_.size(), 1u);
  EXPECT_TRUE(ops_[0].protection.no_access);
  EXPECT_EQ(a_.first_mapping(), nullptr);
  EXPECT_EQ(space_.mapping_count(), 0u);
}

TEST_F(VaSpaceTest, AReservationOfTheDriver) {
  VaSpace::ReserveRequest request{.base = 2 * kMiB, .bytes = kMiB, .held_by_driver = true, .mappable = false};
  ASSERT_TRUE(space_.reserve(request, ops_).ok());
  EXPECT_EQ(space_.free(2 * kMiB, kMiB, ops_).status(), STATUS_INVALID_PARAMETER);
  VaSpace::MapRequest inside{.base = 2 * kMiB, .what = &a_, .bytes = 0x1000};
  EXPECT_EQ(space_.map(inside, ops_).status(), STATUS_INVALID_PARAMETER);
  request = {.base = 4 * kMiB, .bytes = kMiB, .held_by_driver = true};
  ASSERT_TRUE(space_.reserve(request, ops_).ok());
  inside.base = 4 * kMiB;
  EXPECT_EQ(space_.map(inside, ops_).status(), STATUS_SUCCESS);
  space_.release(2 * kMiB);
  EXPECT_EQ(space_.find_reservation(2 * kMiB), nullptr);
  EXPECT_EQ(reserve(2 * kMiB, kMiB), 2 * kMiB);
}

TEST_F(VaSpaceTest, AnAllocationThatGoesTakesItsRangesAlong) {
  VaSpace other(kFirst, kEnd);
  uint64_t reserved = reserve(2 * kMiB, kMiB);
  uint64_t own = map(a_);
  map(a_, reserved);
  uint64_t stays = map(b_);
  uint64_t elsewhere = other.map({.what = &a_, .bytes = 0x1000}, ops_).take();
  ops_.clear();
  space_.unmap_all(a_, ops_);
  ASSERT_EQ(ops_.size(), 2u);
  EXPECT_EQ(ops_[0].va, reserved);
  EXPECT_TRUE(ops_[0].protection.zero);
  EXPECT_EQ(ops_[1].va, own);
  EXPECT_TRUE(ops_[1].protection.no_access);
  EXPECT_EQ(space_.find(stays)->what, &b_);
  EXPECT_NE(other.find(elsewhere), nullptr);
  EXPECT_EQ(map(b_, own), own);  // its addresses are free again
  ops_.clear();
  VaSpace::unmap_everywhere(a_, ops_);
  ASSERT_EQ(ops_.size(), 1u);
  EXPECT_EQ(ops_[0].space, &other);
  EXPECT_EQ(a_.first_mapping(), nullptr);
}

TEST_F(VaSpaceTest, AUniqueDriverProtectionAllowsNoOther) {
  VaProtection unique{.driver_protection = D3DGPU_UNIQUE_DRIVER_PROTECTION | 7};
  auto status = [&](uint64_t page, VaProtection protection) {
    return space_.map({.what = &a_, .offset_pages = page, .bytes = 0x2000, .protection = protection}, ops_).status();
  };
  EXPECT_EQ(status(4, {.driver_protection = 3}), STATUS_SUCCESS);
  EXPECT_EQ(status(4, unique), STATUS_SUCCESS);  // over one that is not unique
  EXPECT_EQ(status(4, unique), STATUS_SUCCESS);
  EXPECT_EQ(status(5, {.driver_protection = 3}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status(3, {}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status(6, {}), STATUS_SUCCESS);
  space_.unmap_all(a_, ops_);
  EXPECT_EQ(status(5, {.driver_protection = 3}), STATUS_SUCCESS);
}

TEST_F(VaSpaceTest, UpdatesAreAppliedInOrder) {
  uint64_t va = reserve(2 * kMiB, kMiB);
  ops_.clear();
  EXPECT_EQ(update({{.kind = Kind::Map, .va = va, .bytes = 0x4000, .what = &b_},
                    {.kind = Kind::Unmap, .va = va + 0x1000, .bytes = 0x1000, .protection = {.no_access = true}},
                    {.kind = Kind::Copy, .va = va + 0x1000, .bytes = 0x3000, .source = va}}),
            STATUS_SUCCESS);
  EXPECT_EQ(space_.find(va)->what, &b_);
  EXPECT_TRUE(space_.find(va)->protection.write);
  EXPECT_EQ(space_.find(va + 0x1000)->what, &b_);
  EXPECT_EQ(space_.find(va + 0x1000)->offset, 0u);
  EXPECT_EQ(space_.find(va + 0x2000)->what, nullptr);
  EXPECT_TRUE(space_.find(va + 0x2000)->protection.no_access);
  EXPECT_EQ(space_.find(va + 0x3000)->offset, 0x2000u);
}

TEST_F(VaSpaceTest, AnUpdateRepeatsAPartOfTheAllocation) {
  uint64_t va = reserve(2 * kMiB, kMiB);
  VaSpace::Update repeat{.kind = Kind::Map, .va = va, .bytes = 0x6000, .what = &b_, .offset = 0x1000};
  repeat.allocation_bytes = 0x2000;
  ops_.clear();
  EXPECT_EQ(update({repeat}), STATUS_SUCCESS);
  EXPECT_EQ(ops_.size(), 3u);
  EXPECT_EQ(space_.find(va + 0x4000)->offset, 0x1000u);
  repeat.allocation_bytes = 0x4000;
  EXPECT_EQ(update({repeat}), STATUS_INVALID_PARAMETER);  // 0x6000 is no multiple
  repeat.allocation_bytes = 0x8000;
  EXPECT_EQ(update({repeat}), STATUS_INVALID_PARAMETER);
}

TEST_F(VaSpaceTest, AnUpdateThatRepeatsWithoutEndIsRefused) {
  ASSERT_TRUE(space_.reserve({.base = uint64_t{1} << 40, .bytes = uint64_t{1} << 40}, ops_).ok());
  VaSpace::Update repeat{.kind = Kind::Map, .va = uint64_t{1} << 40, .bytes = uint64_t{1} << 40, .what = &b_};
  repeat.allocation_bytes = 0x1000;
  EXPECT_EQ(update({repeat}), STATUS_NO_MEMORY);
}

TEST_F(VaSpaceTest, UpdateInheritsTheDriverProtectionOfTheReservation) {
  VaSpace::ReserveRequest request{.bytes = kMiB, .protection = {.zero = true, .driver_protection = 9}};
  uint64_t va = space_.reserve(request, ops_).take();
  EXPECT_EQ(update({{.kind = Kind::Map, .va = va, .bytes = 0x1000, .what = &b_},
                    {.kind = Kind::MapProtect,
                     .va = va + 0x1000,
                     .bytes = 0x1000,
                     .what = &b_,
                     .protection = {.execute = true, .driver_protection = 4}}}),
            STATUS_SUCCESS);
  EXPECT_EQ(space_.find(va)->protection.driver_protection, 9u);
  EXPECT_EQ(space_.find(va + 0x1000)->protection.driver_protection, 4u);
  EXPECT_FALSE(space_.find(va + 0x1000)->protection.write);
}

TEST_F(VaSpaceTest, AnUpdateThatFailsChangesNothing) {
  uint64_t one = reserve(2 * kMiB, kMiB);
  uint64_t two = reserve(4 * kMiB, kMiB);
  VaSpace::Update good{.kind = Kind::Map, .va = one, .bytes = 0x1000, .what = &b_};
  auto refused = [&](VaSpace::Update bad) {
    size_t before = ops_.size();
    EXPECT_EQ(update({good, bad}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(ops_.size(), before);
    EXPECT_EQ(space_.mapping_count(), 0u);
  };
  refused({.kind = Kind::Map, .va = two, .bytes = 0x1000, .what = &b_});
  refused({.kind = Kind::Map, .va = one + kMiB - 0x1000, .bytes = 0x2000, .what = &b_});
  refused({.kind = Kind::Map, .va = 8 * kMiB, .bytes = 0x1000, .what = &b_});
  refused({.kind = Kind::Map, .va = one, .bytes = 0x1000});
  refused({.kind = Kind::Map, .va = one, .bytes = 0x8000, .what = &b_});
  refused({.kind = Kind::Unmap, .va = one, .bytes = 0x1000});
  refused({.kind = Kind::Copy, .va = one, .bytes = 0x1000, .source = 8 * kMiB});
  refused({.kind = Kind::Copy, .va = one, .bytes = 0x10, .source = two});
  EXPECT_EQ(update({{.kind = Kind::Copy, .va = one, .bytes = 0x1000, .source = two}}), STATUS_SUCCESS);
  EXPECT_EQ(update({{.kind = Kind::Copy, .va = one, .bytes = 0x1000, .source = two},
                    {.kind = Kind::Copy, .va = one, .bytes = 0x1000, .source = one}}),
            STATUS_INVALID_PARAMETER);  // sources in two reservations
}

TEST_F(VaSpaceTest, AnUpdateCannotMapPagesWithTwoUniqueProtections) {
  uint64_t va = reserve(2 * kMiB, kMiB);
  VaSpace::Update first{.kind = Kind::MapProtect, .va = va, .bytes = 0x2000, .what = &b_};
  first.protection.driver_protection = D3DGPU_UNIQUE_DRIVER_PROTECTION | 1;
  VaSpace::Update second{.kind = Kind::Map, .va = va + 0x4000, .bytes = 0x1000, .what = &b_, .offset = 0x1000};
  EXPECT_EQ(update({first, second}), STATUS_INVALID_PARAMETER);
  second.offset = 0x2000;
  EXPECT_EQ(update({first, second}), STATUS_SUCCESS);
}

TEST_F(VaSpaceTest, ASpaceThatGoesLeavesTheAllocationsUnmapped) {
  {
    VaSpace brief(kFirst, kEnd);
    uint64_t va = brief.reserve({.bytes = kMiB}, ops_).take();
    ASSERT_TRUE(brief.map({.base = va, .what = &a_, .bytes = 0x1000}, ops_).ok());
    ASSERT_TRUE(brief.map({.what = &a_, .bytes = 0x1000}, ops_).ok());
  }
  EXPECT_EQ(a_.first_mapping(), nullptr);
}

}  // namespace
}  // namespace vidmm
