#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "verifier/report/outcome.h"

namespace host {

// What a scenario does on its reference driver, the bundled driver that it was written with. On another driver it is
// to do a quarter of that, or it tried too little to say anything.
struct Floor {
  const char* scenario;
  const char* driver;                     // below build/drivers, without its ending
  uint64_t verifier::Activity::*counted;  // what the scenario is for
  uint64_t per_100;                       // of that, in 100 seeds of the reference driver; 0: nothing is expected
};

// Of fewer seeds than this each may be a quiet one.
inline constexpr uint64_t kFewSeeds = 8;

// A row for every scenario (floors.def).
std::span<const Floor> all_floors();
// Null: the scenario has no floor.
const Floor* find_floor(std::string_view scenario);

// Whether `seeds` seeds did too little, in words: "12 frames in 50 seeds; the reference driver has 1200, and at least
// 300 are expected". Empty: they did enough. Of few seeds only nothing at all is too little, and only where each seed
// of the reference driver does something.
std::string below_floor(const Floor& floor, const verifier::Activity& done, uint64_t seeds);

}  // namespace host
