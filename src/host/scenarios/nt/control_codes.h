#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abi/km/wdm.h"
#include "host/run/driver_image.h"

namespace host {

// Numbers in the code and the constants of a driver that may be control codes of `types`, the types of its devices: a
// driver compares the code of a request with the codes it knows, so they are in its instructions. What is found may be
// no code at all, and codes that the compiler computes are missing. Sorted, each once.
std::vector<ULONG> find_control_codes(std::span<const uint8_t> bytes, std::span<const DEVICE_TYPE> types);
std::vector<ULONG> find_control_codes(const DriverImage& image, std::span<const DEVICE_TYPE> types);

}  // namespace host
