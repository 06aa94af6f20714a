#pragma once

#include "base/raw_enum.h"

namespace kmt {

using base::raw;

}  // namespace kmt
