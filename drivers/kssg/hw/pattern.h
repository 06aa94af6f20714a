#pragma once

#include <cstdint>
#include <vector>

namespace kssg {

// The picture of this number, in YUY2: a slanted gradient that moves, with the number in its first four bytes (the
// lowest first). It depends on nothing else. `width` is even.
std::vector<uint8_t> render(uint32_t number, uint32_t width, uint32_t height);

// The number in a picture.
uint32_t number_in(const uint8_t* picture);

}  // namespace kssg
