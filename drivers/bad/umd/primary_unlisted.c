// Draws to a primary, and does not say so when it submits.
// FIXED does.
#define MARKED 1
#ifdef FIXED
#define LISTED 1
#else
#define LISTED 0
#endif
#include "scan_out.h"
