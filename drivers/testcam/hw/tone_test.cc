#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "testcam/proto/testcam_tone.h"

namespace testcam {
namespace {

constexpr double kTurn = 4294967296.0;

class Tone : public ::testing::TestWithParam<uint32_t> {
 protected:
  // Times it goes from below zero to zero or above.
  int turns(uint64_t from, uint64_t to) const {
    int count = 0;
    for (uint64_t i = from; i < to; ++i) {
      count += testcam_tone_sample(i, GetParam()) < 0 && testcam_tone_sample(i + 1, GetParam()) >= 0;
    }
    return count;
  }
  uint64_t period() const { return uint64_t{2} * TESTCAM_TONE_HALF_SECONDS * GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Rates, Tone, ::testing::Values(44'100, 48'000));

TEST(ToneSine, IsNearlyASine) {
  for (uint64_t angle = 0; angle < 1ull << 32; angle += 9'999'991) {
    const double sine = std::sin(2 * M_PI * static_cast<double>(angle) / kTurn) * TESTCAM_TONE_AMPLITUDE;
    EXPECT_NEAR(testcam_tone_sine(static_cast<uint32_t>(angle)), sine, 0.06 * TESTCAM_TONE_AMPLITUDE) << angle;
  }
}

// The steepest it gets is the highest frequency's slope at zero: a click would be steeper.
TEST_P(Tone, NeverClicks) {
  const double steepest = 4.0 * TESTCAM_TONE_AMPLITUDE * 2 * TESTCAM_TONE_HIGHEST_HZ / GetParam();
  int loudest = 0;
  for (uint64_t i = 0; i <= period(); ++i) {
    const int here = testcam_tone_sample(i, GetParam()), next = testcam_tone_sample(i + 1, GetParam());
    ASSERT_LE(std::abs(next - here), static_cast<int>(steepest) + 2) << i;
    loudest = std::max(loudest, std::abs(here));
  }
  EXPECT_NEAR(loudest, TESTCAM_TONE_AMPLITUDE, 16);
}

TEST_P(Tone, SweepsUpAndDown) {
  const uint64_t tenth = GetParam() / 10, half = period() / 2;
  EXPECT_NEAR(turns(0, tenth), TESTCAM_TONE_LOWEST_HZ / 10, 3);
  EXPECT_NEAR(turns(half - tenth, half), TESTCAM_TONE_HIGHEST_HZ / 10, 3);
  EXPECT_NEAR(turns(period() - tenth, period()), TESTCAM_TONE_LOWEST_HZ / 10, 3);
}

TEST_P(Tone, RepeatsForEver) {
  for (uint64_t i : {uint64_t{0}, uint64_t{12'345}, period() - 1}) {
    EXPECT_EQ(testcam_tone_sample(i + 1'000'000 * period(), GetParam()), testcam_tone_sample(i, GetParam()));
  }
}

}  // namespace
}  // namespace testcam
