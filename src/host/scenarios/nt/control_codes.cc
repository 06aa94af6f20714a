#include "host/scenarios/nt/control_codes.h"

#include <algorithm>

#include "base/sanitizer.h"

namespace host {
namespace {

// Code that subtracts the lowest code of a switch has the negative number.
bool is_code(ULONG number, std::span<const DEVICE_TYPE> types) {
  DEVICE_TYPE type = number >> 16;
  return type != 0 && std::find(types.begin(), types.end(), type) != types.end();
}

// Between the variables of a driver ASan has bytes that no code of the driver may read.
NO_SANITIZE uint8_t read(const uint8_t* byte) { return *byte; }

}  // namespace

std::vector<ULONG> find_control_codes(std::span<const uint8_t> bytes, std::span<const DEVICE_TYPE> types) {
  std::vector<ULONG> codes;
  ULONG number = 0;  // the last four bytes, the lowest first
  for (size_t at = 0; at < bytes.size(); ++at) {
    number = number >> 8 | ULONG{read(bytes.data() + at)} << 24;
    if (at + 1 < sizeof(number)) continue;
    if (is_code(number, types)) codes.push_back(number);
    if (is_code(0 - number, types)) codes.push_back(0 - number);
  }
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  return codes;
}

std::vector<ULONG> find_control_codes(const DriverImage& image, std::span<const DEVICE_TYPE> types) {
  std::vector<ULONG> codes;
  for (const char* name : {".text", "PAGE", ".rodata"}) {
    auto section = image.section(name);
    if (!section) continue;
    const auto* first = reinterpret_cast<const uint8_t*>(section->lo);
    auto more = find_control_codes(std::span(first, section->hi - section->lo), types);
    codes.insert(codes.end(), more.begin(), more.end());
  }
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  return codes;
}

}  // namespace host
