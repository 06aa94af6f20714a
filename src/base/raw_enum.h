#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace base {

// What a client or a driver wrote into a field of an enumeration, which need not be one of its values: the language
// knows no such enumerator, so it is never read as one before it has been judged.
template <typename E>
uint32_t raw(const E& field) {
  static_assert(std::is_enum_v<E> && sizeof(E) == sizeof(uint32_t));
  uint32_t value;
  std::memcpy(&value, &field, sizeof(value));
  return value;
}

}  // namespace base
