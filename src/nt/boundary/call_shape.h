#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

// A call into a driver as text for reports: made from the types of its parameters and their values.
namespace nt {

struct ParameterShape {
  std::string_view type;  // what it points to, or is
  bool pointer;
};
using CallShape = std::span<const ParameterShape>;

// The name of a type as the compiler writes it: `_DXGKARG_OPENALLOCATION`, `unsigned int`.
template <typename T>
constexpr std::string_view type_name() {
  std::string_view text = __PRETTY_FUNCTION__;  // "… [with T = X; …]" or "… [T = X]"
  size_t begin = text.find("T = ") + 4;
  return text.substr(begin, text.find_first_of(";]", begin) - begin);
}

template <typename T>
constexpr ParameterShape parameter_shape() {
  using Pointee = std::remove_cv_t<std::remove_pointer_t<T>>;
  return {type_name<Pointee>(), std::is_pointer_v<T>};
}

template <typename... Params>
inline constexpr ParameterShape kCallShape[sizeof...(Params) + 1] = {parameter_shape<std::decay_t<Params>>()..., {}};

template <typename T>
uint64_t raw_argument(const T& argument) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<uintptr_t>(argument);
  } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    return static_cast<uint64_t>(argument);
  } else {
    return 0;  // a structure by value
  }
}

// "DxgkDdiX(memory 0x20, DXGKARG_X {NumAllocations 2, Flags 0x1})". Structures whose layout the project keeps are read
// where the call points to; addresses appear only as offsets in the machine's memory, so that equal runs give equal
// texts.
std::string describe_call(std::string_view routine, CallShape shape, const uint64_t* arguments);

}  // namespace nt
