#pragma once

#include "nt/boundary/functions.h"
#include "nt/rtl/format.h"

namespace nt {

// Judges the IRQL at which a driver formatted a text with `fn`.
//
// The pages of RtlStringCbPrintf and its family say PASSIVE_LEVEL. What needs it is the conversion between ANSI and
// Unicode, whose tables may be paged out (DbgPrint's page names the format codes); a text without one can be made at
// any IRQL, and public drivers do so in DPC routines (policy).
void judge_irql_of_format(Fn fn, const Formatted& formatted);

}  // namespace nt
