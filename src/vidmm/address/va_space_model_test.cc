#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "base/rng.h"
#include "base/testing/seed.h"
#include "vidmm/address/va_space.h"

// VaSpace against a model that keeps every page on its own: by which call it was obtained, and what it is mapped to. A
// flat page table is written by the operations, performed in order. Both have to agree with the space after each step.

namespace vidmm {
namespace {

constexpr uint64_t kPages = 512;
constexpr uint64_t kFirstPage = 16;

// What the GPU finds at a page.
struct View {
  Mapped* what = nullptr;
  uint64_t offset = 0;
  VaProtection protection{.no_access = true};
  friend bool operator==(const View&, const View&) = default;
};

struct Page {
  uint64_t owner = 0;  // which call obtained it; 0: free
  bool reserved = false;
  VaProtection reserved_as;
  bool mapped = false;
  View view;
};

View state(const VaProtection& protection) {
  return {nullptr, 0, protection.zero ? VaProtection{.zero = true} : VaProtection{.no_access = true}};
}

class Model {
 public:
  bool is_free(uint64_t page, uint64_t count) const {
    for (uint64_t i = page; i < page + count; ++i)
      if (pages[i].owner) return false;
    return true;
  }
  bool one_owner(uint64_t page, uint64_t count) const {
    for (uint64_t i = page; i < page + count; ++i)
      if (!pages[i].owner || pages[i].owner != pages[page].owner) return false;
    return true;
  }
  bool one_reservation(uint64_t page, uint64_t count) const { return one_owner(page, count) && pages[page].reserved; }
  bool any_mapped(uint64_t page, uint64_t count) const {
    for (uint64_t i = page; i < page + count; ++i)
      if (pages[i].mapped) return true;
    return false;
  }
  bool has_room(uint64_t low, uint64_t high, uint64_t count, uint64_t alignment) const {
    if (high == 0) high = kPages;
    for (uint64_t page = std::max(low, kFirstPage); page + count <= high; ++page)
      if (page % alignment == 0 && is_free(page, count)) return true;
    return false;
  }
  bool whole(uint64_t page, uint64_t count) const {
    uint64_t owned = 0;
    for (const Page& other : pages) owned += other.owner == pages[page].owner;
    return owned == count;
  }

  void set(uint64_t page, const View& view) {
    Page& it = pages[page];
    it.mapped = !it.reserved || view != state(it.reserved_as);
    it.view = view;
  }
  void unmap(uint64_t page) {
    Page& it = pages[page];
    if (!it.reserved) {
      it = {};
      return;
    }
    it.mapped = false;
    it.view = state(it.reserved_as);
  }

  std::array<Page, kPages> pages;
  uint64_t next_owner = 1;
};

class VaSpaceModelTest : public testing::Test {
 protected:
  static constexpr uint64_t va(uint64_t page) { return page * kPageBytes; }

  void run(uint64_t seed) {
    base::Rng rng(seed);
    for (uint64_t i = 0; i < 4; ++i) mapped_.emplace_back((4 + 12 * i) * kPageBytes);
    for (int step = 0; step < 1500; ++step) {
      ops_.clear();
      one_step(rng);
      perform();
      ASSERT_TRUE(space_.validate()) << "step " << step;
      ASSERT_NO_FATAL_FAILURE(compare()) << "step " << step;
    }
  }

  void one_step(base::Rng& rng) {
    switch (rng.below(10)) {
      case 0:
        return reserve(rng);
      case 1:
      case 2:
      case 3:
        return map(rng);
      case 4:
      case 5:
      case 6:
        return free(rng);
      case 7:
        return rng.chance(1, 4) ? unmap_all(rng) : free(rng);
      default:
        return update(rng);
    }
  }

  void reserve(base::Rng& rng) {
    VaSpace::ReserveRequest request;
    uint64_t count = 16 * (1 + rng.below(4));
    request.bytes = va(count);
    request.protection = rng.chance(1, 2) ? VaProtection{.zero = true} : VaProtection{.no_access = true};
    uint64_t base = 16 * rng.below(kPages / 16);
    bool possible;
    if (rng.chance(1, 2)) {
      request.base = va(base);
      possible = !base || (base + count <= kPages && model_.is_free(base, count));
      if (!base) possible = model_.has_room(0, 0, count, 16);
    } else {
      request.minimum = va(base);
      request.maximum = rng.chance(1, 2) ? 0 : va(base + count + 16 * rng.below(4));
      possible = model_.has_room(base, std::min(request.maximum / kPageBytes, kPages), count, 16);
    }
    auto result = space_.reserve(request, ops_);
    ASSERT_EQ(result.ok(), possible);
    if (!possible) return;
    uint64_t at = result.value() / kPageBytes;
    ASSERT_TRUE(model_.is_free(at, count));
    check_place(at, count, 16, request.base, request.minimum, request.maximum);
    for (uint64_t i = at; i < at + count; ++i)
      model_.pages[i] = {model_.next_owner, true, request.protection, false, state(request.protection)};
    ++model_.next_owner;
  }

  void check_place(uint64_t at, uint64_t count, uint64_t alignment, uint64_t base, uint64_t minimum, uint64_t maximum) {
    if (base) {
      ASSERT_EQ(va(at), base);
      return;
    }
    ASSERT_EQ(at % alignment, 0u);
    ASSERT_GE(va(at), minimum);
    if (maximum) {
      ASSERT_LE(va(at + count), maximum);
    }
  }

  VaProtection any_protection(base::Rng& rng) {
    return {.write = rng.chance(1, 2), .execute = rng.chance(1, 2), .driver_protection = rng.below(3)};
  }

  void map(base::Rng& rng) {
    VaSpace::MapRequest request;
    request.what = &mapped_[rng.below(mapped_.size())];
    uint64_t count = 1 + rng.below(request.what->bytes() / kPageBytes);
    request.bytes = va(count);
    request.offset_pages = rng.below(request.what->bytes() / kPageBytes - count + 1);
    request.protection = any_protection(rng);
    if (rng.chance(1, 6)) {
      request.what = nullptr;
      request.offset_pages = 0;
      request.protection = state({.zero = rng.chance(1, 2)}).protection;
    }
    uint64_t base = rng.below(kPages);
    bool possible = true;
    if (base && rng.chance(2, 3)) {
      request.base = va(base);
      possible = base >= kFirstPage && base + count <= kPages &&
                 (model_.is_free(base, count) || model_.one_reservation(base, count) ||
                  (request.what && model_.one_owner(base, count)));
    } else {
      request.minimum = va(base);
      request.maximum = rng.chance(1, 2) ? 0 : va(base + 1 + rng.below(64));
      request.alignment = kPageBytes << rng.below(5);
      possible =
          model_.has_room(base, std::min(request.maximum / kPageBytes, kPages), count, request.alignment / kPageBytes);
    }
    auto result = space_.map(request, ops_);
    ASSERT_EQ(result.ok(), possible);
    if (!possible) return;
    uint64_t at = result.value() / kPageBytes;
    check_place(at, count, request.alignment / kPageBytes, request.base, request.minimum, request.maximum);
    bool fresh = model_.is_free(at, count);
    if (!request.base) {
      ASSERT_TRUE(fresh);
    }
    for (uint64_t i = 0; i < count; ++i) {
      if (fresh) model_.pages[at + i].owner = model_.next_owner;
      model_.set(at + i, {request.what, request.what ? va(request.offset_pages + i) : 0, request.protection});
    }
    ++model_.next_owner;
  }

  void free(base::Rng& rng) {
    uint64_t page = rng.below(kPages);
    uint64_t count = 1 + rng.below(24);
    if (rng.chance(1, 2) && model_.pages[page].owner) {  // most clients free what they got
      uint64_t owner = model_.pages[page].owner;
      while (model_.pages[page - 1].owner == owner) --page;
      for (count = 1; page + count < kPages && model_.pages[page + count].owner == owner;) ++count;
    }
    bool possible = page >= kFirstPage && page + count <= kPages && model_.one_owner(page, count);
    bool whole = possible && model_.whole(page, count);
    if (possible && model_.pages[page].reserved) possible = whole || model_.any_mapped(page, count);
    ASSERT_EQ(space_.free(va(page), va(count), ops_).ok(), possible);
    if (!possible) return;
    for (uint64_t i = page; i < page + count; ++i) {
      if (whole)
        model_.pages[i] = {};
      else
        model_.unmap(i);
    }
  }

  void unmap_all(base::Rng& rng) {
    Mapped& what = mapped_[rng.below(mapped_.size())];
    space_.unmap_all(what, ops_);
    EXPECT_EQ(what.first_mapping(), nullptr);
    for (uint64_t i = 0; i < kPages; ++i)
      if (model_.pages[i].view.what == &what) model_.unmap(i);
  }

  VaSpace::Update any_update(base::Rng& rng, uint64_t near) {
    uint64_t count = 1 + rng.below(8);
    VaSpace::Update update{
        .kind = static_cast<VaSpace::Update::Kind>(rng.below(4)), .va = va(near + rng.below(16)), .bytes = va(count)};
    if (update.kind == VaSpace::Update::Kind::Copy) update.source = va(near + rng.below(16));
    if (update.kind == VaSpace::Update::Kind::Unmap) update.protection = state({.zero = rng.chance(1, 2)}).protection;
    if (update.kind == VaSpace::Update::Kind::Map || update.kind == VaSpace::Update::Kind::MapProtect) {
      update.what = &mapped_[rng.below(mapped_.size())];
      if (update.kind == VaSpace::Update::Kind::MapProtect) update.protection = any_protection(rng);
      update.offset = va(rng.below(3));
      if (rng.chance(1, 3)) update.allocation_bytes = va(1 + rng.below(count));
    }
    return update;
  }

  bool possible(const VaSpace::Update& update, uint64_t& target, uint64_t& source) const {
    uint64_t count = update.bytes / kPageBytes;
    auto join = [&](uint64_t address, uint64_t& owner) {
      uint64_t page = address / kPageBytes;
      if (page < kFirstPage || page + count > kPages || !model_.one_reservation(page, count)) return false;
      if (owner && owner != model_.pages[page].owner) return false;
      owner = model_.pages[page].owner;
      return true;
    };
    if (!join(update.va, target)) return false;
    if (update.kind == VaSpace::Update::Kind::Copy) return join(update.source, source);
    if (!update.what) return true;
    uint64_t part = update.allocation_bytes ? update.allocation_bytes : update.bytes;
    return update.bytes % part == 0 && update.offset + part <= update.what->bytes();
  }

  void update(base::Rng& rng) {
    uint64_t near = rng.below(kPages);
    for (int tries = 0; tries < 8 && !model_.pages[near].reserved; ++tries) near = rng.below(kPages);
    std::vector<VaSpace::Update> updates;
    bool all_possible = true;
    uint64_t target = 0;
    uint64_t source = 0;
    for (uint64_t i = 0, count = 1 + rng.below(4); i < count; ++i) {
      updates.push_back(any_update(rng, near));
      all_possible = possible(updates.back(), target, source) && all_possible;
    }
    ASSERT_EQ(space_.update(updates, ops_).ok(), all_possible);
    if (!all_possible) return;
    for (const VaSpace::Update& each : updates) apply(each);
  }

  void apply(const VaSpace::Update& update) {
    uint64_t page = update.va / kPageBytes;
    uint64_t part = update.allocation_bytes ? update.allocation_bytes : update.bytes;
    std::vector<View> views;
    for (uint64_t done = 0; done < update.bytes; done += kPageBytes) {
      VaProtection protection = update.protection;
      if (update.kind == VaSpace::Update::Kind::Map) protection = {.write = true};
      views.push_back({update.what, update.what ? update.offset + done % part : 0, protection});
      if (update.kind == VaSpace::Update::Kind::Copy)
        views.back() = model_.pages[(update.source + done) / kPageBytes].view;
    }
    for (const View& view : views) model_.set(page++, view);
  }

  void perform() {
    for (const VaOp& op : ops_) {
      ASSERT_EQ(op.space, &space_);
      ASSERT_EQ(op.kind == VaOp::Kind::Map, op.what != nullptr);
      for (uint64_t done = 0; done < op.bytes; done += kPageBytes)
        tables_[(op.va + done) / kPageBytes] =
            op.what ? View{op.what, op.offset + done, op.protection} : state(op.protection);
    }
  }

  void compare() {
    for (uint64_t i = 0; i < kPages; ++i) {
      const Page& page = model_.pages[i];
      ASSERT_EQ(tables_[i], page.view) << "page " << i;
      const Mapping* mapping = space_.find(va(i));
      ASSERT_EQ(mapping != nullptr, page.mapped) << "page " << i;
      ASSERT_EQ(space_.find_reservation(va(i)) != nullptr, page.reserved) << "page " << i;
      if (!mapping) continue;
      ASSERT_EQ(mapping->what, page.view.what) << "page " << i;
      if (mapping->what) {
        ASSERT_EQ(mapping->offset + (va(i) - mapping->va), page.view.offset) << "page " << i;
      }
      ASSERT_EQ(mapping->protection, page.view.protection) << "page " << i;
    }
  }

  Model model_;
  std::array<View, kPages> tables_;
  std::deque<Mapped> mapped_;
  VaSpace space_{kFirstPage * kPageBytes, kPages* kPageBytes};
  VaOpList ops_;
};

class VaSpaceSeeds : public VaSpaceModelTest, public testing::WithParamInterface<uint64_t> {};

TEST_P(VaSpaceSeeds, AgreesWithTheModel) {
  uint64_t seed = base::seed_for_test(1000) + GetParam();
  SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed - GetParam()) + " and " + std::to_string(GetParam()));
  run(seed);
}
INSTANTIATE_TEST_SUITE_P(Seeds, VaSpaceSeeds, testing::Range<uint64_t>(0, 12));

}  // namespace
}  // namespace vidmm
