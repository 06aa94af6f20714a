#include "host/run/floors.h"

#include <fmt/format.h>

#include <algorithm>

#include "verifier/report/report_words.h"

namespace host {
namespace {

constexpr uint64_t kPart = 4;  // of what the reference driver does

constexpr Floor kFloors[] = {
#define FLOOR(scenario, driver, counted, per_100) {scenario, driver, &verifier::Activity::counted, per_100},
#include "host/run/floors.def"
#undef FLOOR
};

const char* words_of(const Floor& floor) {
  auto at = std::ranges::find(verifier::kActivityCounts, floor.counted, &verifier::ActivityCount::count);
  return at->words;
}

}  // namespace

std::span<const Floor> all_floors() { return kFloors; }

const Floor* find_floor(std::string_view scenario) {
  auto at = std::ranges::find(kFloors, scenario, [](const Floor& floor) { return std::string_view(floor.scenario); });
  return at == std::end(kFloors) ? nullptr : at;
}

std::string below_floor(const Floor& floor, const verifier::Activity& done, uint64_t seeds) {
  const uint64_t count = done.*floor.counted;
  const uint64_t reference = floor.per_100 * seeds / 100;
  const uint64_t least = seeds < kFewSeeds ? (floor.per_100 >= 100 && seeds ? 1 : 0) : reference / kPart;
  if (count >= least) return {};
  return fmt::format("{} {} in {}; the reference driver has {}, and at least {} {} expected", count, words_of(floor),
                     verifier::counted(seeds, "seed"), reference, least, least == 1 ? "is" : "are");
}

}  // namespace host
