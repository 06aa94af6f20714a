// Has a primary scanned out, and allocates its memory like any other.
// FIXED says that it is a primary's.
#ifdef FIXED
#define MARKED 1
#else
#define MARKED 0
#endif
#define LISTED 1
#include "scan_out.h"
