#include "ks/pin/data_range.h"

namespace ks {
namespace {

bool agree(const GUID& a, const GUID& b) {
  static constexpr GUID kWildcard{};
  return a == b || a == kWildcard || b == kWildcard;
}

}  // namespace

bool matches(const KSDATARANGE& range, const KSDATARANGE& other) {
  return agree(range.MajorFormat, other.MajorFormat) && agree(range.SubFormat, other.SubFormat) &&
         agree(range.Specifier, other.Specifier);
}

}  // namespace ks
