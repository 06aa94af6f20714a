#include "dxgk/memory/aperture_shadow.h"

#include <gtest/gtest.h>

#include <vector>

namespace dxgk {
namespace {

using Shows = ApertureShadow::Page::Shows;

// An MDL of pages with the given numbers.
class FakeMdl {
 public:
  explicit FakeMdl(const std::vector<PFN_NUMBER>& frames) : memory_(sizeof(MDL) / sizeof(PFN_NUMBER)) {
    memory_.insert(memory_.end(), frames.begin(), frames.end());
    get().ByteCount = static_cast<ULONG>(frames.size() * 4096);
  }
  MDL& get() { return *reinterpret_cast<MDL*>(memory_.data()); }

 private:
  std::vector<PFN_NUMBER> memory_;
};

TEST(ApertureShadow, KnowsNothingAtFirst) {
  ApertureShadow shadow(1000);
  EXPECT_EQ(shadow.at(0).shows, Shows::Nothing);
  EXPECT_EQ(shadow.at(999).shows, Shows::Nothing);
  EXPECT_EQ(shadow.mapped(), 0u);
}

TEST(ApertureShadow, ShowsTheMdlFromItsOffsetOn) {
  ApertureShadow shadow(1024);
  FakeMdl mdl({7, 3, 9, 4});
  shadow.map(511, 2, mdl.get(), 1);  // on both sides of a chunk
  EXPECT_EQ(shadow.at(510).shows, Shows::Nothing);
  EXPECT_EQ(shadow.at(511).shows, Shows::Memory);
  EXPECT_EQ(shadow.at(511).physical, 3u * 4096);
  EXPECT_EQ(shadow.at(512).physical, 9u * 4096);
  EXPECT_EQ(shadow.at(513).shows, Shows::Nothing);
  EXPECT_EQ(shadow.mapped(), 2u);
}

TEST(ApertureShadow, ShowsTheDummyPageAfterwards) {
  ApertureShadow shadow(16);
  FakeMdl mdl({1, 2});
  shadow.map(4, 2, mdl.get(), 0);
  shadow.unmap(5, 3, 0x7000);  // one that was mapped, two that never were
  EXPECT_EQ(shadow.at(4).shows, Shows::Memory);
  for (uint64_t page = 5; page < 8; ++page) {
    EXPECT_EQ(shadow.at(page).shows, Shows::Dummy);
    EXPECT_EQ(shadow.at(page).physical, 0x7000u);
  }
  EXPECT_EQ(shadow.mapped(), 1u);
  shadow.map(5, 1, mdl.get(), 1);
  EXPECT_EQ(shadow.at(5).physical, 2u * 4096);
  EXPECT_EQ(shadow.mapped(), 2u);
}

TEST(ApertureShadowDeathTest, RefusesToMapOverMemory) {
  ApertureShadow shadow(16);
  FakeMdl mdl({1, 2});
  shadow.map(4, 2, mdl.get(), 0);
  EXPECT_DEATH(shadow.map(5, 1, mdl.get(), 0), "mapped twice");
}

TEST(ApertureShadowDeathTest, RefusesWhatIsOutside) {
  ApertureShadow shadow(16);
  FakeMdl mdl({1, 2});
  EXPECT_DEATH(shadow.map(15, 2, mdl.get(), 0), "pages_");
  EXPECT_DEATH(shadow.map(0, 2, mdl.get(), 1), "frames_in");
  EXPECT_DEATH(shadow.unmap(16, 1, 0), "pages_");
}

}  // namespace
}  // namespace dxgk
