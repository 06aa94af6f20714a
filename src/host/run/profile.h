#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace host {

// A Windows that a display driver can be run under: what version of its interface the graphics kernel offers.
struct Profile {
  const char* name;     // "wddm2.0"
  const char* windows;  // the first that has it
  uint32_t interface_version;
};

// Oldest first.
std::span<const Profile> all_profiles();
// Null when there is none of that name.
const Profile* find_profile(std::string_view name);

// The interface version a run offers. Without a name every other seed is the newest Windows and the rest the oldest
// that the driver can be for: a driver that takes the interface's size for granted meets both.
uint32_t graphics_version(std::string_view profile, uint64_t seed);

}  // namespace host
