#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace base {

// The number that a client or a driver wrote into an enumeration's field. It need not be one of the enumerators, and
// C++ must not read such a value as the enumeration. So it is read as a number and checked first.
template <typename E>
uint32_t raw(const E& field) {
  static_assert(std::is_enum_v<E> && sizeof(E) == sizeof(uint32_t));
  uint32_t value;
  std::memcpy(&value, &field, sizeof(value));
  return value;
}

}  // namespace base
