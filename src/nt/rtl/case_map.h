#pragma once

#include "abi/shared/ntdef.h"

// Upper and lower case of single UTF-16 units, for names that are compared without case. Windows keeps such a table of
// its own and does not document it; ours (policy) is Unicode's one-to-one pairs that lead back to where they came from,
// without the Georgian and Cherokee ones that Unicode added late.
namespace nt {

WCHAR upcase(WCHAR c);
WCHAR downcase(WCHAR c);

}  // namespace nt
